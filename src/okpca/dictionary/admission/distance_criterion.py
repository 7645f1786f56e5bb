"""The distance criterion: a row joins if ε²(x) ≥ ν κ(x, x).

Honeine (11), Souza Filho & Diniz Table I line 7; approximate linear dependence (ALD). Relative to
κ(x, x), so that ν means the same for every kernel; for κ(x, x) = 1 it is the papers' test. Their
ε²(x) ≥ ν for other kernels is `Novelty(nu, absolute=True)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from okpca._core.number_checks import checked_number
from okpca._core.numerics import DOUBT, TRIFLE
from okpca.dictionary.admission.policy import Policy


@dataclass(frozen=True)
class Novelty(Policy):
    """`nu=0` admits whatever is numerically independent: nothing is approximated.

    absolute: ν is a squared distance itself, not a share of κ(x, x). Rows with κ(x, x) < ν never
    join then, the first one included.
    """

    references = ("engel2004", "honeine2012")

    nu: float = 1e-3
    absolute: bool = False
    names = ("novelty",)

    def __post_init__(self) -> None:
        checked_number("Novelty", "nu", self.nu, positive=False)
        if self.nu > 1 and not self.absolute:
            raise ValueError(f"nu of Novelty must lie in [0, 1], got {self.nu}.")

    def cited(self) -> tuple[str, ...]:
        """None where nothing is left out: there is no criterion then."""
        return self.references if self.nu > 0 else ()

    @classmethod
    def with_threshold(cls, nu: float) -> Novelty:
        return cls(nu)

    def admits(self, residual: Any, norm: Any, coherence: Any) -> Any:
        return residual >= (self.nu if self.absolute else self.nu * norm)

    @property
    def doubt(self) -> float:
        return DOUBT if self.absolute else max(DOUBT, TRIFLE * self.nu)
