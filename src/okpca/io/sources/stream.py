"""A stream of blocks from files, folders, patterns and pipes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from okpca._core.typing import Array, Flags, Index
from okpca.io.sources.binary import BINARY
from okpca.io.sources.follow import generations, refuse_unfollowable
from okpca.io.sources.numbers import chosen, numbers
from okpca.io.sources.places import files_of, format_of, opened
from okpca.io.sources.tables import Reading, Table
from okpca.io.sources.text import TEXT

EXAMPLES = 5  # of bad rows that are kept
ON_BAD_ROW = ("raise", "skip", "impute")
PLACE = ("byte", "line", "print", "names")  # of a position in a text


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of a source, and what is known of each."""

    rows: Array  # (n, d), finite but for what is missing, where that is let through
    columns: list[str]
    number: Index  # of each row in the whole source, from 0; bad rows count, too
    ids: Any  # the id column, or None
    times: Any  # likewise
    position: dict[str, Any]  # after these rows: `stream(..., position=)` goes on from there
    named: bool = True  # or are the columns' names numbers, for want of names?


@dataclass
class Noted:
    """How many rows, and where the first of them are."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def note(self, rows: Iterable[int], told: Callable[[int], str]) -> None:
        for i in rows:
            self.count += 1
            if len(self.examples) < EXAMPLES:
                self.examples.append(told(i))


class Stream:
    """Iterate over it once. `bad` counts the rows that were left out, and `gappy` those that came
    with values missing, with the first examples."""

    def __init__(self, files: list[str], settings: dict[str, Any], position: Any) -> None:
        self.files = files
        self.bad, self.gappy = Noted(), Noted()
        self._settings = settings
        self._file, self._row, self._before, self._place = _checked(position, files)
        self._names: list[str] | None = (self._place or {}).get("names")

    def __iter__(self) -> Iterator[Block]:
        if self._settings["follow"]:
            yield from self._followed(self.files[0])
            return
        while self._file < len(self.files):
            file = self.files[self._file]
            yield from self._blocks(file, partial(self._tables, file))
            self._file, self._row, self._place = self._file + 1, 0, None

    def _tables(self, file: str, how: Reading) -> Iterator[Table]:
        kind = format_of(file, self._settings["format"])
        if kind in BINARY:
            yield from BINARY[kind](file, how)
            return
        with opened(file) as raw:
            yield from TEXT[kind](raw, how)

    def _followed(self, file: str) -> Iterator[Block]:
        """One generation of a file after the other."""
        read = TEXT[format_of(file, self._settings["format"])]
        for raw in generations(file, self._place):
            yield from self._blocks(file, partial(read, raw))
            self._row, self._place = 0, None

    def _blocks(self, file: str, read: Callable[[Reading], Iterator[Table]]) -> Iterator[Block]:
        start, last = self._before - self._row, self._row
        with _about(file):
            for table in read(self._reading(file)):
                last = int(table.number[-1]) + 1 if len(table.number) else last
                if last <= self._row:
                    continue
                block = self._block(file, table, start)
                self._row, self._before, self._names = last, start + last, table.names
                if len(block.rows):
                    yield block

    def _reading(self, file: str) -> Reading:
        settings = self._settings

        def noted(number: int, line: int, what: str) -> None:
            if number >= self._row:
                self.bad.note([number], lambda _: f"{file}, line {line}: {what}")

        return Reading(
            settings["rows"],
            settings["wait"],
            settings["header"],
            settings["delimiter"],
            self._learned,
            tuple(settings[name] for name in ("id", "time") if settings[name] is not None),
            None if settings["on_bad_row"] == "raise" else noted,
            self._names if settings["follow"] or self._place is not None else None,
            0 if self._place is None else self._row,
            self._place,
        )

    def _learned(self, names: list[str]) -> list[str]:
        settings = self._settings
        return chosen(names, settings["columns"], [settings["id"], settings["time"]])

    def _block(self, file: str, table: Table, start: int) -> Block:
        names, settings = self._learned(table.names), self._settings
        rows, gappy, bad, told = numbers(table, names)
        if settings["on_bad_row"] == "impute":
            gappy, bad = gappy | bad, np.zeros_like(bad)
            rows[np.isinf(rows)] = np.nan
        elif not settings["keep_gaps"]:
            gappy, bad = np.zeros_like(gappy), gappy | bad
        if len(rows) > 1 and bad.all() and self._before == 0:
            raise ValueError(f"{told(0)}, nor in any row of the first block: choose columns=.")
        new = table.number >= self._row
        self._note(bad & new, gappy & new, lambda i: f"{_where(file, table, i)}: {told(i)}")
        good = np.flatnonzero(new & ~bad)
        last = int(table.number[-1]) + 1
        position = {"file": self._file, "row": last, "rows": start + last, **table.place}
        ids, times = (
            None if name is None else np.asarray(table.column(name))[good]
            for name in (settings["id"], settings["time"])
        )
        number = start + table.number[good]
        return Block(rows[good], names, number, ids, times, position, table.named)

    def _note(self, bad: Flags, gappy: Flags, told: Callable[[int], str]) -> None:
        if bad.any() and self._settings["on_bad_row"] == "raise":
            raise ValueError(
                f"{told(int(bad.argmax()))}. Mend it, or leave such rows out: on_bad_row='skip'; "
                "or have them filled in by the model: on_bad_row='impute'."
            )
        self.bad.note(np.flatnonzero(bad).tolist(), told)
        self.gappy.note(np.flatnonzero(gappy).tolist(), told)


def _where(file: str, table: Table, i: int) -> str:
    if table.line is None:
        return f"{file}, row {table.number[i]}"
    return f"{file}, line {table.line[i]}"


@contextmanager
def _about(file: str) -> Iterator[None]:
    """Errors name the file."""
    try:
        yield
    except (OSError, ValueError) as error:  # pyarrow's are both
        text = str(error)
        if text.startswith(file):
            raise
        glue = ", " if text.startswith("line ") else ": "
        raise ValueError(f"{file}{glue}{text}") from error


def _checked(position: Any, files: list[str]) -> tuple[int, int, int, dict[str, Any] | None]:
    if position is None:
        return 0, 0, 0, None
    at = [position.get(name) for name in ("file", "row", "rows")]
    if not all(type(one) is int and one >= 0 for one in at) or at[0] > len(files):
        raise ValueError(f"{position!r} is no position in {len(files)} files.")
    place = {name: position[name] for name in PLACE if name in position}
    return at[0], at[1], at[2], place or None


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
    keep_gaps: bool = False,
    rows: int = 10_000,
    wait: bool = True,
    follow: bool = False,
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
    on_bad_row : {"raise", "skip", "impute"}, default="raise"
        What becomes of a row with a field too many, or with one that is no finite number. "impute"
        makes that one NaN, for a model to fill in; a row with a field too many is left out.
    keep_gaps : bool, default=False
        Whether values that are missing (empty, NA, NaN, null) come as NaN. If not, their rows are
        bad.
    rows : int, default=10000
        In a block, at most. (Text comes in blocks of at most 1 MB.)
    wait : bool, default=True
        Whether a block of text waits until it is full. If not, rows of a pipe come as soon as their
        lines are there.
    follow : bool, default=False
        Wait for what is appended to a file of text, for ever. A line waits for its end. When the
        file is renamed and another begins in its place, the first is read to its end and then the
        other; when it is cut to nothing, likewise, by the copy of it if there is one.
    position : dict, default=None
        The `position` of a block: go on after it. A text must be the same up to there; with
        `follow` it is looked for in the files that it may have been renamed to.

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
    if on_bad_row not in ON_BAD_ROW:
        raise ValueError(f"on_bad_row must be one of {ON_BAD_ROW}, got {on_bad_row!r}.")
    if rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows}.")
    settings = {
        **{"columns": columns, "id": id, "time": time, "format": format, "header": bool(header)},
        **{"delimiter": delimiter, "on_bad_row": on_bad_row, "keep_gaps": keep_gaps},
        **{"rows": rows, "wait": wait and not follow, "follow": follow},
    }
    files = [os.fspath(source)] if follow else files_of(source)
    for file in files:
        kind = format_of(file, format)  # refused before the first row
        if follow:
            refuse_unfollowable(file, kind)
    return Stream(files, settings, position)
