"""Where normal ends: control limits for SPE, T², their combination and nested scores.

A limit is set from scores that rows got *before* they were learned, the last `size` of them.

quantile:   the k-th smallest of N scores, k = ⌈(1 − α)(N + 1)⌉. A new score exchangeable with them
            exceeds it with probability 1 − k/(N + 1) ≤ α, and > α − 1/(N + 1), whatever the
            distribution. With N < 1/α − 1 no score is large enough to promise that: infinity.
            (Running estimates of a quantile, such as P², need less memory and promise nothing.)
            Scores that live on in those after them (lags, moving averages, rows that depend on
            those before them) come in clusters, and a cluster weighs like one score:
            k = ⌈N − α(N + 1) + c⌉ for the mean size c of clusters.
            Where that leaves no score, the largest of them, or where the tail beyond the largest
            5 % ends, if it is more: as that of an exponential distribution,
                u + M b ((0.05 / α)^(1 / M) − 1)
            for mean b of what M clusters of scores exceed u by. (A new one exceeds it with
            probability α, b being known no better than M allows.)
parametric: SPE       g χ²_h, g = v / 2m, h = 2m² / v for mean m and variance v of the scores
                      (Box 1954; Nomikos & MacGregor 1995)
            T²        c r (n² − 1) / (n (n − r)) F(r, n − r), for r components of n rows; c brings
                      its mean to that of the scores (1 for linear PCA of Gaussian rows; more where
                      a kernel has weak components, whose variance new rows exceed)
                      or g χ²_h, if that is more
            combined, nested  g χ²_h
combined:   T² + SPE / λ_r: every direction by its own variance, those beyond the last component
            like that one. It is what a Gaussian distribution with these components has in its
            exponent (Tipping & Bishop 1999), and a direction of small variance never counts for
            less than one of large variance. Weights by the limits of the two (Yue & Qin 2001) would
            give T² of a local kernel, which hardly tells strangers, as much to say as SPE.

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
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from okpca._core.numerics import TIE
from okpca._core.typing import Array
from okpca.detection.nested import Gauge

NAMES = ("spe", "t2", "combined", "nested")
NESTED = NAMES.index("nested")
"""It needs what few components leave of rows, which other scores do without."""
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


TAIL = 0.05
"""The share of scores, the largest, that tell how the tail goes on."""
CLUSTERED = 1.5
"""Rows in a cluster: less is what chance makes of independent scores."""
CLUSTERS = 0.02
"""The share of scores, at least, that clusters are told by: 20 of a window of 1 000."""


def shown(decides: str) -> tuple[str, ...]:
    """The scores that are worth a picture: two, and what they are combined to. (A nested score is
    SPE in other units, but where few components tell more.)"""
    return {"combined": NAMES[:NESTED], "nested": ("nested", "t2")}.get(decides, NAMES[:2])


def rows_needed(alpha: float) -> int:
    """The fewest scores from which a quantile limit can be had."""
    return math.ceil((1.0 - alpha) / alpha - TIE)


def refuse_short(window: int, alpha: float) -> None:
    needed = rows_needed(alpha)
    if window < needed:
        raise ValueError(
            f"window={window} is too short for contamination={alpha}: a quantile limit needs "
            f"{needed} scores. Enlarge the window, or take limits='parametric'."
        )


@dataclass(frozen=True)
class Limits:
    spe: float
    t2: float
    combined: float
    scale: Array  # λ_r, 1
    middle: Array  # medians of all, where a fence is asked for
    grace: int  # how many alarms of one run may enter the window
    known: int  # the scores they come from
    nested: float = math.inf
    gauge: Gauge | None = None  # of nested scores

    def refuse_unsound(self) -> None:
        """A ValueError if these are none."""
        known = self.middle.shape in ((3,), (len(NAMES),))  # files may be older than a name
        if self.scale.shape != (2,) or not known or not (self.scale > 0).all():
            raise ValueError("limits that are none")

    def fence(self, name: str) -> float:
        """As far beyond the limit as that is beyond the median."""
        limit = self.of(name)
        return limit + max(limit - float(self.middle[NAMES.index(name)]), 0.0)

    def of(self, name: str) -> float:
        return float(getattr(self, name))

    def score(self, pairs: Array, column: int) -> Array:
        """The one of these columns that decides."""
        if column == NESTED:
            assert self.gauge is not None
            return self.gauge.scores(pairs)
        return pairs[:, column] if column < 2 else pairs[:, :2] @ (1.0 / self.scale)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the scores that there are."""
        return NAMES[:NESTED] if self.gauge is None else NAMES

    def combine(self, pairs: Array) -> Array:
        """SPE, T², SPE / λ_r + T², and the nested score if there is one."""
        all_columns = range(2, len(self.names))
        more = [self.score(pairs, column) for column in all_columns]
        return np.column_stack([pairs[:, :2], *more])


def exceeds(scores: Any, limit: float) -> Any:
    """Is a score beyond the limit? One that is as large but for rounding is not: rows that repeat
    score the same, and the limit is one of their scores."""
    return scores > (limit + TIE * abs(limit) if math.isfinite(limit) else limit)


def median(values: Array) -> float:
    """`np.median`, a tenth of its time: limits are set often."""
    low, high = (len(values) - 1) // 2, len(values) // 2
    at = np.partition(values, (low, high))
    return float(0.5 * (at[low] + at[high]))


def beyond(scores: Array, share: float) -> float:
    """What this share of them exceeds: `np.quantile` of 1 − share, a fifth of its time."""
    place = (len(scores) - 1) * (1.0 - share)
    low, high = math.floor(place), math.ceil(place)
    at = np.partition(scores, (low, high))
    return float(at[low] + (place - low) * (at[high] - at[low]))


def quantile(scores: Array, alpha: float, cluster: float = 1.0) -> float:
    """The smallest of the scores that a new one exceeds with probability ≤ α; or infinity."""
    n = len(scores)
    k = math.ceil(n - alpha * (n + 1) + cluster - TIE)
    return float(np.partition(scores, k - 1)[k - 1]) if 0 < k <= n else math.inf


def clustered(scores: Array, alpha: float) -> float:
    """The same for scores in the order of time that come in clusters."""
    if len(scores) < rows_needed(alpha):
        return math.inf
    limit = quantile(scores, alpha, cluster_size(scores, max(alpha, CLUSTERS)))
    return limit if math.isfinite(limit) else max(float(scores.max()), tail(scores, alpha))


def tail(scores: Array, alpha: float) -> float:
    """What a score beyond all others exceeds with probability α, if their tail is exponential."""
    start = beyond(scores, TAIL)
    more = scores[scores > start] - start
    if not len(more):
        return start
    M = max(len(more) / cluster_size(scores, TAIL), 1.0)
    return start + M * float(more.mean()) * math.expm1(math.log(TAIL / alpha) / M)


def cluster_size(scores: Array, share: float) -> float:
    """The mean length of runs among this share of the scores, the largest; those that chance makes
    of independent scores have 1 / (1 − share)."""
    high = np.flatnonzero(exceeds(scores, beyond(scores, share)))
    if not len(high):
        return 1.0
    runs = 1 + int(np.count_nonzero(high[1:] - high[:-1] > 1))
    size = len(high) / runs * (1.0 - share)
    return size if size >= CLUSTERED else 1.0


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
