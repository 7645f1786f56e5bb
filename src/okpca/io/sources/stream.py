"""A stream of blocks from files, folders, patterns and pipes."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from okpca._core.choices import ON_BAD_ROW
from okpca._core.typing import Array, Flags, Index
from okpca.io.sources.bad_rows import BadRows, about, where
from okpca.io.sources.binary import BINARY
from okpca.io.sources.chosen_columns import ChosenColumns
from okpca.io.sources.files import files_of, format_of, opened
from okpca.io.sources.follow import generations, refuse_unfollowable
from okpca.io.sources.numbers import carried, numbers
from okpca.io.sources.positions import (
    BEGIN,
    Mark,
    Position,
    folded,
    keyed,
    may_go_on,
    named,
    refuse_changed,
    whole,
)
from okpca.io.sources.tables import Reading, Table
from okpca.io.sources.text import TEXT
from okpca.io.sources.word_columns import Words

FILLED = "; or have them filled in by the model: on_bad_row='impute'"
"""The end of an error's advice, for whoever has a model that does."""


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
    decimal: str = "."  # point of numbers among ids and times that are text


class Stream:
    """Blocks; whoever iterates again goes on. `bad` counts the rows that were left out, and `gappy`
    those that came with values missing, with the first examples; `position` is after all files that
    were read."""

    def __init__(self, files: list[str], settings: dict[str, Any], position: Any) -> None:
        self.files = files
        self.bad, self.gappy = BadRows(), BadRows()
        self._settings = settings
        start = Position.read(position, files)
        self._marks, self._done, self._sealed = start.marks(files), start.done or {}, start.sealed
        self._rows, self._names = start.rows, start.names
        self._taken = ChosenColumns(settings, start.columns)
        self._any_good = self._rows > 0
        self._words = Words() if self._rows == 0 else None  # told by the first rows
        self.position = start._asdict()

    def __iter__(self) -> Iterator[Block]:
        if self._settings["follow"]:
            yield from self._followed(self.files[0])
        for key, file in keyed(self.files):
            mark, kind = self._marks.get(key, BEGIN), format_of(file, self._settings["format"])
            if mark.whole:
                refuse_changed(file, mark)
                continue
            if key in self._done:
                self._done = {other: of for other, of in self._done.items() if other != key}
            before = None if may_go_on(file, kind, file == self.files[-1]) else whole(file)
            mark = yield from self._blocks(file, key, partial(self._tables, file, kind))
            end = mark if before is None else before._replace(row=mark.row)
            self._marks[key] = end
            self._sealed, self._done = folded(self._sealed, {**self._done, key: end})
            self.position = self._at(self._rows)._asdict()
        if self._words is not None and self._taken.names is not None:
            self._words.refuse(self._taken.names)
        if self.bad.count and not self._any_good:
            raise ValueError(
                f"{self.bad.examples[0]}; and none of {self.bad.count} rows is whole: choose "
                "columns=."
            )
        self._taken.warn_of_empty()

    def _at(self, rows: int, **more: Any) -> Position:
        return Position(rows, self._taken.names, done=self._done, sealed=self._sealed, **more)

    def _tables(self, file: str, kind: str, how: Reading) -> Iterator[Table]:
        if kind in BINARY:
            yield from BINARY[kind](file, how)
            return
        with opened(file) as raw:
            yield from TEXT[kind](raw, how)

    def _followed(self, file: str) -> Iterator[Block]:
        """One generation of a file after the other, for ever."""
        read = TEXT[format_of(file, self._settings["format"])]
        ((key, _),) = keyed([file])
        with closing(generations(file, self._marks.get(key, BEGIN).place)) as found:
            for raw in found:
                yield from self._blocks(file, key, partial(read, raw))
                self._marks[key] = BEGIN

    def _blocks(
        self, file: str, key: str, read: Callable[[Reading], Iterator[Table]]
    ) -> Generator[Block, None, Mark]:
        """From the file's mark on; the mark at its end."""
        mark = self._marks.get(key, BEGIN)
        start = self._rows - mark.row
        with about(file):
            for table in read(self._reading(file, mark)):
                if table.place is None and table.stop <= mark.row:
                    continue
                block = self._block(file, table, mark, start) if len(table.number) else None
                mark = self._marks[key] = Mark(table.stop, **(table.place or {}))
                self._rows, self._names = start + mark.row, table.names
                if block is not None and len(block.rows):
                    self._any_good = True
                    yield block
        return mark

    def _reading(self, file: str, mark: Mark) -> Reading:
        settings = self._settings

        def noted(number: int, line: int, what: str) -> None:
            self.bad.note([number], lambda _: f"{file}, line {line}: {what}")

        return Reading(
            settings["rows"],
            settings["wait"],
            settings["header"],
            settings["delimiter"],
            settings["decimal"],
            self._taken.of,
            tuple(self._taken.carried),
            None if settings["on_bad_row"] == "raise" else noted,
            self._names if settings["follow"] else None,
            0 if mark.place is None else mark.row,
            mark.place,
        )

    def _block(self, file: str, table: Table, mark: Mark, start: int) -> Block:
        names, settings = self._taken.of_table(file, table), self._settings
        found = numbers(table, names)
        if self._words is not None:
            at_once = settings["on_bad_row"] == "raise"
            self._words.look(found, names, partial(where, file, table), at_once)
        rows, gappy, bad, told, _ = found
        if settings["on_bad_row"] == "impute":
            gappy, bad = gappy | bad, np.zeros_like(bad)
            rows[np.isinf(rows)] = np.nan
        elif not settings["keep_gaps"]:
            gappy, bad = np.zeros_like(gappy), gappy | bad
        new = table.number >= mark.row
        self._note(bad & new, gappy & new, lambda i: f"{where(file, table, i)}: {told(i)}")
        good = np.flatnonzero(new & ~bad)
        rows = rows if len(good) == len(rows) else rows[good]
        self._taken.look_at(rows)
        at = Mark(table.stop, **(table.place or {}))
        follows = table.names if settings["follow"] else None
        position = self._at(start + table.stop, file=named(file), mark=at, names=follows)
        ids, times = (
            None if name is None else carried(table.column(name), good)
            for name in (settings["id"], settings["time"])
        )
        number = start + table.number[good]
        more = position._asdict(), table.named, table.decimal
        return Block(rows, names, number, ids, times, *more)

    def _note(self, bad: Flags, gappy: Flags, told: Callable[[int], str]) -> None:
        if bad.any() and self._settings["on_bad_row"] == "raise":
            raise ValueError(
                f"{told(int(bad.argmax()))}. Mend it, choose other columns=, or leave such rows "
                f"out: on_bad_row='skip'{FILLED}."
            )
        self.bad.note(np.flatnonzero(bad).tolist(), told)
        self.gappy.note(np.flatnonzero(gappy).tolist(), told)


