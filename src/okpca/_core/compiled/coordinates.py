"""Coordinates of rows, and their centre."""

from __future__ import annotations

from functools import partial

import numpy as np

from okpca._core.compiled.leaf import leaf
from okpca._core.numerics import TINY


@leaf
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


@partial(leaf, fastmath=False)
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


@partial(leaf, fastmath=False)
def solve_back_strictly(L, z):
    """z ← L⁻ᵀ z in one order, whatever else is computed."""
    for i in range(z.shape[0] - 1, -1, -1):
        z[i] /= L[i, i]
        for j in range(i):
            z[j] -= L[i, j] * z[i]


@leaf
def inverse_transposed(L, out):
    """out = L⁻ᵀ for a small lower triangular L. scipy's solver would wake a second pool of BLAS
    threads beside numpy's, and the two get in each other's way.

    Row i of L⁻¹ is (e_i − Σ_{k<i} L_ik row k) / L_ii. Whole rows are added, since inner products
    that are so short would take several times as long.
    """
    m = L.shape[0]
    inverse = np.zeros((m, m))
    for i in range(m):
        for k in range(i):
            factor = L[i, k]
            for j in range(k + 1):
                inverse[i, j] -= factor * inverse[k, j]
        inverse[i, i] = 1.0
        for j in range(i + 1):
            inverse[i, j] /= L[i, i]
    for i in range(m):
        for j in range(m):
            out[j, i] = inverse[i, j]


@leaf
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
        gain[t] = 1.0 / keep if keep > TINY else 0.0  # below, 1 / keep overflows
        for k in range(Z.shape[1]):
            d = Z[t, k] - mean[k]
            mean[k] += step * d
            Z[t, k] = keep * d
    return weight


@leaf
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


@leaf
def scores_of_row(y, shift, sums, ends, norm, out):
    """Of (y − shift)², one row, out = [norm − 2 last − their sum with one column of weights, their
    sum with the other, and norm − 2 last − the sum of the first e for every e of `ends`]."""
    first, second, rest = 0.0, 0.0, 0.0
    for j in range(y.shape[0]):
        rest = y[j] - shift[j]
        first += sums[j, 0] * rest * rest
        second += sums[j, 1] * rest * rest
    distance = norm - 2.0 * rest
    out[0] = distance - first
    out[1] = second
    for i in range(ends.shape[0]):
        inside = 0.0
        for j in range(ends[i]):
            inside += (y[j] - shift[j]) * (y[j] - shift[j])
        out[2 + i] = distance - inside
