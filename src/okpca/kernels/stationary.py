"""What kernels of |x - y| with kappa(x, x) = 1 have in common: sum_j G_ij (x_i - y_j) in their
gradients, and the way back from a value to a distance."""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.kernels.rows import dense


def contract_differences(X: Rows, Y: Array, G: Array) -> Array:
    """sum_j G_ij (x_i - y_j) = (sum_j G_ij) (x_i - c) - sum_j G_ij (y_j - c).

    c is the mean of Y: it keeps the digits far from the origin. (Of no Y the sum is 0.)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        c = Y.sum(axis=0) / max(len(Y), 1)
        return np.asarray(G.sum(axis=1)[:, None] * (dense(X) - c) - np.dot(G, Y - c))


def log_cosine(along: Array, square: Array) -> Array:
    """log f, f(|x - y|^2) = 1 - |phi(x) - phi(y)|^2 / 2, from <phi(x), phi(y)> and |phi(x)|^2; f is
    1 at most, and NaN stands for what no distance belongs to."""
    value = np.minimum(1.0 - 0.5 * (1.0 + square - 2.0 * along), 1.0)
    return np.asarray(np.log(np.where(value > 0.0, value, np.nan)))
