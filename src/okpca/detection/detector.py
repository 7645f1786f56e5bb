"""KernelNoveltyDetector: what it is told. `learning` is how it learns, `fitted` how it judges."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from okpca.detection.learning import Learning
from okpca.detection.settings import OWN
from okpca.estimator import choices
from okpca.estimator.parameters import CONSTRAINTS, FORWARDED


class KernelNoveltyDetector(Learning):
    """Novelty scores and process monitoring by online kernel PCA.

    Every row is scored before it is learned, by its reconstruction error in feature space (SPE), by
    what few components leave of it, by Hotelling's T² on the components, or by several of these; a
    row beyond the limit is an alarm, and alarms are not learned. The limits come from the scores
    themselves, and hold the false-alarm rate `contamination` for whatever distribution the scores
    of normal rows have: see Notes for when.

    The defaults are for rows of which nothing is known: columns of unlike units are brought to one
    scale, and the width of the kernel is that of the rows. How they were chosen: docs/uses.md.

    Parameters
    ----------
    n_components : int, float, {"auto"} or None, default="auto"
        As in :class:`OnlineKernelPCA`; "auto" is 0.9999, and 0.99 where scores are averaged
        (`ewma`). Its other parameters, up to `random_state`, are taken as well: `kernel`, `gamma`,
        `degree`, `coef0`, `kernel_params`, `sigma`, `scale`, `missing`, `rule`, `dictionary`, `nu`,
        `max_atoms`, `on_full`, `center`, `robust`, `forgetting`, `burn_in`. SPE of few components
        is the noise of rows in all directions that they leave out, and a small fault in one of them
        is lost in it; but a wide kernel, nearly linear, has hardly more than the columns have: 0.95
        is better there. What very many leave falls for long while the model learns, which averages
        feel most. Where strangers are among the rows that are learned, few (5) may be better. With
        few atoms ``on_full="drop"`` keeps them spread over all rows, which detects more, and takes
        longer.
    gamma : float, {"scale", "median"} or None, default="median"
        As there. It gives way to a `sigma`. What `gamma` and `scale` take from first rows, they
        take from those of `warm_up` where there is no `burn_in`.
    scale : {"auto", "standard", "robust"} or None, default="auto"
        As there: where some columns are ten times as wide as others, each is scaled by its
        quartiles; where not, as with grey levels, all stay as they are.
    statistic : {"nested", "spe", "t2", "combined"}, default="nested"
        What decides. "nested" is SPE in units of what one row in ten exceeds, but where the
        residual of the first 0, 1, 2 or 4 components is more than twice as far out as that: then it
        is what this says, five times as loud. It finds strangers where some were learned, costs a
        little where none were, and is SPE alone in short windows (``4 / contamination`` rows or
        fewer), with parametric limits and where scores are averaged. "spe" is ``|phi(x) - mean|² -
        |y|²`` for the projection y, what lies outside the dictionary included; "t2" is ``sum_j y_j²
        / explained_variance_[j]``, weak components counted as if they explained 0.1 % of the
        variance; "combined" is ``t2 + spe / v`` for the variance v of the last component, as of a
        Gaussian distribution. T² is for wide kernels, where the process is nearly linear: a narrow
        one gives strangers a small T², and then "spe" finds more than "combined" does.
    contamination : float in (0, 0.5], default=0.01
        The share of normal rows that may be alarms: the false-alarm rate for rows to come (not, as
        in scikit-learn's detectors, the share of the training rows that are marked).
    limits : {"quantile", "parametric"}, default="quantile"
        "quantile" takes an order statistic of the last `window` scores: it holds for any
        distribution, and needs ``1 / contamination - 1`` scores, more if rows follow each other
        slowly (see Notes); until then the limit is infinite.
        "parametric" takes a weighted chi-squared distribution for SPE and an F distribution for T²:
        it needs few scores, and holds its promise as far as these distributions fit.
    window : int, default=1000
        The number of rows, with their scores, that limits are taken from: more than
        ``4 / contamination``, or single scores decide, and those far out do not count.
    warm_up : int, default=100
        So many first rows are learned without being scored.
    refresh : int, default=64
        Rows of the stream between two updates of the limits, twice as many once `window` rows have
        come, if these are 14 times as many or more; and the fewest between two of the components
        that scores refer to: these wait until a quarter more rows were learned, or so.
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
        Of the rows learned; joined with their past if `lags` > 0. Of a young stream it shows as
        atoms, too, rows that wait to join (`max_atoms`); scores go by those that are there.
    gamma_ : float
        The width of the kernel that is used, of columns as they are scaled.
    limits_ : dict
        The current limits "spe", "t2", "combined" and, if it decides, "nested".
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
    has settled. While it still learns much, limits of SPE are wide and those of T² approximate.
    Scores with ties give fewer alarms, and miss faults: where rows have heavy tails, take a wider
    kernel (``gamma="scale"``). Lagged rows and moving averages score high in clusters, which count
    as one score each; what that leaves is in docs/uses.md.

    *Rows in their own order*: on the first turn of a slow cycle every row is a stranger, scores
    high and is learned; nothing can be told from it. When the cycle has come back, the rows of the
    `window` are judged as if each had not been learned, and gross faults are found from then on,
    smaller ones when the first turn has left the `window`. A process that goes on to where it has
    never been, or does so again after a rest, gives alarms, which are not learned: let the rows of
    `warm_up` show all that is normal, or give `accept_after`. There is no limit before the rows
    are half of ``1 / contamination`` times as many as those that a row is like, nor where it would
    be beyond what any row can score; both end when the window is full, or sooner. Rows that depend
    on a hundred before them still give more alarms than promised: docs/monitoring.md says how many.

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
        "n_components": [*CONSTRAINTS["n_components"], StrOptions({"auto"})],
        **OWN,
    }

    def __init__(
        self,
        n_components: int | float | choices.Auto | None = "auto",
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
        statistic: choices.Statistic = "nested",
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
