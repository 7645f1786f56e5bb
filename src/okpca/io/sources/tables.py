"""A file as tables, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from okpca._core.typing import Index

GAPS = frozenset(
    ["", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", "none"]
)
"""How files say that a value is missing."""


@dataclass(frozen=True)
class Table:
    """Columns of one length by name, and where in the file their rows are."""

    names: list[str]
    named: bool  # or are they numbers, for want of names?
    column: Callable[[str], Any]  # an array of pyarrow or numpy
    number: Index  # of each row in its file, from 0
    stop: int  # the number of the row after these, and after bad ones among them
    line: Index | None = None  # of each row, from 1, where there are lines
    place: dict[str, Any] | None = None  # after these rows, in a text
    decimal: str = "."  # point of numbers that are text
    free: bool = False  # may any row have other names?
    others: tuple[str, ...] = ()  # such names
    side_by_side: Callable[[list[str]], Any] | None = None  # several columns, where that is quicker


@dataclass(frozen=True)
class Reading:
    """How to read: `rows` at a time, or those that are there; for CSV, its header, delimiter and
    decimal point; who is told of bad rows; where to begin."""

    rows: int
    wait: bool
    header: bool
    delimiter: str | None
    decimal: str
    learned: Callable[[list[str]], list[str]]  # of all names, those of numbers
    carried: tuple[str, ...]
    bad: Callable[[int, int, str], None] | None  # number, line, what; None: they raise
    names: list[str] | None  # of the file before, if this one may go on without them
    row: int  # the first that is wanted
    place: dict[str, Any] | None  # of it, where that is known


def bad_line(how: Reading, number: int, line: int, what: str) -> None:
    """A row that cannot be read is told of, or ends it all."""
    if how.bad is None:
        raise ValueError(
            f"line {line}: {what}. Mend it, or leave such rows out: on_bad_row='skip'."
        )
    how.bad(number, line, what)


def as_number(text: str, decimal: str = ".") -> float | None:
    """None of a word; NaN of what is missing. 1_000 is a word, and so is 1.234 beside 1,5."""
    if text in GAPS:
        return np.nan
    if decimal != ".":
        text = text.replace(".", "_").replace(decimal, ".")
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            "files other than .npy and .npz need pyarrow: pip install 'okpca[io]'."
        ) from None
    return pyarrow


def objects(values: Iterable[Any]) -> Any:
    """An array of one each, even of lists."""
    values = list(values)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
