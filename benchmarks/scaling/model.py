"""The cost model: what a fit of N rows of d columns takes, with m atoms, on W workers.

    a row learned    r = a d m + b m² + c m        kernel values; coordinates, scatter; the rest
    a merge          q = e m³ + f m² d + g         a dictionary of 2 m atoms, made m again
    a model          B = 8 (2 m d + 2 m²) bytes    atoms, sums of their rows; factor, scatter

    P partitions     T = (N / W) (r + 8 d / D) + ((P − W) / W)₊ q + ⌈log₂ min(P, W)⌉ (q + B / G)

with D the bytes a worker reads in a second, G those that the network carries between two workers.
Merges of partitions on one worker are done beside the learning of others; what remains is a tree
over the workers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Costs:
    """Seconds; `row` and `merge` are the constants a, b, c and e, f, g."""

    row: Array
    merge: Array

    @classmethod
    def measured(cls, rows: Array, merges: Array) -> Costs:
        """From lines of (d, m, seconds)."""
        return cls(_fitted(row_terms, rows), _fitted(merge_terms, merges))

    def of_row(self, d: float, m: float) -> float:
        return float(row_terms(d, m) @ self.row)

    def of_merge(self, d: float, m: float) -> float:
        return float(merge_terms(d, m) @ self.merge)


def row_terms(d: float, m: float) -> Array:
    return np.array([d * m, m * m, m], dtype=float)


def merge_terms(d: float, m: float) -> Array:
    return np.array([m**3, m * m * d, 1], dtype=float)


def _fitted(terms: object, measured: Array) -> Array:
    """Least squares of relative errors; no constant is negative."""
    A = np.array([terms(d, m) / seconds for d, m, seconds in measured])  # type: ignore[operator]
    return np.asarray(nnls(A, np.ones(len(A)))[0])


def model_bytes(d: float, m: float) -> float:
    return 8 * (2 * m * d + 2 * m * m)


@dataclass(frozen=True)
class Cluster:
    workers: int
    read: float  # bytes a second, of a worker
    network: float  # bytes a second, between two


def predicted(costs: Costs, N: float, d: float, m: float, P: int, on: Cluster) -> dict[str, float]:
    """Seconds of each part of a fit."""
    W = min(on.workers, P)
    merge, levels = costs.of_merge(d, m), math.ceil(math.log2(W)) if W > 1 else 0
    return {
        "learning": N / W * costs.of_row(d, m),
        "reading": N / W * 8 * d / on.read,
        "merging, beside it": max(P - W, 0) / W * merge,
        "merging, at the end": levels * merge,
        "network": levels * model_bytes(d, m) / on.network,
    }
