"""From a detector's parameters to a watch that has seen nothing."""

from __future__ import annotations

from typing import Any

from okpca.detection.limits import NAMES, Window, rows_needed
from okpca.detection.watch import Settings, Watch
from okpca.estimator import OnlineKernelPCA, make_kernel
from okpca.estimator.parameters import FORWARDED
from okpca.model import opened as opened_model
from okpca.model.state import next_state


def opened(detector: Any, n_features: int, known: Watch | None) -> tuple[OnlineKernelPCA, Watch]:
    """`known`: what there was, of which all rows were skipped."""
    alpha, parametric = float(detector.contamination), detector.limits == "parametric"
    if not parametric and detector.window < rows_needed(alpha):
        raise ValueError(
            f"window={detector.window} is too short for contamination={alpha}: a quantile limit "
            f"needs {rows_needed(alpha)} scores. Enlarge the window, or take "
            "limits='parametric'."
        )
    estimator = OnlineKernelPCA(**{name: getattr(detector, name) for name in FORWARDED})
    width = n_features * (detector.lags + 1)
    model = opened_model(estimator, make_kernel(estimator), width, first_rows=detector.warm_up)
    if known is not None:
        model = next_state(model, gaps=known.model.gaps, troubles=known.model.troubles)
    settings = Settings(
        column=NAMES.index(detector.statistic),
        warm_up=detector.warm_up,
        refresh=detector.refresh,
        learn_from_alarms=bool(detector.learn_from_alarms),
        accept_after=detector.accept_after,
        lags=detector.lags,
        ewma=float(detector.ewma),
    )
    window = Window.empty(alpha, detector.window, parametric=parametric, ewma=settings.ewma)
    return estimator, Watch(settings, model, window)
