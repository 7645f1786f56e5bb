"""What the next row would score, before it comes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from okpca._core.validation import translated
from okpca.detection.fitted import Judge, watch_of, whole_rows
from okpca.detection.lags import joined
from okpca.detection.state import Watch
from okpca.model import imputed


class Peek(NamedTuple):
    """NaN is the score of a row that would be skipped for the values it lacks."""

    score: float
    limit: float  # infinite while there is none
    unit: float  # the limit; while there is none the largest score so far, or a mean

    @property
    def strangeness(self) -> float:
        """From 0 to 1, and 1/2 at the limit; no more than that while there is none."""
        found = self.score / (self.score + self.unit) if self.score else 0.0
        return found if math.isfinite(self.limit) else min(found, 0.5)


def peeked(detector: Judge, X: Any) -> Peek | None:
    """What `monitor` would say of a row, (1, d), with the lags and moving averages of those before
    it; None in the warm-up. Changes nothing."""
    if not detector.__sklearn_is_fitted__():
        return None
    watch, past = watch_of(detector)
    if watch.n_rows < watch.settings.warm_up:
        return None
    watch = watch.charted().limited()
    chart, limits, settings = watch.chart, watch.limits, watch.settings
    assert chart is not None
    assert limits is not None
    limit = limits.of(settings.statistic)
    unit = limit if math.isfinite(limit) else _largest(watch)
    whole = whole_rows(detector, X, "score_one")
    if not len(whole):
        return Peek(math.nan, limit, unit)
    wide, _ = joined(whole, past, settings.lags)
    with translated((0,), "score_one", 0):
        pairs = chart.scores(imputed(chart.model, wide))
    return Peek(float(limits.score(watch.smoothed(pairs, chart), settings.column)[0]), limit, unit)


def _largest(watch: Watch) -> float:
    """Of the scores so far; if there are none, the mean over the rows that were learned."""
    chart, limits = watch.chart, watch.limits
    assert chart is not None
    assert limits is not None
    window = watch.window.packed()
    column = watch.settings.column
    if not len(window.pairs):
        return float(limits.score(chart.expected()[None], column)[0])
    return float(np.max(window.decisive(window.scores(chart), limits, column)))
