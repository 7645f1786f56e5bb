"""Kernel, dictionary, centre, weight, rule: the stream goes one way through them.

A `Model` is a value: what the stream has taught up to some row. `absorbed` gives the next one and
leaves this one whole, so whoever holds it may be interrupted, or refuse a block, at any point.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca.centre import Centre, Centred, decayed_sum, unit_steps
from okpca.certificate import Certificate, Loss, certify, uncertain
from okpca.derived import derived
from okpca.dictionary import Basis, Clusters, Encoded, encode
from okpca.dictionary.clusters import rows_to_border
from okpca.dictionary.encoding import counted
from okpca.dictionary.verdicts import candidates
from okpca.errors import NOT_FINITE, RowError
from okpca.kernels import Kernel
from okpca.kernels.rows import width
from okpca.living import LivingDictionary
from okpca.numerics import (
    ANCHORED,
    ANCHORED_PER_ATOM,
    DUAL,
    EIGENVALUE,
    FIRST_ANCHOR,
    GLIMPSED,
    INDEFINITE,
    MOST_STEPS,
    RANK,
    ROUNDING,
    STEPS,
    STRIDE,
    SUSPECT,
    SWEEP,
    TIE,
    UNLIKE,
    UNSURE,
)
from okpca.plan import Plan
from okpca.rules import Learner
from okpca.threads import blocks_on_one_thread, one_thread, worth_threads
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
    clusters: Clusters | None = None  # which rows the atoms stand for, if the budget needs it
    relieved_at: int = 0  # n_rows when room was last made in a full dictionary
    pace: int = 0  # rows from the time before to that one
    reference: Reference | None = None  # for robust weights: what rows are judged by
    robust_weight: float = 1.0  # of the last row
    anchor: Array | None = None  # components at an earlier row, which signs are told by
    anchor_at: int = FIRST_ANCHOR  # the row of the stream where they are taken anew

    @classmethod
    def opened(
        cls, plan: Plan, kernel: Kernel, n_features: int, *, center: bool, forgetting: float
    ) -> Model:
        opening = plan.policy.empirical if plan.empirical else plan.policy.opening
        basis = opening(kernel, n_features)
        centre = plan.centre_kind.at_origin(basis.m, forgetting=forgetting, moving=center)
        clusters = Clusters.empty(n_features, kernel) if plan.budget.clusters else None
        return cls(plan, basis, centre, plan.born(basis.L), clusters=clusters)

    # -- rows -------------------------------------------------------------------------------------

    @blocks_on_one_thread
    def absorbed(self, X: Any, weight: Array) -> Model:
        """After a block of rows with positive weights."""
        model, done, n = self, 0, X.shape[0]
        asking = stuck = False  # is the next row one that asks for room? Is there none to be had?
        while done < n:
            size = 1 if asking or stuck else min(n - done, model._likely_stride())
            part = slice(done, done + min(size, model._rows_to_border()))
            try:
                following, taken = model._absorbed_part(X[part], weight[part], halting=not stuck)
            except RowError as error:
                raise error.moved(range(done, n)) from None
            if taken == part.stop - done:
                model, asking, stuck = following._at_border(), False, False
            elif taken:
                # What was encoded beyond the row that asks is wasted. It gets room if it still asks
                # when it is the next.
                model, asking = following, True
            else:
                model = model._relieved()
                # A budget too small to make room of: this row is projected after all.
                stuck = self.plan.budget.room(model.basis.m) == 0
                asking = False
            done += taken
        return model

    def _absorbed_part(self, X: Any, weight: Array, *, halting: bool) -> tuple[Model, int]:
        """After these rows, or those before one that asks for room; and how many that are."""
        budget, policy = self.plan.budget, self.plan.policy
        if self._priced:  # rows that ask wait for the border
            rows = encode(self.basis, X, policy, 0)
        else:
            halt = budget.halt(self) if halting else None
            rows = encode(self.basis, X, policy, budget.room(self.basis.m), halt)
        taken = len(rows.Z)
        if not taken:
            return self, 0
        model, weight = self, weight[:taken]
        if rows.founded is not None:
            model = self.exchanged(rows.founded)
        if self.clusters is not None:
            rows = counted(rows, X[:taken])
        return model._learned(rows, weight), taken

    @property
    def _priced(self) -> bool:
        return self.clusters is not None and self.clusters.price > 0.0

    def _counted_for(self, rows: Encoded, weight: Array) -> Clusters | None:
        """With what these rows lose charged to their atoms, and the rows counted for them."""
        if self.clusters is None:
            return None
        may_join = np.zeros(len(weight), dtype=bool)
        if self._priced:
            may_join[candidates(self.plan.policy, rows, 0)] = True
        decay = self.centre.forgetting
        return self.clusters.charged(rows, may_join, weight, decay).after_rows(rows, weight, decay)

    def _relieved(self) -> Model:
        model = self.plan.budget.relieved(self)
        return model._next(relieved_at=self.n_rows, pace=self.n_rows - self.relieved_at)

    def _likely_stride(self) -> int:
        """So many rows will probably find room: what is encoded beyond would be wasted. A
        dictionary that was never full goes on growing as it did, another asks as often as it did.
        """
        room = self.plan.budget.room(self.basis.m)
        if room is None or self._priced or self.plan.budget.halt(self) is None:
            return sys.maxsize
        quiet = max(self.pace, self.n_rows - self.relieved_at) // 4
        likely = 0 if self.relieved_at else room * self.n_rows // max(self.basis.m, 1)
        return max(STRIDE, quiet, likely)

    def _rows_to_border(self) -> int:
        """Until something is due that is counted in rows of the stream, so that its cuts do not
        matter: a look for empty atoms, or letting those join that ask to."""
        if self.clusters is not None and (self._priced or self.clusters.asking):
            return self._rows_to_newcomers(self.n_rows)
        sweeps = self.plan.budget.sweeps(self)
        return SWEEP - self.n_rows % SWEEP if sweeps else sys.maxsize

    def _rows_to_newcomers(self, n_rows: int) -> int:
        most = self.plan.budget.max_atoms or 0
        return rows_to_border(n_rows, most, self.centre.forgetting)

    def _at_border(self) -> Model:
        """After whatever is due at this row."""
        model, budget = self, self.plan.budget
        if budget.sweeps(self) and self.n_rows % SWEEP == 0 and budget.is_full(self.basis.m):
            model = budget.swept(self)
        asking = model.clusters is not None and model.clusters.asking
        if asking and self._rows_to_newcomers(self.n_rows - 1) == 1:
            model = model._welcoming()
        return model

    def _welcoming(self) -> Model:
        """With those as atoms that asked to join. If there is no room for all, some are merged."""
        assert self.clusters is not None
        X, weight, clusters = self.clusters.asked()
        most = self.plan.budget.max_atoms
        rows = encode(self.basis, X, self.plan.policy, None, limit=most)
        model = self._next(clusters=clusters)
        if rows.founded is not None:
            model = model.exchanged(rows.founded)
        old, joined = model.basis.m, np.isin(np.arange(len(weight)), rows.joined)
        model = model.grown(rows.basis, X[joined], weight[joined])
        model = model.counting(X[~joined], weight[~joined])
        if rows.founded is None:
            model = model.restored(rows.Z, old, weight[: len(rows.Z)])
        return model if most is None or model.basis.m <= most else model._relieved()

    def _repeats(self, weight: Array) -> bool:
        plan = self.plan
        return bool((plan.rule.repeats or plan.robust) and weight.max(initial=0.0) > 1)

    def _learned(self, rows: Encoded, weight: Array) -> Model:
        """After these rows, with an anchor wherever one is due."""
        model, done, n = self, 0, len(weight)
        while done < n:
            part = slice(done, done + model._rows_to_anchor())
            try:
                model = model._counted_in(rows.taken(part), weight[part])._anchored_if_due()
            except RowError as error:
                raise error.moved(range(done, n)) from None
            done = part.stop
        return model

    def _counted_in(self, rows: Encoded, weight: Array) -> Model:
        if self._repeats(weight):
            return self._repeated(rows, weight)._next(n_rows=self.n_rows + len(weight))
        return self._added_or_weighed(rows, weight)

    def _added_or_weighed(self, rows: Encoded, weight: Array) -> Model:
        weighed = self.plan.robust is not None
        return self._weighed(rows, weight) if weighed else self._added(rows, weight)

    def _added(self, rows: Encoded, weight: Array) -> Model:
        n = len(rows.Z)
        clusters = self._counted_for(rows, weight)  # before the rows are used up
        start = _rows_before_step(self, rows)
        centre, block = self.centre.take(rows.Z, weight, self.n_steps + 1)
        inside = block.gain * np.einsum("ij,ij->i", block.rows, block.rows)
        decay = centre.forgetting
        return self._next(
            basis=rows.basis,
            centre=centre,
            learner=self._taught(rows.basis, block, start),
            variance=decayed_sum(self.variance, weight * (inside + rows.residual), decay),
            loss=self.loss.after_rows(weight * rows.uncertain, decay),
            n_rows=self.n_rows + n,
            n_steps=self.n_steps + len(weight),
            clusters=clusters,
        )

    def _repeated(self, rows: Encoded, weight: Array) -> Model:
        """For rules where a row of weight 3 must come three times."""
        model, heaviest = self, int(weight.argmax())
        if weight[heaviest] > MOST_STEPS:
            raise RowError(
                f"a weight of {weight[heaviest]:g} would be as many steps for this rule or for "
                f"robust weights, which take at most {MOST_STEPS} for a row: lower the weights",
                heaviest,
            )
        which, weight = unit_steps(weight)
        for start in range(0, len(which), STEPS):
            part = slice(start, start + STEPS)
            try:
                model = model._added_or_weighed(rows.taken(which[part]), weight[part])
            except RowError as error:
                raise error.moved(which[part]) from None
        return model

    def absorbed_row(self, x: Array) -> Model:
        """After one row of weight 1, (1, d): the same as `absorbed`, at a tenth of the overhead."""
        from okpca import _compiled

        basis, centre, policy = self.basis, self.centre, self.plan.policy
        healthy = not policy.uses_coherence and self.plan.robust is None and not basis.delicate
        slot = self.learner.slot(basis.m) if healthy and self.learner is not None else None
        if slot is None:
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
        outside, decay = max(residual, 0.0), centre.forgetting
        # Written so that NaN, too, goes the long way round.
        if not (-INDEFINITE * norm <= residual < np.inf):
            return self.absorbed(x, _ONE)
        clusters, may_join = self.clusters, self._may_join(residual, norm)
        if may_join and (not self._priced or residual < SUSPECT * norm):
            return self.absorbed(x, _ONE)
        if clusters is not None:
            nearest = _compiled.nearest_of_row(values[0], basis.atom_norms, TIE)
            clusters = clusters.after_row(x, nearest, outside, may_join, decay)
        model = self._next(
            centre=Centre(mean, decay * centre.weight + 1.0, decay, centre.moving),
            learner=learner.noted(decay),
            variance=decay * self.variance + scatter + outside,
            loss=self.loss.after_row(abs(residual), decay),
            n_rows=self.n_rows + 1,
            n_steps=self.n_steps + 1,
            clusters=clusters,
        )
        return model._anchored_if_due()._at_border()

    def _may_join(self, residual: float, norm: float) -> bool:
        """Might this row change the dictionary, now or at the next border, for all that rounding
        lets us tell?"""
        if residual <= 0.5 * RANK * norm:
            return False
        residual += UNSURE * self.basis.most_noise * norm
        if not self.plan.policy.admits(residual, norm, None):
            return False
        if self._priced:
            return True
        if self.plan.budget.room(self.basis.m) != 0:
            return True
        halt = self.plan.budget.halt(self)
        return halt is not None and residual > halt.distance

    def _next(self, **changes: Any) -> Model:
        """`dataclasses.replace`, several times faster, which shows when rows come one by one."""
        following = object.__new__(Model)
        following.__dict__.update(self.__dict__)
        following.__dict__.update(changes)
        for name in ("components", "_dual_is_safe"):
            following.__dict__.pop(name, None)
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

    # -- signs ------------------------------------------------------------------------------------

    def _rows_to_anchor(self) -> int:
        """Counted in rows of the stream, like all that must not depend on its cuts."""
        return max(self.anchor_at - self.n_rows, 1) if self.plan.rule.averages else sys.maxsize

    def _anchored_if_due(self) -> Model:
        return self.anchored() if self.n_rows >= self.anchor_at else self

    def anchored(self) -> Model:
        """With the components of today as those that later signs are told by.

        It happens when the rows have doubled, or once in a memory length with forgetting (but not
        so often that it would cost more than the rows), and never because someone looks.
        """
        n, decay, anchor = self.n_rows, self.centre.forgetting, self.anchor
        if self.learner is not None and self.plan.rule.averages:
            anchor = self._glimpse(self.learner)
        memory = n
        if decay < 1.0:
            atoms = min(self.plan.budget.max_atoms or n, n)
            memory = max(int(1.0 / (1.0 - decay)), int(ANCHORED_PER_ATOM * atoms), ANCHORED)
        return self._next(anchor=anchor, anchor_at=n + min(n, memory))

    def _glimpse(self, learner: Learner) -> Array:
        # Where it is not known how many will be shown, those that come late have none.
        asked = self.plan.max_components or GLIMPSED
        scatter, V = learner.glimpse(min(asked, self.basis.m), self.anchor)
        V = V.copy()
        V[self._n_real(scatter) :] = 0.0
        return np.asarray(self._signs(V)[:, None] * V)

    def _signs(self, V: Array) -> Array:
        """A component keeps the sign of its anchor, so it flips only if it turns away from it by 90
        degrees, as when two change places. One without is born: its largest |coefficient| is
        positive."""
        sign = np.zeros(len(V)) if self.anchor is None else _signs_kept(V, self.anchor)
        new = np.flatnonzero(sign == 0)
        if len(new):
            sign[new] = _signs_at_birth(self.basis.expansion(V[new]))
        return sign

    # -- what was learned -------------------------------------------------------------------------

    @one_thread
    def certificate(self) -> Certificate:
        """Bounds on the distance to batch kernel PCA of all rows."""
        r = len(self.components.scatter)
        if self.learner is None:
            return certify(np.zeros(r), 0.0, self.loss, 0.0)
        if not self.plan.rule.averages:
            return uncertain(r, self.loss)
        more, _ = self.learner.spectrum(min(r + 1, self.basis.m))
        following = float(more[r]) if len(more) > r else 0.0
        loss = self.loss.after_recoding(*self.learner.truncation)
        return certify(self.components.scatter, following, loss, self.energy)

    @property
    def step_size(self) -> float:
        """Of the last step, for rules that take them."""
        return self.plan.rule.step_size(max(self.n_steps, 1))

    @derived
    @one_thread
    def components(self) -> Components:
        if self.learner is None:
            r = self.plan.max_components or 0
            return Components(np.zeros(r), np.zeros((r, 0)), np.zeros((r, 0)))
        scatter, V = self.learner.spectrum(self.plan.max_components)
        if self.plan.rule.averages:
            scatter, V = self._counted(scatter, V)
            V = self._signs(V)[:, None] * V
        return Components(scatter, V, self.basis.expansion(V))

    def _counted(self, scatter: Array, V: Array) -> tuple[Array, Array]:
        """As many components as asked for; one without variance is zero, as in scikit-learn."""
        real = self._n_real(scatter)
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

    def _n_real(self, scatter: Array) -> int:
        """How many of these are more than rounding."""
        noise = self.centre.weight * ROUNDING**2 * float(np.square(self.centre.mean).sum())
        return int(np.sum(scatter > max(EIGENVALUE * scatter.max(initial=0.0), noise)))

    @blocks_on_one_thread
    def projected(self, X: Any) -> Array:
        """⟨v_j, φ(x) − μ⟩ for every row and component."""
        if self.basis.m == 0:
            return np.zeros((X.shape[0], len(self.components.V)))
        work = X.shape[0] * width(X) * self.basis.m
        K = worth_threads(work, self.basis.kernel_values, X)
        with np.errstate(over="ignore", invalid="ignore"):
            if self._dual_is_safe:
                out = K @ self.components.dual.T - self.components.V @ self.centre.mean
            else:
                out = (self.basis.coordinates(K) - self.centre.mean) @ self.components.V.T
        good = np.isfinite(out).all(axis=1)
        if not good.all():
            raise RowError(NOT_FINITE, int(np.argmin(good)))
        return np.asarray(out)

    @derived
    def _dual_is_safe(self) -> bool:
        """Do coefficients over nearly dependent atoms keep their digits in K αᵀ?"""
        norm = float(self.basis.kernel.diag(self.basis.atoms).max())
        spread = float(np.abs(self.components.dual).sum(axis=1).max(initial=0.0))
        return bool(spread * np.sqrt(norm) * np.finfo(np.float64).eps < DUAL)

    def __getstate__(self) -> dict[str, Any]:
        # What can be derived is not stored. The anchor is as wide as it would be if taken now, so
        # that a model whose dictionary has stopped growing is of one size.
        state = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if self.anchor is not None:
            missing = self.basis.m - self.anchor.shape[1]
            state["anchor"] = np.pad(self.anchor, ((0, 0), (0, missing)))
        return state


def _rows_before_step(model: Model, rows: Encoded) -> int:
    """The row that becomes the first atom takes no step, nor does any of κ(x, x) = 0 before it."""
    if model.learner is not None or not rows.basis.m:
        return 0
    return int(np.argmax(rows.Z[:, 0] != 0)) + 1


def _signs_kept(V: Array, anchor: Array) -> Array:
    """0 where there is nothing alike."""
    sign, r, m = np.zeros(len(V)), min(len(V), len(anchor)), min(V.shape[1], anchor.shape[1])
    along = np.einsum("ij,ij->i", V[:r, :m], anchor[:r, :m])
    sign[:r] = np.where(np.abs(along) < UNLIKE, 0.0, np.sign(along))
    return sign


def _signs_at_birth(dual: Array) -> Array:
    # The first of those that are largest up to rounding: a tie must not depend on the last digit.
    size = np.abs(dual)
    largest = (size >= (1 - 1e-6) * size.max(axis=1, keepdims=True)).argmax(axis=1)
    return np.where(dual[np.arange(len(dual)), largest] < 0, -1.0, 1.0)
