"""APEX: components held apart by lateral connections, O(m r + r²) a row.

    y_p = w_p·c − a_p·y_{<p},    w_p += η y_p (c − y_p w_p),    a_p += η y_p (y_{<p} − y_p a_p)

Kashima's kernel form (42)-(53) of Kung & Diamantaras' network. Three slips of his text are not
copied: the lateral vector a_p of component p has p−1 entries ((9) and (42) mix the exponents p and
p−1); its sign is the anti-Hebbian one of (11), where −a is our a; and the factor outside the
brackets of (10), (11), (43) and (44) is the output after the lateral connections, his ỹ, as in Kung
& Diamantaras: with the plain w·φ(x) of (41) every component would learn the first one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from okpca._core import compiled
from okpca._core.number_checks import checked_count
from okpca._core.typing import Array
from okpca.rules.base import Centred, Learner
from okpca.rules.schedules import Constant, Schedule
from okpca.rules.step_rule import ScheduledRule, refuse_divergence, step_sizes, widened


@dataclass(frozen=True)
class Apex(ScheduledRule):
    """`rows_per_component`: None, and all components learn together; or a number N of rows, and one
    learns after the other, as Kashima and Kung & Diamantaras have it. Component p learns in rows
    (p−1) N + 1 to p N of the stream (rows of a batch fit at its start count, too); those before it
    are frozen by then, those after it wait, and after the last one nothing learns any more.

    `schedule` is η_t; `init` is where the components start, as for `Hebbian`; the lateral
    connections start at zero.
    """

    references = ("kung1990", "kashima2001")
    names = ("apex",)

    schedule: Schedule | float = field(default_factory=Constant)
    rows_per_component: int | None = None
    init: Any = "first-atom"

    def __post_init__(self) -> None:
        if self.rows_per_component is not None:
            checked_count("Apex", "rows_per_component", self.rows_per_component, 1)
        super().__post_init__()

    def begun(self, V: Array, power: Array, weight: float) -> ApexLearner:
        return ApexLearner(self, V, np.zeros((len(V), len(V))), weight, power)


@dataclass(frozen=True, eq=False)
class ApexLearner(Learner):
    rule: Apex
    V: Array  # w_p
    lateral: Array  # a_p, rows of a strictly lower triangle
    weight: float  # W
    power: Array  # running mean of y_p²

    def updated(self, block: Centred) -> ApexLearner:
        V = widened(self.V, block.rows.shape[1])
        lateral, power = self.lateral.copy(), self.power.copy()
        eta = step_sizes(self.rule.schedule, block)
        turn = self.rule.rows_per_component or 0
        with np.errstate(all="ignore"):  # divergence is reported below, once
            compiled.apex_rows(V, lateral, block.rows, eta, block.first, turn, power, block.share)
            refuse_divergence("APEX", len(eta), V, lateral, _computed(V, lateral))
        return ApexLearner(self.rule, V, lateral, block.total, power)

    def recoded(self, P: Array) -> ApexLearner:
        return ApexLearner(self.rule, self.V @ P.T, self.lateral, self.weight, self.power)

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        """The functions u_p that the network computes, y_p = u_p·c, which are the w_p once the
        lateral connections have vanished. The scatter is W times the running mean of the squared
        outputs, as they came."""
        return self.weight * self.power, _computed(self.V, self.lateral)


def _computed(V: Array, lateral: Array) -> Array:
    """u_p = w_p − Σ_{j<p} a_pj u_j"""
    U = V.copy()
    for p in range(1, len(U)):
        U[p] -= lateral[p, :p] @ U[:p]
    return U
