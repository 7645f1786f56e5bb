"""A dictionary given beforehand; it never changes (a reduced kernel, a Nyström basis)."""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca.dictionary.admission.policy import Policy, as_points
from okpca.dictionary.basis import Basis
from okpca.dictionary.empirical_basis import EmpiricalBasis
from okpca.kernels import Kernel


class Fixed(Policy):
    """`points` become the atoms, most independent first; dependent ones are dropped."""

    references = ()

    grows = False

    def __init__(self, points: Any) -> None:
        self.points = points

    def admits(self, residual: Any, norm: Any, coherence: Any) -> Any:
        return np.zeros(np.shape(residual), dtype=bool)

    def opening(self, kernel: Kernel, n_features: int) -> Basis:
        basis = Basis.of_points(kernel, as_points(self.points, kernel, n_features))
        if basis.m == 0:
            raise ValueError("the fixed dictionary has no point with κ(x, x) > 0: nothing to span.")
        return basis

    def empirical(self, kernel: Kernel, n_features: int) -> EmpiricalBasis:
        return EmpiricalBasis(kernel, as_points(self.points, kernel, n_features))

    def __repr__(self) -> str:
        return f"Fixed({self.points!r})"
