"""KernelNovelty for River: how strange is a row?"""

from __future__ import annotations

from copy import copy

from river import base

from okpca import detection
from okpca._core.signatures import with_parameters_of
from okpca.detection.next_score import peeked
from okpca.detection.plan import gamma_of
from okpca.river.adapter import Face, blamed, validated
from okpca.river.columns import Columns, Features


class KernelNovelty(Face, base.AnomalyDetector):
    """:class:`okpca.KernelNoveltyDetector` as an anomaly detector of River.

    `score_one` is from 0 to 1: s / (s + limit) for what `learn_one` would score the row before it
    learns it, by its `statistic`. So 1/2 is the limit, and rows beyond it are alarms, which
    are not learned (`learn_from_alarms`); ``anomaly.ThresholdFilter(model, 0.5)`` says which. While
    there are too few scores for a limit the largest so far stands in for it. During the warm-up
    scores are 0; of a row that is skipped for the values it lacks, NaN.

    Parameters
    ----------
    n_components : int, float, {"auto"} or None, default="auto"
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

    Examples
    --------
    >>> import random
    >>> from okpca.river import KernelNovelty
    >>> rng = random.Random(0)
    >>> model = KernelNovelty()
    >>> for _ in range(500):
    ...     flow = rng.gauss(0, 1)
    ...     model.learn_one({"flow": flow, "level": flow**2 + rng.gauss(0, 0.1)})
    >>> model.score_one({"flow": 1.0, "level": 1.0}) < 0.5
    True
    >>> model.score_one({"flow": 1.0, "level": -1.0}) < 0.5
    False
    """

    @with_parameters_of(detection.KernelNoveltyDetector, absent="zero", max_features=None)
    def __init__(self) -> None:
        self._inner = validated(detection.KernelNoveltyDetector, self)
        self._inner.gamma = gamma_of(self._inner)
        self._columns: Columns | None = None

    def learn_one(self, x: Features) -> None:
        """Learn from a row that is no alarm. One that is refused changes nothing."""
        taught = self._taught(x)
        if taught is not None:
            self._inner, self._columns = taught

    def score_one(self, x: Features) -> float:
        """How far out a row is if it comes next: from 0 to 1, the limit being 1/2."""
        if self._columns is None:
            return 0.0
        columns, row = self._columns.taking(x)
        try:
            found = peeked(self._inner, row)
        except ValueError as error:
            raise blamed(error, columns, x, row) from None
        return 0.0 if found is None else found.strangeness

    @property
    def detector(self) -> detection.KernelNoveltyDetector:
        """What was learned so far, for scikit-learn: a copy."""
        learned: detection.KernelNoveltyDetector = copy(self._inner)
        return learned
