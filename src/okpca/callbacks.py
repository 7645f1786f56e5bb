"""Someone who wants to be told while rows are learned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from okpca.numerics import ROWS


class Callback(Protocol):
    """Called with the estimator and the row just learned, (1, n_features), after every row; with
    an attribute `every`, after every so many rows of the stream."""

    def __call__(self, estimator: Any, row: Any, /) -> object: ...


def blocks(n: int, seen: int, callback: Callback | None) -> Iterator[tuple[int, int]]:
    """Pieces of n rows, cut at `ROWS`, and where the callback wants to be told."""
    every = ROWS if callback is None else _every(callback)
    start = 0
    while start < n:
        told = every if callback is None else every - (seen + start) % every
        stop = min(start + min(told, ROWS), n)
        yield start, stop
        start = stop


def tell(callback: Callback | None, estimator: Any, row: Any) -> None:
    if callback is not None and estimator._model.n_rows % _every(callback) == 0:
        callback(estimator, row)


def _every(callback: Callback) -> int:
    return int(getattr(callback, "every", 1))
