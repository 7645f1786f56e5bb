"""Incremental SVD: keep the leading singular pairs, take rows in by blocks.

    [Σ U; E] = Q Σ' U'ᵀ,   keep `rank` of them            (Chin & Suter 12-19)

E holds the rows of a block about their mean, and one row for the shift of the mean (their 10 and
the formula above 11). Its Gram matrix is that of the rows √(w g) c of a moving mean, so those
serve; without centring it is their incremental kernel SVD. Their (20)-(26) do the same on
expansion coefficients, where every product costs a Gram matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.number_checks import checked_count
from okpca._core.numerics import SAME_SIZE
from okpca._core.typing import Array
from okpca.rules.base import Centred, Learner, Rule
from okpca.rules.step_rule import widened


@dataclass(frozen=True)
class IncrementalSVD(Rule):
    """`block`: rows per update, counted in rows of the stream; `first`: rows of the first one.
    `rank`: singular pairs kept, None for the number of components."""

    references = ("chin2007",)
    names = ("incremental-svd",)

    block: int = 20
    rank: int | None = None
    first: int | None = None

    averages = True
    repeats = True  # a block is full after so many rows

    def __post_init__(self) -> None:
        for name in ("block", "rank", "first"):
            value = getattr(self, name)
            if value is not None or name == "block":
                checked_count("IncrementalSVD", name, value, 1)

    def cited_in(self, n_components: int | float | None, center: bool) -> tuple[str, ...]:
        """Without the mean it is the incremental kernel SVD that came first."""
        return self.cited() if center else (*self.cited(), "chin2006")

    def born(self, n_components: int | None, L: Array, rng: np.random.RandomState) -> SVDLearner:
        empty = np.zeros((0, len(L)))
        missing = self.first or self.block
        return SVDLearner(self, self._rank(n_components), empty, empty, missing, np.zeros(2))

    def continued(
        self, n_components: int | None, scatter: Array, V: Array, weight: float
    ) -> SVDLearner:
        rank = self._rank(n_components)
        sigma = np.sqrt(scatter)
        rest = sigma[rank:]
        lost = np.array([np.linalg.norm(rest), rest.max(initial=0.0)])
        empty = np.zeros((0, V.shape[1]))
        pairs = sigma[:rank, None] * V[:rank]
        return SVDLearner(self, rank, pairs, empty, self.block, lost)

    def _rank(self, n_components: int | None) -> int:
        rank = self.rank or n_components
        if rank is None:
            raise ValueError("IncrementalSVD needs a rank, or a whole number of n_components.")
        return rank


@dataclass(frozen=True, eq=False)
class SVDLearner(Learner):
    rule: IncrementalSVD
    rank: int
    pairs: Array  # σ_j u_j, (rank, m): fewer at first, up to twice as many where they tie
    waiting: Array  # rows of a block not yet complete
    missing: int  # rows until it is
    left_out: Array  # √ of the energy left out, and of its worst direction

    def updated(self, block: Centred) -> SVDLearner:
        rows = block.rows * block.root[:, None]
        learner, start = self, 0
        while start < len(rows):
            part = rows[start : start + learner.missing]
            learner = learner._taken(part, block.decay)
            start += len(part)
        return learner

    def _taken(self, rows: Array, decay: float) -> SVDLearner:
        """With rows that at most complete the block."""
        n, m = rows.shape
        fade = np.sqrt(decay ** np.arange(n, -1, -1.0))  # of what was before, then of each row
        waiting = np.vstack([widened(self.waiting, m) * fade[0], rows * fade[1:, None]])
        pairs = widened(self.pairs, m) * fade[0]
        left_out = self.left_out * fade[0]
        missing = self.missing - n
        if missing == 0:
            pairs, lost = _leading(np.vstack([pairs, waiting]), self.rank)
            waiting, missing = np.zeros((0, m)), self.rule.block
            left_out = left_out + lost
        return SVDLearner(self.rule, self.rank, pairs, waiting, missing, left_out)

    def recoded(self, P: Array) -> SVDLearner:
        # Chin & Suter (32)-(35) end with the projected components P u_j over their norm and the
        # singular values σ_j ‖P u_j‖: the pairs σ_j P u_j. (As printed, 33 and 34 give back the
        # basis they are given, so it is not orthogonal yet.) An SVD of the same pairs is, and
        # keeps their scatter.
        pairs, _ = _leading(self.pairs @ P.T, self.rank)
        waiting = self.waiting @ P.T
        return SVDLearner(self.rule, self.rank, pairs, waiting, self.missing, self.left_out)

    def absorbed(self, other: Learner, P: Array, between: Array) -> SVDLearner:
        assert isinstance(other, SVDLearner)
        m = len(P)
        theirs = np.vstack([other.pairs, other.waiting]) @ P.T
        pairs, lost = _leading(
            np.vstack([widened(self.pairs, m), theirs, between[None]]), self.rank
        )
        left_out = np.hypot(self.left_out, other.left_out) + lost
        waiting = widened(self.waiting, m)
        return SVDLearner(self.rule, self.rank, pairs, waiting, self.missing, left_out)

    def scatter_along(self, directions: Array) -> Array:
        return np.asarray(np.square(directions @ self._rows.T).sum(axis=1))

    def scatter(self) -> Array:
        return np.asarray(self._rows.T @ self._rows)

    @property
    def _rows(self) -> Array:
        """Rows of a block not yet complete count too: nothing at the end of a stream is lost."""
        return np.vstack([self.pairs, self.waiting])

    @property
    def truncation(self) -> tuple[float, float]:
        energy, worst = np.square(self.left_out)
        return float(energy), float(worst)

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        _, sigma, U = np.linalg.svd(self._rows, full_matrices=False)
        r = min(self.rank, len(sigma)) if n_components is None else n_components
        return np.square(sigma[:r]), U[:r]


def _leading(rows: Array, rank: int) -> tuple[Array, Array]:
    """σ_j u_j of the leading pairs; √ of the energy of the others, and of the largest of them."""
    if 0 in rows.shape:
        return rows, np.zeros(2)
    _, sigma, U = np.linalg.svd(rows, full_matrices=False)
    real = sigma > np.finfo(np.float64).eps * max(rows.shape) * sigma[0]
    n_real = int(real.sum())
    keep = min(rank, n_real)
    # Of those that tie, which is the last would be for rounding to say; but not all of a narrow
    # kernel's, every one of which ties.
    while 0 < keep < min(n_real, 2 * rank) and sigma[keep] > (1 - SAME_SIZE) * sigma[keep - 1]:
        keep += 1
    lost = np.array([np.linalg.norm(sigma[keep:]), sigma[keep:].max(initial=0.0)])
    return sigma[:keep, None] * U[:keep], lost
