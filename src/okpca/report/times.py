"""When rows came: as something to draw against, and as text."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from okpca._core.times import told
from okpca.io.sources.tables import as_number


def parsed(times: Any, n: int, decimal: str = ".") -> Any:
    """Numbers or times where they are some, words as they are; None of each without a column.

    CSV has only text. What can be a number is one, as in other files: a year such as 2024 is drawn
    as well by its number, and of what was counted in seconds 2024 is no year.
    """
    if times is None:
        return np.full(n, None, dtype=object)
    times = np.asarray(times)
    if times.dtype.kind == "S":
        times = np.char.decode(times, "utf-8", "replace")
    if times.dtype.kind not in "OUT":
        return times
    numbers = _numbers([str(time) for time in times], decimal)
    return _times(times) if numbers is None else numbers


def _numbers(texts: list[str], decimal: str) -> Any:
    """Whole ones stay whole, and what is missing is NaN; None if there is a word or a date."""
    found = [as_number(text, decimal) for text in texts]
    if None in found:
        return None
    values = np.array(found, dtype=np.float64)
    if np.isnan(values).all():
        return None
    try:
        return np.array([int(text) for text in texts], dtype=np.int64)
    except (ValueError, OverflowError):
        return values


def _times(texts: Any) -> Any:
    try:
        with warnings.catch_warnings():  # of a zone, which makes them UTC
            warnings.simplefilter("ignore", UserWarning)
            return texts.astype(str).astype("datetime64[ms]")
    except ValueError:
        return texts.astype(object)


def concatenated(parts: list[Any]) -> Any:
    """One after another, as words where numbers are followed by dates."""
    try:
        return np.concatenate(parts)
    except TypeError:
        return np.concatenate([np.asarray(part).astype(object) for part in parts])


def axis(times: Any) -> Any:
    """What rows can be drawn against, or None: numbers or times that do not go back."""
    times = np.asarray(times)
    if times.dtype.kind not in "iufM" or len(times) < 2 or not np.isfinite(times).all():
        return None
    steps = np.diff(times)
    forward = steps >= np.zeros(1, dtype=steps.dtype)
    return times if bool(forward.all() and times[-1] > times[0]) else None


def span(first: Any, last: Any) -> str | None:
    """From when to when; a day that is the same is told once."""
    ends = told(first), told(last)
    if ends[0] is None or ends[1] is None:
        return None
    day, _, hour = ends[1].partition(" ")
    return f"{ends[0]} to {hour if hour and ends[0].startswith(day + ' ') else ends[1]}"
