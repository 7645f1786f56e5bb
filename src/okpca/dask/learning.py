"""What workers do: rows of partitions become a model, two models become one.

A `Part` is all that leaves a worker. It has no rows but those that a detector keeps anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from okpca._core.blas_threads import only_one_thread
from okpca._core.typing import Array, Rows
from okpca.dask.errors import PartitionError, naming, told
from okpca.dask.partitions import pieces
from okpca.detection import KernelNoveltyDetector
from okpca.estimator import keeping, kept_by, merge, model_of
from okpca.estimator.user_warnings import unannounced
from okpca.kernels import Kernel

HELD_BACK = 4
"""A detector's limits come from no more than one row in so many: the others are learned first."""
SETTLING = 256
"""Rows given at a time until the first rows are enough: the cuts do not matter."""


@dataclass(frozen=True)
class Part:
    """What one or more partitions have taught."""

    first: str = ""  # names of the partitions, the first and
    last: str = ""
    estimator: Any = None  # or the detector of a stream that goes on; None: they have no rows
    columns: list[str] | None = None  # that files name, and
    names: list[str] | None = None  # that data frames do
    bad: tuple[str, ...] = ()  # rows of files that were left out
    n_rows: int = 0  # that a detector has judged, and
    n_alarms: int = 0
    runs: tuple[Array, ...] = ()  # rows it has still to judge, the last of each stream

    @property
    def name(self) -> str:
        return self.first if self.first == self.last else f"{self.first} to {self.last}"

    def told_bad(self) -> str:
        return f"{len(self.bad)} bad rows left out, the first: {self.bad[0]}."


@only_one_thread
def learned(before: Part, rows: Any, name: str, held_back: int | None) -> Part:
    """A stream after one partition more; before the first it is a model without rows. If it ends
    there, some rows are held back; None: it goes on."""
    with naming(name), unannounced():  # it is the whole that rows must suit
        # A task may be done again, so what another has left stays as it is.
        model = deepcopy(before.estimator)
        part = replace(before, first=before.first or name, last=name)
        run, bad, columns = Run(held_back or 0), list(part.bad), part.columns
        for piece in pieces(rows, bad):
            columns = _same(columns, piece.columns)
            for block in run.after(piece.rows):
                model.partial_fit(block)
        for block in run.ended():
            model.partial_fit(block)
        goes_on, any_rows = held_back is None, model.__sklearn_is_fitted__()
        part = replace(part, columns=columns, bad=tuple(bad), runs=run.rows)
        part = replace(part, estimator=model if goes_on or any_rows else None)
        return part if goes_on or not any_rows else _of(model, part)


def _of(model: Any, part: Part) -> Part:
    estimator = getattr(model, "estimator_", model)
    estimator = keeping(estimator, model_of(estimator))  # a warm-up ends with its stream
    names = getattr(model, "feature_names_in_", None)
    known = replace(part, estimator=estimator, names=None if names is None else list(names))
    if not isinstance(model, KernelNoveltyDetector):
        return known
    return replace(known, n_rows=model.n_samples_seen_, n_alarms=model.n_alarms_)


class Run:
    """The last rows of a stream, which are not learned with the others."""

    def __init__(self, size: int) -> None:
        self.size, self.seen = size, 0
        self._last: Any = None

    def after(self, rows: Any) -> Iterator[Any]:
        """What is to be learned when these have come."""
        if not self.size:
            yield rows
            return
        self.seen += len(rows)
        self._last = rows if self._last is None else _stacked(self._last, rows)
        yield from self._all_but(self.size)

    def ended(self) -> Iterator[Any]:
        """And when no more will come."""
        if self.size:
            yield from self._all_but(min(self.size, self.seen // HELD_BACK))

    def _all_but(self, size: int) -> Iterator[Any]:
        rows = self._last
        if rows is not None and len(rows) > size:
            n = len(rows)
            self._last = cut(rows, n - size, n)
            yield cut(rows, 0, n - size)

    @property
    def rows(self) -> tuple[Any, ...]:
        return () if self._last is None or not len(self._last) else (self._last,)


def _stacked(first: Any, rows: Any) -> Any:
    if hasattr(rows, "iloc"):
        import pandas as pd

        return pd.concat([first, rows])
    if hasattr(rows, "vstack"):  # polars
        return first.vstack(rows)
    return np.concatenate([first, rows])


@only_one_thread
def merged(one: Part, other: Part) -> Part:
    """What both have taught."""
    models = [part.estimator for part in (one, other) if part.estimator is not None]
    try:
        columns, names = _same(one.columns, other.columns), _same(one.names, other.names)
        estimator = merge(models) if len(models) == 2 else next(iter(models), None)
    except ValueError as error:
        raise PartitionError(f"{one.name} and {other.name}", told(error)) from error
    return Part(
        one.first,
        other.last,
        estimator,
        columns,
        names,
        one.bad + other.bad,
        one.n_rows + other.n_rows,
        one.n_alarms + other.n_alarms,
        one.runs + other.runs,
    )


def _same(ours: list[str] | None, theirs: list[str] | None) -> list[str] | None:
    if ours is not None and theirs is not None and ours != theirs:
        raise ValueError(f"columns {theirs[:8]} after {ours[:8]}: name those to take.")
    return theirs if ours is None else ours


class Settled(NamedTuple):
    """What the first rows decide."""

    kernel: Kernel
    points: Rows | None  # atoms, where a dictionary is chosen from them


@only_one_thread
def settled(model: Any, rows: Any, name: str, chooses: bool) -> Settled | None:
    """By a partition that has the first rows; None if it has none."""
    with naming(name), unannounced():
        probe = clone(model)
        for block in _first(rows):
            probe.partial_fit(block)
            learner = getattr(probe, "estimator_", probe)
            if probe.__sklearn_is_fitted__() and kept_by(learner).held is None:
                break
        if not probe.__sklearn_is_fitted__():
            return None
        return Settled(learner.kernel_, learner.atoms_ if chooses else None)


def _first(rows: Any) -> Iterator[Any]:
    for piece in pieces(rows, []):
        for start in range(0, piece.rows.shape[0], SETTLING):
            yield cut(piece.rows, start, start + SETTLING)


def cut(rows: Any, start: int, stop: int) -> Any:
    return rows.iloc[start:stop] if hasattr(rows, "iloc") else rows[start:stop]


def touched(rows: Any) -> None:
    """Nothing but that they are there."""
