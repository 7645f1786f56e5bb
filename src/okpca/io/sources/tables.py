"""Files as tables, block by block. A `Table` is columns of one length by name, and where in the
file its rows are."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from okpca._core.typing import Index
from okpca.io.sources.places import STDIN

BYTES = 2**20
"""Of a CSV file at a time."""


@dataclass(frozen=True)
class Table:
    names: list[str]
    column: Callable[[str], Any]  # an array of pyarrow or numpy
    number: Index  # of each row in its file, from 0
    line: int  # of row 0 of the file, from 1; 0 where there are no lines


@dataclass(frozen=True)
class Reading:
    """How to read: `rows` at a time; for CSV, its header and delimiter; who is told of bad rows."""

    rows: int
    header: bool = True
    delimiter: str | None = None
    bad: Callable[[int, str], None] | None = None  # None: they raise


def arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            "files other than .npy and .npz need pyarrow: pip install 'okpca[io]'."
        ) from None
    return pyarrow


@contextmanager
def opened(file: str) -> Iterator[Any]:
    """Bytes of a file, unpacked, that can be looked at before they are read."""
    if file == STDIN:
        yield sys.stdin.buffer  # which is not ours to close
        return
    with io.BufferedReader(arrow().input_stream(file, compression="detect"), BYTES) as raw:
        yield raw


class _Again(io.RawIOBase):
    """What was read already, and then the rest."""

    def __init__(self, first: bytes, rest: Any) -> None:
        self._first, self._rest = first, rest

    def readable(self) -> bool:
        return True

    def read(self, n: int = -1) -> bytes:
        first, self._first = self._first, b""
        return first + bytes(self._rest.read(n if n < 0 else max(n - len(first), 0)))


# -- text -----------------------------------------------------------------------------------------


def csv_tables(file: str, how: Reading) -> Iterator[Table]:
    pa = arrow()
    from pyarrow import csv as reader

    with opened(file) as raw:
        line = raw.readline().removeprefix(b"\xef\xbb\xbf")  # which some editors begin with
        if not line:
            return
        first = line.decode().rstrip("\r\n")
        delimiter = how.delimiter or max(",;\t|", key=first.count)
        fields = next(csv.reader([first], delimiter=delimiter))
        names = fields if how.header else [str(i) for i in range(len(fields))]
        if how.rows == 1:
            again = [] if how.header else [line]
            yield from _csv_lines(chain(again, raw), names, delimiter, how)
            return
        left_out: list[int] = []

        def ragged(row: Any) -> str:
            if how.bad is None:
                return "error"
            left_out.append(row.number - 1)
            how.bad(row.number - 1, f"{row.actual_columns} fields, not {row.expected_columns}")
            return "skip"

        batches = reader.open_csv(
            pa.PythonFile(_Again(b"" if how.header else line, raw), "r"),
            reader.ReadOptions(use_threads=False, column_names=names, block_size=BYTES),
            reader.ParseOptions(delimiter=delimiter, invalid_row_handler=ragged),
            # As text: a column's kind is not for its first rows to say, and a bad one has a place.
            reader.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
        yield from _batches(batches, names, 1 + how.header, left_out)


def _csv_lines(
    lines: Iterable[bytes], names: list[str], delimiter: str, how: Reading
) -> Iterator[Table]:
    """A row as soon as its line is there, for whoever cannot wait for a block."""
    start, number = 1 + how.header, -1
    for fields in csv.reader((line.decode() for line in lines), delimiter=delimiter):
        if not fields:
            continue
        number += 1
        if len(fields) != len(names):
            what = f"{len(fields)} fields, not {len(names)}"
            if how.bad is None:
                raise ValueError(f"line {number + start}: {what}.")
            how.bad(number, what)
            continue
        row = dict(zip(names, fields, strict=True))
        yield Table(
            names,
            lambda name, row=row: np.array([row[name]], dtype=object),  # type: ignore[misc]
            np.array([number]),
            start,
        )


def ndjson_tables(file: str, how: Reading) -> Iterator[Table]:
    with opened(file) as raw:
        rows: list[dict[str, Any]] = []
        numbers: list[int] = []
        for number, line in enumerate(raw):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise ValueError("no object")
            except ValueError as error:
                if how.bad is None:
                    raise ValueError(f"{file}, line {number + 1}: {error}.") from None
                how.bad(number, str(error))
                continue
            rows.append(row)
            numbers.append(number)
            if len(rows) == how.rows:
                yield _json_table(rows, numbers)
                rows, numbers = [], []
        if rows:
            yield _json_table(rows, numbers)


def _json_table(rows: list[dict[str, Any]], numbers: list[int]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row))

    def column(name: str) -> Any:
        return np.array([row.get(name) for row in rows], dtype=object)

    return Table(names, column, np.array(numbers), 1)


# -- binary ---------------------------------------------------------------------------------------


def parquet_tables(file: str, how: Reading) -> Iterator[Table]:
    arrow()
    from pyarrow.parquet import ParquetFile

    with ParquetFile(file) as table:
        yield from _batches(table.iter_batches(how.rows), list(table.schema_arrow.names))


def arrow_tables(file: str, how: Reading) -> Iterator[Table]:
    """With a directory at its end or, as from a pipe, without."""
    pa = arrow()
    with opened(file) as raw:
        if raw.peek(6)[:6] == b"ARROW1":
            table = pa.ipc.open_file(pa.memory_map(file))
            batches: Any = (table.get_batch(i) for i in range(table.num_record_batches))
        else:
            batches = table = pa.ipc.open_stream(pa.PythonFile(raw, "r"))
        yield from _batches(batches, list(table.schema.names))


def numpy_tables(file: str, how: Reading) -> Iterator[Table]:
    """`.npy` is left on the disk; of `.npz`, the one array that has two dimensions, or X."""
    found = np.load(file, mmap_mode="r", allow_pickle=False)
    if not isinstance(found, np.ndarray):
        names = found.files
        chosen = "X" if "X" in names else [name for name in names if found[name].ndim == 2][:1]
        if not chosen:
            raise ValueError(f"{file}: none of {names} has two dimensions.")
        found = found["X" if chosen == "X" else chosen[0]]
    if found.ndim != 2:
        raise ValueError(f"{file}: an array of {found.ndim} dimensions; rows need two.")
    names = [str(i) for i in range(found.shape[1])]
    for start in range(0, len(found), how.rows):
        block = found[start : start + how.rows]
        number = np.arange(start, start + len(block))
        yield Table(names, lambda name, block=block: block[:, int(name)], number, 0)  # type: ignore[misc]


READERS: dict[str, Callable[[str, Reading], Iterator[Table]]] = {
    "csv": csv_tables,
    "ndjson": ndjson_tables,
    "parquet": parquet_tables,
    "arrow": arrow_tables,
    "npy": numpy_tables,
    "npz": numpy_tables,
}


def _batches(
    batches: Any, names: list[str], line: int = 0, left_out: list[int] | None = None
) -> Iterator[Table]:
    done = 0
    for batch in batches:
        number = np.arange(done, done + batch.num_rows)
        if left_out:
            gone = np.array(left_out)
            number += np.searchsorted(gone - np.arange(len(gone)), number, side="right")
        yield Table(names, lambda name, b=batch: b.column(names.index(name)), number, line)  # type: ignore[misc]
        done += batch.num_rows
