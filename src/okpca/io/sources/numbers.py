"""From the columns of a table to rows of numbers, and which of them are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from okpca._core.typing import Array
from okpca.io.sources.tables import Table


def chosen(
    names: list[str], columns: str | Sequence[str] | None, others: list[str | None]
) -> list[str]:
    """The names of the columns that are learned."""
    for name in others:
        if name is not None and name not in names:
            raise ValueError(f"there is no column {name!r}, but {_some(names)}.")
    if columns is None:
        return [name for name in names if name not in others]
    wanted = [columns] if isinstance(columns, str) else list(columns)
    found = [name for want in wanted for name in _range(names, str(want))]
    if not found:
        raise ValueError("no column is left to learn from.")
    return found


def _range(names: list[str], want: str) -> list[str]:
    """One name, or "first:last"; either end may be missing."""
    if want in names:
        return [want]
    first, colon, last = want.partition(":")
    ends = [name for name in (first, last) if name]
    if not colon or any(name not in names for name in ends):
        raise ValueError(f"there is no column {want!r}, but {_some(names)}.")
    start = names.index(first) if first else 0
    stop = names.index(last) if last else len(names) - 1
    return names[start : stop + 1]


def _some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (" ..." if len(names) > 8 else "")


def numbers(table: Table, names: list[str]) -> tuple[Array, dict[int, str]]:
    """Rows in float64, and what is wrong with those that are not finite."""
    rows = np.empty((len(table.number), len(names)))
    texts: dict[int, Any] = {}
    for j, name in enumerate(names):
        column = table.column(name)
        rows[:, j] = column if _is_real(column) else _converted(column, j, texts)
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    wrong = {}
    for i in bad.tolist():
        j = int(np.argmin(np.isfinite(rows[i])))
        value = texts[j][i] if j in texts else rows[i, j]
        wrong[i] = f"column {names[j]!r} is {_told(value)}, no finite number"
    return rows, wrong


def _is_real(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind in "fiub"


def _converted(column: Any, j: int, texts: dict[int, Any]) -> Array:
    """What is no number becomes NaN, and the values are kept in `texts`."""
    if not isinstance(column, np.ndarray):
        try:
            return np.asarray(column.cast("float64").to_numpy(zero_copy_only=False))
        except (ValueError, NotImplementedError):  # pyarrow's
            column = np.array(column.to_pylist(), dtype=object)
    texts[j] = column
    return np.array([_number(value) for value in column], dtype=np.float64)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _told(value: Any) -> str:
    missing = value is None or value != value or value == ""
    return "missing" if missing else f"{value!r:.40}"
