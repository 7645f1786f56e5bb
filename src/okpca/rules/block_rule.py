"""What the rules that take an orthonormal step per block of rows share.

Rows x = √(w g) c wait until there are as many as a block has, counted in rows of the stream, so
that the cuts do not matter. Then the rule takes its step from directions V to the nearest that

    Q R = (V + …)ᵀ,    diag R > 0,    V ← Qᵀ

gives; the positive diagonal keeps signs and order. Their papers start from random directions of
ℝᵈ. A dictionary that grows from one atom has none to draw from, so here a component begins with
what the others leave of a row, if that is not rounding; as in CCIPCA.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from okpca._core.number_checks import checked_count
from okpca._core.numerics import BEGINNING
from okpca._core.typing import Array, Flags
from okpca.rules.base import Centred, Learner
from okpca.rules.step_rule import StepRule, refuse_overflow, widened


class BlockRule(StepRule):
    """Sums that a component has, such as its scatter, fade by φ per row, as all sums do."""

    block: int
    n_sums: ClassVar[int]

    def __post_init__(self) -> None:
        checked_count(type(self).__name__, "block", self.block, 1)

    @abstractmethod
    def stepped(self, V: Array, sums: Array, rows: Array) -> tuple[Array, Array]:
        """Directions (k, m) and sums (n_sums, k) after a block; the last of the sums is scatter."""

    def born(self, n_components: int | None, L: Array, rng: np.random.RandomState) -> BlockLearner:
        assert n_components is not None
        nothing = np.zeros((0, len(L)))
        return BlockLearner(self, n_components, nothing, np.zeros((self.n_sums, 0)), nothing)

    def continued(
        self, n_components: int | None, scatter: Array, V: Array, weight: float
    ) -> BlockLearner:
        assert n_components is not None
        V, scatter = V[:n_components], scatter[:n_components]
        sums = np.vstack([np.zeros((self.n_sums - 1, len(V))), scatter])
        return BlockLearner(self, n_components, V, sums, np.zeros((0, V.shape[1])))


@dataclass(frozen=True, eq=False)
class BlockLearner(Learner):
    rule: BlockRule
    r: int
    V: Array  # orthonormal rows, those that have begun
    sums: Array
    waiting: Array  # rows of a block not yet complete

    def updated(self, block: Centred) -> BlockLearner:
        """A row of weight 0 lets sums fade and is no row of a block."""
        rows = block.rows * block.root[:, None]
        counts = block.weight > 0.0
        learner, first = self, 0
        with np.errstate(all="ignore"):  # overflow is reported below, once
            while first < len(rows):
                # At most to the end of the block; one by one as long as components may begin.
                n = self.rule.block - len(learner.waiting) if len(learner.V) == self.r else 1
                part = slice(first, first + n)
                learner = learner._after(rows[part], counts[part], block.decay)
                first += n
        name = type(self.rule).__name__
        refuse_overflow(name, len(rows), learner.V, learner.sums, learner.waiting)
        return learner

    def _after(self, rows: Array, counts: Flags, decay: float) -> BlockLearner:
        n, m = rows.shape
        fade = decay ** np.arange(n, -1, -1.0)  # of what was before, then of each row
        V, sums = widened(self.V, m), fade[0] * self.sums
        if len(V) < self.r and counts[0]:
            V, sums = self._begun(V, sums, rows[0])
        faded = (rows * np.sqrt(fade[1:, None]))[counts]
        waiting = np.vstack([np.sqrt(fade[0]) * widened(self.waiting, m), faded])
        if len(waiting) == self.rule.block:
            V, sums = self.rule.stepped(V, sums, waiting)
            waiting = waiting[:0]
        return BlockLearner(self.rule, self.r, V, sums, waiting)

    def _begun(self, V: Array, sums: Array, x: Array) -> tuple[Array, Array]:
        rest = x - (V @ x) @ V
        rest -= (V @ rest) @ V  # twice is enough
        if not rest @ rest > BEGINNING * (x @ x):
            return V, sums
        new = rest / np.sqrt(rest @ rest)
        return np.vstack([V, new]), np.pad(sums, ((0, 0), (0, 1)))

    def recoded(self, P: Array) -> BlockLearner:
        """Directions are made orthonormal anew; those of which P keeps nothing begin again."""
        mapped = self.V @ P.T
        kept = np.square(mapped).sum(axis=1)
        V = np.zeros((0, len(P)))
        which = []
        for j, v in enumerate(mapped):
            rest = v - (V @ v) @ V
            if rest @ rest > BEGINNING:
                V = np.vstack([V, rest / np.sqrt(rest @ rest)])
                which.append(j)
        sums = (self.sums * kept)[:, which]
        return BlockLearner(self.rule, self.r, V, sums, self.waiting @ P.T)

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        """Rows of a block not yet complete count by their outputs."""
        scatter = self.sums[-1] + np.square(self.V @ self.waiting.T).sum(axis=1)
        missing = self.r - len(self.V)
        return np.pad(scatter, (0, missing)), np.pad(self.V, ((0, missing), (0, 0)))


def orthonormal(A: Array) -> Array:
    """Rows, in their order and with their signs: Qᵀ of Aᵀ = Q R with a positive diagonal."""
    Q, R = np.linalg.qr(A.T)
    return np.asarray((Q * np.where(np.diag(R) < 0.0, -1.0, 1.0)).T)
