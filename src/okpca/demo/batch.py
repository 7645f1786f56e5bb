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
SIZES = (1000, 2000, 4000)
TIMES = 3
"""Each is timed so often, turn and turn about; medians count."""


@dataclass(frozen=True)
class Beside:
    rows: int
    batch: float | None  # seconds; None where it was not tried
    ours: float
    captured: float | None  # the variance of our scores over that of batch kernel PCA's

    @property
    def gram(self) -> float:
        """Bytes of the matrix that batch kernel PCA needs."""
        return 8.0 * self.rows**2


def ours(X: Array) -> Any:
    from okpca.estimator import OnlineKernelPCA

    return OnlineKernelPCA(COMPONENTS, gamma=GAMMA, max_atoms=ATOMS).fit(X)


def batch(X: Array) -> Any:
    """By the fastest of its ways."""
    from sklearn.decomposition import KernelPCA

    model = KernelPCA(COMPONENTS, kernel="rbf", gamma=GAMMA, eigen_solver="randomized")
    return model.set_params(random_state=0).fit(X)


def beside(X: Array) -> list[Beside]:
    """Of the first rows, and of all, which are too many for the batch."""
    ours(X[:200])  # compiles what has not been compiled on this machine yet
    found = [_timed(X[:n]) for n in SIZES]
    seconds, _ = _median(ours, X)
    return [*found, Beside(len(X), None, seconds, None)]


def _timed(X: Array) -> Beside:
    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(TIMES):
        seconds, model = _seconds(ours, X)
        mine.append(seconds)
        seconds, other = _seconds(batch, X)
        theirs.append(seconds)
    captured = np.var(model.transform(X), axis=0).sum() / np.var(other.transform(X), axis=0).sum()
    return Beside(len(X), median(theirs), median(mine), float(captured))


def _seconds(fit: Callable[[Array], Any], X: Array) -> tuple[float, Any]:
    start = perf_counter()
    model = fit(X)
    return perf_counter() - start, model


def _median(fit: Callable[[Array], Any], X: Array) -> tuple[float, Any]:
    found = [_seconds(fit, X) for _ in range(TIMES)]
    return median(seconds for seconds, _ in found), found[-1][1]
