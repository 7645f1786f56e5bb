"""A dictionary that begins with given points and grows by the distance criterion.

Kashima's components begin at points x⁽ᵖ⁾(0) that are no rows of the stream (49): with
`init="atoms"` component p of a Hebbian rule or of APEX is φ(x⁽ᵖ⁾(0)) / ‖φ(x⁽ᵖ⁾(0))‖.
"""

from __future__ import annotations

from typing import Any

from okpca.dictionary.admission.distance_criterion import Novelty
from okpca.dictionary.admission.policy import Policy, as_points
from okpca.dictionary.basis import Basis
from okpca.kernels import Kernel


class Seeded(Policy):
    """`points` are the first atoms, in their order; rows join as with `Novelty(nu)`."""

    references = ("kashima2001", "engel2004")

    def __init__(self, points: Any, nu: float = 1e-3) -> None:
        self.points = points
        self.nu = nu
        self._novelty = Novelty(nu)

    def admits(self, residual: Any, norm: Any, coherence: Any) -> Any:
        return self._novelty.admits(residual, norm, coherence)

    @property
    def doubt(self) -> float:
        return self._novelty.doubt

    def opening(self, kernel: Kernel, n_features: int) -> Basis:
        points = as_points(self.points, kernel, n_features)
        basis = Basis.of_distinct(kernel, points)
        if basis.m < points.shape[0]:
            raise ValueError(
                f"of the {points.shape[0]} points to begin with only {basis.m} are independent "
                "under this kernel: leave out those that are alike."
            )
        return basis

    def __repr__(self) -> str:
        return f"Seeded({self.points!r}, nu={self.nu})"
