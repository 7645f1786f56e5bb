"""A stream of blocks from files, folders, patterns and pipes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from okpca._core.typing import Array, Index
from okpca.io.sources.numbers import chosen, numbers
from okpca.io.sources.places import files_of, format_of
from okpca.io.sources.tables import READERS, Reading, Table

EXAMPLES = 5  # of bad rows that are kept


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of a source, and what is known of each."""

    rows: Array  # (n, d), finite
    columns: list[str]
    number: Index  # of each row in the whole source, from 0; bad rows count, too
    ids: Any  # the id column, or None
    times: Any  # likewise
    position: dict[str, Any]  # after these rows: `stream(..., position=)` goes on from there


@dataclass
class Bad:
    """Rows that were left out."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def note(self, where: str, what: str) -> None:
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(f"{where}: {what}")


class Stream:
    """Iterate over it once. `bad` counts the rows that were left out, with the first examples."""

    def __init__(self, files: list[str], settings: dict[str, Any], position: Any) -> None:
        self.files = files
        self.bad = Bad()
        self._settings = settings
        self._file, self._row, self._before = _checked(position, files)

    def __iter__(self) -> Iterator[Block]:
        while self._file < len(self.files):
            yield from self._blocks(self.files[self._file])
            self._file, self._row = self._file + 1, 0

    def _blocks(self, file: str) -> Iterator[Block]:
        settings, start = self._settings, self._before - self._row
        raises = settings["on_bad_row"] == "raise"
        note = partial(self._noted, file, 1 + settings["header"])
        how = Reading(
            settings["rows"], settings["header"], settings["delimiter"], None if raises else note
        )
        kind, last = format_of(file, settings["format"]), self._row
        try:
            for table in READERS[kind](file, how):
                last = int(table.number[-1]) + 1 if len(table.number) else last
                if last <= self._row:
                    continue
                block = self._block(file, table, start)
                self._row, self._before = last, start + last
                if len(block.rows):
                    yield block
        except (OSError, ValueError) as error:  # pyarrow's are both
            if str(error).startswith(file):
                raise
            raise ValueError(f"{file}: {error}") from error

    def _block(self, file: str, table: Table, start: int) -> Block:
        settings = self._settings
        names = chosen(table.names, settings["columns"], [settings["id"], settings["time"]])
        rows, wrong = numbers(table, names)
        if len(wrong) == len(rows) > 1 and self._before == 0:
            raise ValueError(f"{wrong[0]}, nor in any row of the first block: choose columns=.")
        for i, what in wrong.items():
            if table.number[i] < self._row:
                continue
            where = self._where(file, int(table.number[i]), table.line)
            if settings["on_bad_row"] == "raise":
                raise ValueError(
                    f"{where}: {what}. Mend it, or leave such rows out: on_bad_row='skip' "
                    "(--on-bad-row skip)."
                )
            self.bad.note(where, what)
        good = np.flatnonzero(table.number >= self._row)
        good = good[~np.isin(good, list(wrong))]
        last = int(table.number[-1]) + 1
        position = {"file": self._file, "row": last, "rows": start + last}
        ids, times = (
            None if name is None else np.asarray(table.column(name))[good]
            for name in (settings["id"], settings["time"])
        )
        return Block(rows[good], names, start + table.number[good], ids, times, position)

    def _noted(self, file: str, line: int, number: int, what: str) -> None:
        if number >= self._row:
            self.bad.note(self._where(file, number, line), what)

    def _where(self, file: str, number: int, line: int) -> str:
        return f"{file}, line {number + line}" if line else f"{file}, row {number}"


def _checked(position: Any, files: list[str]) -> tuple[int, int, int]:
    if position is None:
        return 0, 0, 0
    at = [position.get(name) for name in ("file", "row", "rows")]
    if not all(type(one) is int and one >= 0 for one in at) or at[0] > len(files):
        raise ValueError(f"{position!r} is no position in {len(files)} files.")
    return at[0], at[1], at[2]


def stream(
    source: Any,
    *,
    columns: str | Sequence[str] | None = None,
    id: str | None = None,
    time: str | None = None,
    format: str | None = None,
    header: bool = True,
    delimiter: str | None = None,
    on_bad_row: str = "raise",
    rows: int = 10_000,
    position: dict[str, Any] | None = None,
) -> Stream:
    """Rows of files or of a pipe, block by block, in bounded memory.

    Parameters
    ----------
    source : path-like, or a list of them
        A file, a folder, a pattern such as ``"data/*.parquet"``, or ``"-"`` for standard input.
        CSV (also packed: ``.gz``, ``.zst``), Parquet, Arrow IPC, NDJSON, ``.npy``, ``.npz``.
    columns : list of names, or str, default=None
        Those that are learned; ``"a:c"`` is all from a to c. None is all but `id` and `time`.
        Columns without names are "0", "1" and so on.
    id, time : str, default=None
        Columns that are not learned but carried along, as `ids` and `times` of a block.
    format : {"csv", "parquet", "arrow", "ndjson", "npy", "npz"}, default=None
        None goes by the end of the name; standard input is CSV.
    header, delimiter
        Of CSV: whether its first line is names; None takes the likeliest of ``, ; | tab``.
    on_bad_row : {"raise", "skip"}, default="raise"
        What becomes of a row with a field too many, or that is no finite number.
    rows : int, default=10000
        In a block, about. (CSV and Arrow come in blocks of their own, but for 1: then rows of CSV
        come as soon as their lines are there.)
    position : dict, default=None
        The `position` of a block: go on after it.

    Returns
    -------
    stream : Stream
        Of blocks with `rows`, `columns`, `number`, `ids`, `times` and `position`.

    Examples
    --------
    >>> import numpy as np, okpca
    >>> np.save("rows.npy", np.random.default_rng(0).normal(size=(500, 3)))
    >>> model = okpca.OnlineKernelPCA(2, gamma=0.1)
    >>> for block in okpca.io.stream("rows.npy", rows=200):
    ...     _ = model.partial_fit(block.rows)
    >>> model.n_samples_seen_
    500
    """
    if on_bad_row not in ("raise", "skip"):
        raise ValueError(f"on_bad_row must be 'raise' or 'skip', got {on_bad_row!r}.")
    if rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows}.")
    settings = {
        **{"columns": columns, "id": id, "time": time, "format": format, "header": bool(header)},
        **{"delimiter": delimiter, "on_bad_row": on_bad_row, "rows": rows},
    }
    files = files_of(source)
    for file in files:
        format_of(file, format)  # refused before the first row
    return Stream(files, settings, position)
