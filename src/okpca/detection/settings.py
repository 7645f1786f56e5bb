"""A detector's parameters about rows and time, checked."""

from __future__ import annotations

from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval

from okpca.detection.limits import NAMES, NESTED
from okpca.detection.nested import COARSE
from okpca.estimator.parameters import Words

OWN: dict[str, list[Any]] = {
    "statistic": [Words(set(NAMES))],
    "contamination": [Interval(Real, 0, 0.5, closed="right")],
    "limits": [Words({"quantile", "parametric"})],
    "window": [Interval(Integral, 2, None, closed="left")],
    "warm_up": [Interval(Integral, 1, None, closed="left")],
    "refresh": [Interval(Integral, 1, None, closed="left")],
    "learn_from_alarms": ["boolean"],
    "accept_after": [Interval(Integral, 1, None, closed="left"), None],
    "lags": [Interval(Integral, 0, None, closed="left")],
    "ewma": [Interval(Real, 0, 1, closed="right")],
}
"""What the parameters may be that a detector has beside those of a model."""


@dataclass(frozen=True)
class Settings:
    column: int  # what decides: SPE, T², their combination, or the nested score
    warm_up: int
    refresh: int
    learn_from_alarms: bool
    accept_after: int | None
    lags: int
    ewma: float

    @classmethod
    def of(cls, detector: Any) -> Settings:
        """From its parameters."""
        own = (field.name for field in fields(cls))
        given = {name: getattr(detector, name) for name in own if name != "column"}
        return cls(column=NAMES.index(detector.statistic), **given)

    @property
    def statistic(self) -> str:
        return NAMES[self.column]

    @property
    def levels(self) -> tuple[int, ...]:
        """Numbers of components whose residuals are wanted beside SPE and T²."""
        return COARSE if self.column == NESTED else ()

    @property
    def columns(self) -> tuple[int, ...]:
        """What limits are set for: SPE, which tells whether there can be any while a window is
        young, and what decides."""
        return (0, self.column) if self.column else (0,)

    def refuse_unsound(self) -> None:
        """A ValueError if these are none."""
        if not 0 <= self.column < len(NAMES) or self.refresh < 1 or self.lags < 0:
            raise ValueError(f"settings of a detector that are none: {self}")
        if not 0 < self.ewma <= 1:
            raise ValueError(f"ewma of {self.ewma}")
