"""What is decided before the first row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from okpca.centre import Centre, LaggedCentre
from okpca.dictionary import Policy
from okpca.dictionary.budget import Budget
from okpca.rules import Learner, Rule
from okpca.weights import Weight

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Plan:
    policy: Policy
    budget: Budget
    rule: Rule
    n_components: int | float | None
    seed: int  # of the start of rules that take steps
    placement_seed: int  # of the search for new atoms
    robust: Weight | None = None
    burn_in: int = 0  # rows fitted as a batch first
    empirical: bool = False  # kernel values as coordinates

    def born(self, L: Array) -> Learner | None:
        """What the rule starts as, given the factor of the first atoms, if there are any."""
        if not len(L):
            return None
        return self.rule.born(self.max_components, L, np.random.RandomState(self.seed))

    @property
    def centre_kind(self) -> type[Centre]:
        """In the empirical geometry steps are taken in the order of Huang & Yeh's Algorithm 1."""
        return LaggedCentre if self.empirical and not self.rule.averages else Centre

    @property
    def max_components(self) -> int | None:
        """The number of components if it is known beforehand."""
        return int(self.n_components) if isinstance(self.n_components, int) else None
