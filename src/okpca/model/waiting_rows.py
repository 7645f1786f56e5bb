"""Rows that ask to join a dictionary that has been full wait for a border of the stream.

With a clustering budget (`dictionary.placement.clustering`) an atom has a price once the dictionary
has been full. Rows whose atom owes so much ask to join, and join together at row numbers that do
not depend on how the stream is cut, once there are enough of them: in a young stream many. Whoever
looks at such a model meanwhile sees it as it were if they joined now (`shown`).
"""

from __future__ import annotations

import math
import sys

import numpy as np

from okpca._core.blas_threads import one_thread
from okpca._core.cached import once
from okpca._core.decay import remembered
from okpca._core.numerics import ROWS, WINDOW, WINDOW_ATOMS
from okpca._core.typing import Array
from okpca.dictionary import Clusters, Encoded
from okpca.dictionary.admission.decision import candidates
from okpca.model.budget import relieve
from okpca.model.state import Model, next_state
from okpca.model.surgery import welcome


def is_priced(model: Model) -> bool:
    return model.clusters is not None and model.clusters.price > 0.0


def counted_for_atoms(model: Model, rows: Encoded, weight: Array) -> Clusters | None:
    """With what these rows lose charged to their atoms, and the rows counted for them."""
    if model.clusters is None:
        return None
    may_join = np.zeros(len(weight), dtype=bool)
    if is_priced(model):
        may_join[candidates(model.plan.policy, rows, 0)] = True
    decay = model.centre.forgetting
    return model.clusters.charged(rows, may_join, weight, decay).after_rows(rows, weight, decay)


def rows_to_next_border(model: Model) -> int:
    """Until something is due that is counted in rows of the stream, so that its cuts do not
    matter: a look for empty atoms, or letting those join that ask to."""
    if model.clusters is not None and (is_priced(model) or model.clusters.asking):
        return _rows_to_newcomers(model, model.clusters)
    sweep = model.plan.budget.next_sweep(model, model.n_rows)
    return sys.maxsize if sweep is None else sweep - model.n_rows


def _rows_to_newcomers(model: Model, clusters: Clusters) -> int:
    """Until the first border at which enough of them may ask: every row might, and one that is
    repeated more than once."""
    budget, n_rows, forgetting = model.plan.budget, model.n_rows, model.centre.forgetting
    lacking = math.ceil(budget.crowd(n_rows, forgetting)) - clusters.n_asking
    if n_rows < budget.youth(forgetting):
        lacking = min(lacking, budget.youth(forgetting) - n_rows)
    rows = 0 if model.plan.repeats else max(lacking - 1, 0)
    return rows + rows_to_border(n_rows + rows, budget.max_atoms or 0, forgetting)


def rows_to_border(n_rows: int, m: int, forgetting: float) -> int:
    """How many rows after the first n until those join that ask to: at row numbers that are
    multiples of a power of two, the larger the more rows count and the more atoms there may be."""

    def window(n: int) -> int:
        rows = max(min(WINDOW * remembered(n, forgetting), ROWS), m / 8, m * m / WINDOW_ATOMS, 1.0)
        return 1 << int(rows).bit_length() - 1

    border = n_rows + 1
    while border % window(border):
        border += -border % window(border)
    return border - n_rows


def at_border(model: Model) -> Model:
    """After whatever is due at this row."""
    budget, n_rows = model.plan.budget, model.n_rows
    if budget.next_sweep(model, n_rows - 1) == n_rows:
        model = budget.swept(model)
    return _with_newcomers(model) if _may_newcomers_join(model) else model


def shown(model: Model) -> Model:
    """The model that is looked at: those that wait in a young stream may be most of what came."""
    if model.clusters is None or not model.clusters.asking:
        return model
    young = model.n_rows < model.plan.budget.youth(model.centre.forgetting)
    return _as_if_joined(model) if young else model


@once
def _as_if_joined(model: Model) -> Model:
    """Nobody asked for room now: that says nothing of the pace."""
    joined = _with_newcomers(model)
    return next_state(joined, relieved_at=model.relieved_at, pace=model.pace)


@one_thread
def _with_newcomers(model: Model) -> Model:
    most, model = model.plan.budget.max_atoms, welcome(model)
    return model if most is None or model.basis.m <= most else relieve(model)


def _may_newcomers_join(model: Model) -> bool:
    if model.clusters is None or not model.clusters.asking:
        return False
    budget, n_rows, forgetting = model.plan.budget, model.n_rows, model.centre.forgetting
    if model.clusters.n_asking < budget.crowd(n_rows, forgetting):
        return False
    return rows_to_border(n_rows - 1, budget.max_atoms or 0, forgetting) == 1
