"""Batch kernel PCA beside the same learned from a stream: time, memory, variance captured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from okpca._core.typing import Array

COMPONENTS, GAMMA, ATOMS = 10, 0.01, 200
SIZES = (1000, 3000)
"""And all rows."""
TIMES = 3
"""Each is timed so often, turn and turn about, but once with all rows; medians count."""


@dataclass(frozen=True)
class Beside:
    """Seconds and bytes of both."""

    rows: int
    batch: float
    ours: float
    gram: int  # the matrix that batch kernel PCA decomposes
    kept: int  # all that the model keeps
    captured: float  # the variance of our scores over that of batch kernel PCA's


def ours(X: Array) -> Any:
    from okpca.estimator import OnlineKernelPCA

    return OnlineKernelPCA(COMPONENTS, gamma=GAMMA, max_atoms=ATOMS).fit(X)


def batch(X: Array) -> Any:
    """By the fastest of its ways with so few components."""
    from sklearn.decomposition import KernelPCA

    model = KernelPCA(COMPONENTS, kernel="rbf", gamma=GAMMA, eigen_solver="arpack", random_state=0)
    return model.fit(X)


def beside(X: Array) -> list[Beside]:
    """Of the first rows, and of all."""
    ours(X[: 3 * ATOMS])  # compiles what has not been compiled on this machine yet
    return [*(timed(X[:n], TIMES) for n in SIZES), timed(X, 1)]


def timed(X: Array, times: int) -> Beside:
    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(times):
        seconds, model = _seconds(ours, X)
        mine.append(seconds)
        seconds, other = _seconds(batch, X)
        theirs.append(seconds)
    captured = np.var(model.transform(X), axis=0).sum() / np.var(other.transform(X), axis=0).sum()
    return Beside(
        rows=len(X),
        batch=median(theirs),
        ours=median(mine),
        gram=8 * len(X) ** 2,
        kept=model.describe().memory,
        captured=float(captured),
    )


def _seconds(fit: Callable[[Array], Any], X: Array) -> tuple[float, Any]:
    start = perf_counter()
    model = fit(X)
    return perf_counter() - start, model
