"""When rows came: as something to draw against, and as text."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


def parsed(times: Any, n: int) -> Any:
    """Times or numbers where they are some, words as they are; None of each without a column."""
    if times is None:
        return np.full(n, None, dtype=object)
    times = np.asarray(times)
    if times.dtype.kind in "OUST":
        try:
            with warnings.catch_warnings():  # of a zone, which makes them UTC
                warnings.simplefilter("ignore", UserWarning)
                return times.astype(str).astype("datetime64[ms]")
        except ValueError:
            return times.astype(object)
    return times


def axis(times: Any) -> Any:
    """What rows can be drawn against, or None: numbers or times that do not go back."""
    times = np.asarray(times)
    if times.dtype.kind not in "iufM" or len(times) < 2:
        return None
    steps = np.diff(times)
    forward = steps >= np.zeros(1, dtype=steps.dtype)
    return times if bool(forward.all() and times[-1] > times[0]) else None


def told(time: Any) -> str | None:
    """As text, to the second if that tells all."""
    if time is None:
        return None
    if isinstance(time, np.datetime64):
        if np.isnat(time):
            return None
        text = str(time.astype("datetime64[ms]")).replace("T", " ")
        for end in (".000", ":00", " 00:00"):
            text = text.removesuffix(end)
        return text
    return f"{time:.10g}" if isinstance(time, float | np.floating) else str(time)


def span(first: Any, last: Any) -> str | None:
    """From when to when; a day that is the same is told once."""
    ends = told(first), told(last)
    if ends[0] is None or ends[1] is None:
        return None
    day, _, hour = ends[1].partition(" ")
    return f"{ends[0]} to {hour if hour and ends[0].startswith(day + ' ') else ends[1]}"
