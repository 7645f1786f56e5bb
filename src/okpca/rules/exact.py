"""The exact rule: keep the scatter matrix itself, take its eigenvectors when asked.

    S ← φ S + w g c cᵀ        S = V diag(λ) Vᵀ

In the coordinates of the dictionary S is only m × m. There is no step size and no epoch, and the
answer is the optimum of the projected problem: batch kernel PCA when the dictionary spans all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from okpca._core.blas_threads import one_thread, worth_threads
from okpca._core.decay import decay_powers
from okpca._core.eigen import leading_pairs
from okpca._core.numerics import GLIMPSED, PENDING, PER_THREAD, SMALL
from okpca._core.parallel import cut, in_pieces
from okpca._core.shared_storage import End
from okpca._core.typing import Array
from okpca.rules.base import Centred, Learner, Rule

TILE = 256
"""Columns of a tile of S, at most. Smaller ones take longer: on one thread those of 300 atoms 8 %
more than the whole matrix."""


@dataclass(frozen=True)
class Exact(Rule):
    """The scatter matrix itself is kept, and the components are its eigenvectors."""

    references = ()
    names = ("exact",)
    averages = True

    def born(self, n_components: int | None, L: Array, rng: np.random.RandomState) -> ExactLearner:
        return ExactLearner(np.zeros((len(L), len(L))), len(L), 1.0)

    def continued(
        self, n_components: int | None, scatter: Array, V: Array, weight: float
    ) -> ExactLearner:
        return ExactLearner((V.T * scatter) @ V, V.shape[1], 1.0)


class _Waiting:
    """Rows √(w g) c on a shared sheet; at `end` one learner may write the next."""

    def __init__(self, m: int, rows: Array | None = None) -> None:
        self.rows = np.empty((PENDING, m))
        self.end = End(0 if rows is None else len(rows))
        if rows is not None:
            self.rows[: len(rows)] = rows


class ExactLearner(Learner):
    """S of the rows absorbed, and the single rows that still wait for a product worth its call.

    `PENDING` of those enter S at once, and so do all when the dictionary grows. Learners share the
    sheet they wait on: writing on a free line does not disturb older ones, and one that finds the
    next line claimed starts a sheet of its own.
    """

    def __init__(
        self,
        S: Array,
        m: int,
        decay: float,
        waiting: _Waiting | Array | None = None,  # an array: the rows alone, for a sheet of its own
        n_waiting: int = 0,
    ) -> None:
        self._S = S
        self.m = m
        self._decay = decay
        self._waiting = _Waiting(m, waiting) if isinstance(waiting, np.ndarray) else waiting
        self._n_waiting = n_waiting

    def updated(self, block: Centred) -> ExactLearner:
        n, m = block.rows.shape
        rows, scale = block.rows, block.root
        if block.decay < 1.0:
            scale *= np.sqrt(decay_powers(n, block.decay))
        rows *= scale[:, None]
        S = self.scatter(m, block.decay**n)
        _add_gram(S, rows)
        return ExactLearner(S, m, block.decay)

    def slot(self, m: int) -> tuple[ExactLearner, Array] | None:
        if m != self.m:
            return None
        waiting, n = self._waiting, self._n_waiting
        if waiting is not None and n < PENDING and waiting.end.claimed(n):
            return self, waiting.rows[n]
        fresh = _Waiting(m)
        fresh.end.claimed(0)
        S = self.scatter() if n else self._S
        return ExactLearner(S, m, self._decay, fresh), fresh.rows[0]

    def after_slot(self, decay: float) -> ExactLearner:
        n = self._n_waiting + 1
        assert self._waiting is not None
        self._waiting.end.moved(n)
        return ExactLearner(self._S, self.m, decay, self._waiting, n)

    def scatter(self, m: int | None = None, factor: float = 1.0) -> Array:
        """S, every row included, times a factor; with zeros for more coordinates up to m."""
        n = self._n_waiting
        S = _padded(self._S, m or self.m, self._decay**n * factor)
        if n and self._waiting is not None:
            scale = factor * decay_powers(n, self._decay)
            rows = self._waiting.rows[:n] * np.sqrt(scale)[:, None]
            S[: self.m, : self.m] += rows.T @ rows
        return S

    def with_scatter(self, S: Array) -> ExactLearner:
        return ExactLearner(S, len(S), self._decay)

    def grown(self, old: int, m: int) -> ExactLearner:
        return ExactLearner(self.scatter(m), m, self._decay)

    def recoded(self, P: Array) -> ExactLearner:
        return self.with_scatter(P @ self.scatter() @ P.T)

    def absorbed(self, other: Learner, P: Array, between: Array) -> ExactLearner:
        """S_A + P S_B Pᵀ + b bᵀ   (Chan, Golub & LeVeque)"""
        assert isinstance(other, ExactLearner)
        S = self.scatter(len(P))
        S += P @ other.scatter() @ P.T + np.outer(between, between)
        return ExactLearner(S, len(S), self._decay)

    @property
    def truncation(self) -> tuple[float, float]:
        return 0.0, 0.0

    def scatter_along(self, directions: Array) -> Array:
        return np.asarray(np.einsum("ij,ij->i", directions @ self.scatter(), directions))

    @one_thread
    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        S = self.scatter()
        m = len(S)
        r = m if n_components is None else min(n_components, m)
        if r == 0:
            return np.zeros(0), np.zeros((0, m))
        work = m**3 if m > SMALL else 0
        scatter, V = worth_threads(work, leading_pairs, S, r)
        return np.maximum(scatter, 0.0), V

    def glimpse(self, n: int, before: Array | None) -> tuple[Array, Array]:
        """Two steps of subspace iteration from what was seen before, and from a few random
        directions for what is new; then Rayleigh and Ritz."""
        S = self.scatter()
        # In the middle of a block the atoms that join later are there, and carry nothing yet: as
        # many components, and as many random directions, as if they were not.
        used = 1 + int(np.flatnonzero(S.diagonal()).max(initial=0))
        S, n = S[:used, :used], min(n, used)
        scatter, V = (
            leading_pairs(S, n) if before is None or used <= GLIMPSED else _ritz(S, n, before)
        )
        return scatter, np.pad(V, ((0, 0), (0, self.m - used)))

    def __getstate__(self) -> dict[str, Any]:
        n = self._n_waiting
        rows = None if self._waiting is None else self._waiting.rows[:n]
        return {"S": self._S, "m": self.m, "decay": self._decay, "waiting": rows, "n_waiting": n}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def _add_gram(S: Array, rows: Array) -> None:
    """S ← S + rowsᵀ rows, in tiles: those beside the diagonal first, which take twice as long."""
    n, m = rows.shape
    work = n * m * m / 2
    parts = cut(m, TILE, work / PER_THREAD)
    if len(parts) == 1:
        S += rows.T @ rows
        return
    tiles = [*combinations(parts, 2), *((part, part) for part in parts)]
    products = in_pieces(work, lambda tile: rows[:, tile[0]].T @ rows[:, tile[1]], tiles)
    for (above, beside), product in zip(tiles, products, strict=True):
        S[above, beside] += product
        if above != beside:
            S[beside, above] += product.T


def _padded(S: Array, m: int, factor: float) -> Array:
    """A copy of S times a factor, with rows and columns of zeros up to m."""
    if m == len(S):
        return S * factor
    out = np.zeros((m, m))
    np.multiply(S, factor, out=out[: len(S), : len(S)])
    return out


def _ritz(S: Array, n: int, before: Array) -> tuple[Array, Array]:
    """Two steps of subspace iteration from `before` and a few random directions."""
    before = before[before.any(axis=1)][:n, : len(S)]  # there may have been more components, atoms
    start = np.random.RandomState(0).standard_normal((len(S), n + 4))
    start[:, : len(before)] = 0.0
    start[: before.shape[1], : len(before)] = before.T
    Q = np.linalg.qr(S @ start)[0]
    Q = np.linalg.qr(S @ Q)[0]
    scatter, U = np.linalg.eigh(Q.T @ S @ Q)
    return scatter[: -n - 1 : -1], np.ascontiguousarray((Q @ U[:, : -n - 1 : -1]).T)
