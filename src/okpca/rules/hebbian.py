"""The Hebbian family: one step per row, O(m r).

    y = V c,    v_j += η y_j ( c − y_j v_j − b Σ_{i<j} y_i v_i ),    v_j /= ‖v_j‖ if `normalize`

| b (`deflation`) | `normalize` | name |
|---|---|---|
| 1 | no  | Sanger; KHA; OKHA (Honeine 19) |
| 2 | no  | Oja's stochastic gradient ascent; OO-KHA (Souza Filho & Diniz 50-52) |
| 2 | yes | ON-KHA (Souza Filho & Diniz 45-50, Table I) |
| any | no | Kashima's P components at once (his β is b) |

With one component b does not matter: Oja 1982, Honeine's Table 2. The papers do this on expansion
coefficients α = L⁻ᵀ v, where the deflation costs O(m r²) and the norm O(m² r).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from okpca._core import compiled
from okpca._core.number_checks import checked_number
from okpca._core.typing import Array
from okpca.rules.base import Centred, Learner
from okpca.rules.schedules import Constant, ExponentialDecay, Schedule, SearchThenConverge
from okpca.rules.schedules import make as make_schedule
from okpca.rules.step_rule import ScheduledRule, refuse_divergence, step_sizes, widened


@dataclass(frozen=True)
class Hebbian(ScheduledRule):
    """`deflation` is b, `schedule` η_t, a number being a constant one; with `normalize` every
    component has length 1 after each step. `init` is where the components start:

    - "first-atom": small random multiples of the first atom, std 0.1 (Souza Filho & Diniz; with a
      dictionary that grows from one row there is nothing else to start from);
    - "random": random coefficients, std 0.1, over all atoms there are at the start, which differs
      from the above for a fixed dictionary;
    - "unit": each is the first atom divided by its norm (Kashima 27-31);
    - "atoms": component p is the p-th atom divided by its norm (Kashima 49), of a dictionary that
      begins with atoms: `Seeded(points)`;
    - an array (n_components, n_atoms) of expansion coefficients over the atoms at the start.

    The row that becomes the first atom only starts the components, as in the papers' tables.
    """

    deflation: float = 2.0
    normalize: bool = False
    schedule: Schedule | float = field(default_factory=ExponentialDecay)
    init: Any = "first-atom"

    names = ("okha", "oo-kha", "on-kha", "oja")

    @classmethod
    def named(cls, name: str) -> Hebbian:
        """The papers' settings."""
        if name == "okha":
            return cls(deflation=1, schedule=SearchThenConverge())
        if name == "oja":
            return cls(deflation=2, schedule=Constant())
        return cls(deflation=2, normalize=name == "on-kha", schedule=ExponentialDecay())

    def __post_init__(self) -> None:
        checked_number("Hebbian", "deflation", self.deflation, positive=False)
        super().__post_init__()

    def cited(self) -> tuple[str, ...]:
        """By the table on top of this file, and by what steps and start are known from."""
        keys: tuple[str, ...] = ("oja1992",)
        if self.deflation == 0:
            keys = ("oja1982",)
        elif self.deflation == 1:
            keys = ("sanger1989", "kim2005")
        elif self.deflation != 2:
            keys = ("oja1992", "kashima2001")
        keys += make_schedule(self.schedule).cited()
        if self.normalize:
            keys += ("souzafilho2017",)
        if isinstance(self.init, str) and self.init in ("unit", "atoms"):
            keys += ("kashima2001",)
        return tuple(dict.fromkeys(keys))

    def cited_in(self, n_components: int | float | None, center: bool) -> tuple[str, ...]:
        """With a single component there is nothing to deflate: Oja 1982, whatever the family."""
        return (replace(self, deflation=0.0) if n_components == 1 else self).cited()

    def begun(self, V: Array, power: Array, weight: float) -> HebbianLearner:
        return HebbianLearner(self, V, weight, power)


@dataclass(frozen=True, eq=False)
class HebbianLearner(Learner):
    rule: Hebbian
    V: Array
    weight: float  # W
    power: Array  # running mean of y_j²

    def updated(self, block: Centred) -> HebbianLearner:
        V = widened(self.V, block.rows.shape[1])
        power = self.power.copy()
        eta = step_sizes(self.rule.schedule, block)
        with np.errstate(all="ignore"):  # divergence is reported below, once
            compiled.hebbian_rows(
                V, block.rows, eta, self.rule.deflation, self.rule.normalize, power, block.share
            )
        refuse_divergence("Hebbian", len(eta), V)
        return HebbianLearner(self.rule, V, block.total, power)

    def recoded(self, P: Array) -> HebbianLearner:
        return HebbianLearner(self.rule, self.V @ P.T, self.weight, self.power)

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        """The scatter is W times the running mean of the squared outputs, as they came."""
        return self.weight * self.power, self.V
