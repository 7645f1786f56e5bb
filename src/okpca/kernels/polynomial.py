"""kappa(x, y) = (gamma x . y + coef0)^degree"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.number_checks import checked_number
from okpca._core.typing import Array, Rows
from okpca.kernels import parameters
from okpca.kernels.base import Trait
from okpca.kernels.gamma import HasGamma
from okpca.kernels.rows import product, squared_norms


@dataclass(frozen=True)
class Polynomial(HasGamma):
    """kappa(x, y) = (gamma x . y + coef0)^degree

    degree: an integer >= 1. coef0: >= 0. gamma: None for 1 / n_features; "scale" or "median" for
    one over the usual squared length of the first rows.
    Where the power overflows the value is inf; whoever uses it must refuse it.
    """

    names = ("poly", "polynomial")

    degree: int = 3
    gamma: float | str | None = None
    coef0: float = 1.0

    own_traits = Trait.ANY_COLUMNS

    def __post_init__(self) -> None:
        super().__post_init__()
        name, definite = "Polynomial", " (or the kernel is not positive definite)"
        coef0 = checked_number(name, "coef0", self.coef0, positive=False, more=definite)
        object.__setattr__(self, "degree", parameters.at_least_one(name, "degree", self.degree))
        object.__setattr__(self, "coef0", coef0)

    @property
    def traits(self) -> Trait:
        return self.own_traits | Trait.AFFINE if self.degree == 1 else self.own_traits

    def block(self, X: Rows, Y: Rows) -> Array:
        return self._power(product(X, Y.T), Y.shape[1], self.degree)

    def diag(self, X: Rows) -> Array:
        return self._power(squared_norms(X), X.shape[1], self.degree)

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        # d kappa / dx = degree gamma (gamma x . y + coef0)^(degree - 1) y
        gamma = parameters.gamma_for(self.gamma, Y.shape[1])
        slope = self._power(product(X, Y.T), Y.shape[1], self.degree - 1)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray((self.degree * gamma) * np.dot(W * slope, Y))

    @property
    def tells_distance(self) -> bool:
        return self.degree % 2 == 1  # of an even power the sign of the product is lost

    def squared_distance(self, along: Array, square: Array, own: Array) -> Array:
        dots = self._product(square) + self._product(own) - 2.0 * self._product(along)
        return np.maximum(dots, 0.0)

    def _product(self, value: Array) -> Array:
        """x . y from kappa(x, y)"""
        root = np.sign(value) * np.abs(value) ** (1.0 / self.degree)
        return np.asarray((root - self.coef0) / parameters.resolved(self, self.gamma))

    def _power(self, dots: Array, n_features: int, degree: int) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            dots *= parameters.gamma_for(self.gamma, n_features)
            dots += self.coef0
            return integer_power(dots, degree)


def integer_power(base: Array, degree: int) -> Array:
    """base**degree by squaring: several times faster than `np.power`."""
    if degree == 0:
        return np.ones_like(base)
    if degree == 1:
        return base
    half = integer_power(base, degree // 2)
    return half * half * base if degree % 2 else half * half
