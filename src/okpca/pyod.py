"""okpca for PyOD: outliers among the rows of a table, with the interface of its detectors."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from numbers import Real
from typing import Any, Self

if find_spec("pyod") is None:
    raise ImportError("okpca.pyod needs PyOD, which is not installed: pip install 'okpca[pyod]'")

import numpy as np
from pyod.models.base import BaseDetector
from sklearn.utils.validation import check_is_fitted

from okpca._core.signatures import parameters_of, with_parameters_of
from okpca._core.typing import Array
from okpca.detection import KernelNoveltyDetector
from okpca.detection.limits import rows_needed

SHARE = 0.1  # PyOD's own


class KernelNovelty(BaseDetector):
    """:class:`okpca.KernelNoveltyDetector` as a detector of PyOD.

    `fit` goes over the rows once, in their order: what is beyond the limit so far is not learned.
    Then all of them are scored by what was learned, and `contamination` of them are outliers, which
    is what PyOD means by it.

    Parameters
    ----------
    contamination : float in (0, 0.5], default=0.1
        The share of the rows that are outliers; meanwhile, that of the alarms.
    n_components : int, float or None, default=5
        As in :class:`okpca.KernelNoveltyDetector`, whose other parameters are taken as well, with
        their defaults. Few, since outliers are among the rows that are learned: docs/uses.md.
    warm_up : int, default=100
        As there, but no more than half of the rows.

    Attributes
    ----------
    decision_scores_ : ndarray of shape (n_samples,)
        Of the rows fitted, the higher the stranger.
    threshold_ : float
        Scores beyond it are outliers.
    labels_ : ndarray of shape (n_samples,)
        1 for outliers, 0 for the others.
    detector_ : okpca.KernelNoveltyDetector
        What was learned.

    Examples
    --------
    >>> import numpy as np
    >>> from okpca.pyod import KernelNovelty
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> X[::30] += 6
    >>> detector = KernelNovelty(contamination=10 / 300).fit(X)
    >>> np.flatnonzero(detector.labels_)
    array([  0,  30,  60,  90, 120, 150, 180, 210, 240, 270])
    """

    @with_parameters_of(KernelNoveltyDetector, contamination=SHARE, n_components=5)
    def __init__(self) -> None:
        super().__init__(contamination=self.contamination)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from rows, score them, and set the threshold. y is ignored."""
        self._set_n_classes(y)
        detector = KernelNoveltyDetector(**parameters_of(KernelNoveltyDetector, self))
        if not isinstance(self.contamination, Real):
            detector.contamination = SHARE  # the threshold is for PyThresh to find
        n = np.shape(X)[0]
        detector.warm_up = max(min(self.warm_up, n // 2), 1)
        if n - detector.warm_up < rows_needed(detector.contamination):
            detector.limits = "parametric"  # too few for a quantile
        with warnings.catch_warnings():  # the threshold is PyOD's, whether there is a limit or not
            warnings.filterwarnings("ignore", "no row can be an alarm yet")
            self.detector_ = detector.fit(X)
        self.decision_scores_ = self.decision_function(X)
        self._process_decision_scores()
        return self

    def decision_function(self, X: Any) -> Array:
        """How strange rows are: the higher, the more."""
        check_is_fitted(self, "detector_")
        return np.asarray(-self.detector_.score_samples(X))
