"""The first `burn_in` rows are held back and fitted as a batch; then the stream goes on.

So are the first rows where the kernel is settled by them (`gamma="median"`, columns to be scaled);
without a `burn_in` they are learned as a stream when they are all there, as if what they say had
been known beforehand.

A batch sees all its rows at once: it may choose a dictionary from them, and give them robust
weights that do not depend on their order (Huang & Yeh 3.2: a stream that begins with outliers would
take the good rows for them). While the warm-up lasts, whoever looks sees the batch fit of the rows
so far, `matured`. One that is never exceeded is batch robust kernel PCA.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from okpca._core.blas_threads import one_thread
from okpca._core.cached import derived, once
from okpca._core.errors import NOT_FINITE, RowError, rows_numbered
from okpca._core.numerics import FIRST_ANCHOR
from okpca._core.typing import Array
from okpca.dictionary import Basis, encode
from okpca.dictionary.change_of_basis import transition
from okpca.dictionary.coordinates import nearest_atoms
from okpca.dictionary.imputation import completed, gaps_in
from okpca.kernels import Kernel
from okpca.kernels.base import Trait
from okpca.kernels.rows import is_sparse, stacked
from okpca.model.components import anchored, components
from okpca.model.diagnosis import diagnosed, one_point, without_scale
from okpca.model.first_columns import sampled
from okpca.model.learn import add, refuse_heavy, steps_taken
from okpca.model.missing import absorb_gappy, skipped_in_all, with_donors, with_gaps_counted
from okpca.model.residual_quantiles import Residuals
from okpca.model.robust import reweighted
from okpca.model.state import Model, Plan, Trouble, first_state, next_state
from okpca.model.stream import AtHand, absorb_block, absorb_single
from okpca.model.too_few_components import more_than_budget
from okpca.rules import Exact, Learner


@dataclass(frozen=True, eq=False)
class Held:
    """Rows that were held back, and their weights."""

    blocks: tuple[Any, ...] = ()
    weight: Array = field(default_factory=lambda: np.empty(0))

    def and_more(self, X: Any, weight: Array) -> Held:
        blocks = (*self.blocks, X.copy())
        if any(map(is_sparse, blocks)) and any(gaps_in(block).any() for block in blocks):
            raise ValueError("rows that lack values cannot be filled in among CSR rows.")
        return Held(blocks, np.concatenate([self.weight, weight]))

    @derived
    def rows(self) -> Any:
        """All of them, gaps filled in from each other."""
        rows = stacked(self.blocks)
        return rows if is_sparse(rows) else completed(rows, self.weight)

    def __getstate__(self) -> dict[str, Any]:
        blocks = (stacked(self.blocks),) if self.blocks else ()
        return {"blocks": blocks, "weight": self.weight}


def absorb(model: Model, X: Any, weight: Array) -> Model:
    """After a block of rows with positive weights, held back while the warm-up lasts. Rows may lack
    values if the plan is to fill them in."""
    if model.first is not None:
        model = sampled(model, X)
    if model.plan.imputes:
        model = with_gaps_counted(model, X)
    return _absorbed(model, X, weight)


def _absorbed(model: Model, X: Any, weight: Array) -> Model:
    take = absorb_gappy if model.plan.imputes else absorb_block
    if model.held is None:
        return take(model, X, weight)
    if not len(weight):
        return model
    missing = model.plan.first_rows - model.n_rows
    if not model.plan.burn_in and model.plan.repeats:
        refuse_heavy(weight)
    held = model.held.and_more(X[:missing], weight[:missing])
    model = next_state(model, held=held, n_rows=len(held.weight))
    _refuse_infinite(model, held.blocks[-1])
    if model.n_rows < model.plan.first_rows:
        return model
    model = matured(model)
    if X.shape[0] <= missing:
        return model
    with rows_numbered(range(missing, X.shape[0])):
        return take(model, X[missing:], weight[missing:])


def _refuse_infinite(model: Model, X: Any) -> None:
    kernel = model.basis.kernel
    if kernel.needs_rows:
        if Trait.CONSTANT_NORM in kernel.traits:
            return
        kernel = kernel_so_far(model)
    # A gap is as good as a 0 where it is asked what is too large.
    norm = kernel.diag(np.nan_to_num(X) if gaps_in(X).any() else X)
    if not np.isfinite(norm).all():
        raise RowError(NOT_FINITE, int(np.argmin(np.isfinite(norm))))


def absorb_row(model: Model, x: Array, known: AtHand | None = None) -> Model:
    """The same for one row of weight 1, (1, d)."""
    if model.held is not None:
        return absorb(model, x, np.ones(1))
    if model.first is not None:
        model = sampled(model, x)
    return absorb_single(with_donors(model) if model.plan.imputes else model, x, known)


def matured(model: Model) -> Model:
    """The model itself, or the batch fit of the rows held back, ready to go on by its rule."""
    return model if model.held is None else _matured(model)


@once
def _matured(model: Model) -> Model:
    assert model.held is not None
    rows, weight, plan = model.held.rows, model.held.weight, model.plan
    kernel = kernel_so_far(model)
    try:
        if not plan.burn_in:
            fitted = absorb_block(_empty(model, plan, kernel), rows, weight)
        else:
            basis = Basis.empty(kernel, model.basis.atoms.shape[1])
            fitted = _batch(next_state(model, basis=basis), rows, weight)
        return next_state(fitted, gaps=model.gaps, troubles=_troubles(model, rows, fitted))
    except RowError as error:
        what = "warm-up" if plan.burn_in else "stream, whose first rows say how wide its kernel is,"
        raise ValueError(
            f"the {what} cannot be fitted: {error.what} [row {error.row} of its {model.n_rows} "
            "rows, counting from 0]. Fit anew without it."
        ) from None


def _troubles(model: Model, rows: Any, fitted: Model) -> tuple[Trouble, ...]:
    """Those known, then what the rows do not say, then those found: each once."""
    assert model.held is not None
    silent = [one_point(model, rows), without_scale(fitted, model.held.blocks)]
    found = (*model.troubles, *filter(None, silent), *fitted.troubles)
    return tuple({trouble.name: trouble for trouble in found}.values())


def at_end_of_fit(model: Model) -> Model:
    """With what is found wrong where no more rows come; by those held back where they are all."""
    if model.held is None:
        model = skipped_in_all(diagnosed(model))
    else:
        found = diagnosed(matured(model)).troubles
        model = skipped_in_all(next_state(model, troubles=found))
    empty = more_than_budget(model)
    return next_state(model, troubles=(*model.troubles, *empty)) if empty else model


@once
def kernel_so_far(model: Model) -> Kernel:
    """With nothing left to the rows: those so far say it."""
    kernel, held = model.basis.kernel, model.held
    if held is None or not held.blocks or not kernel.needs_rows:
        return kernel
    return kernel.settled(held.rows, held.weight)


def _empty(model: Model, plan: Plan, kernel: Kernel) -> Model:
    """Before the first of the rows."""
    n_features, centre = model.basis.atoms.shape[1], model.centre
    moving, forgetting = centre.moving, centre.forgetting
    empty = first_state(plan, kernel, n_features, center=moving, forgetting=forgetting)
    return next_state(empty, first=model.first)


@one_thread
def _batch(model: Model, rows: Any, weight: Array) -> Model:
    plan = model.plan
    if plan.policy.needs_rows:
        rng = np.random.RandomState(plan.seed)
        units = model.basis.kernel.units
        plan = replace(plan, policy=plan.policy.settled(rows, weight, rng, units))
    fitted = _fitted(model, plan, rows, weight)
    fitted = anchored(next_state(fitted, anchor=_anchor(model, rows, weight, fitted)))
    centre = fitted.centre
    centre = plan.centre(centre.mean, centre.weight, centre.forgetting, centre.moving)
    learner, anchor_at = _continued(plan, fitted), max(fitted.anchor_at, FIRST_ANCHOR)
    return next_state(fitted, plan=plan, centre=centre, learner=learner, anchor_at=anchor_at)


def _fitted(model: Model, plan: Plan, rows: Any, weight: Array) -> Model:
    """By the exact rule, whatever the rule is afterwards."""
    exact = replace(plan, rule=Exact(), robust=None)
    center, forgetting = model.centre.moving, model.centre.forgetting
    opened = _empty(model, exact, model.basis.kernel)
    learned = absorb_block(opened, rows, weight)
    basis = learned.basis
    # Once more over the atoms that all rows together chose, with the weights they earn there.
    seen = encode(basis, rows, plan.policy, 0)
    robust, residuals = np.ones(len(weight)), Residuals()
    if plan.robust is not None and plan.n_components is not None and basis.m:
        robust, residuals = reweighted(
            seen, weight, plan.n_components, plan.robust, center=center, forgetting=forgetting
        )
    fitted = next_state(opened, basis=basis, learner=exact.born(basis.L))
    if learned.clusters is not None:
        seen = nearest_atoms(seen, rows)
        fitted = next_state(fitted, clusters=learned.clusters.emptied())
    fitted = add(fitted, seen, weight * robust)
    if learned.clusters is not None and fitted.clusters is not None:
        priced = replace(fitted.clusters, price=learned.clusters.price)
        fitted = next_state(fitted, clusters=priced)
    return next_state(
        fitted,
        n_steps=steps_taken(plan, weight),
        relieved_at=learned.relieved_at,
        pace=learned.pace,
        robust_weight=float(robust[-1]),
        residuals=residuals,
    )


def _anchor(model: Model, rows: Any, weight: Array, fitted: Model) -> Array | None:
    """The components when the rows had last doubled, whose signs these ones keep, in the
    coordinates of the fitted model."""
    n = 2 ** max((len(weight) - 1).bit_length() - 1, 0)
    if n < 2 or n < model.plan.policy.needs_rows or not fitted.basis.m:
        return None
    before = matured(next_state(model, held=Held((rows[:n],), weight[:n]), n_rows=n))
    if before.anchor is None:
        return None
    if before.plan.empirical:
        return before.anchor if before.basis.m == fitted.basis.m else None
    return np.asarray(before.anchor @ transition(before.basis, fitted.basis).T)


def _continued(plan: Plan, model: Model) -> Learner | None:
    if model.learner is None:
        return None
    if plan.rule.averages:
        scatter, V = model.learner.spectrum(None)
    else:  # the signs that the components are born with
        found = components(model)
        scatter, V = found.scatter, found.V
    real = scatter > 0
    return plan.rule.continued(plan.max_components, scatter[real], V[real], model.centre.weight)
