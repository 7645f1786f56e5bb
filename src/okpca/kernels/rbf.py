"""kappa(x, y) = exp(-gamma |x - y|^2)"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from okpca._core.number_checks import checked_number
from okpca._core.typing import Array, Rows
from okpca.kernels import parameters
from okpca.kernels.base import Bound, ByBinding, Trait
from okpca.kernels.distances import ScaledDistances
from okpca.kernels.gamma import HasGamma
from okpca.kernels.stationary import contract_differences, log_cosine


@dataclass(frozen=True)
class RBF(ByBinding, HasGamma):
    """kappa(x, y) = exp(-gamma |x - y|^2)

    gamma: inverse squared width, None for 1 / n_features; "scale" or "median" for one over the
    usual squared distance of the first rows.
    """

    names = ("rbf",)

    gamma: float | str | None = None

    own_traits = (
        Trait.CONSTANT_NORM | Trait.GAUSSIAN | Trait.ANY_COLUMNS | Trait.LOCAL | Trait.ROTATED
    )

    @classmethod
    def from_sigma(cls, sigma: float) -> RBF:
        """exp(-|x - y|^2 / (2 sigma^2))"""
        sigma = checked_number("RBF", "sigma", sigma)
        return cls(gamma=0.5 / sigma / sigma)

    def bind(self, atoms: Rows) -> Bound:
        gamma = parameters.gamma_for(self.gamma, atoms.shape[1])
        distances = ScaledDistances(atoms, rate=math.sqrt(gamma))

        def gaussian(X: Rows) -> Array:
            E = distances(X)
            return np.exp(E, out=E)

        return gaussian

    def diag(self, X: Rows) -> Array:
        return np.ones(X.shape[0])

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        # d kappa / dx = -2 gamma kappa (x - y)
        gamma = parameters.gamma_for(self.gamma, Y.shape[1])
        G = (-2.0 * gamma) * W
        G *= self.block(X, Y) if K is None else K
        return contract_differences(X, Y, G)

    def squared_distance(self, along: Array, square: Array, own: Array) -> Array:
        return -log_cosine(along, square) / parameters.resolved(self, self.gamma)
