"""What a data frame holds besides numbers, said by the names of its columns; and how one is made.
pandas and polars are known by their manners: neither is imported, unless a frame is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

TIMES = ("date", "time", "duration", "period")
WORDS = ("object", "str", "string", "large_string", "utf8", "category", "categorical", "enum")
"""How the names of such types begin, in pandas, polars and pyarrow."""


def frame(columns: Mapping[str, Any], index: Any = None) -> Any:
    """A pandas data frame, or an error that names the extra."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "to_frame needs pandas, which is not installed: pip install 'okpca[dataframe]'"
        ) from error
    return pd.DataFrame(dict(columns), index=index)


def like_frame(X: Any, values: Any) -> Any:
    """Numbers as a data frame like X, if it is one: of pandas, with its index, or of polars."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return type(X)(values, columns=X.columns, index=X.index)
    if type(X).__module__.startswith("polars") and hasattr(X, "columns"):
        return type(X)(values, schema=list(X.columns), orient="row")
    return values


def refuse_no_rows_or_times(X: Any) -> None:
    """A frame that was not computed has no rows, and a date is no number, though numpy would make
    one of it: nanoseconds since 1970."""
    if type(X).__name__ == "LazyFrame" and hasattr(X, "collect"):
        raise TypeError("X is a LazyFrame, which has no rows before it is computed: X.collect().")
    if _is_like(getattr(X, "dtype", ""), TIMES):
        raise ValueError(f"X is of times ({X.dtype}), which are no numbers: turn them into some.")
    times = [_told(name, dtype) for name, dtype in _columns(X) if _is_like(dtype, TIMES)]
    if times:
        raise ValueError(
            f"X has columns that are times: {', '.join(times)}. Leave them out (they may be the "
            "index), or turn them into numbers with a scale that means something."
        )


def columns_of_words(X: Any) -> str:
    """Which columns cannot be turned into numbers, as the end of a message."""
    words = [
        _told(name, dtype)
        for name, dtype in _columns(X)
        if _is_like(dtype, WORDS) and not _converts(X[name])
    ]
    if not words:
        return ""
    return f" Columns that are not numbers: {', '.join(words)}. Leave them out, or encode them."


def _columns(X: Any) -> list[tuple[Any, Any]]:
    if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return []
    return list(zip(X.columns, X.dtypes, strict=True))


def _is_like(dtype: Any, beginnings: tuple[str, ...]) -> bool:
    return str(dtype).lower().startswith(beginnings)


def _converts(column: Any) -> bool:
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _told(name: Any, dtype: Any) -> str:
    return f"{name!r} ({dtype})"
