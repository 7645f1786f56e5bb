"""Rows that ask to join a dictionary that has been full wait for a border of the stream.

With a clustering budget (`dictionary.placement.clustering`) an atom has a price once the dictionary
has been full. Rows whose atom owes so much ask to join, and join together at row numbers that do
not depend on how the stream is cut.
"""

from __future__ import annotations

import sys

import numpy as np

from okpca._core.typing import Array
from okpca.dictionary import Clusters, Encoded, encode
from okpca.dictionary.placement.clustering import rows_to_border
from okpca.dictionary.verdicts import candidates
from okpca.model.budget import relieve
from okpca.model.state import Model, next_state
from okpca.model.surgery import count, exchange, grow, restore


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
        return _rows_to_newcomers(model, model.n_rows)
    sweep = model.plan.budget.next_sweep(model, model.n_rows)
    return sys.maxsize if sweep is None else sweep - model.n_rows


def _rows_to_newcomers(model: Model, n_rows: int) -> int:
    return rows_to_border(n_rows, model.plan.budget.max_atoms or 0, model.centre.forgetting)


def at_border(model: Model) -> Model:
    """After whatever is due at this row."""
    budget, n_rows = model.plan.budget, model.n_rows
    if budget.next_sweep(model, n_rows - 1) == n_rows:
        model = budget.swept(model)
    asking = model.clusters is not None and model.clusters.asking
    if asking and _rows_to_newcomers(model, n_rows - 1) == 1:
        model = _welcome(model)
    return model


def _welcome(model: Model) -> Model:
    """With those as atoms that asked to join. If there is no room for all, some are merged."""
    assert model.clusters is not None
    X, weight, clusters = model.clusters.asked()
    most = model.plan.budget.max_atoms
    rows = encode(model.basis, X, model.plan.policy, None, limit=most)
    model = next_state(model, clusters=clusters)
    if rows.founded is not None:
        model = exchange(model, rows.founded)
    old, joined = model.basis.m, np.isin(np.arange(len(weight)), rows.joined)
    model = grow(model, rows.basis, X[joined], weight[joined])
    model = count(model, X[~joined], weight[~joined])
    if rows.founded is None:
        model = restore(model, rows.Z, old, weight[: len(rows.Z)])
    return model if most is None or model.basis.m <= most else relieve(model)
