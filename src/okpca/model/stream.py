"""Rows in: a block of them, or a single one at a tenth of the overhead.

rows → KERNEL → k_x → DICTIONARY (grow? z, ε²) → z → centre and weight → RULE
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from okpca._core import compiled
from okpca._core.blas_threads import blocks_on_one_thread
from okpca._core.errors import rows_numbered
from okpca._core.numerics import INDEFINITE, STRIDE, SUSPECT, TIE, UNLIKELY, UNSURE
from okpca._core.typing import Array
from okpca.dictionary import Basis, encode
from okpca.dictionary.coordinates import nearest_atoms
from okpca.model.budget import relieve
from okpca.model.centre import Centre
from okpca.model.components import anchored_if_due
from okpca.model.learn import learn
from okpca.model.recode import exchange
from okpca.model.state import Model, next_state
from okpca.model.waiting_rows import at_border, is_priced, rows_to_next_border

_ONE = np.ones(1)
AtHand = tuple[Array, float]
"""What was computed of a row: κ(x, d) of the atoms, (1, m), and κ(x, x)."""


@blocks_on_one_thread
def absorb_block(model: Model, X: Any, weight: Array) -> Model:
    """After a block of rows with positive weights."""
    done, n = 0, X.shape[0]
    asking = stuck = False  # is the next row one that asks for room? Is there none to be had?
    while done < n:
        size = 1 if asking or stuck else min(n - done, _likely_stride(model))
        part = slice(done, done + min(size, rows_to_next_border(model)))
        with rows_numbered(range(done, n)):
            following, taken = _absorb_part(model, X[part], weight[part], halting=not stuck)
        if taken == part.stop - done:
            model, asking, stuck = at_border(following), False, False
        elif taken:
            # What was encoded beyond the row that asks is wasted. It gets room if it still asks
            # when it is the next.
            model, asking = following, True
        else:
            model = relieve(model)
            # A budget too small to make room of: this row is projected after all.
            stuck = model.plan.budget.room(model.basis.m) == 0
            asking = False
        done += taken
    return model


def _absorb_part(model: Model, X: Any, weight: Array, *, halting: bool) -> tuple[Model, int]:
    """After these rows, or those before one that asks for room; and how many that are."""
    budget, policy = model.plan.budget, model.plan.policy
    if is_priced(model):  # rows that ask wait for the border
        rows = encode(model.basis, X, policy, 0)
    else:
        halt = budget.halt(model) if halting else None
        rows = encode(model.basis, X, policy, budget.room(model.basis.m), halt)
    taken = len(rows.Z)
    if not taken:
        return model, 0
    if rows.founded is not None:
        model = exchange(model, rows.founded)
    if model.clusters is not None:
        rows = nearest_atoms(rows, X[:taken])
    return learn(model, rows, weight[:taken]), taken


def _likely_stride(model: Model) -> int:
    """So many rows will probably find room: what is encoded beyond would be wasted. A dictionary
    that was never full goes on growing as it did, another asks as often as it did."""
    budget = model.plan.budget
    room = budget.room(model.basis.m)
    if room is None or is_priced(model) or budget.halt(model) is None:
        return sys.maxsize
    quiet = max(model.pace, model.n_rows - model.relieved_at) // 4
    likely = 0 if model.relieved_at else room * model.n_rows // max(model.basis.m, 1)
    return max(STRIDE, quiet, likely)


def absorb_single(model: Model, x: Array, known: AtHand | None = None) -> Model:
    """After one row of weight 1, (1, d): the same as a block of one."""
    basis, centre, plan = model.basis, model.centre, model.plan
    healthy = not plan.policy.uses_coherence and plan.robust is None and not basis.delicate
    slot = model.learner.slot(basis.m) if healthy and model.learner is not None else None
    if slot is None:
        return absorb_block(model, x, _ONE)
    learner, row = slot
    values, norm = known or kernel_values_of(basis, x)
    if not norm < np.inf:
        return absorb_block(model, x, _ONE)
    mean = np.empty(basis.m)
    square, scatter = compiled.take_row(
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
    variance = decay * model.variance + scatter + outside
    largest = variance + (centre.weight + 1.0) * norm  # so much at least, if rows are like this one
    if not (-INDEFINITE * norm <= residual < np.inf and largest < np.inf):
        return absorb_block(model, x, _ONE)
    clusters, may_join = model.clusters, _may_join(model, residual, norm)
    if may_join and (not is_priced(model) or residual < SUSPECT * norm):
        return absorb_block(model, x, _ONE)
    if clusters is not None:
        nearest = compiled.nearest_of_row(values[0], basis.atom_norms, TIE)
        apart = norm - 2.0 * values[0, nearest] + basis.atom_norms[nearest]
        clusters = clusters.after_row(x, nearest, apart, outside, may_join, decay)
    model = next_state(
        model,
        centre=Centre(mean, decay * centre.weight + 1.0, decay, centre.moving),
        learner=learner.after_slot(decay),
        variance=variance,
        loss=model.loss.after_row(abs(residual), decay),
        n_rows=model.n_rows + 1,
        n_steps=model.n_steps + 1,
        clusters=clusters,
    )
    return at_border(anchored_if_due(model))


def kernel_values_of(basis: Basis, x: Array) -> AtHand:
    values = basis.kernel_values(x)
    return values, float(basis.norms(x, values)[0])


def _may_join(model: Model, residual: float, norm: float) -> bool:
    """Might this row change the dictionary, now or at the next border, for all that rounding lets
    us tell?"""
    plan = model.plan
    if residual <= UNLIKELY * norm:
        return False
    residual += UNSURE * model.basis.most_noise * norm
    if not plan.policy.admits(residual, norm, None):
        return False
    if is_priced(model) or plan.budget.room(model.basis.m) != 0:
        return True
    halt = plan.budget.halt(model)
    return halt is not None and residual > halt.distance
