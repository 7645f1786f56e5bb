"""Pre-images for the Gaussian kernel: fixed points of a weighted mean."""

from __future__ import annotations

import numpy as np

from okpca._core.compiled.leaf import leaf
from okpca._core.numerics import TINY


@leaf
def _weighted_sum(S, rate, dual, y, out):
    """out = Σ w_i s_i, w_i = α_i exp(−rate |s_i − y|²); returns Σ w_i and Σ |w_i|.

    A row is used for both while it is at hand, and four at a time share the loads of y and out.
    """
    n, d = S.shape
    whole = n - n % 4
    total = size = 0.0
    for c in range(d):
        out[c] = 0.0
    for i in range(0, whole, 4):
        s0 = s1 = s2 = s3 = 0.0
        for c in range(d):
            t0, t1, t2, t3 = (
                S[i, c] - y[c],
                S[i + 1, c] - y[c],
                S[i + 2, c] - y[c],
                S[i + 3, c] - y[c],
            )
            s0 += t0 * t0
            s1 += t1 * t1
            s2 += t2 * t2
            s3 += t3 * t3
        w0, w1 = dual[i] * np.exp(-rate * s0), dual[i + 1] * np.exp(-rate * s1)
        w2, w3 = dual[i + 2] * np.exp(-rate * s2), dual[i + 3] * np.exp(-rate * s3)
        total += w0 + w1 + w2 + w3
        size += abs(w0) + abs(w1) + abs(w2) + abs(w3)
        for c in range(d):
            out[c] += w0 * S[i, c] + w1 * S[i + 1, c] + w2 * S[i + 2, c] + w3 * S[i + 3, c]
    for i in range(whole, n):
        s = 0.0
        for c in range(d):
            t = S[i, c] - y[c]
            s += t * t
        w = dual[i] * np.exp(-rate * s)
        total += w
        size += abs(w)
        for c in range(d):
            out[c] += w * S[i, c]
    return total, size


@leaf
def fixed_points(S, rate, dual, Y, iterations, firm, rounding, values):
    """Each row y of Y ← Σ w_i s_i / Σ w_i, so many times, or until it stays where it is; where the
    sum of weights is below `firm` of their sizes it would be thrown to infinity, and stays.
    values[k, i] = exp(−rate |s_i − y_k|²) where they end."""
    n, d = S.shape
    following = np.empty(d)
    for k in range(Y.shape[0]):
        y = Y[k]
        for _ in range(iterations):
            total, size = _weighted_sum(S, rate, dual, y, following)
            if not (abs(total) >= firm * size and abs(total) >= TINY):
                break
            step = largest = 0.0
            for c in range(d):
                new = following[c] / total
                step = max(step, abs(new - y[c]))
                largest = max(largest, abs(new))
                y[c] = new
            if not step > rounding * largest:
                break
        for i in range(n):
            s = 0.0
            for c in range(d):
                t = S[i, c] - y[c]
                s += t * t
            values[k, i] = np.exp(-rate * s)
