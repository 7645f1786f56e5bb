"""Which columns raised the scores of rows that have just been judged.

`contributions` goes by all that was learned so far, and takes components anew for it; here it is
the components and limits that made the rows alarms, which are there already.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca._core.typing import Array
from okpca.detection.contributions import raised_by
from okpca.detection.fitted import Judge, watch_of
from okpca.detection.lags import joined


def blamed(judge: Judge, X: Any) -> Array:
    """Shares that sum to 1 for each row. With lags the rows are one run."""
    watch, _ = watch_of(judge)
    if watch.chart is None or watch.limits is None:
        return np.asarray(judge.contributions(X))
    lags, decides = watch.settings.lags, watch.settings.statistic
    wide, _ = joined(np.asarray(X, dtype=np.float64), None, lags)
    return raised_by(decides, watch.limits, watch.chart, wide, lags)
