"""Times as people read them: as text, and by the clock of the place they are from."""

from __future__ import annotations

from typing import Any

import numpy as np

MISSING = ("None", "nan", "NaT", "<NA>")
"""What is shown of a value that is missing, unless it is a word."""


def told(time: Any) -> str | None:
    """A time as text, to the second if that tells all; None of one that is missing."""
    return told_alike([time])[0]


def told_alike(times: Any) -> list[str | None]:
    """Times that stand beside each other as text: all to the same unit, or digit."""
    known = [time for time in times if not _is_missing(time)]
    texts = iter(_texts(known))
    return [None if _is_missing(time) else next(texts) for time in times]


def by_clock(times: Any) -> Any:
    """Times of pandas that have a zone as the clock there shows them, or in UTC where that clock is
    put back on the way; others as they are."""
    of = getattr(times, "dt", times)  # of a series
    if getattr(of, "tz", None) is None:
        return times
    shown = np.asarray(of.tz_localize(None))
    utc, none = np.asarray(of.tz_convert(None)), np.timedelta64(0)
    put_back = (np.diff(shown) < none) & (np.diff(utc) > none)
    return utc if put_back.any() else shown


def _is_missing(time: Any) -> bool:
    return not isinstance(time, str) and str(time) in MISSING


def _texts(times: list[Any]) -> list[str]:
    if all(isinstance(time, np.datetime64) for time in times):
        return _dates(times)
    if all(isinstance(time, int | float | np.integer | np.floating) for time in times):
        return _numbers(times)
    return [str(time) for time in times]


def _dates(times: list[Any]) -> list[str]:
    texts = [str(time.astype("datetime64[ms]")).replace("T", " ") for time in times]
    for end in (".000", ":00", " 00:00"):
        if all(text.endswith(end) for text in texts):
            texts = [text.removesuffix(end) for text in texts]
    return texts


def _numbers(times: list[Any]) -> list[str]:
    texts = [_number(time) for time in times]
    places = max((len(text.partition(".")[2]) for text in texts), default=0)
    if not places or any(letter in text for text in texts for letter in "en"):  # 1e-20, inf
        return texts
    parts = [text.partition(".") for text in texts]
    return [f"{whole}.{rest:0<{places}}" for whole, _, rest in parts]


def _number(time: Any) -> str:
    """A float32, too, by the digits that it is known by."""
    return f"{float(str(time)):.15g}" if isinstance(time, float | np.floating) else str(time)
