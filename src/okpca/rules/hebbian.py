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

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from okpca.centre import Centred
from okpca.errors import RowError
from okpca.rules.base import Array, Learner, Rule
from okpca.schedules import ExponentialDecay, Schedule
from okpca.schedules import make as make_schedule


@dataclass(frozen=True)
class Hebbian(Rule):
    """`init` is where the components start:

    - "first-atom": small random multiples of the first atom, std 0.1 (Souza Filho & Diniz; with a
      dictionary that grows from one row there is nothing else to start from);
    - "random": random coefficients, std 0.1, over all atoms there are at the start, which differs
      from the above for a fixed dictionary;
    - an array (n_components, n_atoms) of expansion coefficients over the atoms at the start.

    The row that becomes the first atom only starts the components, as in the papers' tables.
    """

    deflation: float = 2.0
    normalize: bool = False
    schedule: Schedule | float = field(default_factory=ExponentialDecay)
    init: Any = "first-atom"

    averages: ClassVar[bool] = False
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.deflation) and self.deflation >= 0):
            raise ValueError(f"deflation of Hebbian must be >= 0, got {self.deflation}.")
        if isinstance(self.init, str) and self.init not in ("first-atom", "random"):
            raise ValueError(
                f"init of Hebbian must be 'first-atom', 'random' or an array, got {self.init!r}."
            )
        make_schedule(self.schedule)

    def born(
        self, n_components: int | None, L: Array, rng: np.random.RandomState
    ) -> HebbianLearner:
        assert n_components is not None
        V = self._start(n_components, len(L), rng) @ L  # v = Lᵀ α, rows of coefficients
        return HebbianLearner(self, V, 0.0, np.zeros(n_components))

    def _start(self, r: int, m: int, rng: np.random.RandomState) -> Array:
        if not isinstance(self.init, str):
            dual = np.array(self.init, dtype=np.float64)
            if dual.shape != (r, m):
                raise ValueError(
                    f"init of Hebbian has shape {dual.shape}; n_components and the atoms at the "
                    f"start call for {(r, m)}."
                )
            return dual
        dual = np.zeros((r, m))
        given = 1 if self.init == "first-atom" else m
        dual[:, :given] = rng.normal(scale=0.1, size=(r, given))
        return dual


class HebbianLearner(Learner):
    def __init__(self, rule: Hebbian, V: Array, weight: float, power: Array) -> None:
        self.rule = rule
        self.V = V
        self.weight = weight  # W
        self.power = power  # running mean of y_j²

    def updated(self, block: Centred) -> HebbianLearner:
        from okpca import _compiled

        n, m = block.rows.shape
        V = np.zeros((len(self.V), m))
        V[:, : self.V.shape[1]] = self.V
        power = self.power.copy()
        t = np.arange(block.first, block.first + n)
        eta = make_schedule(self.rule.schedule)(t) * block.weight
        with np.errstate(all="ignore"):  # divergence is reported below, once
            _compiled.hebbian_rows(
                V, block.rows, eta, self.rule.deflation, self.rule.normalize, power, block.share
            )
        if not np.isfinite(V).all():
            raise RowError(
                "the Hebbian rule diverges: lower the step size of its schedule, or scale the "
                "kernel so that η κ(x, x) stays well below 1; it happened at or before",
                n - 1,
            )
        return HebbianLearner(self.rule, V, block.total, power)

    def recoded(self, P: Array) -> HebbianLearner:
        return HebbianLearner(self.rule, self.V @ P.T, self.weight, self.power)

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        """The scatter is W times the running mean of the squared outputs, as they came."""
        return self.weight * self.power, self.V
