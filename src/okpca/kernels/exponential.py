"""kappa(x, y) = exp(-|x - y|_2 / sigma)"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.kernels import parameters
from okpca.kernels.base import Bound, ByBinding, Kernel, Trait
from okpca.kernels.distances import ScaledDistances
from okpca.kernels.first_rows import gamma_by
from okpca.kernels.stationary import contract_differences, log_cosine


@dataclass(frozen=True)
class Exponential(ByBinding):
    """kappa(x, y) = exp(-|x - y|_2 / sigma), one of the kernels that Honeine lists

    sigma: width; "scale" or "median" for the usual distance of the first rows. The gradient at
    x = y, where there is none, is taken as 0.
    """

    names = ("exponential",)

    sigma: float | str = 1.0

    own_traits = Trait.CONSTANT_NORM | Trait.ANY_COLUMNS | Trait.LOCAL

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", parameters.sigma("Exponential", "sigma", self.sigma))

    @property
    def needs_rows(self) -> bool:
        return isinstance(self.sigma, str)

    def settled(self, X: Rows, weight: Array | None = None) -> Kernel:
        if not isinstance(self.sigma, str):
            return self
        return replace(self, sigma=gamma_by(self.sigma, X, weight) ** -0.5)

    def bind(self, atoms: Rows) -> Bound:
        distances = self._distances(atoms)
        return lambda X: np.asarray(np.exp(-np.sqrt(-distances(X))))

    def diag(self, X: Rows) -> Array:
        return np.ones(X.shape[0])

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        # d kappa / dx = -kappa / (sigma |x - y|) (x - y) = -kappa / (sigma^2 r) (x - y)
        r = np.sqrt(-self._distances(Y)(X))
        G = np.divide(-np.exp(-r) * W, r, out=np.zeros_like(r), where=r > 0)
        sigma = parameters.number(self, self.sigma)
        return contract_differences(X, Y, G) / sigma / sigma

    def squared_distance(self, along: Array, square: Array, own: Array) -> Array:
        return np.square(parameters.number(self, self.sigma) * log_cosine(along, square))

    def _distances(self, atoms: Rows) -> ScaledDistances:
        rate = min(1.0 / parameters.number(self, self.sigma), sys.float_info.max)
        # safe=0: the square root doubles the digits lost near 0, so always look twice
        return ScaledDistances(atoms, rate=rate, safe=0.0)
