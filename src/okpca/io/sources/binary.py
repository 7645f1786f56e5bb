"""Parquet, Arrow IPC and NumPy files as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from okpca.io.sources.files import BUFFER, is_plain, opened
from okpca.io.sources.tables import Reading, Table, arrow

AT_A_TIME = 2**21
"""Numbers of an array: of more, malloc asks the system for pages every time."""


def parquet_tables(file: str, how: Reading) -> Iterator[Table]:
    arrow()
    from pyarrow.parquet import ParquetFile

    with ParquetFile(file) as table:
        yield from _batches(table.iter_batches(how.rows), list(table.schema_arrow.names))


def arrow_tables(file: str, how: Reading) -> Iterator[Table]:
    """With a directory at its end, or without. One that has it is a stream between eight bytes and
    the directory: where that cannot be looked at first, in a pipe or packed, it is read as such."""
    pa = arrow()
    with opened(file) as raw:
        directory = raw.peek(6)[:6] == b"ARROW1"
        at_once = directory and is_plain(file)
        if at_once:
            table = pa.ipc.open_file(pa.memory_map(file))
            batches: Any = (table.get_batch(i) for i in range(table.num_record_batches))
        else:
            raw.read(8 if directory else 0)
            batches = table = pa.ipc.open_stream(pa.PythonFile(raw, "r"))
        yield from _batches(_cut(batches, how.rows), list(table.schema.names))
        while directory and not at_once and raw.read(BUFFER):  # whoever writes is heard out
            pass


def numpy_tables(file: str, how: Reading) -> Iterator[Table]:
    """`.npy` is left on the disk."""
    found = np.load(file, mmap_mode="r", allow_pickle=False)
    if not isinstance(found, np.ndarray):
        found = _of_archive(found)
    if found.ndim != 2:
        raise ValueError(f"{file}: an array of {found.ndim} dimensions; rows need two.")
    names = [str(i) for i in range(found.shape[1])]
    rows = min(how.rows, max(1, AT_A_TIME // max(1, found.shape[1])))
    for start in range(0, len(found), rows):
        block = found[start : start + rows]
        yield replace(
            _table(names, False, lambda name, b=block: b[:, int(name)], start, len(block)),  # type: ignore[misc]
            side_by_side=partial(_columns, block, names),
        )


BINARY: dict[str, Callable[[str, Reading], Iterator[Table]]] = {
    "parquet": parquet_tables,
    "arrow": arrow_tables,
    "npy": numpy_tables,
    "npz": numpy_tables,
}


def _of_archive(found: Any) -> Any:
    """X, or the one array that has two dimensions."""
    if "X" in found.files:
        return found["X"]
    matrices = {name: of for name in found.files if (of := found[name]).ndim == 2}
    if not matrices:
        raise ValueError(f"none of {found.files} has two dimensions.")
    if len(matrices) > 1:
        raise ValueError(f"which of {list(matrices)} are the rows? Save them alone, or as 'X'.")
    return next(iter(matrices.values()))


def _columns(block: Any, names: list[str], wanted: list[str]) -> Any:
    return block if wanted == names else block[:, [int(name) for name in wanted]]


def _cut(batches: Any, rows: int) -> Iterator[Any]:
    for batch in batches:
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)


def _batches(batches: Any, names: list[str]) -> Iterator[Table]:
    done, at = 0, {name: i for i, name in enumerate(names)}
    for batch in batches:
        yield _table(names, True, lambda name, b=batch: b.column(at[name]), done, batch.num_rows)  # type: ignore[misc]
        done += batch.num_rows


def _table(
    names: list[str], named: bool, column: Callable[[str], Any], start: int, n: int
) -> Table:
    return Table(names, named, column, np.arange(start, start + n), start + n)
