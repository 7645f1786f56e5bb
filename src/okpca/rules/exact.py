"""The exact rule: keep the scatter matrix itself, take its eigenvectors when asked.

    S ← φ S + w g c cᵀ        S = V diag(λ) Vᵀ

In the coordinates of the dictionary S is only m × m. There is no step size and no epoch, and the
answer is the optimum of the projected problem: batch kernel PCA when the dictionary spans all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import eigh

from okpca.centre import Centred, decay_powers
from okpca.numerics import PENDING
from okpca.rules.base import Array, Learner, Rule


@dataclass(frozen=True)
class Exact(Rule):
    averages: ClassVar[bool] = True

    def born(self, n_components: int | None, L: Array, rng: np.random.RandomState) -> ExactLearner:
        return ExactLearner(np.zeros((len(L), len(L))), len(L), 1.0, None, 0)


class ExactLearner(Learner):
    """S of the rows absorbed, and the single rows still waiting for a product worth its call.

    Rows that come one at a time are noted in `waiting`; `PENDING` of them enter S at once, and so
    do all when the dictionary grows. Writing into a free slot does not disturb older learners that
    share it.
    """

    def __init__(
        self, S: Array, m: int, decay: float, waiting: Array | None, n_waiting: int
    ) -> None:
        self._S = S
        self.m = m
        self._decay = decay
        self._waiting = waiting
        self._n_waiting = n_waiting

    def updated(self, block: Centred) -> ExactLearner:
        n, m = block.rows.shape
        scale = block.weight * block.gain
        if block.decay < 1.0:
            scale *= decay_powers(n, block.decay)
        rows = block.rows
        rows *= np.sqrt(scale)[:, None]
        S = _padded(self.scatter(), m, block.decay**n)
        S += rows.T @ rows
        return ExactLearner(S, m, block.decay, None, 0)

    def slot(self, m: int) -> tuple[ExactLearner, Array] | None:
        if m != self.m:
            return None
        learner = self
        if self._waiting is None or self._n_waiting == len(self._waiting):
            learner = ExactLearner(self.scatter(), m, self._decay, np.empty((PENDING, m)), 0)
        return learner, learner._waiting[learner._n_waiting]  # type: ignore[index]

    def noted(self, decay: float) -> ExactLearner:
        return ExactLearner(self._S, self.m, decay, self._waiting, self._n_waiting + 1)

    def scatter(self) -> Array:
        """S, every row included."""
        n = self._n_waiting
        if n == 0 or self._waiting is None:
            return _padded(self._S, self.m, 1.0)
        rows = self._waiting[:n]
        if self._decay < 1.0:
            rows = rows * np.sqrt(decay_powers(n, self._decay))[:, None]
        S = _padded(self._S, self.m, self._decay**n)
        S += rows.T @ rows
        return S

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        S = self.scatter()
        m = len(S)
        r = m if n_components is None else min(n_components, m)
        if r == 0:
            return np.zeros(0), np.zeros((0, m))
        values, vectors = eigh(S, subset_by_index=(m - r, m - 1))
        return np.maximum(values[::-1], 0.0), np.ascontiguousarray(vectors[:, ::-1].T)

    def __getstate__(self) -> tuple[Any, ...]:
        waiting = None if self._waiting is None else self._waiting[: self._n_waiting]
        return self._S, self.m, self._decay, waiting, self._n_waiting

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        S, m, decay, rows, n = state
        waiting = None
        if rows is not None:
            waiting = np.empty((PENDING, m))
            waiting[:n] = rows
        self.__init__(S, m, decay, waiting, n)  # type: ignore[misc]


def _padded(S: Array, m: int, factor: float) -> Array:
    """A copy of S times a factor, with rows and columns of zeros up to m."""
    out = np.zeros((m, m))
    np.multiply(S, factor, out=out[: len(S), : len(S)])
    return out
