"""Tracking by a weighted rule: recursive least squares instead of a step size, O(m r + r²) a row.

    y = W c,   C ← β C + w y yᵀ,   W ← W − w (C⁻¹ y)(yᵀ W) + w (C⁻¹ D y) cᵀ,   D = diag(d_1 > d_2 …)

Tanaka, Washizawa & Kuh, "Adaptive kernel principal components tracking" (ICASSP 2012), is known
here through Souza Filho & Diniz only, who say of it: the components are the generalised
eigenvectors E[k kᵀ] a = λ K a; they are found by a recursive least-squares algorithm which
kernelises the weighted rule of Yang, Zhao & Xi (2011); its weights decrease from component to
component, from 0.9 in steps of 0.05; a factor β = 0.9999; a matrix Q with random entries of
variance 0.1 to start from. The rest is derived:

- In our coordinates a = L⁻ᵀ v, and the problem is the plain one, R v = λ v with R = E[c cᵀ].
- Unequal weights single the eigenvectors out of the subspace they span: the solutions of
  C W = D W R with C = W R Wᵀ are eigenvectors, rows of W with ‖w_j‖² = d_j. (Times Wᵀ it reads
  C W Wᵀ = D C. As W Wᵀ is symmetric, C² commutes with D, so C is diagonal and W Wᵀ = D.)
- RLS takes sums with forgetting in place of the expectations, the outputs as they came, and solves
  for W: A = Σ β^{t−i} w_i y_i c_iᵀ and C = Σ β^{t−i} w_i y_i y_iᵀ give W = C⁻¹ D A. One row more is
  the update on top, by the lemma on the inverse of a rank-one change. With D = I it is PAST
  (Yang 1995), which finds the subspace alone.
- On the average W moves by C⁻¹ (D W R − C W) per 1/(1−β) rows. Linearised, its only stable points
  have the eigenvectors in order. What lies outside the subspace is left at the rate 1 − λ_k/λ_j,
  two components inside it part at a rate proportional to 1 − d_k/d_j: with steps as small as those
  above the subspace is found at once, and the components turn in it slowly.

- A row counts at most as much as all before it: w is lowered to 1 / yᵀ (β C)⁻¹ y where it is
  larger. In the long run no row is near that bound. Without it an outlier, or a first row much
  smaller than the others, throws components far off which have little part in it.

- As many components learn as there are atoms. Those beyond have no direction of their own: outputs
  of more components than dimensions make C singular, and its inverse feeds on rounding.

- The memory is at least `REMEMBERED` rows per component, 1/(1−β) ≥ 6 r. C has r² numbers, and
  outputs as they came feed on W as it was: with a shorter memory, as when there are as many
  components as atoms and strong forgetting, the recursion amplifies the last digit of a row to the
  whole of W.

The inverse of C is not kept, as recursive least squares has it, but the Cholesky factor of C.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from okpca._core import compiled
from okpca._core.number_checks import checked_number
from okpca._core.numerics import CANCELLED, REMEMBERED
from okpca._core.typing import Array
from okpca.rules.base import Centred, Learner
from okpca.rules.step_rule import (
    StepRule,
    check_init,
    first_components,
    refuse_overflow,
    start,
    widened,
)


@dataclass(frozen=True)
class Tracking(StepRule):
    """Component j has the weight d_j = `first_weight` − (j−1) `weight_step`, a positive number.

    `beta`: the memory; every row multiplies the sums by it (and by the estimator's `forgetting`),
    though never by less than 1 − 1/(6r): r components need that many rows to be told apart.
    `init`: where the components start, as for `Hebbian`, but with variance 0.1, over atoms of unit
    norm. The sums start as if one row of the size of the first atom had been seen.
    """

    references = ("tanaka2012", "souzafilho2017")
    names = ("tanaka",)

    first_weight: float = 0.9
    weight_step: float = 0.05
    beta: float = 0.9999
    init: Any = "first-atom"

    def __post_init__(self) -> None:
        for name in ("first_weight", "weight_step", "beta"):
            checked_number("Tracking", name, getattr(self, name))
        if self.beta > 1:
            raise ValueError(f"beta of Tracking must be in (0, 1], got {self.beta}.")
        check_init("Tracking", self.init)

    def weights(self, r: int) -> Array:
        """Of r components, decreasing."""
        d = self.first_weight - self.weight_step * np.arange(r, dtype=np.float64)
        positive = d > CANCELLED * self.first_weight  # 0.9 − 18 × 0.05 is zero but for rounding
        if not positive[-1]:
            most = int(positive.sum())
            raise ValueError(
                f"the weights of Tracking, {self.first_weight} less {self.weight_step} per "
                f"component, are positive for {most} components, not for {r}: lower weight_step."
            )
        return d

    def born(
        self, n_components: int | None, L: Array, rng: np.random.RandomState
    ) -> TrackingLearner:
        assert n_components is not None
        self.weights(n_components)
        norms = np.sqrt(np.square(L).sum(axis=1))
        scaled = L / norms[:, None] if isinstance(self.init, str) else L
        V = start("Tracking", self.init, n_components, scaled, rng, np.sqrt(0.1))
        factor = norms[0] * np.eye(n_components)
        return TrackingLearner(self, V, factor, 0.0, np.zeros(n_components), V.shape[1])

    def continued(
        self, n_components: int | None, scatter: Array, V: Array, weight: float
    ) -> TrackingLearner:
        """With the sums of the batch fit, A = W S and C = W S Wᵀ; at least one row's part in it."""
        assert n_components is not None
        row = float(scatter.sum()) / weight or 1.0
        scatter, V = first_components(scatter, V, n_components)
        d = self.weights(n_components)
        factor = np.diag(np.sqrt(d * np.maximum(scatter, row)))
        W, power = np.sqrt(d)[:, None] * V, scatter / weight
        return TrackingLearner(self, W, factor, weight, power, V.shape[1])


@dataclass(frozen=True, eq=False)
class TrackingLearner(Learner):
    rule: Tracking
    V: Array  # the rows w_j of W, whose norms tend to √d_j
    factor: Array  # lower factor of C
    weight: float
    power: Array  # running mean of y_j² / d_j
    used: int  # coordinates that some row has had; in the middle of a block there are more

    def updated(self, block: Centred) -> TrackingLearner:
        V = widened(self.V, block.rows.shape[1])
        factor, power = self.factor.copy(), self.power.copy()
        d = self.rule.weights(len(V))
        memory = max(self.rule.beta * block.decay, 1.0 - 1.0 / (REMEMBERED * len(V)))
        with np.errstate(all="ignore"):  # overflow is reported below, once
            used = compiled.tracking_rows(
                V, factor, d, block.rows, block.weight, memory, power, block.share, self.used
            )
        refuse_overflow("tracking", len(block.rows), V, factor)
        return TrackingLearner(self.rule, V, factor, block.total, power, int(used))

    def recoded(self, P: Array) -> TrackingLearner:
        return replace(self, V=self.V @ P.T, used=len(P))

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        """Components w_j / √d_j, of norm one in the limit, and W times the running mean of their
        squared outputs; zero, if there are more of them than dimensions."""
        V = self.V / np.sqrt(self.rule.weights(len(self.V)))[:, None]
        real = np.arange(len(V)) < self.used
        return np.where(real, self.weight * self.power, 0.0), np.where(real[:, None], V, 0.0)
