"""Where normal ends: control limits for SPE, T² and their combination.

A limit is set from scores that rows got *before* they were learned, the last `size` of them.

quantile:   the k-th smallest of N scores, k = ⌈(1 − α)(N + 1)⌉. A new score exchangeable with them
            exceeds it with probability 1 − k/(N + 1) ≤ α, and > α − 1/(N + 1), whatever the
            distribution. With N < 1/α − 1 no score is large enough to promise that: infinity.
            (Running estimates of a quantile, such as P², need less memory and promise nothing.)
parametric: SPE       g χ²_h, g = v / 2m, h = 2m² / v for mean m and variance v of the scores
                      (Box 1954; Nomikos & MacGregor 1995)
            T²        c r (n² − 1) / (n (n − r)) F(r, n − r), for r components of n rows; c brings
                      its mean to that of the scores (1 for linear PCA of Gaussian rows; more where
                      a kernel has weak components, whose variance new rows exceed)
                      or g χ²_h, if that is more
            combined  g χ²_h
combined:   SPE / s₁ + T² / s₂ (Yue & Qin 2001) with s the plain (1 − α) quantiles.

Which scores count? All of them would let a fault raise the limits that catch it; leaving out the
alarms, or the largest of them, would cut off the tail that the quantile is in. So alarms count,
however large, as long as they come no oftener than chance has it, and while they come oftener
nothing counts:

    E ← min(max(E + [alarm] / M − 2α, 0), 8)      an event is going on while E > 4

with M the memory of a score in rows, lags + 1 / ewma: so many alarms can be the work of one row
(Page's CUSUM 1954). Too many alarms can also be the model's doing, not the rows': atoms were moved
or given up, or components were born, and rows that were normal score more than they did. So in an
event the rows of the window are judged anew, and none counts for less than it scores today.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from okpca._core.typing import Array
from okpca.detection.lags import smoothed
from okpca.detection.scores import Chart

NAMES = ("spe", "t2", "combined")
GRACE = 0.5
"""Of the alarms that the window may hold by its own limit, this share at most is taken from one run
of alarms. A single alarm is what the limit promises, so it counts; a long run is an event, and the
scores of an event must not raise the limit."""


TOLERATED = 2.0
EVENT = 4.0
LARGEST = 2 * EVENT
"""E of an event, above. By chance it exceeds EVENT less than 1 % of the time (exactly: for scores
that are independent, once the limits hold); in an event it does after some five alarms, which the
window bears if it holds more than these beyond its limit (α times its size; see `thin`). LARGEST
lets an event that is over be forgotten within EVENT / α rows or so."""


def rows_needed(alpha: float) -> int:
    """The fewest scores from which a quantile limit can be had."""
    return math.ceil((1.0 - alpha) / alpha - 1e-9)


@dataclass(frozen=True)
class Limits:
    spe: float
    t2: float
    combined: float
    scale: Array  # s₁, s₂
    middle: Array  # medians of the three
    grace: int  # how many alarms of one run may enter the window
    known: int  # the scores they come from

    def refuse_unsound(self) -> None:
        """A ValueError if these are none."""
        if self.scale.shape != (2,) or self.middle.shape != (3,) or not (self.scale > 0).all():
            raise ValueError("limits that are none")

    def fence(self, name: str) -> float:
        """As far beyond the limit as that is beyond the median."""
        limit = self.of(name)
        return limit + max(limit - float(self.middle[NAMES.index(name)]), 0.0)

    def of(self, name: str) -> float:
        return float(getattr(self, name))

    def combine(self, pairs: Array) -> Array:
        """The third column: SPE / s₁ + T² / s₂."""
        return np.column_stack([pairs, pairs @ (1.0 / self.scale)])


@dataclass(frozen=True)
class Window:
    """The last rows and what they scored before they were learned: (SPE, T² / r), oldest first.

    T² of a young model has fewer terms. Its mean per term is what can be compared.
    """

    alpha: float
    size: int
    parametric: bool
    ewma: float  # below 1 scores are moving averages, and T² has no F distribution
    rows: tuple[Array, ...]  # in blocks: one array would be copied for each row that comes alone
    pairs: Array

    @classmethod
    def empty(cls, alpha: float, size: int, *, parametric: bool, ewma: float = 1.0) -> Window:
        return cls(alpha, size, parametric, ewma, (), np.empty((0, 2)))

    def extended(self, rows: Array, pairs: Array, chart: Chart) -> Window:
        """With rows and their scores by this chart."""
        if not len(rows):
            return self
        return replace(
            self,
            rows=(*self.rows, rows),
            pairs=np.concatenate([self.pairs, pairs / _terms(chart)])[-self.size :],
        )

    def packed(self) -> Window:
        """The rows in one block, those left out that are too old."""
        if len(self.rows) < 2:
            return self
        return replace(self, rows=(np.concatenate(self.rows)[-self.size :],))

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.packed().__dict__)

    def refuse_unsound(self) -> None:
        """A ValueError if its parts do not go together; for what comes from a file."""
        known = min(sum(map(len, self.rows)), self.size)
        if self.pairs.shape != (known, 2) or self.size < 2 or not 0 < self.alpha <= 0.5:
            raise ValueError(f"a window of {known} rows with scores {self.pairs.shape}")

    def judged_anew(self, chart: Chart) -> Window:
        """No row counts for less than it scores by this chart.

        It may well score less, since it was learned meanwhile; a new row would not.
        """
        if not self.rows:
            return self
        pairs = chart.scores(np.concatenate(self.rows)[-self.size :])
        if self.ewma < 1.0:
            pairs = smoothed(pairs, chart.expected(), self.ewma)
        return replace(self, pairs=np.maximum(self.pairs, pairs / _terms(chart)))

    def scores(self, chart: Chart) -> Array:
        """As this chart would scale them.

        New rows lie less far out along components that fit few rows too well, so T² of new rows
        rises while the model learns (SPE falls, and its limits are wide). Where the last quarter of
        the window shows such a rise, the older part is raised with it.
        """
        latest = self.pairs[-(len(self.pairs) // 4) :, 1] if len(self.pairs) >= 4 else np.zeros(0)
        usual = float(np.median(self.pairs[:, 1])) if len(latest) else 0.0
        rise = max(float(np.median(latest)) / usual, 1.0) if usual > 0 else 1.0
        return np.asarray(self.pairs * np.array([1.0, rise]) * _terms(chart))

    def cleared(self) -> Window:
        return replace(self, rows=(), pairs=self.pairs[:0])

    @property
    def thin(self) -> bool:
        """Do single scores decide the limit? Then those far beyond it must not count: one spike
        would spoil the variance of parametric limits, and be the limit itself where a window
        reaches hardly beyond its quantile."""
        return self.parametric or self.alpha * self.size <= EVENT

    @property
    def grace(self) -> int:
        """How many alarms of one run may enter: a share of the scores there are."""
        return max(1, int(GRACE * self.alpha * len(self.pairs)))

    def limits(self, chart: Chart) -> Limits:
        pairs = self.scores(chart)
        draft = Limits(math.inf, math.inf, math.inf, self._scale(pairs, chart), np.zeros(3), 1, 0)
        values = draft.combine(pairs)
        if self.parametric:
            found = [matched(column, self.alpha) for column in values.T]
            if self.ewma == 1.0:
                n = chart.model.centre.weight
                # Components of a local kernel are not Gaussian: their T² has heavier tails than F.
                found[1] = max(found[1], hotelling(chart.rank, n, self.alpha, pairs[:, 1]))
        else:
            found = [quantile(column, self.alpha) for column in values.T]
        middle = np.median(values, axis=0) if len(values) else draft.middle
        spe, t2, combined = found
        return Limits(spe, t2, combined, draft.scale, middle, self.grace, len(pairs))

    def _scale(self, pairs: Array, chart: Chart) -> Array:
        """Without any score yet, the means over the rows learned must do."""
        scale = np.quantile(pairs, 1.0 - self.alpha, axis=0) if len(pairs) else chart.expected()
        return np.where(scale > 0, scale, 1.0)


def _terms(chart: Chart) -> Array:
    """What SPE and T² are divided by to be compared with those of another chart."""
    return np.array([1.0, max(chart.rank, 1.0)])


def quantile(scores: Array, alpha: float) -> float:
    """The smallest of the scores that a new one exceeds with probability ≤ α; or infinity."""
    n = len(scores)
    k = math.ceil((1.0 - alpha) * (n + 1) - 1e-9)
    return float(np.partition(scores, k - 1)[k - 1]) if 0 < k <= n else math.inf


def matched(scores: Array, alpha: float) -> float:
    """The (1 − α) quantile of g χ²_h with the mean and the variance of the scores."""
    if len(scores) < 2:
        return math.inf
    mean, variance = float(scores.mean()), float(scores.var(ddof=1))
    if variance <= 0 or mean <= 0:
        return mean
    g, h = variance / (2 * mean), 2 * mean**2 / variance
    return float(g * stats.chi2.ppf(1.0 - alpha, h))


def hotelling(r: float, n: float, alpha: float, scores: Array) -> float:
    """For rows that are not among the n that gave the r components; the scores set its mean."""
    if r <= 0 or n <= r + 2:
        return math.inf
    unscaled = r * (n**2 - 1) / (n * (n - r))
    mean = unscaled * (n - r) / (n - r - 2)
    scale = float(scores.mean()) / mean if scores.any() else 1.0
    return float(scale * unscaled * stats.f.ppf(1.0 - alpha, r, n - r))
