"""What a collection of rows consists of: partitions, each with a name that errors tell it by."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask import is_dask_collection
from dask.delayed import Delayed

from okpca.io import stream
from okpca.io.sources.files import STDIN, files_of, format_of


class Partition(NamedTuple):
    name: str
    rows: Any  # delayed rows, a Future of them, or a File


class Piece(NamedTuple):
    """Rows of a partition, and the names of their columns where a file says them."""

    rows: Any
    columns: list[str] | None = None


@dataclass(frozen=True)
class File:
    """Rows that a worker reads for itself, block by block."""

    path: str
    reading: dict[str, Any] = field(default_factory=dict)

    def pieces(self, bad: list[str]) -> Iterator[Piece]:
        """Bad rows that are left out are noted, the first in words."""
        rows = stream(self.path, **self.reading)
        for block in rows:
            yield Piece(block.rows, block.columns)
        bad += rows.bad.examples + [""] * (rows.bad.count - len(rows.bad.examples))


def pieces(rows: Any, bad: list[str]) -> Iterator[Piece]:
    """The rows of a partition, on the worker that has it."""
    if isinstance(rows, File):
        yield from rows.pieces(bad)
    elif rows.shape[0]:
        yield Piece(rows)


def files(source: Any, **reading: Any) -> list[File]:
    """Files as partitions, one each, to be read by the workers.

    Parameters
    ----------
    source : path-like, or a list of them
        Files, folders, patterns such as ``"data/part-*.parquet"``. Workers on other machines must
        see them by the same names.
    **reading
        `columns`, `id`, `time`, `format`, `header`, `delimiter`, `decimal`, `on_bad_row` and `rows`
        of :func:`okpca.io.stream`. A worker holds about `rows` rows at a time.

    Returns
    -------
    files : list
        For :func:`okpca.dask.fit`.
    """
    found = files_of(source)
    if STDIN in found:
        raise ValueError("standard input has no partitions: give files.")
    for file in found:
        format_of(file, reading.get("format"))  # refused before anything is read
    return [File(os.path.abspath(file), reading) for file in found]


def partitions_of(X: Any) -> list[Partition]:
    """Those of a dask array or data frame, of a list of delayed blocks, or of files."""
    if isinstance(X, str | os.PathLike):
        X = files(X)
    if is_lazy(X):
        X = [X]
    if isinstance(X, list | tuple) and X:
        return [part for i, one in enumerate(X) for part in _listed(one, i)]
    if is_dask_collection(X) and getattr(X, "ndim", 0) == 2:
        return _of_array(X) if isinstance(X, da.Array) else _of_frame(X)
    raise _unknown(X)


def is_lazy(one: Any) -> bool:
    """A block that is not there yet. (A data frame may well have a column `key`.)"""
    distributed = sys.modules.get("distributed")  # without it there are no futures
    kinds = (Delayed,) if distributed is None else (Delayed, distributed.Future)
    return isinstance(one, kinds)


def whole_rows(X: Any) -> Any:
    """A dask array whose blocks have all columns."""
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _of_array(X: Any) -> list[Partition]:
    X = whole_rows(X)
    ends = np.cumsum(X.chunks[0])
    blocks = X.to_delayed().ravel()
    starts = [0, *ends[:-1]]
    names = [
        f"partition {i}" + ("" if np.isnan(end) else f" (rows {int(start)} to {int(end) - 1})")
        for i, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]
    return [Partition(*both) for both in zip(names, blocks, strict=True)]


def _of_frame(X: Any) -> list[Partition]:
    return [Partition(f"partition {i}", rows) for i, rows in enumerate(X.to_delayed())]


def _listed(one: Any, i: int) -> list[Partition]:
    if isinstance(one, str | os.PathLike):
        return [part for file in files(one) for part in _listed(file, i)]
    if isinstance(one, File):
        return [Partition(one.path, one)]
    if not is_lazy(one):
        raise _unknown(one, f"[{i}]")
    return [Partition(f"partition {i} ({one.key})", one)]


def _unknown(X: Any, which: str = "") -> TypeError:
    return TypeError(
        f"X{which} must be a dask array or data frame of rows, a list of delayed blocks, or files; "
        f"got {type(X).__name__}. Of an array in memory: dask.array.from_array(X, (10_000, -1))."
    )
