"""Kernel, dictionary, centre, weight, rule: the stream goes one way through them.

A `Model` is a value: what the stream has taught up to some row. `absorbed` gives the next one and
leaves this one whole, so whoever holds it may be interrupted, or refuse a block, at any point.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca.centre import Centre, Centred, decayed_sum, unit_steps
from okpca.certificate import Certificate, Loss, certify, uncertain
from okpca.dictionary import Basis, Encoded, Policy, encode
from okpca.dictionary.budget import Budget
from okpca.dictionary.moving import Progress, moved
from okpca.dictionary.recode import partings, transition, without
from okpca.dictionary.subset import best_subset
from okpca.errors import NOT_FINITE, RowError
from okpca.kernels import Kernel
from okpca.numerics import DUAL, EIGENVALUE, INDEFINITE, RANK, ROUNDING, STRIDE
from okpca.rules import Learner, Rule

Array = NDArray[np.float64]
_ONE = np.ones(1)


@dataclass(frozen=True, eq=False)
class Plan:
    """What was decided before the first row."""

    policy: Policy
    budget: Budget
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
    variance: float = 0.0  # Σ w ‖φ(x) − μ‖²: all of it, in the span and outside
    loss: Loss = field(default_factory=Loss)  # what the model does not hold of its rows
    n_rows: int = 0
    n_steps: int = 0  # rows, an integer weight counted as repetition by rules that take steps
    relieved_at: int = 0  # n_rows when the dictionary was last made smaller
    earlier: Array | None = None  # the components last shown, for the signs of the next ones

    @classmethod
    def opened(
        cls, plan: Plan, kernel: Kernel, n_features: int, *, center: bool, forgetting: float
    ) -> Model:
        basis = plan.policy.opening(kernel, n_features)
        return cls(plan, basis, Centre.at_origin(basis.m, forgetting=forgetting, moving=center))

    # -- rows -------------------------------------------------------------------------------------

    def absorbed(self, X: Any, weight: Array) -> Model:
        """After a block of rows with positive weights."""
        model, done, stride = self, 0, X.shape[0]
        budget = self.plan.budget
        while done < X.shape[0]:
            block = X[done : done + stride]
            room = budget.room(model.basis.m)
            try:
                rows = encode(model.basis, block, self.plan.policy, room, budget.halt(model))
                taken = len(rows.Z)
                if taken:
                    model = model._learned(rows, weight[done : done + taken])
            except RowError as error:
                raise error.moved(range(done, X.shape[0])) from None
            done += taken
            if taken == block.shape[0]:
                stride *= 2
                continue
            # A row asks for room. What was encoded ahead of it is wasted, hence the short stride.
            stride = STRIDE
            if room == 0:
                model = budget.relieved(model)
        return model

    def _learned(self, rows: Encoded, weight: Array) -> Model:
        n = len(rows.Z)
        if not self.plan.rule.averages and weight.max() > 1:
            which, weight = unit_steps(weight)
            try:
                return self._learned(rows.taken(which), weight)._next(n_rows=self.n_rows + n)
            except RowError as error:
                raise error.moved(which) from None
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
        norm = float(basis.kernel.diag(x)[0])
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
            earlier=self.shown,
        )

    def _may_join(self, residual: float, norm: float) -> bool:
        """Might this row change the dictionary? Then it takes the long way round."""
        if residual <= RANK * norm or not self.plan.policy.admits(residual, norm, None):
            return False
        if self.plan.budget.room(self.basis.m) != 0:
            return True
        halt = self.plan.budget.halt(self)
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

    # -- the dictionary under a living model ------------------------------------------------------

    def recoded(self, basis: Basis, P: Array, lost: tuple[float, float] | None = None) -> Model:
        """The same model over other atoms; P maps coordinates, and what it loses is noted."""
        earlier = self.shown
        return self._next(
            basis=basis,
            centre=replace(self.centre, mean=P @ self.centre.mean),
            learner=None if self.learner is None else self.learner.recoded(P),
            loss=self.loss.after_recoding(*(lost or self._lost(P))),
            relieved_at=self.n_rows,
            earlier=None if earlier is None else earlier @ P[:, : earlier.shape[1]].T,
        )

    def _lost(self, P: Array) -> tuple[float, float]:
        """How much of the scatter P loses: in all directions together, and in the worst one."""
        if self.learner is None:
            return 0.0, 0.0
        gone = np.eye(P.shape[1]) - P.T @ P
        root = self.learner.root()
        if root is None:
            # No moments: at worst all the variance lies where P loses most.
            worst = float(np.linalg.norm(gone, 2)) * self.variance
            return worst, worst
        lost = np.linalg.eigvalsh(root @ gone @ root.T)
        return float(np.maximum(lost, 0.0).sum()), max(float(lost[-1]), 0.0)

    def compressed(
        self,
        n_atoms: int,
        *,
        n_targets: int | None = None,
        max_iter: int = 30,
        progress: Progress | None = None,
    ) -> Model:
        """Over at most n_atoms new atoms, placed so that the components and the mean are kept.

        In the middle of a stream three times as many components are kept as are asked for: the
        order may still change.
        """
        if self.learner is None or n_atoms >= self.basis.m:
            return self
        if n_targets is None and self.plan.max_components is not None:
            n_targets = 3 * self.plan.max_components
        targets = self._targets(n_targets)
        if self.basis.kernel.has_gradient:
            rng = np.random.RandomState(self.plan.seed)
            basis = moved(self.basis, targets, n_atoms, rng, max_iter=max_iter, progress=progress)
        else:
            basis = best_subset(self.basis, targets, n_atoms)
        return self.recoded(basis, transition(self.basis, basis))

    def _targets(self, n: int | None) -> Array:
        """√λ_j v_j of the leading components, and √W times the mean."""
        assert self.learner is not None
        scatter, V = self.learner.spectrum(None if n is None else min(n, self.basis.m))
        mean = np.sqrt(self.centre.weight) * self.centre.mean
        return np.vstack([np.sqrt(scatter)[:, None] * V, mean])

    def without(self, leaving: int) -> Model:
        """One atom less."""
        carried = self.carried()
        # One direction goes: what it carries is all that is lost, and the worst of it.
        lost = None if carried is None else (float(carried[leaving]),) * 2
        return self.recoded(*without(self.basis, leaving), lost=lost)

    def carried(self) -> Array | None:
        """The scatter that would be lost with each atom, for rules that keep it."""
        if self.learner is None:
            return None
        return self.learner.scatter_along(partings(self.basis))

    @property
    def horizon(self) -> float:
        """How many rows count."""
        forgetting = self.centre.forgetting
        return float("inf") if forgetting == 1.0 else 1.0 / (1.0 - forgetting)

    def merged(self, other: Model) -> Model:
        """With all that another model of the same kernel, width and centring has learned.

        Its atoms join where they are novel; moments add by Chan's formula.
        """
        if other.learner is None:
            centre = self.centre.joined(other.centre)
            return self._next(n_rows=self.n_rows + other.n_rows, centre=centre)
        joined = encode(self.basis, other.basis.atoms, self.plan.policy, None).basis
        P = transition(other.basis, joined)
        mine = np.pad(self.centre.mean, (0, joined.m - self.basis.m))
        theirs = P @ other.centre.mean
        W, w = self.centre.weight, other.centre.weight
        apart = np.sqrt(W * w / (W + w)) * (theirs - mine)
        if not self.centre.moving:
            apart = np.zeros(joined.m)
        own = self.learner or self.plan.rule.born(
            self.plan.max_components, joined.L, np.random.RandomState(self.plan.seed)
        )
        model = self._next(
            basis=joined,
            centre=replace(self.centre, mean=(W * mine + w * theirs) / (W + w), weight=W + w),
            learner=own.absorbed(other.learner, P, apart),
            variance=self.variance + other.variance + float(apart @ apart),
            loss=self.loss.joined(other.loss.after_recoding(*other._lost(P))),
            n_rows=self.n_rows + other.n_rows,
            n_steps=self.n_steps + other.n_steps,
            earlier=self.shown,
        )
        room = self.plan.budget.max_atoms
        return model if room is None else model.compressed(room)

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
        loss = self.loss.after_recoding(*[self.learner.truncation**2] * 2)
        return certify(self.components.scatter, following, loss)

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
