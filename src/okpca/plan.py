"""What is decided before the first row."""

from __future__ import annotations

from dataclasses import dataclass

from okpca.dictionary import Policy
from okpca.dictionary.budget import Budget
from okpca.rules import Rule


@dataclass(frozen=True, eq=False)
class Plan:
    policy: Policy
    budget: Budget
    rule: Rule
    n_components: int | float | None
    seed: int  # of the start of rules that take steps
    placement_seed: int  # of the search for new atoms

    @property
    def max_components(self) -> int | None:
        """The number of components if it is known beforehand."""
        return int(self.n_components) if isinstance(self.n_components, int) else None
