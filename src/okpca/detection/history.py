"""The last rows and what they scored, as they are kept until they are too old."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from okpca._core.fast_replace import following
from okpca._core.typing import Array
from okpca.detection.limits import NAMES, NESTED, Limits, median
from okpca.detection.scores import Chart

LOOSE = 256
"""Blocks of rows that are kept apart, at most."""
Columns = tuple[int, ...]
EVERY: Columns = tuple(range(len(NAMES)))
"""As far as they are known: see `limits.NAMES`."""


@dataclass(frozen=True)
class Kept:
    """The last rows and what they scored before they were learned: (SPE, T² / r), oldest first,
    and for nested scores what each level leaves, and the score itself by the gauge of now.

    T² of a young model has fewer terms. Its mean per term is what can be compared.
    """

    alpha: float
    size: int
    parametric: bool
    ewma: float  # below 1 scores are moving averages, and T² has no F distribution
    lags: int  # above 0 a row is part of those after it
    rows: tuple[Array, ...]  # in blocks: one array would be copied for each row that comes alone
    pairs: Array  # of the first of them
    late: tuple[Array, ...] = ()  # of the others, until they are `packed`
    count: int = 0  # rows there ever were
    without: Array | None = None  # SPE of the first in hindsight, if it matters
    told: bool = False  # whether a limit of SPE was ever well below what strangers score
    shown: bool = True  # whether the stream has shown enough of itself: see `autocorrelation`

    @classmethod
    def empty(
        cls,
        alpha: float,
        size: int,
        *,
        parametric: bool,
        ewma: float = 1.0,
        lags: int = 0,
        width: int = 2,
    ) -> Self:
        # A distribution needs few scores, and is not asked where its tail comes from.
        none = np.empty((0, width))
        return cls(alpha, size, parametric, ewma, lags, (), none, shown=parametric)

    def extended(self, rows: Array, pairs: Array, chart: Chart, score: Array | None = None) -> Self:
        """With rows, what this chart says of them, and the score that decides if it is nested."""
        n = len(rows)
        if not n:
            return self
        if self._is_loose(n):
            return self.packed().extended(rows, pairs, chart, score)
        late = (*self.late, kept_of(pairs, chart, score))
        return following(self, rows=(*self.rows, rows), late=late, count=self.count + n)

    def _is_loose(self, more: int) -> bool:
        """Have so many come since it was packed that it should be, though no border is near? (Of
        rows that come one by one it is enough to count the blocks.)"""
        return len(self.late) >= LOOSE or (more > 1 and sum(map(len, self.late)) >= self.size)

    def packed(self) -> Self:
        """The rows in one block, those left out that are too old."""
        if not self.late:
            return self
        rows, pairs = np.concatenate(self.rows), np.concatenate([self.pairs, *self.late])
        gone = max(len(pairs) - self.size, 0)
        without = None if self.without is None else self.without[gone:]
        return following(self, rows=(rows[gone:],), pairs=pairs[gone:], late=(), without=without)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.packed().__dict__)

    def refuse_unsound(self) -> None:
        """A ValueError if its parts do not go together; for what comes from a file."""
        window = self.packed()
        known = min(sum(map(len, window.rows)), self.size)
        shape = window.pairs.shape
        sound = len(shape) == 2 and shape[0] == known and shape[1] >= 2
        if not sound or self.size < 2 or not 0 < self.alpha <= 0.5:
            raise ValueError(f"a window of {known} rows with scores {window.pairs.shape}")
        if window.without is not None and not window.without.shape <= (known,):
            raise ValueError(f"{known} rows, in hindsight {window.without.shape}")

    def cleared(self) -> Self:
        as_given = self.alpha, self.size, self.parametric, self.ewma, self.lags
        none = np.empty((0, self.pairs.shape[1]))
        return type(self)(*as_given, (), none, shown=self.parametric)

    def scores(self, chart: Chart, columns: Columns = EVERY) -> Array:
        """As this chart would scale them, if T² has a part in what is asked for.

        New rows lie less far out along components that fit few rows too well, so T² of new rows
        rises while the model learns (SPE falls, and its limits are wide). Where the last quarter of
        the window shows such a rise, the older part is raised with it.
        """
        if columns in ((0,), (NESTED,), (0, NESTED)):
            return self.pairs
        latest = self.pairs[-(len(self.pairs) // 4) :, 1] if len(self.pairs) >= 4 else np.zeros(0)
        usual = median(self.pairs[:, 1]) if len(latest) else 0.0
        rise = max(median(latest) / usual, 1.0) if usual > 0 else 1.0
        factors = np.ones(self.pairs.shape[1])
        factors[1] = rise * chart.terms[1]
        return np.asarray(self.pairs * factors)

    def decisive(self, pairs: Array, limits: Limits, column: int) -> Array:
        """Of its own scores, the one of this column: nested ones are there already."""
        return pairs[:, -1] if column == NESTED else limits.score(pairs, column)


def kept_of(pairs: Array, chart: Chart, score: Array | None) -> Array:
    """What the window keeps of rows."""
    if score is None or not chart.levels:
        return pairs / chart.terms
    kept = np.empty((len(pairs), pairs.shape[1] + 1))
    np.divide(pairs, chart.terms, out=kept[:, :-1])
    kept[:, -1] = score
    return kept
