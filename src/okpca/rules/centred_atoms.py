"""Honeine's centring by κᶜ as printed (5.2): components are expansions over centred atoms.

    ψ_j = Σ_k α_kj (φ(d_k) − μ_t),     y = Aᵀ κᶜ(x),     A += η (β yᵀ − A UT(y yᵀ))

κᶜ(x) = κ(x) − 1 β̄ᵀκ(x) − K β̄ + 1 β̄ᵀK β̄ are the inner products of φ(x) − μ with the centred atoms.
In coordinates ψ_j is v_j = u_j − s_j z̄ with u_j = Lᵀ α_j and s_j = 1ᵀ α_j, so that with c = z − z̄

    y_j = u_j·c − s_j z̄·c
    u_j += η y_j (z − Σ_{i≤j} y_i u_i),     s_j += η y_j (1ᵀβ − Σ_{i≤j} y_i s_i)

What it costs: a mean that moves turns every component with it; and β, which the text leaves as it
is, stands for Pφ(x) − (1ᵀβ) μ over centred atoms, not for Pφ(x) − μ. `Hebbian(deflation=1)` has
neither, being Honeine's (17) with φ(x) − μ for φ(x).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from okpca._core.typing import Array
from okpca.rules.base import Centred, Learner
from okpca.rules.schedules import Schedule, SearchThenConverge
from okpca.rules.step_rule import ScheduledRule, refuse_divergence, step_sizes, widened


@dataclass(frozen=True)
class CentredAtoms(ScheduledRule):
    """`schedule` is η_t, by default Honeine's (20); `init` says where the components start, as for
    `Hebbian`, its coefficients being those over centred atoms. Without centring it is OKHA."""

    references = ("sanger1989", "kim2005", "honeine2012")

    schedule: Schedule | float = field(default_factory=SearchThenConverge)
    init: Any = "first-atom"

    wants_uncentred = True

    def begun(self, V: Array, power: Array, weight: float) -> CentredAtomsLearner:
        """From functions that do not move with the mean yet: s = 0."""
        sums, mean = np.zeros(len(V)), np.zeros(V.shape[1])
        return CentredAtomsLearner(self, V, sums, mean, weight, power)

    def born(self, n_components: int | None, L: Array, rng: np.random.RandomState) -> Learner:
        first = super().born(n_components, L, rng)
        assert isinstance(first, CentredAtomsLearner)
        sums = np.linalg.solve(L.T, first.V.T).sum(axis=0)
        return replace(first, sums=sums)


@dataclass(frozen=True, eq=False)
class CentredAtomsLearner(Learner):
    rule: CentredAtoms
    V: Array  # u_j
    sums: Array  # s_j
    mean: Array  # z̄ after the last row
    weight: float  # W
    power: Array  # running mean of y_j²

    def updated(self, block: Centred) -> CentredAtomsLearner:
        assert block.uncentred is not None
        Z, beta = block.uncentred
        C, means = block.rows, Z - block.rows
        # (s_j, u_j) as one vector: outputs by (−z̄·c, c), steps towards (1ᵀβ, z).
        U = np.column_stack([self.sums, widened(self.V, C.shape[1])])
        read = np.column_stack([-np.einsum("ij,ij->i", means, C), C])
        towards, power = np.column_stack([beta, Z]), self.power.copy()
        eta = step_sizes(self.rule.schedule, block)
        with np.errstate(all="ignore"):  # divergence is reported below, once
            for t in np.flatnonzero(eta):
                y = U @ read[t]
                U += eta[t] * (np.outer(y, towards[t]) - np.tril(np.outer(y, y)) @ U)
                power += block.share[t] * (y * y - power)
        refuse_divergence("Hebbian", len(eta), U)
        V = np.ascontiguousarray(U[:, 1:])
        return CentredAtomsLearner(self.rule, V, U[:, 0].copy(), means[-1], block.total, power)

    def recoded(self, P: Array) -> CentredAtomsLearner:
        V, mean = self.V @ P.T, P @ self.mean
        return CentredAtomsLearner(self.rule, V, self.sums, mean, self.weight, self.power)

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        """The scatter is W times the running mean of the squared outputs, as they came."""
        return self.weight * self.power, self.V - np.outer(self.sums, self.mean)
