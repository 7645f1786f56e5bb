"""Kernel, dictionary, centre, weight, rule: the stream goes one way through them.

A `Model` is a value: what the stream has taught up to some row. `absorbed` gives the next one and
leaves this one whole, so whoever holds it may be interrupted, or refuse a block, at any point.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca.centre import Centre, Centred, decayed_sum, running_sum, unit_steps
from okpca.certificate import Certificate, Loss, certify, uncertain
from okpca.dictionary import Basis, Encoded, encode
from okpca.errors import NOT_FINITE, RowError
from okpca.kernels import Kernel
from okpca.living import LivingDictionary
from okpca.numerics import DUAL, EIGENVALUE, INDEFINITE, RANK, ROUNDING, STEPS, STRIDE, SWEEP
from okpca.plan import Plan
from okpca.rules import Learner
from okpca.weighing import Reference, Weighing

Array = NDArray[np.float64]
_ONE = np.ones(1)


@dataclass(frozen=True, eq=False)
class Components:
    """Principal directions: rows of V in coordinates, rows of dual over the atoms."""

    scatter: Array  # eigenvalues of the centred Gram matrix
    V: Array
    dual: Array


@dataclass(frozen=True, eq=False)
class Model(LivingDictionary, Weighing):
    plan: Plan
    basis: Basis
    centre: Centre
    learner: Learner | None = None  # None until there is an atom
    variance: float = 0.0  # Σ w ‖φ(x) − μ‖²: all of it, in the span and outside
    loss: Loss = field(default_factory=Loss)  # what the model does not hold of its rows
    n_rows: int = 0
    n_steps: int = 0  # rows, an integer weight counted as repetition by rules that take steps
    unrelieved: float = 0.0  # the weight of the rows since the dictionary was last made smaller
    nominal: float = 0.0  # W as it would be without robust weights
    reference: Reference | None = None  # for robust weights: what rows are judged by
    robust_weight: float = 1.0  # of the last row
    earlier: Array | None = None  # the components last shown, for the signs of the next ones

    @classmethod
    def opened(
        cls, plan: Plan, kernel: Kernel, n_features: int, *, center: bool, forgetting: float
    ) -> Model:
        opening = plan.policy.empirical if plan.empirical else plan.policy.opening
        basis = opening(kernel, n_features)
        centre = plan.centre_kind.at_origin(basis.m, forgetting=forgetting, moving=center)
        return cls(plan, basis, centre, plan.born(basis.L))

    # -- rows -------------------------------------------------------------------------------------

    def absorbed(self, X: Any, weight: Array) -> Model:
        """After a block of rows with positive weights."""
        model, done, stride = self, 0, self._likely_stride(X.shape[0])
        budget, stuck = self.plan.budget, False
        while done < X.shape[0]:
            left = min(X.shape[0] - done, model._rows_to_sweep())
            room = budget.room(model.basis.m)
            halt = None if stuck else budget.halt(model, weight[done : done + left])
            # So many rows find room or need none; after them, one will probably ask for it.
            certain = left if halt is None or room is None else max(room, halt.start)
            due = room == 0 and 0 < certain < left
            size = 1 if stuck else certain if due else min(left, max(stride, certain))
            block = X[done : done + size]
            try:
                rows = encode(model.basis, block, self.plan.policy, room, halt)
                taken = len(rows.Z)
                if taken:
                    model = model._learned(rows, weight[done : done + taken])
            except RowError as error:
                raise error.moved(range(done, X.shape[0])) from None
            done += taken
            if taken == block.shape[0]:
                stride, stuck = STRIDE if due else 2 * stride, False
                model = model._swept()
                continue
            # A row asks for room; what was encoded beyond it is wasted. It gets room if it still
            # asks when it is the next: by then the time for making room may be over.
            stride = 1
            if taken == 0:
                model = budget.relieved(model)
                # A budget too small to make room of: this row is projected after all.
                stuck = budget.room(model.basis.m) == 0
                stride = 1 if stuck else STRIDE
        return model

    def _likely_stride(self, n: int) -> int:
        """Of n rows, those that will have come when the dictionary is full, if it goes on growing
        as it did: what is encoded beyond would be wasted. A full one is asked for room rarely."""
        room = self.plan.budget.room(self.basis.m)
        return min(n, max(STRIDE, room * self.n_rows // max(self.basis.m, 1))) if room else n

    def _rows_to_sweep(self) -> int:
        """Counted in rows of the stream, so that its cuts do not matter."""
        sweeps = self.plan.budget.sweeps(self)
        return SWEEP - self.n_rows % SWEEP if sweeps else sys.maxsize

    def _swept(self) -> Model:
        budget = self.plan.budget
        due = budget.sweeps(self) and self.n_rows % SWEEP == 0 and budget.is_full(self.basis.m)
        return budget.swept(self) if due else self

    def nominal_after(self, weight: Array) -> Array:
        """The weight of all rows that count, after each of these, as the rule will count them."""
        decay = self.centre.forgetting
        if decay == 1.0 or not self._repeats(weight):
            return running_sum(self.nominal, weight, decay)
        which, steps = unit_steps(weight)
        last = np.searchsorted(which, np.arange(len(weight)), side="right") - 1
        return running_sum(self.nominal, steps, decay)[last]

    def _repeats(self, weight: Array) -> bool:
        plan = self.plan
        return bool((plan.rule.repeats or plan.robust) and weight.max(initial=0.0) > 1)

    def _learned(self, rows: Encoded, weight: Array) -> Model:
        n, plan = len(rows.Z), self.plan
        if self._repeats(weight):
            return self._repeated(rows, weight)._next(n_rows=self.n_rows + n)
        return self._added(rows, weight) if plan.robust is None else self._weighed(rows, weight)

    def _added(self, rows: Encoded, weight: Array) -> Model:
        n = len(rows.Z)
        start = _rows_before_step(self, rows)
        centre, block = self.centre.take(rows.Z, weight, self.n_steps + 1)
        inside = block.gain * np.einsum("ij,ij->i", block.rows, block.rows)
        decay = centre.forgetting
        return self._next(
            basis=rows.basis,
            centre=centre,
            learner=self._taught(rows.basis, block, start),
            variance=decayed_sum(self.variance, weight * (inside + rows.residual), decay),
            loss=self.loss.after_rows(weight * rows.residual, decay),
            n_rows=self.n_rows + n,
            n_steps=self.n_steps + len(weight),
            unrelieved=self.unrelieved + float(weight.sum()),
            nominal=decayed_sum(self.nominal, weight, decay),
            earlier=self.shown,
        )

    def _repeated(self, rows: Encoded, weight: Array) -> Model:
        """For rules where a row of weight 3 must come three times."""
        model = self
        which, weight = unit_steps(weight)
        for start in range(0, len(which), STEPS):
            part = slice(start, start + STEPS)
            try:
                model = model._learned(rows.taken(which[part]), weight[part])
            except RowError as error:
                raise error.moved(which[part]) from None
        return model

    def absorbed_row(self, x: Array) -> Model:
        """After one row of weight 1, (1, d): the same as `absorbed`, at a tenth of the overhead."""
        from okpca import _compiled

        basis, centre, policy = self.basis, self.centre, self.plan.policy
        slot = None if self.learner is None else self.learner.slot(basis.m)
        if slot is None or policy.uses_coherence or self.plan.robust is not None:
            return self.absorbed(x, _ONE)
        learner, row = slot
        values = basis.kernel_values(x)
        norm = float(basis.norms(x, values)[0])
        if not norm < np.inf:
            return self.absorbed(x, _ONE)
        mean = np.empty(basis.m)
        square, scatter = _compiled.take_row(
            basis.padded_L,
            values[0],
            centre.mean,
            centre.weight,
            centre.forgetting,
            centre.moving,
            mean,
            row,
        )
        residual = norm - square
        # Written so that NaN, too, goes the long way round.
        if not (-INDEFINITE * norm <= residual < np.inf) or self._may_join(residual, norm):
            return self.absorbed(x, _ONE)
        outside = max(residual, 0.0)
        decay = centre.forgetting
        return self._next(
            centre=Centre(mean, decay * centre.weight + 1.0, decay, centre.moving),
            learner=learner.noted(decay),
            variance=decay * self.variance + scatter + outside,
            loss=self.loss.after_row(outside, decay),
            n_rows=self.n_rows + 1,
            n_steps=self.n_steps + 1,
            unrelieved=self.unrelieved + 1.0,
            nominal=decay * self.nominal + 1.0,
            earlier=self.shown,
        )._swept()

    def _may_join(self, residual: float, norm: float) -> bool:
        """Might this row change the dictionary? Then it takes the long way round."""
        if residual <= RANK * norm or not self.plan.policy.admits(residual, norm, None):
            return False
        if self.plan.budget.room(self.basis.m) != 0:
            return True
        halt = self.plan.budget.halt(self, _ONE)
        return halt is not None and halt.start == 0 and residual > halt.distance

    def _next(self, **changes: Any) -> Model:
        """`dataclasses.replace`, several times faster, which shows when rows come one by one."""
        following = object.__new__(Model)
        following.__dict__.update(self.__dict__)
        following.__dict__.update(changes)
        for derived in ("components", "_dual_is_safe"):
            following.__dict__.pop(derived, None)
        return following

    def _taught(self, basis: Basis, block: Centred, start: int) -> Learner | None:
        learner = self.learner
        if learner is None:
            learner = self.plan.born(basis.L[:1, :1])
            if learner is None:
                return None
            if not self.plan.rule.averages:
                block.weight[:start] = 0.0
        return learner.updated(block)

    # -- what was learned -------------------------------------------------------------------------

    def certificate(self) -> Certificate:
        """Bounds on the distance to batch kernel PCA of all rows."""
        r = len(self.components.scatter)
        if self.learner is None:
            return certify(np.zeros(r), 0.0, self.loss)
        if not self.plan.rule.averages:
            return uncertain(r, self.loss)
        more, _ = self.learner.spectrum(min(r + 1, self.basis.m))
        following = float(more[r]) if len(more) > r else 0.0
        loss = self.loss.after_recoding(*self.learner.truncation)
        return certify(self.components.scatter, following, loss)

    @property
    def step_size(self) -> float:
        """Of the last step, for rules that take them."""
        return self.plan.rule.step_size(max(self.n_steps, 1))

    @property
    def shown(self) -> Array | None:
        """The components as they were last shown to anyone."""
        components = self.__dict__.get("components")
        return self.earlier if components is None else components.V

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
        noise = self.centre.weight * ROUNDING**2 * float(np.square(self.centre.mean).sum())
        real = int(np.sum(scatter > max(EIGENVALUE * scatter.max(initial=0.0), noise)))
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
        with np.errstate(over="ignore", invalid="ignore"):
            if self._dual_is_safe:
                out = K @ self.components.dual.T - self.components.V @ self.centre.mean
            else:
                out = (self.basis.coordinates(K) - self.centre.mean) @ self.components.V.T
        good = np.isfinite(out).all(axis=1)
        if not good.all():
            raise RowError(NOT_FINITE, int(np.argmin(good)))
        return np.asarray(out)

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
    if model.learner is not None or not rows.basis.m:
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
