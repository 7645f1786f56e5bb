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
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from okpca.novelty.scores import Array, Chart

NAMES = ("spe", "t2", "combined")
GRACE = 0.5
"""Of the alarms that the window may hold by its own limit, this share at most is taken from one run
of alarms. A single alarm is what the limit promises, so it counts; a long run is an event, and the
scores of an event must not raise the limit."""


RUNS = 4
"""So many runs of alarms may begin within 1 / α rows by chance (one is expected). While there are
more, something is going on, and no score counts: counting the alarms would raise the limits to
them, counting the others alone would lower the limits."""


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

    def fence(self, name: str) -> float:
        """As far beyond the limit as that is beyond the median: farther out is no bad luck."""
        limit = self.of(name)
        return limit + max(limit - float(self.middle[NAMES.index(name)]), 0.0)

    def of(self, name: str) -> float:
        return float(getattr(self, name))

    def combine(self, pairs: Array) -> Array:
        """The third column: SPE / s₁ + T² / s₂."""
        return np.column_stack([pairs, pairs @ (1.0 / self.scale)])


@dataclass(frozen=True)
class Window:
    """The last scores of rows not yet learned: pairs (SPE, T² / r), oldest first.

    T² of a young model has fewer terms. Its mean per term is what can be compared.
    """

    alpha: float
    size: int
    parametric: bool
    smoothed: bool  # scores are moving averages, so T² has no F distribution
    pairs: Array

    @classmethod
    def empty(cls, alpha: float, size: int, *, parametric: bool, smoothed: bool) -> Window:
        return cls(alpha, size, parametric, smoothed, np.empty((0, 2)))

    def extended(self, pairs: Array, chart: Chart) -> Window:
        """With scores by this chart."""
        if not len(pairs):
            return self
        per_term = pairs / np.array([1.0, max(chart.rank, 1.0)])
        return replace(self, pairs=np.concatenate([self.pairs, per_term])[-self.size :])

    def scores(self, chart: Chart) -> Array:
        """As this chart would scale them.

        New rows lie less far out along components that fit few rows too well, so T² of new rows
        rises while the model learns (SPE falls, and its limits are wide). Where the last quarter of
        the window shows such a rise, the older part is raised with it.
        """
        latest = self.pairs[-(len(self.pairs) // 4) :, 1] if len(self.pairs) >= 4 else np.zeros(0)
        usual = float(np.median(self.pairs[:, 1])) if len(latest) else 0.0
        rise = max(float(np.median(latest)) / usual, 1.0) if usual > 0 else 1.0
        return np.asarray(self.pairs * np.array([1.0, rise * max(chart.rank, 1.0)]))

    def cleared(self) -> Window:
        return replace(self, pairs=self.pairs[:0])

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
            if not self.smoothed:
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
