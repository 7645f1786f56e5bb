"""Kernel, dictionary, centre, weight, rule: the stream goes one way through them.

A `Model` is a value: what the stream has taught up to some row. `absorbed` gives the next one and
leaves this one whole, so whoever holds it may be interrupted, or refuse a block, at any point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca.centre import Centre, Centred, decayed_sum, unit_steps
from okpca.dictionary import Basis, Encoded, Policy, encode
from okpca.dictionary.budget import Project
from okpca.kernels import Kernel
from okpca.numerics import DUAL, EIGENVALUE, INDEFINITE, RANK, SUSPECT
from okpca.rules import Learner, Rule

Array = NDArray[np.float64]
_ONE = np.ones(1)


@dataclass(frozen=True, eq=False)
class Plan:
    """What was decided before the first row."""

    policy: Policy
    budget: Project
    rule: Rule
    n_components: int | float | None
    seed: int

    @property
    def max_components(self) -> int | None:
        """The number of components if it is known beforehand."""
        return int(self.n_components) if isinstance(self.n_components, int) else None


@dataclass(frozen=True, eq=False)
class Components:
    """Principal directions: rows of V in coordinates, rows of dual over the atoms."""

    scatter: Array  # eigenvalues of the centred Gram matrix
    V: Array
    dual: Array


@dataclass(frozen=True, eq=False)
class Model:
    plan: Plan
    basis: Basis
    centre: Centre
    learner: Learner | None = None  # None until there is an atom
    spread: float = 0.0  # Σ w ‖z − z̄‖²
    energy: float = 0.0  # Σ w ε²: what the dictionary has projected away
    n_rows: int = 0
    n_steps: int = 0  # rows, an integer weight counted as repetition by rules that take steps
    earlier: Array | None = None  # the components last shown, for the signs of the next ones

    @classmethod
    def opened(
        cls, plan: Plan, kernel: Kernel, n_features: int, *, center: bool, forgetting: float
    ) -> Model:
        basis = plan.policy.opening(kernel, n_features)
        return cls(plan, basis, Centre.at_origin(basis.m, forgetting=forgetting, moving=center))

    def absorbed(self, X: Any, weight: Array) -> Model:
        """After a block of rows with positive weights."""
        rows = encode(self.basis, X, self.plan.policy, self.plan.budget.room(self.basis.m))
        n = len(rows.Z)
        if not self.plan.rule.averages and weight.max() > 1:
            which, weight = unit_steps(weight)
            rows = rows.taken(which)
        start = _rows_before_step(self, rows)
        centre, block = self.centre.take(rows.Z, weight, self.n_steps + 1)
        square = np.einsum("ij,ij->i", block.rows, block.rows)
        decay = centre.forgetting
        return replace(
            self,
            basis=rows.basis,
            centre=centre,
            learner=self._taught(rows.basis, block, start),
            spread=decayed_sum(self.spread, weight * block.gain * square, decay),
            energy=decayed_sum(self.energy, weight * rows.residual, decay),
            n_rows=self.n_rows + n,
            n_steps=self.n_steps + len(weight),
            earlier=self.shown,
        )

    def absorbed_row(self, x: Array) -> Model:
        """After one row of weight 1, (1, d): the same as `absorbed`, at a tenth of the overhead."""
        from okpca import _compiled

        basis, centre, policy = self.basis, self.centre, self.plan.policy
        slot = None if self.learner is None else self.learner.slot(basis.m)
        if slot is None or policy.uses_coherence:
            return self.absorbed(x, _ONE)
        learner, row = slot
        norm = basis.kernel.diag(x)[0]
        mean = np.empty(basis.m)
        square, scatter = _compiled.take_row(
            basis.padded_L,
            basis.kernel_values(x)[0],
            centre.mean,
            centre.weight,
            centre.forgetting,
            centre.moving,
            mean,
            row,
        )
        residual = norm - square
        full = self.plan.budget.room(basis.m) == 0
        # Written so that NaN, too, goes the long way round.
        inside = residual >= -INDEFINITE * norm and (
            full or residual < SUSPECT * norm or not policy.admits(residual, norm, None)
        )
        if not inside or (not full and RANK * norm < residual and residual < SUSPECT * norm):
            return self.absorbed(x, _ONE)
        decay = centre.forgetting
        return self._next(
            centre=Centre(mean, decay * centre.weight + 1.0, decay, centre.moving),
            learner=learner.noted(decay),
            spread=decay * self.spread + scatter,
            energy=decay * self.energy + max(residual, 0.0),
            n_rows=self.n_rows + 1,
            n_steps=self.n_steps + 1,
            earlier=self.shown,
        )

    def _next(self, **changes: Any) -> Model:
        """`dataclasses.replace`, several times faster, which shows when rows come one by one."""
        following = object.__new__(Model)
        following.__dict__.update(self.__dict__)
        following.__dict__.update(changes)
        for derived in ("components", "_dual_is_safe"):
            following.__dict__.pop(derived, None)
        return following

    def _taught(self, basis: Basis, block: Centred, start: int) -> Learner | None:
        learner, plan = self.learner, self.plan
        if basis.m == 0:
            return None
        if learner is None:
            # Before the first row there is a given dictionary, or else its first row.
            atoms = self.basis.m or 1
            rng = np.random.RandomState(plan.seed)
            learner = plan.rule.born(plan.max_components, basis.L[:atoms, :atoms], rng)
            if not plan.rule.averages:
                block.weight[:start] = 0.0
        return learner.updated(block)

    @property
    def shown(self) -> Array | None:
        """The components as they were last shown to anyone."""
        components = self.__dict__.get("components")
        return self.earlier if components is None else components.V

    @property
    def variance(self) -> float:
        """The whole running kernel variance times W: in the span and outside it."""
        return self.spread + self.energy

    @cached_property
    def components(self) -> Components:
        if self.learner is None:
            r = self.plan.max_components or 0
            return Components(np.zeros(r), np.zeros((r, 0)), np.zeros((r, 0)))
        scatter, V = self.learner.spectrum(self.plan.max_components)
        if self.plan.rule.averages:
            scatter, V = self._counted(scatter, V)
            dual = self.basis.expansion(V)
            sign = _signs(V, dual, self.earlier)[:, None]
            return Components(scatter, sign * V, sign * dual)
        return Components(scatter, V, self.basis.expansion(V))

    def _counted(self, scatter: Array, V: Array) -> tuple[Array, Array]:
        """As many components as asked for; one without variance is zero, as in scikit-learn."""
        real = int(np.sum(scatter > EIGENVALUE * max(scatter.max(initial=0.0), 0.0)))
        wanted = self.plan.n_components
        if isinstance(wanted, int):
            count = wanted
        elif wanted is None:
            count = real
        else:
            share = np.cumsum(scatter[:real]) / (self.variance or 1.0)
            count = min(int(np.searchsorted(share, wanted)) + 1, real)
        kept = min(real, count)
        all_scatter, all_V = np.zeros(count), np.zeros((count, V.shape[1]))
        all_scatter[:kept], all_V[:kept] = scatter[:kept], V[:kept]
        return all_scatter, all_V

    def projected(self, X: Any) -> Array:
        """⟨v_j, φ(x) − μ⟩ for every row and component."""
        if self.basis.m == 0:
            return np.zeros((X.shape[0], len(self.components.V)))
        K = self.basis.kernel_values(X)
        if self._dual_is_safe:
            return K @ self.components.dual.T - self.components.V @ self.centre.mean
        return (self.basis.coordinates(K) - self.centre.mean) @ self.components.V.T

    @cached_property
    def _dual_is_safe(self) -> bool:
        """Do coefficients over nearly dependent atoms keep their digits in K αᵀ?"""
        norm = float(self.basis.kernel.diag(self.basis.atoms).max())
        spread = float(np.abs(self.components.dual).sum(axis=1).max(initial=0.0))
        return bool(spread * np.sqrt(norm) * np.finfo(np.float64).eps < DUAL)

    def __getstate__(self) -> dict[str, Any]:
        # What can be derived is not stored, except the signs.
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return fields | {"earlier": self.shown}


def _rows_before_step(model: Model, rows: Encoded) -> int:
    """The row that becomes the first atom takes no step, nor does any of κ(x, x) = 0 before it."""
    if model.learner is not None or model.basis.m or not rows.basis.m:
        return 0
    return int(np.argmax(rows.Z[:, 0] != 0)) + 1


def _signs(V: Array, dual: Array, earlier: Array | None) -> Array:
    """At birth the largest |coefficient| is positive; afterwards a component never flips."""
    # The first of those that are largest up to rounding: a tie must not depend on the last digit.
    size = np.abs(dual)
    largest = (size >= (1 - 1e-6) * size.max(axis=1, keepdims=True)).argmax(axis=1)
    sign = np.where(dual[np.arange(len(dual)), largest] < 0, -1.0, 1.0)
    if earlier is not None:
        r, m = min(len(V), len(earlier)), min(V.shape[1], earlier.shape[1])
        along = np.einsum("ij,ij->i", V[:r, :m], earlier[:r, :m])
        sign[:r] = np.where(along == 0, sign[:r], np.sign(along))
    return sign
