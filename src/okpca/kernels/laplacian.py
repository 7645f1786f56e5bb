"""kappa(x, y) = exp(-gamma |x - y|_1)"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from okpca._core.typing import Array, Rows
from okpca.kernels import parameters
from okpca.kernels.base import Trait
from okpca.kernels.gamma import HasGamma
from okpca.kernels.rows import dense, dense_blocks, is_sparse
from okpca.kernels.sparse_distances import distances


@dataclass(frozen=True)
class Laplacian(HasGamma):
    """kappa(x, y) = exp(-gamma |x - y|_1)

    gamma: inverse width, None for 1 / n_features; "scale" or "median" for one over the usual
    |x - y|_1 of the first rows. The slope of |x_k - y_k| at 0 is taken as 0.
    """

    names = ("laplacian",)

    gamma: float | str | None = None
    power = 1

    own_traits = Trait.CONSTANT_NORM | Trait.ANY_COLUMNS | Trait.LOCAL

    def block(self, X: Rows, Y: Rows) -> Array:
        gamma = parameters.gamma_for(self.gamma, Y.shape[1])
        if is_sparse(Y):
            D = distances(X, Y, 1)
        else:
            D = np.concatenate([cdist(rows, Y, "cityblock") for rows in dense_blocks(X)])
        with np.errstate(over="ignore"):
            D *= -gamma
        return np.exp(D, out=D)

    def diag(self, X: Rows) -> Array:
        return np.ones(X.shape[0])

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        # d kappa / dx = -gamma kappa sign(x - y), no matrix product: one row at a time
        gamma = parameters.gamma_for(self.gamma, Y.shape[1])
        G = -gamma * W * (self.block(X, Y) if K is None else K)
        result = np.empty((X.shape[0], Y.shape[1]))
        for i, x in enumerate(dense(X)):
            np.dot(G[i], (x > Y).astype(float) - (x < Y), out=result[i])
        return result
