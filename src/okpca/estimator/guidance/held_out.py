"""Kernel PCA of one half of the sample, and what it is worth on the other.

K_c = U Λ Uᵀ                       centred Gram matrix of the n rows learned
λ_j = Λ_j / n                      variance along component j, learned
v_j = mean of y_j(x)²              the same over rows held back, about the same mean
p_j = λ_j / Σ λ
dimension = exp(−Σ p_j log p_j)    effective: how many components, were they all alike
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from okpca._core.eigen import leading_pairs
from okpca._core.numerics import EIGENVALUE
from okpca._core.typing import Array, Rows
from okpca.kernels import RBF


class Halves(NamedTuple):
    learned: Array  # λ_j
    held: Array  # v_j
    whole: float  # variance of the rows held back, all of it
    dimension: float

    def share(self) -> Array:
        """Of the variance of rows held back, that the first 1, 2, ... components hold."""
        return np.asarray(np.cumsum(self.held) / self.whole)


def halves(gamma: float, learned: Rows, held: Rows) -> Halves:
    """With all components that are more than rounding."""
    kernel, n = RBF(gamma), learned.shape[0]
    K = kernel(learned)
    along = K.mean(axis=0)
    centred = K - along - along[:, None] + along.mean()
    values, U = leading_pairs(centred, n - 1)
    real = values > EIGENVALUE * values[0]
    values, U = values[real], U[real].T
    B = kernel(held, learned)
    about = B.mean(axis=1)
    Y = (B - about[:, None] - along + along.mean()) @ (U / np.sqrt(values))
    whole = float((1 - 2 * about + along.mean()).mean())
    p = values / values.sum()
    dimension = float(np.exp(-(p * np.log(p)).sum()))
    return Halves(values / n, np.square(Y).mean(axis=0), whole, dimension)
