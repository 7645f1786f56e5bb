"""Busy neighbours: beside one and two processes that only compute, the threads that the library
chooses do not fight for cores. The speed is at least `LEAST` of that with one BLAS thread."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.busy import neighbours, rates, stream

LEAST = 0.8
SIZES = (
    (64, 500, 30),
    (10, 500, 30),
    (1000, 300, 30),
    (1000, 500, 784),
)  # rows in a block, atoms, columns
NEIGHBOURS = (1, 2)
TURNS = 9


def excess_of(seed: int) -> float:
    """`LEAST` over the ratio of speeds."""
    size = SIZES[seed // len(NEIGHBOURS) % len(SIZES)]
    model, blocks = _stream(*size)
    with neighbours(NEIGHBOURS[seed % len(NEIGHBOURS)]):
        chosen, one = rates(model, blocks, repeats=TURNS)
    return LEAST * one / chosen


@cache
def _stream(rows: int, atoms: int, columns: int) -> Any:
    # A turn takes a quarter of a second: in less, who of three has the two cores decides.
    return stream(rows, atoms, columns, max(5, min(250, 5000 // rows)))
