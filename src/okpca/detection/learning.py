"""A detector takes rows: validate, compose, keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self, TypeVar

from sklearn.utils.validation import check_is_fitted

from okpca._core.numerics import ROWS
from okpca._core.typing import Array
from okpca._core.validation import plain_row, taken_back_on_error, translated
from okpca.detection.fitted import Judge, told_now
from okpca.detection.lags import joined
from okpca.detection.monitored import ONE_ROW, Monitored, Piece, Taken, told_of_all
from okpca.detection.plan import opened
from okpca.detection.stream import after
from okpca.estimator import OnlineKernelPCA, keeping, kept_by
from okpca.estimator.attributes import names_of
from okpca.estimator.user_warnings import announce
from okpca.model import at_end_of_fit, planned

D = TypeVar("D", bound="Learning")


class Learning(Judge):
    """The half of a detector that changes it."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Forget everything, then take the rows of X as a stream, in their order."""
        with taken_back_on_error(self):  # a warning may be one
            self._take(X, "fit", fresh=True)
            announce((), told_now(self), names_of(self))
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take more rows, one or many: only their order matters, not the calls.

        A call that is refused or interrupted leaves the detector as it was.
        """
        self._take(X, "partial_fit", fresh=not self.__sklearn_is_fitted__())
        return self

    def monitor(self, X: Any) -> Monitored:
        """`partial_fit`, telling for each row what it scored before it was learned.

        Returns an object with the arrays `spe`, `t2`, `score`, `limit`, `alarms`, `learned` and
        `drift`, one entry for each row (for one that was skipped too: NaN scores, no alarm), the
        name of the `statistic` that decides, and `to_frame()`.
        """
        seen = self._take(X, "partial_fit", fresh=not self.__sklearn_is_fitted__())
        told = told_of_all(*seen, self._watch.settings.statistic)
        return replace(told, index=X.index) if hasattr(X, "iloc") else told

    def start_run(self) -> Self:
        """Tell that the next row does not follow the last one in time: after a stop, say.

        Lags and moving averages start anew, and a run of alarms ends; what was learned stays.
        """
        check_is_fitted(self)
        self._watch, self._past = self._watch.interrupted(), None
        return self

    def accept_drift(self) -> Self:
        """Take the stream for normal as it is now: drift is measured anew from here on."""
        check_is_fitted(self)
        self._watch = replace(self._watch, drifting=self._watch.drifting.anew())
        return self

    def _take(self, X: Any, method: str, *, fresh: bool) -> Taken:
        known = self.__dict__.get("_watch") if method == "partial_fit" or not fresh else None
        call = 1 if known is None else self._calls + 1
        if not fresh and plain_row(self, X):
            return self._take_row(X, call)
        with taken_back_on_error(self):
            if fresh:
                self._validate_params()
            X = self._validated(X, method, call, reset=fresh)
            whole, numbers = self._whole(X)
            if method == "fit" and not len(whole):
                raise ValueError("every row lacks values: there is no row to start from.")
            if fresh:
                estimator, watch, past = *opened(self, X.shape[1], known), None
            else:
                estimator, past = self.estimator_, self._past
                watch = self._watch.with_model(kept_by(estimator))
            troubles = () if known is None else watch.model.troubles
            noticed = () if known is None else watch.troubles
            watch = watch.with_model(planned(watch.model, self.missing == "impute"))
            watch, pieces = watch.without_others(numbers, len(X)), list[Piece]()
            for start in range(0, len(whole), ROWS):
                wide, past = joined(whole[start : start + ROWS], past, watch.settings.lags)
                with translated(numbers[start:], method, call):
                    watch, more = after(watch, wide)
                pieces += more
            model = at_end_of_fit(watch.model) if method == "fit" else watch.model
            announce(troubles, model.troubles, names_of(self), deeper=1)
            if method == "fit":  # what there is to say when it is over
                watch = replace(watch, troubles=())
            announce(noticed, watch.troubles, names_of(self), deeper=1)
            learned = keeping(estimator, model)
            self.__dict__.update(estimator_=learned, _watch=watch, _past=past, _calls=call)
        return pieces, numbers, len(X)

    def _take_row(self, x: Array, call: int) -> Taken:
        """The same for one row that lacks nothing, with little ado."""
        before, known = self._watch, kept_by(self.estimator_)
        wide, past = joined(x, self._past, before.settings.lags)
        with translated((0,), "partial_fit", call):
            model = planned(known, self.missing == "impute")
            watch, pieces = after(before.with_model(model), wide)
        if watch.model.troubles is not known.troubles:
            announce(known.troubles, watch.model.troubles, deeper=2)
        if watch.troubles is not before.troubles:
            announce(before.troubles, watch.troubles, deeper=2)
        estimator = keeping(self.estimator_, watch.model)
        self.__dict__.update(estimator_=estimator, _watch=watch, _past=past, _calls=call)  # at once
        return pieces, ONE_ROW, 1


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
    detector.__dict__.update(
        estimator_=keeping(estimator, model), _watch=watch, _past=None, _calls=1
    )
    for run in runs:
        detector.start_run().partial_fit(run)
    return detector
