"""What is reported on: a model or a detector, alone or at the end of a pipeline."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from okpca._core.cached import derived
from okpca._core.typing import Array
from okpca._core.validation import checked_rows
from okpca.detection import KernelNoveltyDetector
from okpca.detection.fitted import scored, settings_of, watch_of
from okpca.detection.limits import NAMES, shown
from okpca.detection.scores import Chart
from okpca.estimator import OnlineKernelPCA, kept_by
from okpca.estimator.pipeline import split
from okpca.io.sources.numbers import some

FORGOTTEN = 1e-9
"""The share of a moving average that is not looked for any farther back."""
FARTHEST = 10_000
"""Nor are rows before so many."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A fitted estimator, and how rows are seen by it."""

    given: Any  # as it was saved
    detector: KernelNoveltyDetector | None
    learned: OnlineKernelPCA
    before: Any  # the steps of a pipeline before the last, or None

    @classmethod
    def of(cls, estimator: Any) -> Subject:
        before, last = split(estimator)
        if not isinstance(last, OnlineKernelPCA | KernelNoveltyDetector):
            hint = ": report on one of its models_" if hasattr(last, "models_") else ""
            raise TypeError(
                f"there is no report on a {type(last).__name__}, only on an OnlineKernelPCA, a "
                f"KernelNoveltyDetector, or a pipeline that ends in one{hint}."
            )
        check_is_fitted(last)
        detector = last if isinstance(last, KernelNoveltyDetector) else None
        return cls(estimator, detector, last if detector is None else detector.estimator_, before)

    @property
    def last(self) -> Any:
        return self.learned if self.detector is None else self.detector

    @property
    def names_learned(self) -> list[str] | None:
        """Of the columns as they come; None where there were none."""
        first = self.last if self.before is None else self.before.steps[0][1]
        names = getattr(first, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    @property
    def lags(self) -> int:
        return 0 if self.detector is None else settings_of(self.detector).lags

    @property
    def memory(self) -> int:
        """Rows before a row that its score depends on."""
        ewma = 1.0 if self.detector is None else settings_of(self.detector).ewma
        far = 0 if ewma == 1.0 else math.ceil(math.log(FORGOTTEN) / math.log1p(-ewma))
        return self.lags + min(far, FARTHEST)

    @property
    def decides(self) -> str:
        return "spe" if self.detector is None else settings_of(self.detector).statistic

    @property
    def allowed(self) -> float:
        """The share of normal rows that may be beyond the limit; none without a detector."""
        return 0.0 if self.detector is None else watch_of(self.detector)[0].window.alpha

    @property
    def statistics(self) -> tuple[str, ...]:
        return shown(self.decides)

    @derived
    def limits(self) -> dict[str, float]:
        """Of every statistic; infinite where there is none."""
        return dict.fromkeys(NAMES, np.inf) if self.detector is None else self.detector.limits_

    @derived
    def chart(self) -> Chart | None:
        """What scores are made of; None in the empirical geometry, which has no distances."""
        kept = kept_by(self.learned)
        levels = () if self.detector is None else settings_of(self.detector).levels
        return None if kept.plan.empirical else Chart.of(kept, levels)

    @property
    def explains(self) -> bool:
        """Can it say which columns raise a score?"""
        return self.chart is not None and self.learned.kernel_.has_gradient

    def prepared(self, rows: Any) -> Any:
        """As the last step gets them. A data frame must have the columns that were learned; where
        they had no names, several may have the same."""
        columns = list(getattr(rows, "columns", ()))
        if self.names_learned is None and len(set(columns)) < len(columns):
            rows = np.asarray(rows, dtype=np.float64)
        if self.before is not None:
            return np.asarray(self.before.transform(rows))
        if hasattr(rows, "columns"):
            rows = checked_rows(self.last, rows, "report")
        return np.asarray(rows, dtype=np.float64)

    def refuse_another_order(self, block: Any) -> None:
        """Columns of a stream are taken as they come. (A frame is looked at by scikit-learn.)"""
        own, given = self.names_learned, block.columns
        if own is None or given is None or hasattr(block.rows, "columns"):
            return
        given = [str(name) for name in given]
        if given != own and sorted(given) == sorted(own):
            raise ValueError(
                f"the columns come in another order, {some(given)}, than they were learned in: "
                f"okpca.io.stream(..., columns={own})."
            )

    def scores(self, rows: Any) -> Array:
        """Of prepared rows in the order of time, a column a statistic; NaN for rows left out."""
        if self.detector is not None:
            scores, limits, _, _ = scored(self.detector, rows)
            return scores[:, [limits.names.index(name) for name in self.statistics]]
        variance = self.learned.explained_variance_
        y = np.asarray(self.learned.transform(rows), dtype=np.float64)
        t2 = np.square(y) @ np.where(variance > 0, 1.0 / np.where(variance > 0, variance, 1.0), 0.0)
        return np.column_stack([np.asarray(self.learned.reconstruction_error(rows)), t2])

    def names(self, given: list[str] | None, width: int) -> list[str]:
        """Of the columns as the last step gets them."""
        if self.before is not None:
            for known in (given, None):  # those that were learned may be others
                with suppress(AttributeError, ValueError):  # a step that does not tell
                    return [str(name) for name in self.before.get_feature_names_out(known)]
            given = None
        own = getattr(self.last, "feature_names_in_", None)
        found = given if own is None else own
        if found is None or len(found) != width:
            return [f"column {i}" for i in range(width)]
        return [str(name) for name in found]