def stream(
    source: Any,
    *,
    columns: str | Sequence[str] | None = None,
    id: str | None = None,
    time: str | None = None,
    format: str | None = None,
    header: bool = True,
    delimiter: str | None = None,
    decimal: str = ".",
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
        A file, a folder (but not its ``.txt``), a pattern such as ``"data/*.parquet"``, or ``"-"``
        for standard input. CSV (also packed: ``.gz``, ``.zst``), Parquet, Arrow IPC, NDJSON,
        ``.npy``, ``.npz``.
    columns : list of names, or str, default=None
        Those that are learned; ``"a:c"`` is all from a to c. None is all but `id` and `time` that
        the first row has. They are taken by name from all files, in whatever order they are there.
        Columns without names are "0", "1" and so on.
    id, time : str, default=None
        Columns that are not learned but carried along, as `ids` and `times` of a block.
    format : {"csv", "parquet", "arrow", "ndjson", "npy", "npz"}, default=None
        None goes by the end of the name; standard input is CSV.
    header, delimiter
        Of CSV: whether its first line is names; None takes the likeliest of ``, ; | tab``.
    decimal : {".", ","}, default="."
        Of CSV: the decimal point of its numbers.
    on_bad_row : {"raise", "skip", "impute"}, default="raise"
        What becomes of a row with a field too many, or with one that is no finite number. "impute"
        makes that one NaN, for a model to fill in; a row with a field too many is left out. A
        column that has words in place of numbers in its first rows is refused, whatever this says.
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
        The `position` of a block: go on after it. Files that were read are known by their paths:
        what was appended to a text is read, and so is a file that was not there, wherever in the
        order. One that no longer begins with what was read is refused. With `follow` it is looked
        for in the files that it may have been renamed to.

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
    if not isinstance(rows, Integral) or rows < 1:
        raise ValueError(f"rows must be at least 1, a whole number; got {rows!r}.")
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"delimiter must be one character, got {delimiter!r}.")
    if decimal not in (".", ",") or decimal == delimiter:
        raise ValueError(f"decimal must be '.' or ',', and not the delimiter; got {decimal!r}.")
    settings = {
        **{"columns": columns, "id": id, "time": time, "format": format, "header": bool(header)},
        **{"delimiter": delimiter, "decimal": decimal},
        **{"on_bad_row": on_bad_row, "keep_gaps": keep_gaps},
        **{"rows": rows, "wait": wait and not follow, "follow": follow},
    }
    files = [os.fspath(source)] if follow else files_of(source)
    for file in files:
        kind = format_of(file, format)  # refused before the first row
        if follow:
            refuse_unfollowable(file, kind)
    return Stream(files, settings, position)
