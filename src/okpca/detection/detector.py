"""KernelNoveltyDetector: validate, compose, expose. How rows are judged is in `watch`."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from okpca._core.numerics import ROWS
from okpca._core.typing import Array
from okpca._core.validation import plain_row, taken_back_on_error, translated
from okpca.detection.judge import Judge
from okpca.detection.lags import joined
from okpca.detection.monitored import ONE_ROW, Monitored, Piece, Taken, told_of_all
from okpca.detection.opening import opened
from okpca.detection.settings import OWN
from okpca.estimator import choices, keeping, kept_by
from okpca.estimator.parameters import CONSTRAINTS, FORWARDED
from okpca.estimator.troubles import announce
from okpca.model import looked, planned, seen_whole


class KernelNoveltyDetector(Judge):
    """Novelty scores and process monitoring by online kernel PCA.

    Every row is scored before it is learned, by its reconstruction error in feature space (SPE), by
    Hotelling's T² on the components, or by both; a row beyond the limit is an alarm, and alarms are
    not learned. The limits come from the scores themselves, and hold the false-alarm rate
    `contamination` for whatever distribution the scores of normal rows have: see Notes for when.

    The defaults are for rows of which nothing is known: columns of unlike units are brought to one
    scale, and the width of the kernel is that of the rows. How they were chosen: docs/uses.md.

    Parameters
    ----------
    n_components : int, float or None, default=0.99
        As in :class:`OnlineKernelPCA`, whose other parameters, up to `random_state`, are taken as
        well: `kernel`, `gamma`, `degree`, `coef0`, `kernel_params`, `sigma`, `scale`, `missing`,
        `rule`, `dictionary`, `nu`, `max_atoms`, `on_full`, `center`, `robust`, `forgetting`,
        `burn_in`. SPE of few components is the noise of rows in all directions that they leave
        out, and a small fault in one of them is lost in it; but a wide kernel, nearly linear, has
        hardly more than the columns have: 0.95 is better there. Where strangers are among the rows
        that are learned, few (5) may be. With few atoms ``on_full="drop"`` keeps them spread over
        all rows, which detects more, and takes longer.
    gamma : float, {"scale", "median"} or None, default="median"
        As there. It gives way to a `sigma`. What `gamma` and `scale` take from first rows, they
        take from those of `warm_up` where there is no `burn_in`.
    scale : {"auto", "standard", "robust"} or None, default="auto"
        As there: where some columns are ten times as wide as others, each is scaled by its
        quartiles; where not, as with grey levels, all stay as they are.
    statistic : {"spe", "t2", "combined"}, default="spe"
        What decides. "spe" is ``|phi(x) - mean|² - |y|²`` for the projection y, what lies outside
        the dictionary included; "t2" is ``sum_j y_j² / explained_variance_[j]``, weak components
        counted as if they explained 0.1 % of the variance; "combined" is ``t2 + spe / v`` for the
        variance v of the last component, as of a Gaussian distribution. T² is for wide kernels,
        where the process is nearly linear: a narrow one gives strangers a small T², and then
        "spe" finds more than "combined" does.
    contamination : float in (0, 0.5], default=0.01
        The share of normal rows that may be alarms: the false-alarm rate for rows to come (not, as
        in scikit-learn's detectors, the share of the training rows that are marked).
    limits : {"quantile", "parametric"}, default="quantile"
        "quantile" takes an order statistic of the last `window` scores: it holds for any
        distribution, and needs ``1 / contamination - 1`` scores; until then the limit is infinite.
        "parametric" takes a weighted chi-squared distribution for SPE and an F distribution for T²:
        it needs few scores, and holds its promise as far as these distributions fit.
    window : int, default=1000
        The number of rows, with their scores, that limits are taken from: more than
        ``4 / contamination``, or single scores decide, and those far out do not count.
    warm_up : int, default=100
        So many first rows are learned without being scored.
    refresh : int, default=64
        Rows of the stream between two updates of the limits, and the fewest between two of the
        components that scores refer to: these wait until a quarter more rows were learned, or so.
    learn_from_alarms : bool, default=False
        Whether alarms are learned, and their scores count for the limits.
    accept_after : int or None, default=None
        After so many alarms in succession the process is taken to have changed for good: they are
        learned, and the limits start anew (with "quantile" they are infinite until there are enough
        scores again). None never accepts.
    lags : int, default=0
        Join each row with so many rows before it (dynamic kernel PCA). State is kept from call to
        call; see `start_run`.
    ewma : float in (0, 1], default=1.0
        Weight of the newest score in an exponentially weighted moving average of scores. Small
        values see small persistent faults, later; 1 takes the scores as they are.

    Attributes
    ----------
    estimator_ : OnlineKernelPCA
        Of the rows learned; joined with their past if `lags` > 0.
    limits_ : dict
        The current limits "spe", "t2" and "combined".
    drift_ : Drift
        How far the stream is from what it was, and since when too far. See Notes.
    offset_ : float
        ``decision_function = score_samples - offset_``; minus the limit.
    n_samples_seen_, n_alarms_, n_features_in_, n_samples_skipped_, n_values_imputed_ : int
    feature_names_in_ : ndarray of str, if the rows have names

    Notes
    -----
    *When the false-alarm rate holds*: in the mean over streams, for quantile limits, where the
    scores of the window and of the next row are exchangeable. So normal rows keep their
    distribution and follow each other at random, or depend on few rows before them, and the model
    has settled. While it still learns much, limits of SPE are wide and those of T² approximate: on
    a slow cycle, row after row, nothing may be found until its first turns have left the `window`.
    Scores with ties give fewer alarms, and miss faults: where rows have heavy tails, take a wider
    kernel (``gamma="scale"``). Lagged rows and moving averages score high in clusters, which count
    as one score each; what that leaves is in docs/uses.md.

    *Faults do not raise the limits*: while alarms come more than twice as often as `contamination`
    says, no score counts, but for those of some five alarms before that is noticed. If it is the
    model that has changed, because its atoms moved, then the rows of the window, judged by it anew,
    raise the limits. Faults as rare as the alarms that are allowed are taken for these.

    *Rows that lack values*: with ``missing="skip"`` they are as if they had not come (lags, moving
    averages and runs of alarms reach over them), and every result has as many rows as were given:
    their scores are NaN, they are no alarms and `predict` says 1. With "impute" they are filled in
    by the model that components were last taken from, then scored and learned like the others.

    *Drift*, if slow, is learned, and no row is an alarm. So rows are also seen by components that
    were taken after `window` rows and do not follow, and the last rows are compared with the first
    after that. At most 1 % of streams that do not drift are ever announced, if their rows depend on
    some ten rows before them or fewer. `accept_drift` takes note. See docs/monitoring.md.

    `score_samples`, `decision_function`, `predict` and `contributions` change nothing. With `lags`
    or `ewma` the rows they are given are one run in the order of time, and its first row stands
    in for the rows before it.

    Examples
    --------
    >>> import numpy as np
    >>> from okpca.detection import KernelNoveltyDetector
    >>> rng = np.random.default_rng(0)
    >>> angle = rng.uniform(0, 2 * np.pi, 2000)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.normal(size=(2000, 2))
    >>> detector = KernelNoveltyDetector(gamma=2.0).fit(ring)
    >>> detector.predict([[1.0, 0.0], [0.0, 0.0], [1.2, 0.9]])
    array([ 1, -1, -1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: CONSTRAINTS[name] for name in FORWARDED},
        **OWN,
    }

    def __init__(
        self,
        n_components: int | float | None = 0.99,
        *,
        kernel: choices.KernelChoice = "rbf",
        gamma: float | choices.WidthName | None = "median",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        sigma: float | None = None,
        scale: choices.ScaleName | None = "auto",
        missing: choices.MissingName = "raise",
        rule: choices.RuleChoice = "exact",
        dictionary: choices.PolicyChoice = "novelty",
        nu: float = 1e-3,
        max_atoms: int | None = 500,
        on_full: choices.BudgetChoice = "compress",
        center: bool = True,
        robust: choices.WeightChoice | None = None,
        forgetting: float = 1.0,
        burn_in: int = 0,
        random_state: choices.Seed = None,
        statistic: choices.Statistic = "spe",
        contamination: float = 0.01,
        limits: choices.LimitName = "quantile",
        window: int = 1000,
        warm_up: int = 100,
        refresh: int = 64,
        learn_from_alarms: bool = False,
        accept_after: int | None = None,
        lags: int = 0,
        ewma: float = 1.0,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.sigma = sigma
        self.scale = scale
        self.missing = missing
        self.rule = rule
        self.dictionary = dictionary
        self.nu = nu
        self.max_atoms = max_atoms
        self.on_full = on_full
        self.center = center
        self.robust = robust
        self.forgetting = forgetting
        self.burn_in = burn_in
        self.random_state = random_state
        self.statistic = statistic
        self.contamination = contamination
        self.limits = limits
        self.window = window
        self.warm_up = warm_up
        self.refresh = refresh
        self.learn_from_alarms = learn_from_alarms
        self.accept_after = accept_after
        self.lags = lags
        self.ewma = ewma

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Forget everything, then take the rows of X as a stream, in their order."""
        with taken_back_on_error(self):  # a warning may be one
            self._take(X, "fit", fresh=True)
            if not np.isfinite(self.offset_):
                warnings.warn(self._watch.window.told_missing(), stacklevel=2)
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
            watch = watch.with_model(planned(watch.model, self.missing == "impute"))
            watch, pieces = watch.without_others(numbers, len(X)), list[Piece]()
            for start in range(0, len(whole), ROWS):
                wide, past = joined(whole[start : start + ROWS], past, watch.settings.lags)
                with translated(numbers[start:], method, call):
                    watch, more = watch.after(wide)
                pieces += more
            model = seen_whole(looked(watch.model)) if method == "fit" else watch.model
            announce(troubles, model.troubles, deeper=1)
            learned = keeping(estimator, model)
            self.__dict__.update(estimator_=learned, _watch=watch, _past=past, _calls=call)
        return pieces, numbers, len(X)

    def _take_row(self, x: Array, call: int) -> Taken:
        """The same for one row that lacks nothing, with little ado."""
        before, known = self._watch, kept_by(self.estimator_)
        wide, past = joined(x, self._past, before.settings.lags)
        with translated((0,), "partial_fit", call):
            model = planned(known, self.missing == "impute")
            watch, pieces = before.with_model(model).after(wide)
        if watch.model.troubles is not known.troubles:
            announce(known.troubles, watch.model.troubles, deeper=2)
        estimator = keeping(self.estimator_, watch.model)
        self.__dict__.update(estimator_=estimator, _watch=watch, _past=past, _calls=call)  # at once
        return pieces, ONE_ROW, 1
