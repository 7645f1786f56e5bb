"""kappa(x, y) = x . y"""

from __future__ import annotations

from dataclasses import dataclass

from okpca._core.typing import Array, Rows
from okpca.kernels.base import Kernel, Trait
from okpca.kernels.rows import product, squared_norms


@dataclass(frozen=True)
class Linear(Kernel):
    """kappa(x, y) = x . y: kernel PCA is then PCA."""

    names = ("linear",)
    own_traits = Trait.AFFINE | Trait.ANY_COLUMNS

    def block(self, X: Rows, Y: Rows) -> Array:
        return product(X, Y.T)

    def diag(self, X: Rows) -> Array:
        return squared_norms(X)

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        # d kappa / dx = y
        return product(W, Y)
