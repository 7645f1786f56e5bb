"""Tanaka's tracker: generalised eigenvectors by recursive least squares."""

from __future__ import annotations

import numpy as np

from okpca._core.compiled.leaf import leaf
from okpca._core.compiled.steps import outputs
from okpca._core.numerics import FAINTEST


@leaf
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


@leaf
def solve_lower(F, x):
    """x ← F⁻¹ x; a direction that F lacks is left out. Returns ‖F⁻¹ x‖."""
    norm = 0.0
    for i in range(F.shape[0]):
        for k in range(i):
            x[i] -= F[i, k] * x[k]
        x[i] = x[i] / F[i, i] if F[i, i] > 0.0 else 0.0
        norm = np.hypot(norm, x[i])  # no overflow where the answer has none
    return norm


@leaf
def solve_upper(F, x):
    """x ← F⁻ᵀ x; a direction that F lacks is left out."""
    n = F.shape[0]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= F[k, i] * x[k]
        x[i] = x[i] / F[i, i] if F[i, i] > 0.0 else 0.0


@leaf
def tracking_rows(V, F, d, C, weight, memory, power, share, used):
    """One step of the weighted least-squares rule per row c of C, in place on V (r, m), the factor
    F of the sums G = F Fᵀ and the mean squared outputs `power`.

    y = V c,   G ← β G + w y yᵀ,   V ← V − w (G⁻¹ y)(yᵀ V) + w (G⁻¹ D y) cᵀ
    with w lowered to 1 / yᵀ (β G)⁻¹ y where it is larger. `power` is that of v_j / √d_j, whose norm
    tends to one. A row of weight 0 changes nothing, nor does one without outputs but for rounding:
    it would only let G fade. As many components learn as there are coordinates: `used` before the
    first row, and more where rows have them. Returns how many there are in the end.
    """
    every, m = V.shape
    y, fall, rise = np.empty(every), np.empty(every), np.empty(every)
    along = np.empty(m)
    for t in range(C.shape[0]):
        if weight[t] == 0.0:
            continue
        for k in range(used, m):
            if C[t, k] != 0.0:
                used = k + 1
        r = min(every, used)
        outputs(V[:r], C[t], y)
        for j in range(r):
            power[j] += share[t] * (y[j] * y[j] / d[j] - power[j])
            fall[j] = y[j]
        leverage = solve_lower(F[:r, :r], fall) / np.sqrt(memory)
        if leverage <= FAINTEST:
            continue
        scale = min(np.sqrt(weight[t]), 1.0 / leverage)
        along[:] = 0.0
        for j in range(r):
            y[j] *= scale
            fall[j] = y[j]
            rise[j] = d[j] * y[j]
            for k in range(m):
                along[k] += y[j] * V[j, k]
        extend_factor(F[:r, :r], memory, y)
        solve_lower(F[:r, :r], fall)
        solve_upper(F[:r, :r], fall)
        solve_lower(F[:r, :r], rise)
        solve_upper(F[:r, :r], rise)
        for j in range(r):
            gain = scale * rise[j]
            for k in range(m):
                V[j, k] += gain * C[t, k] - fall[j] * along[k]
    return used
