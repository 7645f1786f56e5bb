"""KernelNoveltyDetector: validate, compose, expose. How rows are judged is in `watch`."""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from okpca.composition import opened
from okpca.estimator import OnlineKernelPCA
from okpca.novelty.contributions import shared, shares
from okpca.novelty.lags import folded, joined
from okpca.novelty.limits import NAMES, Limits, Window, rows_needed
from okpca.novelty.scores import Array, Chart
from okpca.novelty.watch import Monitored, Settings, Watch, concatenated
from okpca.numerics import ROWS
from okpca.validation import locate, plain_row, taken_back_on_error, translated

FORWARDED = (
    "n_components",
    "kernel",
    "gamma",
    "degree",
    "coef0",
    "kernel_params",
    "rule",
    "dictionary",
    "nu",
    "max_atoms",
    "on_full",
    "center",
    "robust",
    "forgetting",
    "burn_in",
    "random_state",
)
"""The estimator's parameters, but for those that have no meaning here: `epochs`, since there is one
pass; `preimage`; and `geometry`, since scores are distances in feature space."""


class KernelNoveltyDetector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Novelty scores and process monitoring by online kernel PCA.

    Every row is scored before it is learned, by its reconstruction error in feature space (SPE), by
    Hotelling's T² on the components, or by both; a row beyond the limit is an alarm, and alarms are
    not learned. The limits come from the scores themselves, and hold the false-alarm rate
    `contamination` for whatever distribution the scores of normal rows have: see Notes for when.

    Columns should be of comparable scale (:class:`sklearn.preprocessing.StandardScaler`).

    Parameters
    ----------
    n_components : int, float or None, default=0.95
        As in :class:`OnlineKernelPCA`, whose other parameters, up to `random_state`, are taken as
        well: `kernel`, `gamma`, `degree`, `coef0`, `kernel_params`, `rule`, `dictionary`, `nu`,
        `max_atoms`, `on_full`, `center`, `robust`, `forgetting`, `burn_in`. With few atoms
        ``on_full="drop"`` keeps them spread over all rows, which detects more, and takes longer.
    statistic : {"spe", "t2", "combined"}, default="spe"
        What decides. "spe" is ``|phi(x) - mean|² - |y|²`` for the projection y, what lies outside
        the dictionary included; "t2" is ``sum_j y_j² / explained_variance_[j]``, weak components
        counted as if they explained 0.1 % of the variance; "combined" is the
        sum of the two, each divided by its own limit. T² is for wide kernels, where the process is
        nearly linear: a narrow one gives strangers a small T².
    contamination : float in (0, 0.5], default=0.01
        The share of normal rows that may be alarms: the false-alarm rate for rows to come (not, as
        in scikit-learn's detectors, the share of the training rows that are marked).
    limits : {"quantile", "parametric"}, default="quantile"
        "quantile" takes an order statistic of the last `window` scores: it holds for any
        distribution, and needs ``1 / contamination - 1`` scores; until then the limit is infinite.
        "parametric" takes a weighted chi-squared distribution for SPE and an F distribution for T²:
        it needs few scores, and holds its promise as far as these distributions fit. (T² of a local
        kernel has heavier tails.)
    window : int, default=1000
        The number of rows, with their scores, that limits are taken from: more than
        ``4 / contamination``, or single scores decide, and those far out do not count.
    warm_up : int, default=100
        So many first rows are learned without being scored.
    refresh : int, default=64
        Rows of the stream between two updates of the components and limits that rows are judged by.
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
    offset_ : float
        ``decision_function = score_samples - offset_``; minus the limit.
    n_samples_seen_, n_alarms_, n_features_in_ : int
    feature_names_in_ : ndarray of str, if the rows have names

    Notes
    -----
    *When the false-alarm rate holds*: in the mean over streams, for quantile limits, where the
    scores of the window and of the next row are exchangeable. So normal rows keep their
    distribution and follow each other at random, or depend on few rows before them, and the model
    has settled. While it still learns much, limits of SPE are wide and those of T² approximate.
    Scores with ties give fewer alarms. Moving averages (`ewma`) give more, with lags and T² several
    times as many: few of those in a window are independent, and after one row far out they stay
    high for long.

    *Faults do not raise the limits*: while alarms come more than twice as often as `contamination`
    says, no score counts, but for those of some five alarms before that is noticed. If it is the
    model that has changed, because its atoms moved, then the rows of the window, judged by it anew,
    raise the limits. Faults as rare as the alarms that are allowed are taken for these.

    `score_samples`, `decision_function`, `predict` and `contributions` change nothing. With `lags`
    or `ewma` the rows they are given are one run in the order of time, and its first row stands
    in for the rows before it.

    Examples
    --------
    >>> import numpy as np
    >>> from okpca.novelty import KernelNoveltyDetector
    >>> rng = np.random.default_rng(0)
    >>> angle = rng.uniform(0, 2 * np.pi, 2000)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.normal(size=(2000, 2))
    >>> detector = KernelNoveltyDetector(gamma=2.0).fit(ring)
    >>> detector.predict([[1.0, 0.0], [0.0, 0.0], [1.2, 0.9]])
    array([ 1, -1, -1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: OnlineKernelPCA._parameter_constraints[name] for name in FORWARDED},
        "statistic": [StrOptions(set(NAMES))],
        "contamination": [Interval(Real, 0, 0.5, closed="right")],
        "limits": [StrOptions({"quantile", "parametric"})],
        "window": [Interval(Integral, 2, None, closed="left")],
        "warm_up": [Interval(Integral, 1, None, closed="left")],
        "refresh": [Interval(Integral, 1, None, closed="left")],
        "learn_from_alarms": ["boolean"],
        "accept_after": [Interval(Integral, 1, None, closed="left"), None],
        "lags": [Interval(Integral, 0, None, closed="left")],
        "ewma": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_components: int | float | None = 0.95,
        *,
        kernel: Any = "rbf",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        rule: Any = "exact",
        dictionary: Any = "novelty",
        nu: float = 1e-3,
        max_atoms: int | None = 500,
        on_full: Any = "compress",
        center: bool = True,
        robust: Any = None,
        forgetting: float = 1.0,
        burn_in: int = 0,
        random_state: Any = None,
        statistic: str = "spe",
        contamination: float = 0.01,
        limits: str = "quantile",
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

    estimator_: OnlineKernelPCA
    n_features_in_: int
    _watch: Watch
    _past: Array | None
    _calls: int
    _looked: tuple[Any, Chart] | None = None  # the model last judged by, and its chart

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Forget everything, then take the rows of X as a stream, in their order."""
        with taken_back_on_error(self):  # a warning may be one
            self._take(X, "fit", fresh=True)
            if not np.isfinite(self.offset_):
                known = len(self._watch.window.pairs)
                warnings.warn(
                    f"the limit is infinite: {known} rows were scored before they were learned, "
                    f"and contamination={self.contamination} needs "
                    f"{rows_needed(self.contamination)}. Fit more rows, lower warm_up, raise "
                    "contamination, or take limits='parametric'.",
                    stacklevel=2,
                )
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take more rows, one or many: only their order matters, not the calls.

        A call that is refused or interrupted leaves the detector as it was.
        """
        self._take(X, "partial_fit", fresh="_watch" not in self.__dict__)
        return self

    def monitor(self, X: Any) -> Monitored:
        """`partial_fit`, telling for each row what it scored before it was learned.

        Returns an object with the arrays `spe`, `t2`, `score`, `limit`, `alarms` and `learned`, and
        with the name of the `statistic` that decides.
        """
        return self._take(X, "partial_fit", fresh="_watch" not in self.__dict__)

    def start_run(self) -> Self:
        """Tell that the next row does not follow the last one in time: after a stop, say.

        Lags and moving averages start anew, and a run of alarms ends; what was learned stays.
        """
        check_is_fitted(self)
        self._watch, self._past = self._watch.interrupted(), None
        return self

    def _take(self, X: Any, method: str, *, fresh: bool) -> Monitored:
        call = 1 if fresh else self._calls + 1
        with taken_back_on_error(self):
            if fresh:
                self._validate_params()
                X = self._validated(X, method, call, reset=True)
                estimator, watch, past = *self._opened(X.shape[1]), None
            else:
                X = self._validated(X, method, call, reset=False)
                estimator, past = copy.copy(self.estimator_), self._past
                watch = replace(self._watch, model=estimator._model)
            parts = []
            for start in range(0, len(X), ROWS):
                wide, past = joined(X[start : start + ROWS], past, watch.settings.lags)
                with translated(range(start, len(X)), method, call):
                    watch, part = watch.after(wide)
                parts.append(part)
            estimator._model = watch.model
            self.estimator_, self._watch, self._past = estimator, watch, past
            self._calls = call
        return concatenated(parts)

    def _opened(self, n_features: int) -> tuple[OnlineKernelPCA, Watch]:
        alpha, parametric = float(self.contamination), self.limits == "parametric"
        if not parametric and self.window < rows_needed(alpha):
            raise ValueError(
                f"window={self.window} is too short for contamination={alpha}: a quantile limit "
                f"needs {rows_needed(alpha)} scores. Enlarge the window, or take "
                "limits='parametric'."
            )
        estimator = OnlineKernelPCA(**{name: getattr(self, name) for name in FORWARDED})
        width = n_features * (self.lags + 1)
        model = opened(estimator, estimator._make_kernel(), width)
        estimator.n_features_in_, estimator._calls, estimator._model = width, 0, model
        settings = Settings(
            column=NAMES.index(self.statistic),
            warm_up=self.warm_up,
            refresh=self.refresh,
            learn_from_alarms=bool(self.learn_from_alarms),
            accept_after=self.accept_after,
            lags=self.lags,
            ewma=float(self.ewma),
        )
        window = Window.empty(alpha, self.window, parametric=parametric, ewma=settings.ewma)
        return estimator, Watch(settings, model, window)

    def _validated(self, X: Any, method: str, call: int, *, reset: bool) -> Array:
        if not reset and plain_row(self, X):
            return np.asarray(X)
        try:
            return np.asarray(validate_data(self, X, reset=reset, dtype=np.float64))
        except ValueError as error:
            raise locate(error, X, method, call) from None

    # -- judging ----------------------------------------------------------------------------------

    def score_samples(self, X: Any) -> Array:
        """Minus the score that decides: higher for more normal rows."""
        check_is_fitted(self)
        chart, limits = self._current()
        return -self._scores(X, chart, limits, "score_samples")[:, self._watch.settings.column]

    def decision_function(self, X: Any) -> Array:
        """How far within the limit: negative for alarms."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 for rows within the limit, -1 for those beyond; without a limit yet, all are within."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def contributions(self, X: Any, *, statistic: str | None = None) -> Any:
        """Which columns raise the score of each row: shares that sum to 1, shape of X.

        The score is integrated along the way from the nearest normal rows, with the kernel's
        gradient. `statistic` is the one that decides unless given. A data frame gives a data frame.
        """
        check_is_fitted(self)
        chart, limits = self._current()
        if not chart.model.basis.kernel.has_gradient:
            raise ValueError(
                f"contributions need a gradient; {chart.model.basis.kernel!r} has none."
            )
        names = getattr(X, "columns", None), getattr(X, "index", None)
        rows = self._validated(X, "contributions", 0, reset=False)
        lags, decides = self._watch.settings.lags, self._watch.settings.statistic
        weight = _weight_of(statistic or decides, limits)
        out, past = np.empty_like(rows), None
        for start in range(0, len(rows), ROWS):
            block = slice(start, start + ROWS)
            wide, past = joined(rows[block], past, lags)
            with translated(range(start, len(rows)), "contributions", 0):
                out[block] = shares(folded(shared(chart, wide, weight), lags))
        if not hasattr(self, "feature_names_in_") or not hasattr(X, "iloc"):
            return out
        return type(X)(out, columns=names[0], index=names[1])

    def _current(self) -> tuple[Chart, Limits]:
        learned = self.estimator_._state("scores")
        if self._looked is None or self._looked[0] is not learned:
            # Of a copy: looking leaves no trace in what was learned, nor in its pickle.
            self._looked = learned, Chart.of(replace(learned))
        chart = self._looked[1]
        return chart, self._watch.window.limits(chart)

    def __getstate__(self) -> dict[str, Any]:
        return {name: of for name, of in super().__getstate__().items() if name != "_looked"}

    def _scores(self, X: Any, chart: Chart, limits: Limits, method: str) -> Array:
        """SPE, T² and combined, smoothed, shape (n, 3)."""
        X = self._validated(X, method, 0, reset=False)
        pairs, past = np.empty((len(X), 2)), None
        for start in range(0, len(X), ROWS):
            wide, past = joined(X[start : start + ROWS], past, self._watch.settings.lags)
            with translated(range(start, len(X)), method, 0):
                pairs[start : start + ROWS] = chart.scores(wide)
        return limits.combine(self._watch.interrupted().smoothed(pairs, chart))

    # -- what was learned -------------------------------------------------------------------------

    @property
    def limits_(self) -> dict[str, float]:
        check_is_fitted(self)
        limits = self._current()[1]
        return {name: limits.of(name) for name in NAMES}

    @property
    def offset_(self) -> float:
        return -self.limits_[self._watch.settings.statistic]

    @property
    def n_samples_seen_(self) -> int:
        check_is_fitted(self)
        return self._watch.n_rows

    @property
    def n_alarms_(self) -> int:
        check_is_fitted(self)
        return self._watch.n_alarms

    def __sklearn_is_fitted__(self) -> bool:
        return "_watch" in self.__dict__


def _weight_of(statistic: str, limits: Limits) -> Array:
    """The score as a combination of SPE and T²."""
    if statistic not in NAMES:
        raise ValueError(f"statistic must be one of {', '.join(NAMES)}; got {statistic!r}.")
    return {"spe": np.array([1.0, 0.0]), "t2": np.array([0.0, 1.0])}.get(
        statistic, 1.0 / limits.scale
    )
