"""Compiled leaves: pure functions on arrays, no classes, no Python objects.

They are plain Python too: with NUMBA_DISABLE_JIT=1 the tests step through every line. `fastmath`
names its flags because the bare switch also assumes that there are no NaNs. Callers import this
module late: numba takes a second to load.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_FAST = {"nsz", "arcp", "contract", "afn", "reassoc"}
_leaf = njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)


@_leaf
def solve_row(L, k, z):
    """z = L⁻¹ k by forward substitution; returns ‖z‖². L may be larger than k.

    Four rows of L at a time share the loads of z, which halves the time:
        for i in range(m): z[i] = (k[i] - L[i, :i] @ z[:i]) / L[i, i]
    """
    m = k.shape[0]
    whole = m - m % 4
    for i in range(0, whole, 4):
        s0, s1, s2, s3 = k[i], k[i + 1], k[i + 2], k[i + 3]
        for j in range(i):
            s0 -= L[i, j] * z[j]
            s1 -= L[i + 1, j] * z[j]
            s2 -= L[i + 2, j] * z[j]
            s3 -= L[i + 3, j] * z[j]
        s0 /= L[i, i]
        s1 = (s1 - L[i + 1, i] * s0) / L[i + 1, i + 1]
        s2 = (s2 - L[i + 2, i] * s0 - L[i + 2, i + 1] * s1) / L[i + 2, i + 2]
        s3 -= L[i + 3, i] * s0 + L[i + 3, i + 1] * s1 + L[i + 3, i + 2] * s2
        z[i], z[i + 1], z[i + 2], z[i + 3] = s0, s1, s2, s3 / L[i + 3, i + 3]
    square = 0.0
    for i in range(whole, m):
        s = k[i]
        for j in range(i):
            s -= L[i, j] * z[j]
        z[i] = s / L[i, i]
    for i in range(m):
        square += z[i] * z[i]
    return square


@_leaf
def inverse_transposed(L, out):
    """out = L⁻ᵀ for a small lower triangular L. scipy's solver would wake a second pool of BLAS
    threads beside numpy's, and the two get in each other's way."""
    m = L.shape[0]
    for j in range(m):
        for i in range(m):
            out[j, i] = 0.0
        out[j, j] = 1.0 / L[j, j]
        for i in range(j + 1, m):
            s = 0.0
            for k in range(j, i):
                s -= L[i, k] * out[j, k]
            out[j, i] = s / L[i, i]


@_leaf
def centre_rows(Z, w, mean, weight, forgetting, gain):
    """Replace each row z_t by z_t − z̄_t, the mean running over the rows up to and with t.

    W_t = φ W_{t−1} + w_t,   z̄_t = z̄_{t−1} + (w_t / W_t) (z_t − z̄_{t−1})
    Since z_t − z̄_t = (φ W_{t−1} / W_t) (z_t − z̄_{t−1}), the scatter matrix about the moving
    mean is Σ w_t g_t (z_t − z̄_t)(z_t − z̄_t)ᵀ with the gain g_t = W_t / (φ W_{t−1}).
    Z, mean and gain are overwritten; returns W after the last row.
    """
    for t in range(Z.shape[0]):
        old = forgetting * weight
        weight = old + w[t]
        step = w[t] / weight
        keep = old / weight
        gain[t] = 1.0 / keep if keep > 0.0 else 0.0
        for k in range(Z.shape[1]):
            d = Z[t, k] - mean[k]
            mean[k] += step * d
            Z[t, k] = keep * d
    return weight


@_leaf
def take_row(L, k, mean, weight, forgetting, moving, new_mean, scaled):
    """`solve_row`, `centre_rows` and the scaling by √(w g), for one row of weight 1.

    Returns ‖z‖² and the row's part in the scatter, w g ‖c‖².
    """
    square = solve_row(L, k, scaled)
    scatter = 0.0
    old = forgetting * weight
    step = 1.0 / (old + 1.0) if moving else 0.0
    scale = np.sqrt(old * step) if moving else 1.0
    for i in range(k.shape[0]):
        d = scaled[i] - mean[i]
        new_mean[i] = mean[i] + step * d
        d *= scale
        scaled[i] = d
        scatter += d * d
    return square, scatter


@_leaf
def outputs(V, c, y):
    """y = V c, four components at a time so that they share the loads of c."""
    r, m = V.shape
    whole = r - r % 4
    for j in range(0, whole, 4):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for k in range(m):
            s0 += V[j, k] * c[k]
            s1 += V[j + 1, k] * c[k]
            s2 += V[j + 2, k] * c[k]
            s3 += V[j + 3, k] * c[k]
        y[j], y[j + 1], y[j + 2], y[j + 3] = s0, s1, s2, s3
    for j in range(whole, r):
        s = 0.0
        for k in range(m):
            s += V[j, k] * c[k]
        y[j] = s


@_leaf
def hebbian_rows(V, C, eta, deflation, normalize, power, share):
    """One Hebbian step per row of C, in place on V (r, m) and the mean squared outputs `power`.

    y = V c,   v_j += η y_j (c − y_j v_j − b Σ_{i<j} y_i v_i),   then v_j /= ‖v_j‖ if normalize.
    The deflation sum runs along with j, on the values before the step: O(m r), not O(m r²).
    A row of step size 0 changes nothing, not even norms. While rows come, component j is
    scale[j] V[j]: dividing by the norm waits for the next pass over V.
    """
    r, m = V.shape
    y = np.empty(r)
    scale = np.ones(r)
    deflated = np.empty(m)
    for t in range(C.shape[0]):
        if eta[t] == 0.0:
            continue
        outputs(V, C[t], y)
        for j in range(r):
            y[j] *= scale[j]
            power[j] += share[t] * (y[j] * y[j] - power[j])
        for k in range(m):
            deflated[k] = 0.0
        for j in range(r):
            step = eta[t] * y[j]
            own = y[j] * scale[j]
            keep = scale[j] - step * own
            square = 0.0
            for k in range(m):
                before = V[j, k]
                v = keep * before + step * (C[t, k] - deflation * deflated[k])
                deflated[k] += own * before
                V[j, k] = v
                square += v * v
            scale[j] = 1.0 / np.sqrt(square) if normalize and square > 0.0 else 1.0
    for j in range(r):
        for k in range(m):
            V[j, k] *= scale[j]


@_leaf
def apex_rows(V, lateral, C, eta, first, turn, power, share):
    """One APEX step per row of C, in place on V (r, m), `lateral` (r, r) and `power`.

    y_p = w_p·c − a_p·y_{<p},   w_p += η y_p (c − y_p w_p),   a_p += η y_p (y_{<p} − y_p a_p)
    With turn > 0 only the component whose turn it is learns, `turn` rows of the stream each; the
    first row of C has the number `first`. A row of step size 0 changes nothing.
    """
    r, m = V.shape
    y = np.empty(r)
    for t in range(C.shape[0]):
        if eta[t] == 0.0:
            continue
        outputs(V, C[t], y)
        for p in range(r):
            for j in range(p):
                y[p] -= lateral[p, j] * y[j]
            power[p] += share[t] * (y[p] * y[p] - power[p])
        begin, end = 0, r
        if turn > 0:
            begin = min((first + t - 1) // turn, r)
            end = min(begin + 1, r)
        for p in range(begin, end):
            step = eta[t] * y[p]
            keep = 1.0 - step * y[p]
            for k in range(m):
                V[p, k] = keep * V[p, k] + step * C[t, k]
            for j in range(p):
                lateral[p, j] = keep * lateral[p, j] + step * y[j]


@_leaf
def extend_factor(F, decay, x):
    """F with F Fᵀ ← decay F Fᵀ + x xᵀ, lower triangular, by rotations; x is used up."""
    root = np.sqrt(decay)
    n = F.shape[0]
    for k in range(n):
        old = root * F[k, k]
        new = np.hypot(old, x[k])
        if new == 0.0:
            F[k, k] = 0.0
            continue
        cosine, sine = old / new, x[k] / new
        F[k, k] = new
        for i in range(k + 1, n):
            old = root * F[i, k]
            F[i, k] = cosine * old + sine * x[i]
            x[i] = cosine * x[i] - sine * old


@_leaf
def solve_lower(F, x):
    """x ← F⁻¹ x; a direction that F lacks is left out. Returns ‖F⁻¹ x‖."""
    norm = 0.0
    for i in range(F.shape[0]):
        for k in range(i):
            x[i] -= F[i, k] * x[k]
        x[i] = x[i] / F[i, i] if F[i, i] > 0.0 else 0.0
        norm = np.hypot(norm, x[i])  # no overflow where the answer has none
    return norm


@_leaf
def solve_upper(F, x):
    """x ← F⁻ᵀ x; a direction that F lacks is left out."""
    n = F.shape[0]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= F[k, i] * x[k]
        x[i] = x[i] / F[i, i] if F[i, i] > 0.0 else 0.0


@_leaf
def tracking_rows(V, F, d, C, weight, memory, power, share):
    """One step of the weighted least-squares rule per row c of C, in place on V (r, m), the factor
    F of the sums G = F Fᵀ and the mean squared outputs `power`.

    y = V c,   G ← β G + w y yᵀ,   V ← V − w (G⁻¹ y)(yᵀ V) + w (G⁻¹ D y) cᵀ
    with w lowered to 1 / yᵀ (β G)⁻¹ y where it is larger. `power` is that of v_j / √d_j, whose norm
    tends to one. A row of weight 0 changes nothing, nor does one without outputs: it would only let
    G fade.
    """
    r, m = V.shape
    y, fall, rise = np.empty(r), np.empty(r), np.empty(r)
    along = np.empty(m)
    for t in range(C.shape[0]):
        if weight[t] == 0.0:
            continue
        outputs(V, C[t], y)
        for j in range(r):
            power[j] += share[t] * (y[j] * y[j] / d[j] - power[j])
            fall[j] = y[j]
        leverage = solve_lower(F, fall) / np.sqrt(memory)
        if leverage == 0.0:
            continue
        scale = min(np.sqrt(weight[t]), 1.0 / leverage)
        along[:] = 0.0
        for j in range(r):
            y[j] *= scale
            fall[j] = y[j]
            rise[j] = d[j] * y[j]
            for k in range(m):
                along[k] += y[j] * V[j, k]
        extend_factor(F, memory, y)
        solve_lower(F, fall)
        solve_upper(F, fall)
        solve_lower(F, rise)
        solve_upper(F, rise)
        for j in range(r):
            gain = scale * rise[j]
            for k in range(m):
                V[j, k] += gain * C[t, k] - fall[j] * along[k]
