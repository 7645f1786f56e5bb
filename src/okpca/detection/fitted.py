"""Judging rows by what a detector has learned, which changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from okpca._core.data_frames import like_frame
from okpca._core.numerics import ROWS
from okpca._core.typing import Array, Index
from okpca._core.validation import checked_rows, plain_row, translated
from okpca.detection.contributions import attributed, known_statistic
from okpca.detection.drift import Drift
from okpca.detection.lags import joined
from okpca.detection.limits import Limits, exceeds
from okpca.detection.scores import Chart
from okpca.detection.settings import Settings
from okpca.detection.state import Watch
from okpca.detection.troubles import blind_to_strangers, standing, untold
from okpca.estimator import OnlineKernelPCA, kept_by
from okpca.estimator.attributes import names_of
from okpca.estimator.description import Description, described
from okpca.estimator.missing import left_out
from okpca.io import Saving
from okpca.model import imputed
from okpca.model.state import Trouble


class Since(NamedTuple):
    """What rows are judged with besides themselves: those before them, and the moving averages."""

    past: Array | None = None
    level: Array | None = None


NOTHING = Since()


class Judge(Saving, OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """A detector that keeps a watch, which is a value: nobody changes it."""

    _learns_by_value = True  # a copy that learns leaves this one as it is
    estimator_: OnlineKernelPCA
    n_features_in_: int
    missing: str
    _watch: Watch
    _past: Array | None
    _calls: int
    _looked: tuple[Any, Chart] | None = None  # the model last judged by, and its chart

    def score_samples(self, X: Any) -> Array:
        """Minus the score that decides: higher for more normal rows. NaN for rows that are skipped
        for the values they lack."""
        return -self._decisive(X)[0]

    def decision_function(self, X: Any) -> Array:
        """How far within the limit: negative for alarms; 0 where that is rounding alone."""
        scores, limit = self._decisive(X)
        within = limit - scores
        return np.where(exceeds(scores, limit), within, np.maximum(within, 0.0))

    def _decisive(self, X: Any) -> tuple[Array, float]:
        """The scores that decide, and their limit, by one model: others may learn meanwhile."""
        check_is_fitted(self)
        chart, limits = self._current()
        settings = self._watch.settings
        scores, _ = self._scores(X, chart, limits, NOTHING)
        return scores[:, settings.column], limits.of(settings.statistic)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 for rows within the limit, -1 for those beyond; without a limit yet, all are within.
        So are rows that are skipped for the values they lack."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def contributions(self, X: Any, *, statistic: str | None = None) -> Any:
        """Which columns raise the score of each row: shares that sum to 1 (zeros where none does),
        shape of X.

        The score is integrated along the way from the nearest normal rows, with the kernel's
        gradient. `statistic` is the one that decides unless given. A data frame, of pandas or
        polars, gives a data frame.
        NaN for rows that are skipped for the values they lack.
        """
        check_is_fitted(self)
        chart, limits = self._current()
        if not chart.model.basis.kernel.has_gradient:
            raise ValueError(
                f"contributions need a gradient; {chart.model.basis.kernel!r} has none."
            )
        rows = self._validated(X, "contributions", 0, reset=False)
        lags, decides = self._watch.settings.lags, self._watch.settings.statistic
        statistic = known_statistic(statistic or decides, limits)
        whole, numbers = self._whole(rows)
        out, past = np.full_like(rows, np.nan), None
        for start in range(0, len(whole), ROWS):
            block = slice(start, start + ROWS)
            wide, past = joined(whole[block], past, lags)
            with translated(numbers[start:], "contributions", 0):
                out[numbers[block]] = attributed(chart, limits, statistic, wide, lags)
        return like_frame(X, out)

    def _current(self) -> tuple[Chart, Limits]:
        known = self.__dict__.copy()  # at once: another thread may learn
        learned, looked = kept_by(known["estimator_"]), self._looked
        if looked is None or looked[0] is not learned:
            levels = known["_watch"].settings.levels
            looked = self._looked = learned, Chart.of(learned, levels)
        return looked[1], known["_watch"].limits_by(looked[1])

    def __getstate__(self) -> dict[str, Any]:
        return {name: of for name, of in super().__getstate__().items() if name != "_looked"}

    def _scores(self, X: Any, chart: Chart, limits: Limits, since: Since) -> tuple[Array, Since]:
        """All that there are, smoothed, (n, 3 or 4); and what rows to come are judged with."""
        X, method = self._validated(X, "score_samples", 0, reset=False), "score_samples"
        whole, numbers = self._whole(X)
        pairs, (past, level) = np.empty((len(whole), 2 + len(chart.levels))), since
        for start in range(0, len(whole), ROWS):
            wide, past = joined(whole[start : start + ROWS], past, self._watch.settings.lags)
            with translated(numbers[start:], method, 0):
                pairs[start : start + ROWS] = chart.scores(imputed(chart.model, wide))
        scores = np.full((len(X), len(limits.names)), np.nan)
        if len(whole):
            watch = replace(self._watch.interrupted(), level=level)
            pairs = watch.smoothed(pairs, chart)
            scores[numbers], level = limits.combine(pairs), pairs[-1]
        return scores, Since(past, level)

    def _whole(self, X: Array) -> tuple[Array, Index]:
        """The rows that are not left out for the values they lack, and which they are."""
        lacking = left_out(self.missing, X)
        if lacking is None:
            return X, np.arange(len(X))
        return X[~lacking], np.flatnonzero(~lacking)

    # -- what was learned -------------------------------------------------------------------------

    def describe(self) -> Description:
        """What was learned of the rows that were no alarms, in a few lines, see
        :meth:`OnlineKernelPCA.describe`; and what there is to say of limits and alarms."""
        check_is_fitted(self)
        found = described(type(self).__name__, kept_by(self.estimator_), names_of(self))
        told = [*found.warnings, *(one.told(names_of(self)) for one in told_now(self))]
        return replace(found, watching=_noticed(self), warnings=told)

    def told_blind(self) -> str | None:
        """What there is to say if no row can be an alarm yet, however strange, or hardly any."""
        watch = self._watch
        if watch.n_rows < watch.settings.warm_up:
            return None
        chart, limits = self._current()
        decides = limits.of(watch.settings.statistic)
        if watch.window.lacks_scores(limits.known):
            return None
        if np.isfinite(decides):
            by_spe = watch.settings.statistic not in ("t2", "combined")
            few = watch.n_alarms <= 3.0 * watch.window.alpha * watch.n_rows
            return watch.window.told_narrow(limits, chart) if by_spe and few else None
        if not watch.window.looked_over(chart).shown:
            return watch.window.told_slow(limits.known)
        return blind_to_strangers(chart)

    @property
    def limits_(self) -> dict[str, float]:
        """The limits of "spe", "t2", "combined" and, where it decides, "nested", as they are now;
        inf where there is none yet."""
        check_is_fitted(self)
        limits = self._current()[1]
        return {name: limits.of(name) for name in limits.names}

    @property
    def offset_(self) -> float:
        """Minus the limit that decides: ``decision_function = score_samples - offset_``."""
        return -self.limits_[self._watch.settings.statistic]

    @property
    def drift_(self) -> Drift:
        """How far the stream is from what it was: `value`, the `limit` that chance stays below,
        `since` which row it is announced (or None), and `what` has moved most."""
        check_is_fitted(self)
        return self._watch.drifting.found

    @property
    def n_samples_seen_(self) -> int:
        """Rows taken so far, alarms included."""
        check_is_fitted(self)
        return self._watch.n_rows

    @property
    def n_alarms_(self) -> int:
        """How many of them were alarms when they came."""
        check_is_fitted(self)
        return self._watch.n_alarms

    @property
    def gamma_(self) -> float:
        """The width of the kernel that is used, of columns as they are scaled."""
        check_is_fitted(self)
        return self.estimator_.gamma_

    @property
    def n_samples_skipped_(self) -> int:
        """Rows left out for the values they lack (`missing`): neither scored nor learned."""
        return self.estimator_.n_samples_skipped_

    @property
    def n_values_imputed_(self) -> int:
        """Values that rows lacked and that were filled in before they were scored; with `lags`, one
        for each row that it is a part of."""
        return self.estimator_.n_values_imputed_

    def __sklearn_is_fitted__(self) -> bool:
        """Not by rows that were all left out."""
        return "_watch" in self.__dict__ and self._watch.n_rows > 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags

    def _refuse_unsound(self) -> None:
        if not self.__sklearn_is_fitted__():
            return
        lags, width = self._watch.settings.lags, self.estimator_.n_features_in_
        if width != self.n_features_in_ * (lags + 1):
            raise ValueError(f"{self.n_features_in_} columns with {lags} lags are not {width}")
        if self._past is not None and self._past.shape != (lags, self.n_features_in_):
            raise ValueError(f"a past of {self._past.shape} for {lags} lags")

    def _validated(self, X: Any, method: str, call: int, *, reset: bool) -> Array:
        if not reset and plain_row(self, X):
            return np.asarray(X)
        return np.asarray(checked_rows(self, X, method, call, reset=reset), dtype=np.float64)


def scored(judge: Judge, X: Any, since: Since = NOTHING) -> tuple[Array, Limits, str, Since]:
    """The scores of rows, a column for each of the limits' names, the limits, which decides, and
    what the rows that follow these are judged with."""
    chart, limits = judge._current()
    scores, then = judge._scores(X, chart, limits, since)
    return scores, limits, judge._watch.settings.statistic, then


def _noticed(judge: Judge) -> str:
    statistic, drift = judge._watch.settings.statistic, judge.drift_
    moving = "no drift" if np.isfinite(drift.value) else "too few rows learned to tell of drift"
    if drift.since is not None:
        moving = f"drift since row {drift.since}"
    limit = judge.limits_[statistic]
    beyond = f"beyond {limit:.3g} ({statistic}) a row is one"
    if not np.isfinite(limit):
        beyond = "no limit yet"
    return f"{judge.n_alarms_} alarms among {judge.n_samples_seen_} rows; {beyond}; {moving}"


def told_now(judge: Judge) -> tuple[Trouble, ...]:
    """What there is to say of it today."""
    return standing(judge._watch, told_limitless(judge))


def unsaid(judge: Judge) -> tuple[Trouble, ...]:
    """Of that, what was not told while it learned."""
    return untold(judge._watch, *told_now(judge))


def told_limitless(judge: Judge) -> str | None:
    """Why there is no limit yet, or none that is of use, and what to do; None if there is one."""
    missing = None if np.isfinite(judge.offset_) else judge._watch.window.told_missing()
    return judge.told_blind() or missing


def limits_of(judge: Judge) -> Limits:
    """As they are now, with what combines the scores."""
    return judge._current()[1]


def watch_of(judge: Judge) -> tuple[Watch, Array | None]:
    """What it keeps, and the rows that the next one is joined with."""
    known = judge.__dict__.copy()  # at once: another thread may learn
    return known["_watch"], known["_past"]


def whole_rows(judge: Judge, X: Any, method: str) -> Array:
    """Checked, without those that are left out for the values they lack."""
    return judge._whole(judge._validated(X, method, 0, reset=False))[0]


def settings_of(judge: Judge) -> Settings:
    """By which it was fitted: parameters that were set since have no part in it."""
    return judge._watch.settings


def past_of(judge: Judge) -> Array | None:
    """The rows that the next one is joined with; None where no row came yet, or there are none."""
    return judge.__dict__.get("_past")
