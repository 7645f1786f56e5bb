"""kappa(x, y) = value: what a scalar means in `kernel + scalar`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.number_checks import checked_number
from okpca._core.typing import Array, Rows
from okpca.kernels.base import Kernel, Trait


@dataclass(frozen=True)
class Constant(Kernel):
    """kappa(x, y) = value, with value > 0."""

    value: float = 1.0

    own_traits = Trait.AFFINE | Trait.CONSTANT_NORM | Trait.ANY_COLUMNS

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", checked_number("Constant", "value", self.value))

    def block(self, X: Rows, Y: Rows) -> Array:
        return np.full((X.shape[0], Y.shape[0]), self.value)

    def diag(self, X: Rows) -> Array:
        return np.full(X.shape[0], self.value)

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        return np.zeros(X.shape)
