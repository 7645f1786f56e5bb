"""Columns that do not suit a kernel of distances, by every fourth of the first rows.

    q75 − q25                the quartiles of columns: one that is far wider than the others is all
                             that a distance tells of
    x_t − x_{t−1}            a column that always goes up, mostly by the same, counts the rows

Atoms will not do in place of rows: they may be means of many, and columns of noise have means that
are all alike.
"""

from __future__ import annotations

import numpy as np

from okpca._core.numerics import TIE
from okpca._core.typing import Array, Rows
from okpca._core.warning_thresholds import FEWEST_STEPS, FIRST_LOOK, REGULAR, SAMPLED, UNEQUAL
from okpca.kernels.base import Trait
from okpca.kernels.rows import is_sparse
from okpca.model.state import THE_COLUMN, Model, Trouble, next_state


def sampled(model: Model, X: Rows) -> Model:
    """With those of the next rows that columns will be compared by."""
    first, n = model.first, model.n_rows
    if first is None:
        return model
    if is_sparse(X) or n >= FIRST_LOOK:
        return next_state(model, first=None)
    more = X[-n % SAMPLED : FIRST_LOOK - n : SAMPLED]
    return next_state(model, first=(*first, np.array(more))) if len(more) else model


def columns_at_fault(model: Model) -> Trouble | None:
    if not model.first or Trait.LOCAL not in model.basis.kernel.traits:
        return None
    rows, units = np.concatenate(model.first), model.basis.kernel.units
    spread = _spreads(rows)
    scaled = np.ndim(units) > 0  # the kernel has brought columns to one scale
    return _counter(rows, spread / units if scaled else spread) or (
        None if scaled else _unequal(spread)
    )


@np.errstate(over="ignore", invalid="ignore")
def _counter(rows: Array, spread: Array) -> Trouble | None:
    """The number of the row among the columns, or its time, if it counts in a distance."""
    if len(rows) <= FEWEST_STEPS or rows.shape[1] < 2:
        return None
    steps = np.diff(rows, axis=0)
    usual = np.median(steps, axis=0)
    regular = np.abs(steps - usual) <= TIE * (np.abs(rows[1:]) + np.abs(usual))
    counts = (steps > 0).all(axis=0) & (regular.mean(axis=0) >= REGULAR)
    counts &= UNEQUAL * spread >= spread.max()
    if not counts.any():
        return None
    return Trouble(
        "counter",
        f"{THE_COLUMN} goes up by the same from row to row. If it is the number or the time of a "
        "row, leave it out: along it each row is farther from those before than any was, which "
        "hides what the others tell.",
        int(counts.argmax()),
    )


def _unequal(spread: Array) -> Trouble | None:
    """Quartiles, since a picture's border is constant in all but a few rows."""
    varying = np.sort(spread[spread > 0])
    if len(varying) < 2 or not varying[-1] > UNEQUAL * varying[(len(varying) - 1) // 4]:
        return None
    return Trouble(
        "columns",
        f"columns differ in scale by a factor of {varying[-1] / varying[0]:.2g}, so that the "
        f"distance between rows is that in {THE_COLUMN}, and others hardly count. Let the model "
        "bring them to one scale: scale='standard' or 'robust'.",
        int(spread.argmax()),
    )


def _spreads(rows: Array) -> Array:
    """The distance of the quartiles of each column; 0 where values are missing in all rows."""
    gaps = np.isnan(rows)
    # Where nothing is missing, numpy need not go column by column.
    quantile = np.nanquantile if gaps.any() else np.quantile
    low, high = quantile(np.where(gaps.all(axis=0), 0.0, rows), [0.25, 0.75], axis=0)
    return np.asarray(high - low)
