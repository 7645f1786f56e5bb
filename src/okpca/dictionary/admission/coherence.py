"""The coherence criterion: a row joins if no atom resembles it by more than c.

    max_i |κ(x, d_i)| / √(κ(x, x) κ(d_i, d_i)) ≤ c        (Richard, Bermudez & Honeine 2009)

Tanaka's tracker uses it (Souza Filho & Diniz, section V). By Honeine's Lemma 3 the distance
criterion with threshold ν gives a (1 − ν/2)-coherent dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from okpca.dictionary.admission.policy import Policy


@dataclass(frozen=True)
class Coherence(Policy):
    """A row joins if no atom's normalised kernel value with it exceeds `limit`."""

    references = ("richard2009",)

    limit: float = 0.9
    names = ("coherence",)
    uses_coherence = True

    def __post_init__(self) -> None:
        if not 0 <= self.limit <= 1:
            raise ValueError(f"limit of Coherence must lie in [0, 1], got {self.limit}.")

    @classmethod
    def with_threshold(cls, nu: float) -> Coherence:
        """By Lemma 3."""
        return cls(1 - nu / 2)

    def admits(self, residual: Any, norm: Any, coherence: Any) -> Any:
        return coherence <= self.limit
