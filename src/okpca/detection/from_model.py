"""A detector of rows that were learned elsewhere: it goes on from what they have taught."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from okpca.detection.detector import KernelNoveltyDetector
from okpca.detection.learning import taken_up
from okpca.detection.plan import opened
from okpca.estimator import OnlineKernelPCA, keeping, kept_by

D = TypeVar("D", bound=KernelNoveltyDetector)


def resumed(
    detector: D, learned: OnlineKernelPCA, n_rows: int, n_alarms: int, runs: Iterable[Any]
) -> D:
    """Taught by rows of which so many were alarms, then by `runs` of rows that nobody has learned.

    Limits come from these: they are judged, like any row of a stream, before they are learned.
    """
    model = kept_by(learned)
    n_features = learned.n_features_in_ // (detector.lags + 1)
    estimator, watch = opened(detector, n_features, None)
    learned_rows = n_rows - (0 if detector.learn_from_alarms else n_alarms)
    watch = replace(watch, model=model, n_rows=n_rows, n_alarms=n_alarms, n_learned=learned_rows)
    detector.n_features_in_ = n_features
    taken_up(detector, keeping(estimator, model), watch)
    for run in runs:
        detector.start_run().partial_fit(run)
    return detector
