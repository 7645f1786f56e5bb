"""kappa(x, y) = x . y / (|x| |y|)"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.kernels.base import Bound, ByBinding, Trait
from okpca.kernels.rows import dense, divided, norms, product, transposed


@dataclass(frozen=True)
class Cosine(ByBinding):
    """kappa(x, y) = x . y / (|x| |y|), and 0 where x or y is 0

    The gradient at x = 0, where there is none, is taken as 0.
    """

    names = ("cosine",)
    own_traits = Trait.CONSTANT_NORM | Trait.ANY_COLUMNS

    def bind(self, atoms: Rows) -> Bound:
        unit = transposed(_unit(atoms))

        def cosine(X: Rows) -> Array:
            length = norms(X)
            K = product(X, unit)
            K /= np.where(length > 0, length, 1.0)[:, None]
            return K

        return cosine

    def diag(self, X: Rows) -> Array:
        return (norms(X) > 0).astype(np.float64)

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        # d kappa / dx = (y/|y| - kappa x/|x|) / |x|
        X, Y = dense(X), _unit(Y)
        U = _unit(X)
        tangent = np.dot(W, Y) - (W * np.dot(U, Y.T)).sum(axis=1)[:, None] * U
        length = norms(X)[:, None]
        with np.errstate(over="ignore"):
            return np.asarray(tangent / np.where(length > 0, length, np.inf))


def _unit(Y: Rows) -> Rows:
    length = norms(Y)
    return divided(Y, np.where(length > 0, length, 1.0))
