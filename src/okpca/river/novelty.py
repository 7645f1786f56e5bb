"""KernelNovelty for River: how strange is a row?"""

from __future__ import annotations

from copy import copy
from typing import Any

from river import base

from okpca import detection
from okpca._core.signatures import with_parameters_of
from okpca.detection.peeking import limit_ahead, peeked
from okpca.river.columns import Columns, Features
from okpca.river.face import blaming, opened, refuse_unknown, validated


class KernelNovelty(base.AnomalyDetector):
    """:class:`okpca.KernelNoveltyDetector` as an anomaly detector of River.

    `score_one` is SPE, or another `statistic`: what `learn_one` would score the row before it
    learns it, 0 during the warm-up, NaN for a row that is skipped for the values it lacks. Rows
    beyond the `limit` are alarms, and are not learned (`learn_from_alarms`): no filter is needed
    around it.

    Parameters
    ----------
    n_components : int, float or None, default=0.99
        As in :class:`okpca.KernelNoveltyDetector`, whose other parameters are taken as well, with
        their defaults.
    absent : {"zero", "missing"}, default="zero"
        As in :class:`okpca.river.OnlineKernelPCA`: what a feature is in a row that does not have
        it. With "zero" a feature that appears is something new, and scores like it.
    max_features : int or None, default=None
        As there.

    Attributes
    ----------
    detector : okpca.KernelNoveltyDetector
        What was learned, a copy: its `limits_`, `drift_`, `contributions(X)` ...
    features : list
        The feature in each column of its rows. Columns beyond are 0, for features to come.
    limit : float
        Of the next row; infinite while there is none.

    Examples
    --------
    >>> import random
    >>> from okpca.river import KernelNovelty
    >>> rng = random.Random(0)
    >>> model = KernelNovelty()
    >>> for _ in range(500):
    ...     flow = rng.gauss(0, 1)
    ...     model.learn_one({"flow": flow, "level": flow**2 + rng.gauss(0, 0.1)})
    >>> model.score_one({"flow": 1.0, "level": 1.0}) < model.limit
    True
    >>> model.score_one({"flow": 1.0, "level": -1.0}) < model.limit
    False
    """

    @with_parameters_of(detection.KernelNoveltyDetector, absent="zero", max_features=None)
    def __init__(self) -> None:
        self._inner = validated(detection.KernelNoveltyDetector, self)
        self._columns: Columns | None = None

    def learn_one(self, x: Features) -> None:
        """Learn from a row that is no alarm. One that is refused changes nothing."""
        inner, columns = self._inner, self._columns
        if columns is None:
            if not x:
                return  # it tells nothing, not even what there is
            inner, columns = opened(self, inner, x)
        columns, row = columns.taking(x)
        with blaming(columns, x, row):
            inner.partial_fit(row)
        self.__dict__.update(_inner=inner, _columns=columns)  # at once

    def score_one(self, x: Features) -> float:
        """How far out a row is if it comes next: the higher, the stranger."""
        if self._columns is None:
            return 0.0
        columns, row = self._columns.taking(x)
        with blaming(columns, x, row):
            score = peeked(self._inner, row)
        return 0.0 if score is None else score

    @property
    def limit(self) -> float:
        """Scores beyond it are alarms; infinite while too few rows were scored to tell."""
        return limit_ahead(self._inner)

    @property
    def detector(self) -> detection.KernelNoveltyDetector:
        """What was learned so far, for scikit-learn: a copy."""
        return copy(self._inner)

    @property
    def features(self) -> list[Any]:
        """The feature in each column."""
        return [] if self._columns is None else list(self._columns.names)

    def __getattr__(self, name: str) -> Any:
        refuse_unknown(self, name)
