"""From encoded rows to the next state: centre, weight, rule.

The order for one row: it has had its chance to join the dictionary; it joins the running mean; it
is centred, weighed, and taught to the rule. A block gives what its rows one after another would.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from okpca._core.decay import decayed_sum, unit_steps
from okpca._core.errors import OVERFLOW, RowError, rows_numbered
from okpca._core.numerics import MOST_STEPS, ROUNDING
from okpca._core.typing import Array
from okpca.dictionary import Basis, Encoded
from okpca.model.components import anchored_if_due, rows_to_anchor
from okpca.model.robust import counted_in, judge
from okpca.model.state import Model, Plan, next_state
from okpca.model.waiting_rows import counted_for_atoms
from okpca.rules import Centred, Learner, Uncentred

STEPS = 4096  # taken at a time when weights make many of few rows


def learn(model: Model, rows: Encoded, weight: Array) -> Model:
    """After these rows, with an anchor wherever one is due."""
    done, n = 0, len(weight)
    while done < n:
        part = slice(done, done + rows_to_anchor(model))
        with rows_numbered(range(done, n)):
            model = anchored_if_due(_count_in(model, rows.taken(part), weight[part]))
        done = part.stop
    return model


def _count_in(model: Model, rows: Encoded, weight: Array) -> Model:
    if model.plan.repeats and weight.max(initial=0.0) > 1:
        repeated = _repeat(model, rows, weight)
        return next_state(repeated, n_rows=model.n_rows + len(weight))
    return _weigh(model, rows, weight)


def steps_taken(plan: Plan, weight: Array) -> int:
    """As many as rows of these weights are in a stream; beyond `MOST_STEPS` none is taken there."""
    if not plan.repeats:
        return len(weight)
    return int(np.minimum(np.ceil(weight), MOST_STEPS).sum())


def _repeat(model: Model, rows: Encoded, weight: Array) -> Model:
    """Every row as many times as its weight says."""
    refuse_heavy(weight)
    which, weight = unit_steps(weight)
    for start in range(0, len(which), STEPS):
        part = slice(start, start + STEPS)
        with rows_numbered(which[part]):
            model = _weigh(model, rows.taken(which[part]), weight[part])
    return model


def refuse_heavy(weight: Array) -> None:
    heaviest = int(weight.argmax())
    if weight[heaviest] > MOST_STEPS:
        raise RowError(
            f"a weight of {weight[heaviest]:g} would be as many steps for this rule or for "
            f"robust weights, which take at most {MOST_STEPS} for a row: lower the weights",
            heaviest,
        )


def _weigh(model: Model, rows: Encoded, weight: Array) -> Model:
    """After these rows; with robust weights each is judged by the subspace that rows before it
    gave: all of them for a step rule, those up to the last look for one that averages."""
    weigh, done = model.plan.robust, 0
    if weigh is None:
        return add(model, rows, weight)
    while done < len(weight):
        reference = judge(model)
        part = slice(done, done + reference.until - model.n_steps)
        some, w = rows.taken(part), weight[part]
        robust, e = reference.judged(some)
        with rows_numbered(range(done, len(weight))):
            following = add(model, some, w * robust)
        model = next_state(
            following,
            reference=reference,
            robust_weight=float(robust[-1]),
            residuals=counted_in(weigh, model.residuals, e, w, model.centre.forgetting),
        )
        done = part.stop
    return model


def add(model: Model, rows: Encoded, weight: Array) -> Model:
    """After these rows, with the weights they count by. Their coordinates are used up."""
    clusters = counted_for_atoms(model, rows, weight)  # before the rows are used up
    start = _rows_before_step(model, rows)
    size = None if model.plan.rule.averages else np.einsum("ij,ij->i", rows.Z, rows.Z)
    uncentred = _uncentred(rows) if model.plan.rule.wants_uncentred else None
    centre, block = model.centre.take(rows.Z, weight, model.n_steps + 1)
    if uncentred is not None:
        block = replace(block, uncentred=uncentred)
    if size is not None:
        _forget_rounding(block.rows, size)
    decay = centre.forgetting
    with np.errstate(over="ignore", invalid="ignore"):
        inside = block.gain * np.einsum("ij,ij->i", block.rows, block.rows)
        variance = decayed_sum(model.variance, weight * (inside + rows.residual), decay)
        energy = variance + centre.weight * float(centre.mean @ centre.mean)
    if not energy < np.inf:
        raise RowError(f"{OVERFLOW}; it happened at or before", len(weight) - 1)
    return next_state(
        model,
        basis=rows.basis,
        centre=centre,
        learner=_taught(model, rows.basis, block, start),
        variance=variance,
        loss=model.loss.after_rows(weight * rows.uncertain, decay),
        n_rows=model.n_rows + len(rows.residual),
        n_steps=model.n_steps + len(weight),
        clusters=clusters,
    )


def _uncentred(rows: Encoded) -> Uncentred:
    return Uncentred(rows.Z.copy(), rows.basis.expansion(rows.Z).sum(axis=1))


def _forget_rounding(C: Array, size: Array) -> None:
    """A row that is its own mean leaves rounding: whoever takes a step along it, or begins a
    component with it, would go where the cuts of the stream say. `size`: ‖z‖²."""
    C[np.einsum("ij,ij->i", C, C) <= ROUNDING**2 * size] = 0.0


def _taught(model: Model, basis: Basis, block: Centred, start: int) -> Learner | None:
    learner = model.learner
    if learner is None:
        if start > len(block.rows):
            return None
        learner = model.plan.born(basis.L[:1, :1])
        if learner is None:
            return None
        if model.plan.rule.averages:  # blocks of rows that a rule counts begin with it, too
            block = _from(block, start - 1)
        else:
            block.weight[:start] = 0.0
    return learner.updated(block)


def _from(block: Centred, row: int) -> Centred:
    """Without the rows before this one, which have neither direction nor scatter."""
    return replace(
        block,
        rows=block.rows[row:],
        weight=block.weight[row:],
        gain=block.gain[row:],
        share=block.share[row:],
        first=block.first + row,
    )


def _rows_before_step(model: Model, rows: Encoded) -> int:
    """The row that becomes the first atom takes no step, nor does any of κ(x, x) = 0 before it.
    More than there are rows, if it is not among them: a block is learned in parts, and nothing
    begins before its row."""
    if model.learner is not None or not rows.basis.m:
        return 0
    founding = np.flatnonzero(np.any(rows.Z, axis=1))
    return int(founding[0] if len(founding) else len(rows.Z)) + 1
