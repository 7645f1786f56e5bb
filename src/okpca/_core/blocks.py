"""Rows in blocks that fit in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from okpca._core.numerics import ROWS
from okpca._core.validation import translated

T = TypeVar("T")


def in_blocks(X: Any, step: int = ROWS) -> Iterator[tuple[int, Any]]:
    """Where each block starts, and its rows in float64."""
    for start in range(0, X.shape[0], step):
        yield start, float64(X[start : start + step])


def by_blocks(function: Callable[[Any], T], X: Any, method: str, step: int = ROWS) -> list[T]:
    """The function of every block; a row that it refuses is named as a row of X."""
    found = []
    for start, block in in_blocks(X, step):
        with translated(range(start, X.shape[0]), method, 0):
            found.append(function(block))
    return found


def filled_by_blocks(function: Callable[[Any], Any], X: Any, method: str) -> Any:
    """The same where it gives arrays, a row for each, one after another in a single one."""
    out, n = None, X.shape[0]
    for start, block in in_blocks(X):
        with translated(range(start, n), method, 0):
            found = function(block)
        if len(found) == n:
            return found
        if out is None:
            out = np.empty((n, *found.shape[1:]), dtype=found.dtype)
        out[start : start + len(found)] = found
    return out


def float64(X: Any) -> Any:
    return X.astype(np.float64, copy=False)
