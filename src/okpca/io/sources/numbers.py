"""From the columns of a table to rows of numbers, and which of them are none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from okpca._core.typing import Array, Flags, Index
from okpca.io.sources.tables import GAPS, Table, as_number

TIME = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(\D|$)|\d{1,2}:\d{2}")
COMMA = re.compile(r"[-+]?\d*,\d+([eE][-+]?\d+)?")
"""A decimal comma, unless it parts thousands."""


def chosen(
    names: list[str], columns: str | Sequence[str] | None, others: Sequence[str], free: bool = False
) -> list[str]:
    """The names of the columns that are learned. If names are free a row may have more."""
    at = {name: i for i, name in enumerate(names)}
    if not free:
        refuse_absent(names, others)
    if columns is None:
        found = [name for name in names if name not in others]
    else:
        wanted = [columns] if isinstance(columns, str) else list(columns)
        found = [name for want in wanted for name in _range(names, at, str(want), free)]
    if not found:
        raise ValueError("no column is left to learn from.")
    refuse_doubled(names, [*found, *others])
    if len(set(found)) < len(found):
        raise ValueError(f"column {Counter(found).most_common(1)[0][0]!r} is chosen twice.")
    return found


def refuse_absent(names: list[str], wanted: Sequence[str], before: bool = False) -> None:
    """What was there before must be there on."""
    why, then = (" (which was there before)", "; choose columns=") if before else ("", "")
    there = set(names)
    for name in wanted:
        if name not in there:
            raise ValueError(f"there is no column {name!r}{why}, but {some(names)}{then}.")


def refuse_doubled(names: list[str], wanted: list[str]) -> None:
    """Which of two columns of one name is meant?"""
    if len(set(names)) == len(names):
        return
    counts = Counter(names)
    for name in wanted:
        if counts[name] > 1:
            hint = " If that line is no header, say header=False." if _is_number(name) else ""
            told = f"{counts[name]} columns have the name {name!r}: rename one, or choose columns="
            raise ValueError(f"{told}.{hint}")


def _range(names: list[str], at: dict[str, int], want: str, free: bool) -> list[str]:
    """One name, or "first:last"; either end may be missing."""
    first, colon, last = want.partition(":")
    if want in at or (free and not colon):
        return [want]
    ends = [name for name in (first, last) if name]
    if not colon or any(name not in at for name in ends):
        raise ValueError(f"there is no column {want!r}, but {some(names)}.{_hint(names, want)}")
    refuse_doubled(names, ends)
    return names[at[first] if first else 0 : at[last] + 1 if last else len(names)]


def _hint(names: list[str], want: str) -> str:
    """For those who write several as one."""
    parts = [part.strip() for part in want.split(",")]
    if len(parts) < 2 or any(part.partition(":")[0] not in names for part in parts):
        return ""
    return f" Name them one by one: columns={parts}."


def some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (" ..." if len(names) > 8 else "")


class Numbers(NamedTuple):
    """Rows in float64, NaN for what is missing or is no number; which rows lack values, and which
    have others that are not finite numbers; what is the matter with one of these; and the columns
    that have words, by number, as they are."""

    rows: Array
    gappy: Flags
    bad: Flags
    told: Callable[[int], str]
    texts: dict[int, Any]


def numbers(table: Table, names: list[str]) -> Numbers:
    n, texts = len(table.number), dict[int, Any]()
    rows = _rows(table, names, texts)
    bad: Flags = np.zeros(n, dtype=bool)
    finite = np.isfinite(rows)
    whole = finite.all(axis=1)
    if not whole.all():
        bad |= np.isinf(rows).any(axis=1)
        for j, text in texts.items():
            at = np.flatnonzero(~finite[:, j])
            bad[at] |= np.array([not is_gap(text[i]) for i in at], dtype=bool)

    def told(i: int) -> str:
        values = [texts[j][i] if j in texts else rows[i, j] for j in range(len(names))]
        odd = [j for j in range(len(names)) if not finite[i, j]]
        j = next((j for j in odd if not is_gap(values[j])), odd[0])
        what = "missing" if is_gap(values[j]) else f"{quoted(values[j])}, no finite number"
        hint = ""
        if is_time(values[j]):
            hint = f" (a time is carried along by time={names[j]!r})"
        elif has_comma(values[j]):
            hint = " (of a decimal comma say decimal=',')"
        return f"column {names[j]!r} is {what}{hint}"

    return Numbers(rows, ~whole & ~bad, bad, told, texts)


def _rows(table: Table, names: list[str], texts: dict[int, Any]) -> Array:
    n = len(table.number)
    if table.side_by_side is not None and _is_real(found := table.side_by_side(names)):
        return np.array(found, dtype=np.float64)
    rows = np.empty((n, len(names)))
    for j, name in enumerate(names):
        column = table.column(name) if n else np.empty(0)
        rows[:, j] = column if _is_real(column) else _converted(column, j, texts, table.decimal)
    return rows


def is_time(value: Any) -> bool:
    return isinstance(value, str) and TIME.match(value.strip()) is not None


def has_comma(value: Any) -> bool:
    return isinstance(value, str) and COMMA.fullmatch(value.strip()) is not None


def quoted(value: Any) -> str:
    return f"{value!r:.40}" if isinstance(value, str) else f"{value!s:.40}"


def _is_real(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind in "fiub"


def _converted(column: Any, j: int, texts: dict[int, Any], decimal: str) -> Array:
    """What is no number becomes NaN, and the values are kept in `texts`."""
    if not isinstance(column, np.ndarray) and (decimal == "." or "string" not in str(column.type)):
        try:
            return np.asarray(column.cast("float64").to_numpy(zero_copy_only=False))
        except (ValueError, NotImplementedError):  # pyarrow's
            pass
    if not isinstance(column, np.ndarray):
        column = np.array(column.to_pylist(), dtype=object)
    texts[j] = column
    return np.array([_number(value, decimal) for value in column], dtype=np.float64)


def _number(value: Any, decimal: str = ".") -> float:
    """NaN of what is none, such as 1_000, 1+2j, a date, or a whole number beyond all floats."""
    if isinstance(value, str):
        found = as_number(value, decimal)
        return float("nan") if found is None else found
    if isinstance(value, complex | np.complexfloating | np.datetime64 | np.timedelta64):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _is_number(text: str) -> bool:
    return not np.isnan(_number(text))


def is_gap(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip() in GAPS
    return value is None or bool(value != value)


def carried(column: Any, rows: Index) -> Any:
    """The values of some rows as they are; whole numbers stay whole, and masked where missing."""
    if not isinstance(column, np.ndarray) and column.null_count and "int" in str(column.type):
        values = np.asarray(column.fill_null(0))
        return np.ma.MaskedArray(values, np.asarray(column.is_null()))[rows]
    return np.asarray(column)[rows]
