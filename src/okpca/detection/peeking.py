"""What the next row would score, before it comes."""

from __future__ import annotations

import math
from typing import Any

from okpca._core.validation import translated
from okpca.detection.judge import Judge
from okpca.detection.lags import joined
from okpca.detection.watch import Watch
from okpca.model import imputed


def peeked(detector: Judge, X: Any) -> float | None:
    """What `monitor` would say the score of a row is, (1, d), with the lags and moving averages of
    those before it; None in the warm-up, NaN for a row that would be skipped. Changes nothing."""
    watch = _ready(detector)
    if watch is None:
        return None
    chart, limits, settings = watch.chart, watch.limits, watch.settings
    assert chart is not None
    assert limits is not None
    row = detector._validated(X, "score_one", 0, reset=False)
    whole, _ = detector._whole(row)
    if not len(whole):
        return math.nan
    wide, _ = joined(whole, detector._past, settings.lags)
    with translated((0,), "score_one", 0):
        pairs = chart.scores(imputed(chart.model, wide))
    return float(limits.score(watch.smoothed(pairs, chart), settings.column)[0])


def limit_ahead(detector: Judge) -> float:
    """What the next row must not exceed; infinite where there is no limit yet."""
    watch = _ready(detector)
    if watch is None:
        return math.inf
    assert watch.limits is not None
    return watch.limits.of(watch.settings.statistic)


def _ready(detector: Judge) -> Watch | None:
    """The watch as it judges the next row: at a border, with what is taken anew there."""
    if not detector.__sklearn_is_fitted__():
        return None
    watch = detector._watch
    return watch.charted().limited() if watch.n_rows >= watch.settings.warm_up else None
