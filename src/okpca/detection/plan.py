"""From a detector's parameters to a watch that has seen nothing."""

from __future__ import annotations

from typing import Any

from okpca.detection.drift import Drifting
from okpca.detection.limits import refuse_short
from okpca.detection.settings import Settings
from okpca.detection.state import Watch
from okpca.detection.window import Window
from okpca.estimator import OnlineKernelPCA, make_kernel
from okpca.estimator.parameters import FORWARDED
from okpca.model import opened as opened_model

OF_ROWS, OF_AVERAGES = 0.9999, 0.99
"""Of the variance. What is left is little and tells small faults of single rows; but it falls for
long while a model learns, so limits of averages, which reach far back, would be too wide."""


def opened(detector: Any, n_features: int, known: Watch | None) -> tuple[OnlineKernelPCA, Watch]:
    """`known`: what there was, of which all rows were skipped."""
    alpha, parametric = float(detector.contamination), detector.limits == "parametric"
    if not parametric:
        refuse_short(detector.window, alpha)
    estimator = estimator_of(detector)
    width = n_features * (detector.lags + 1)
    before = None if known is None else known.model
    kernel = make_kernel(estimator)
    model = opened_model(estimator, kernel, width, before, first_rows=detector.warm_up)
    settings = Settings.of(detector)
    levels = len(settings.levels)
    window = Window.empty(
        alpha,
        detector.window,
        parametric=parametric,
        ewma=settings.ewma,
        lags=settings.lags,
        width=3 + levels if levels else 2,
    )
    return estimator, Watch(settings, model, window, Drifting(detector.window))


def estimator_of(detector: Any) -> OnlineKernelPCA:
    """What a detector learns with, before the first row."""
    given = {name: getattr(detector, name) for name in FORWARDED}
    n_components = detector.n_components
    if n_components == "auto":  # as many as tell most of single rows, or of averages
        n_components = OF_ROWS if detector.ewma == 1.0 else OF_AVERAGES
    return OnlineKernelPCA(**given | {"gamma": gamma_of(detector), "n_components": n_components})


def gamma_of(detector: Any) -> Any:
    """The default gives way to a sigma."""
    both = detector.sigma is not None and detector.gamma == "median"
    return None if both else detector.gamma
