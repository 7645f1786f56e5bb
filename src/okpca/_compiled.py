"""Compiled leaves: pure functions on arrays, no classes, no Python objects.

They are plain Python too: with NUMBA_DISABLE_JIT=1 the tests step through every line. `fastmath`
names its flags because the bare switch also assumes that there are no NaNs. Callers import this
module late: numba takes a second to load.
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from numba import njit

_FAST = {"nsz", "arcp", "contract", "afn", "reassoc"}
_uncached: list[str] = []  # leaves that numba finds no place to keep


def _leaf(function, fastmath=_FAST):
    compiled = partial(njit, nogil=True, error_model="numpy", fastmath=fastmath)
    try:
        return compiled(cache=True)(function)
    except RuntimeError as error:
        if "no locator" not in str(error):
            raise
        _uncached.append(function.__name__)
        return compiled()(function)


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


@partial(_leaf, fastmath=False)
def solve_strictly(L, k, z):
    """`solve_row` in the order in which it is written: the first coordinates are the same, to the
    last digit, however many there are."""
    square = 0.0
    for i in range(k.shape[0]):
        s = k[i]
        for j in range(i):
            s -= L[i, j] * z[j]
        z[i] = s / L[i, i]
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
def tracking_rows(V, F, d, C, weight, memory, power, share, used):
    """One step of the weighted least-squares rule per row c of C, in place on V (r, m), the factor
    F of the sums G = F Fᵀ and the mean squared outputs `power`.

    y = V c,   G ← β G + w y yᵀ,   V ← V − w (G⁻¹ y)(yᵀ V) + w (G⁻¹ D y) cᵀ
    with w lowered to 1 / yᵀ (β G)⁻¹ y where it is larger. `power` is that of v_j / √d_j, whose norm
    tends to one. A row of weight 0 changes nothing, nor does one without outputs: it would only let
    G fade. As many components learn as there are coordinates: `used` before the first row, and more
    where rows have them. Returns how many there are in the end.
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


@_leaf
def nearest_rows(K, norms, since, offset, tie, nearest, value, norm):
    """Where one of the atoms of K (n, k), numbers `offset` and up, is closer to a row than the one
    noted so far, by more than a tie, note it; in place. Atom i is there for rows after since[i].

    The squared distance is κ(x, x) − 2 κ(x, d) + κ(d, d). Differences are compared: where all norms
    are alike, atoms far from a row have their order too.
    """
    for t in range(K.shape[0]):
        for i in range(K.shape[1]):
            closer = nearest[t] < 0 or _is_closer(K[t, i], norms[i], value[t], norm[t], tie)
            if closer and t > since[i]:
                nearest[t], value[t], norm[t] = offset + i, K[t, i], norms[i]


@_leaf
def nearest_of_row(k, norms, tie):
    """`nearest_rows` for one row."""
    best = 0
    for i in range(1, len(k)):
        if _is_closer(k[i], norms[i], k[best], norms[best], tie):
            best = i
    return best


@_leaf
def _is_closer(value, norm, other, other_norm, tie):
    gain, size = value - other, 0.5 * (norm - other_norm)
    return gain - size > tie * (abs(value) + abs(size))


@_leaf
def charge_rows(may_join, residual, nearest, weight, debt, price, decay, tie):
    """Charge rows to the debts of their atoms, in place. One that may join asks to if the debt has
    reached the price by it, and clears it. Returns who asks, and the price after the last row."""
    asks = np.zeros(len(residual), dtype=np.bool_)
    for t in range(len(residual)):
        price *= decay
        if decay < 1.0:
            for i in range(len(debt)):
                debt[i] *= decay
        if nearest[t] >= 0:
            owed = debt[nearest[t]] + weight[t] * residual[t]
            asks[t] = may_join[t] and owed >= (1.0 - tie) * price
            debt[nearest[t]] = 0.0 if asks[t] else owed
    return asks, price


@_leaf
def add_rows(X, nearest, row_weight, decay, weight, total):
    """Add rows to the weight and the sum of their atoms, in place, one after another: so, while
    nothing is forgotten, the last digit does not depend on how a stream is cut."""
    n, d = X.shape
    fade = decay**n
    if fade < 1.0:
        for i in range(len(weight)):
            weight[i] *= fade
            for k in range(d):
                total[i, k] *= fade
    for t in range(n):
        atom = nearest[t]
        if atom >= 0:
            w = row_weight[t] * decay ** (n - 1 - t)
            weight[atom] += w
            for k in range(d):
                total[atom, k] += w * X[t, k]


@_leaf
def ward_cost(square, w, v):
    """w v / (w + v) · square, without overflow."""
    low, high = min(w, v), max(w, v)
    return low / (1.0 + low / high) * square if high > 0.0 else 0.0


