"""Someone who wants to be told while rows are learned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from okpca._core.numerics import ROWS
from okpca._core.typing import Array


class Callback(Protocol):
    """Called with the estimator and the row just learned, (1, n_features), after every row; with
    an attribute `every`, after every so many rows of the stream."""

    def __call__(self, estimator: Any, row: Any, /) -> object: ...


def pieces(weight: Array, seen: int, callback: Callback | None) -> Iterator[tuple[int, int, bool]]:
    """Pieces of the rows, cut at `ROWS` and where the callback wants to be told; and whether it is
    told after the piece. Rows without weight are none."""
    n = len(weight)
    borders = set(range(ROWS, n, ROWS)) | {n}
    told: set[int] = set()
    if callback is not None:
        row = seen + np.cumsum(weight > 0)
        every = int(getattr(callback, "every", 1))
        told = set((np.flatnonzero((weight > 0) & (row % every == 0)) + 1).tolist())
    start = 0
    for stop in sorted(borders | told):
        yield start, stop, stop in told
        start = stop
