"""Rows that lack values: left out, or filled in and then learned like any other.

A row that is left out has not come: it ages nothing and counts for nothing but `Gaps.skipped`.

Values are filled in from the atoms (`dictionary.imputation`) as they were at the last *border* of
the stream. Borders are counted in rows, so that the cuts of the stream do not matter, and a stream
is not cut at those that no row needs. The first rows are held back (`warmup`) and completed from
each other. A row without any value tells nothing, and is left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from okpca._core.cached import once
from okpca._core.decay import remembered
from okpca._core.errors import rows_numbered
from okpca._core.missing_values import rows_lacking
from okpca._core.typing import Array, Flags
from okpca.dictionary import Donors
from okpca.dictionary.imputation import gaps_in
from okpca.model.state import Model, Trouble, next_state
from okpca.model.stream import absorb_block

MORE, MOST_ROWS = 1 / 32, 64
"""A border comes where the rows, or those that a model with forgetting remembers, are by this share
more than at the last one, at the latest after so many. By trial, a film of 600 frames, 30 % of it
missing: with half as many rows again, values are off by 0.57 of a column's standard deviation, with
an eighth by 0.55, with this by 0.50; and it costs a quarter more."""

LARGE, FEWEST = 0.25, 32
"""A larger share of rows that are left out is said, from so many of them on (at the end of a fit,
from the first on): fewer at the start of a stream are chance."""


@once
def donors(model: Model) -> Donors:
    """The atoms, and how many rows each stands for, where that is known."""
    m, clusters = model.basis.m, model.clusters
    weight = np.ones(m) if clusters is None else clusters.weight
    return Donors(model.basis.atoms, weight if weight.any() else np.ones(m))


def imputed(model: Model, X: Any) -> Any:
    """Rows with their gaps filled in by the model as it is; themselves if they have none."""
    return donors(model).filled(X) if gaps_in(X).any() else X


def planned(model: Model, imputes: bool) -> Model:
    """From now on values are filled in, or no more."""
    if model.plan.imputes == imputes:
        return model
    return next_state(model, plan=replace(model.plan, imputes=imputes))


# -- rows that are filled in ----------------------------------------------------------------------


def absorb_gappy(model: Model, X: Any, weight: Array) -> Model:
    """After a block of rows that may lack some of their values."""
    done, n = 0, X.shape[0]
    lacking = rows_lacking(X)
    while done < n:
        model = with_donors(model)
        part = slice(done, min(n, done + _rows_to_needed_border(model, lacking, done, n)))
        rows = X[part]
        if lacking is not None and lacking[part].any():
            assert model.gaps.donors is not None
            rows = model.gaps.donors.filled(rows)
        with rows_numbered(range(done, n)):
            model = absorb_block(model, rows, weight[part])
        done = part.stop
    return model


def with_donors(model: Model) -> Model:
    """At a border: from here on, values are filled in from the atoms that there are now."""
    n = model.n_rows
    if n < model.gaps.until:
        return model
    until = n + _stride(model, n)
    return next_state(model, gaps=model.gaps._replace(donors=donors(model), until=until))


def _stride(model: Model, n: int) -> int:
    """From the border at row n to the next."""
    return int(min(max(MORE * remembered(n, model.centre.forgetting), 1), MOST_ROWS))


def _rows_to_needed_border(model: Model, lacking: Flags | None, done: int, n: int) -> int:
    """To the first border that is followed by a row with gaps, or by the end of the block before
    the next border: whatever comes then may need it."""
    size = model.gaps.until - model.n_rows
    while True:
        following = _stride(model, model.n_rows + size)
        after = slice(done + size, done + size + following)
        if after.stop > n or (lacking is not None and lacking[after].any()):
            return size
        size += following


def with_gaps_counted(model: Model, X: Any) -> Model:
    """With the values that these rows lack."""
    n = int(np.count_nonzero(gaps_in(X)))
    return with_imputed(model, n) if n else model


def with_imputed(model: Model, n: int) -> Model:
    return next_state(model, gaps=model.gaps._replace(imputed=model.gaps.imputed + n))


# -- rows that are left out -----------------------------------------------------------------------


def skipped(model: Model, lacking: Flags, taken: Flags, before: int) -> Model:
    """With the rows of a block that are left out; others are `taken`, as were so many `before`. A
    large share is noticed at the row where it is reached, wherever the block was cut."""
    n = int(np.count_nonzero(lacking))
    if not n:
        return model
    number = model.gaps.skipped + np.arange(1, n + 1)
    rows = number + before + np.cumsum(taken)[lacking]
    model = next_state(model, gaps=model.gaps._replace(skipped=model.gaps.skipped + n))
    many = np.flatnonzero((number >= FEWEST) & (number > LARGE * rows))
    return _noticed(model, int(number[many[0]]), int(rows[many[0]])) if len(many) else model


def skipped_in_all(model: Model) -> Model:
    """Where no more rows come, a share of those left out is large however few they are."""
    n = model.gaps.skipped
    rows = n + model.n_rows
    return _noticed(model, n, rows) if n > LARGE * rows else model


def _noticed(model: Model, n: int, rows: int) -> Model:
    if any(trouble.name == "skipped" for trouble in model.troubles):
        return model
    text = (
        f"{n} of the first {rows} rows were left out because they lack values: what is learned is "
        "of the others only. missing='impute' fills them in; or leave out columns that are rarely "
        "there."
    )
    return next_state(model, troubles=(*model.troubles, Trouble("skipped", text)))
