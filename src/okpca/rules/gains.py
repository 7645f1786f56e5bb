"""Gains that adapt for the kernel Hebbian algorithm: one for each component, O(m r) a row.

    v_j += e^{ρ_j} η_t (‖λ‖/λ_j) Γ_j,     Γ_j = y_j (c − Σ_{i≤j} y_i v_i),     η_t = η₀ τ/(t + τ)

Günter, Schraudolph & Vishwanathan, "Fast iterative kernel principal component analysis" (JMLR 8,
2007; NIPS 2006). KHA/et divides the step of a component by its eigenvalue, estimated so far, so
that late components learn as fast as the first; ‖λ‖ makes the gain a number without a unit. KHA-SMD
adds stochastic meta-descent (Schraudolph 1999, 2002): ρ_j follows the slope of the criterion by
the log-gain,

    ρ_j += μ ⟨Γ_j, b_j⟩,     b_j ← ξ b_j + e^{ρ_j} η_t (‖λ‖/λ_j) (Γ_j + ξ dΓ_j)

b_j being the differential of v_j by the log-gains, and dΓ that of Γ in its direction.

Their text was not at hand, so no equation is cited: the form of the gain and the scheme of SMD are
theirs, as they are known from the literature. Derived here:

- dΓ, by differentiating Γ, dy = B c:
  dΓ_j = dy_j (c − Σ_{i≤j} y_i v_i) − y_j Σ_{i≤j} (dy_i v_i + y_i b_i).
- In our coordinates their inner products over the Gram matrix are plain ones.
- They take λ_j = ‖K a_j‖/‖a_j‖ after each pass over a fixed set. A stream has no passes: λ_j is the
  running mean of y_j²/‖v_j‖², over the last `window` rows or so.
- No gain exceeds 1/‖c‖²: there a row turns a component on itself, beyond it the rule diverges. The
  eigenvalues of components that have hardly begun are near zero, and their gains would be anything.
- A row of weight w takes w of the step, and of the changes of ρ.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from okpca._core import compiled
from okpca._core.number_checks import checked_count, checked_number
from okpca._core.typing import Array
from okpca.rules.base import Centred, Learner
from okpca.rules.schedules import Schedule, SearchThenConverge
from okpca.rules.step_rule import ScheduledRule, refuse_divergence, step_sizes, widened


@dataclass(frozen=True)
class Gains(ScheduledRule):
    """`schedule`: η_t, by default their τ/(t + τ) η₀. `window`: rows that λ remembers, theirs being
    one pass over the data. `meta`: μ, 0 for KHA/et; `memory`: ξ in [0, 1], of the differentials.
    `init`: where the components start, as for `Hebbian`.
    """

    references = ("guenter2007",)
    names = ("kha-et", "kha-smd")

    schedule: Schedule | float = field(default_factory=lambda: SearchThenConverge(0.2, 1000.0))
    window: int = 300
    meta: float = 0.0
    memory: float = 0.99
    init: Any = "first-atom"

    @classmethod
    def named(cls, name: str) -> Gains:
        return cls(meta=0.05) if name == "kha-smd" else cls()

    def __post_init__(self) -> None:
        checked_count("Gains", "window", self.window, 1)
        checked_number("Gains", "meta", self.meta, positive=False)
        checked_number("Gains", "memory", self.memory, positive=False)
        if self.memory > 1:
            raise ValueError(f"memory of Gains must be in [0, 1], got {self.memory}.")
        super().__post_init__()

    def begun(self, V: Array, power: Array, weight: float) -> GainLearner:
        numbers = np.array([np.zeros_like(power), power, power])
        return GainLearner(self, V, np.zeros_like(V), numbers, weight)


@dataclass(frozen=True, eq=False)
class GainLearner(Learner):
    rule: Gains
    V: Array
    B: Array  # b_j, the differentials
    numbers: Array  # for each component: ρ; λ; running mean of y²
    weight: float  # W

    def updated(self, block: Centred) -> GainLearner:
        rule, m = self.rule, block.rows.shape[1]
        V, B, numbers = widened(self.V, m), widened(self.B, m), self.numbers.copy()
        eta = step_sizes(rule.schedule, block)
        with np.errstate(all="ignore"):  # divergence is reported below, once
            compiled.gain_rows(
                V, B, *numbers, block.rows, eta, block.weight, block.share,
                float(rule.window), rule.meta, rule.memory,
            )  # fmt: skip
        refuse_divergence("kernel Hebbian", len(eta), V, B, numbers)
        return GainLearner(rule, V, B, numbers, block.total)

    def recoded(self, P: Array) -> GainLearner:
        return GainLearner(self.rule, self.V @ P.T, self.B @ P.T, self.numbers, self.weight)

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        """The scatter is W times the running mean of the squared outputs, as they came."""
        return self.weight * self.numbers[2], self.V