@_leaf
def cheapest_partner(cost, i, tie):
    """Of the atoms after i; −1 if there is none."""
    best, partner = np.inf, -1
    for j in range(i + 1, cost.shape[0]):
        if cost[i, j] < (1.0 - tie) * best:
            best, partner = cost[i, j], j
    return partner


@_leaf
def merge_cheapest(cost, weight, n_left, tie, heir):
    """Merge the pair of least Ward cost until `n_left` atoms are left; heir[i] takes over from i.

    `cost` comes with the squared distances of the atoms and is used up, as is `weight`. The cost of
    a merged pair with any third atom follows from those of its members (Lance & Williams):
        (w_i + w_k) c_ik + (w_j + w_k) c_jk − w_k c_ij   over   w_i + w_j + w_k
    Of two alike the older is merged first, and the heavier stays. Returns the cost of the last.
    """
    m = len(weight)
    for i in range(m):
        for j in range(i + 1, m):
            cost[i, j] = ward_cost(cost[i, j], weight[i], weight[j])
    partner = np.empty(m, dtype=np.intp)
    for i in range(m):
        partner[i] = cheapest_partner(cost, i, tie)
    last = 0.0
    for _ in range(m - n_left):
        best, i = np.inf, -1
        for k in range(m):
            if partner[k] >= 0 and cost[k, partner[k]] < (1.0 - tie) * best:
                best, i = cost[k, partner[k]], k
        if i < 0:
            break
        j = partner[i]
        stays, goes = (i, j) if weight[i] >= weight[j] else (j, i)
        w, v, between = weight[stays], weight[goes], cost[i, j]
        last = max(last, between)
        weight[stays] += v
        heir[goes] = stays
        for k in range(m):
            if heir[k] != k or k == stays:
                continue
            a, b = min(k, stays), max(k, stays)
            c, d = min(k, goes), max(k, goes)
            both = w + v + weight[k]
            if both > 0.0:
                u = weight[k] / both
                rest = w / both * cost[a, b] + v / both * cost[c, d]
                cost[a, b] = max(rest + u * (cost[a, b] + cost[c, d] - between), 0.0)
            cost[c, d] = np.inf
        cost[min(stays, goes), max(stays, goes)] = np.inf
        for k in range(m):
            if heir[k] != k:
                partner[k] = -1
            elif k == stays or partner[k] == stays or partner[k] == goes:
                partner[k] = cheapest_partner(cost, k, tie)
            elif k < stays and cost[k, stays] < (1.0 - tie) * cost[k, partner[k]]:
                partner[k] = stays
    return last


if _uncached:
    warnings.warn(
        "okpca compiles its inner loops anew in every process, which takes seconds: numba can "
        "write neither beside the package nor in the home directory. Set NUMBA_CACHE_DIR to a "
        "directory that it can write to.",
        RuntimeWarning,
        stacklevel=2,
    )


@_leaf
def half_difference(columns, values, a, b, other_columns, other_values, c, d, out):
    """(x − y) / 2 of two CSR rows, the numbers a..b of one matrix and c..d of another, without its
    zeros; returns how many there are. Halves cannot overflow."""
    n = 0
    while a < b or c < d:
        x, y = 0.0, 0.0
        mine = a < b and (c >= d or columns[a] <= other_columns[c])
        theirs = c < d and (a >= b or other_columns[c] <= columns[a])
        if mine:
            x = 0.5 * values[a]
            a += 1
        if theirs:
            y = 0.5 * other_values[c]
            c += 1
        if x != y:
            out[n] = x - y
            n += 1
    return n


@_leaf
def sparse_distances(ends, columns, values, y_ends, y_columns, y_values, i, j, power, out):
    """|x_i − y_j|_2 (power 2) or |x_i − y_j|_1 (power 1) of pairs of CSR rows with their columns
    in order: from the differences, with neither overflow nor underflow on the way."""
    longest = 0
    for t in range(len(i)):
        a, c = i[t], j[t]
        longest = max(longest, ends[a + 1] - ends[a] + y_ends[c + 1] - y_ends[c])
    half = np.empty(longest)
    for t in range(len(i)):
        a, b, c, d = ends[i[t]], ends[i[t] + 1], y_ends[j[t]], y_ends[j[t] + 1]
        n = half_difference(columns, values, a, b, y_columns, y_values, c, d, half)
        top, total = 0.0, 0.0
        for k in range(n):
            top = max(top, abs(half[k]))
        for k in range(n):
            part = abs(half[k]) / top
            total += part * part if power == 2 else part
        out[t] = 2.0 * (top * (np.sqrt(total) if power == 2 else total))
