"""sum_j G_ij (x_i - y_j): what the gradients of kernels of |x - y| have in common."""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.kernels.rows import dense


def contract_differences(X: Rows, Y: Array, G: Array) -> Array:
    """sum_j G_ij (x_i - y_j) = (sum_j G_ij) (x_i - c) - sum_j G_ij (y_j - c).

    c is the mean of Y: it keeps the digits far from the origin.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        c = Y.mean(axis=0)
        return np.asarray(G.sum(axis=1)[:, None] * (dense(X) - c) - np.dot(G, Y - c))
