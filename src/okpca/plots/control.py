"""The control chart of a process: SPE and T², their limits, the alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from okpca._core.times import by_clock
from okpca._core.typing import Array
from okpca.detection import Monitored
from okpca.detection.fitted import scored
from okpca.detection.limits import exceeds, shown
from okpca.detection.monitored import concatenated
from okpca.plots._axes import (
    BLACK,
    BLUE,
    GREY,
    SKY,
    VERMILION,
    Display,
    frame,
    from_zero,
    panels,
    short_dates,
    styled,
)
from okpca.plots._inputs import judged

TITLES = {"spe": "SPE", "t2": "T²", "combined": "combined", "nested": "nested"}


@dataclass(eq=False, repr=False, kw_only=True)
class ControlChartDisplay(Display):
    """Scores over time with their control limits, one panel a score, alarms marked in all.

    Parameters
    ----------
    scores : dict of str to ndarray of shape (n_samples,)
        "spe" and "t2", and "combined" where that is what decides; or "nested" and "t2". NaN: not
        scored.
    limits : dict of str to ndarray of shape (n_samples,)
        The limit of each score at each row; NaN where it is unknown.
    alarms : ndarray of bool of shape (n_samples,)
    decides : str
        The score that alarms come from.
    time : ndarray of shape (n_samples,)
    drift : ndarray of bool of shape (n_samples,), or None
        Where the stream was known to have drifted.

    Attributes
    ----------
    lines_, limit_lines_, alarms_ : lists of the artists, one a panel (None where not drawn).
    """

    scores: dict[str, Array]
    limits: dict[str, Array]
    alarms: NDArray[np.bool_]
    decides: str
    time: Any
    drift: NDArray[np.bool_] | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, time: Any = None, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Rows judged by a fitted KernelNoveltyDetector as it is now; it learns nothing.

        A pipeline that ends in one serves as well. `time` is what the rows are drawn against: by
        default the index of a data frame, or their number. `ax` and `kwargs` are those of `plot`.
        """
        judge, rows, _ = judged(estimator, X)
        values, limits, decides, _ = scored(judge, rows)
        n, names = len(values), shown(decides)
        columns = dict(zip(limits.names, values.T, strict=True))
        return cls(
            scores={name: columns[name] for name in names},
            limits={name: np.full(n, limits.of(name)) for name in names},
            alarms=exceeds(columns[decides], limits.of(decides)),
            decides=decides,
            time=_checked_time(time, X.index if hasattr(X, "iloc") else None, n),
        )._drawn(ax, kwargs)

    @classmethod
    def from_monitored(
        cls,
        monitored: Monitored | Sequence[Monitored],
        *,
        time: Any = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """What `KernelNoveltyDetector.monitor` told, in one call or in several.

        The limit is the one that was in force for each row, known for the score that decides. The
        background is grey where the stream was known to have drifted.
        """
        seen = monitored if isinstance(monitored, Monitored) else concatenated(list(monitored))
        columns = {"spe": seen.spe, "t2": seen.t2, seen.statistic: seen.score}
        n, decides = len(seen.score), seen.statistic
        unknown, names = np.full(n, np.nan), shown(decides)
        return cls(
            scores={name: columns[name] for name in names},
            limits={name: seen.limit if name == decides else unknown for name in names},
            alarms=seen.alarms,
            decides=decides,
            time=_checked_time(time, seen.index, n),
            drift=seen.drift,
        )._drawn(ax, kwargs)

    def plot(self, ax: Any = None, *, log: bool = False, **kwargs: Any) -> Self:
        """Draw one panel a score; `kwargs` are those of `Axes.plot` for the scores."""
        all_axes = panels(ax, len(self.scores), size=(7.6, 2.2))
        self.lines_: list[Any] = []
        self.limit_lines_: list[Any] = []
        self.alarms_: list[Any] = []
        for axes, name in zip(all_axes, self.scores, strict=True):
            self._panel(axes, name, kwargs)
            decides = "\n(decides)" if name == self.decides and len(self.scores) > 1 else ""
            axes.set_ylabel(TITLES[name] + decides)
            axes.set_yscale("log" if log else "linear")
            if not log:
                from_zero(axes)
        if np.asarray(self.time).dtype.kind == "M":
            short_dates(all_axes[-1])
        all_axes[-1].set_xlabel("row" if _may_be_rows(self.time) else "time")
        self._head(all_axes)
        return self._shown(all_axes)

    def _head(self, all_axes: list[Any]) -> None:
        """One legend for all panels, above them, and beside it the count."""
        top, keys = all_axes[0], dict[str, Any]()
        for axes in all_axes:
            keys |= {key.get_label(): key for key in axes.get_legend_handles_labels()[0]}
        above: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)}
        top.legend(handles=list(keys.values()), ncols=3, frameon=False, borderaxespad=0, **above)
        top.set_title(f"{int(self.alarms.sum())} alarms in {len(self.alarms)} rows", loc="left")

    def _panel(self, axes: Any, name: str, kwargs: Any) -> None:
        values, limit = self.scores[name], self.limits[name]
        style = {"color": BLUE, "lw": 0.9, "ls": "-", "label": "score"}
        self.lines_ += axes.plot(self.time, values, **styled(style, kwargs))
        dashes = {"color": BLACK, "ls": "--", "lw": 1.2, "label": "limit", "where": "mid"}
        known = np.where(np.isfinite(limit), limit, np.nan)
        drawn = bool(np.isfinite(known).any())
        self.limit_lines_ += axes.step(self.time, known, **dashes) if drawn else [None]
        self._shade(axes, np.isinf(limit), SKY, "no limit yet")
        if self.drift is not None:
            self._shade(axes, self.drift, GREY, "drift")
        crosses = {"marker": "x", "s": 22, "color": VERMILION, "lw": 1.2, "zorder": 3}
        at = np.asarray(self.time)[self.alarms]
        self.alarms_.append(axes.scatter(at, values[self.alarms], label="alarm", **crosses))

    def _shade(self, axes: Any, where: NDArray[np.bool_], colour: str, label: str) -> None:
        """The background of these rows, if there are any."""
        if where.any():
            style = {"color": colour, "alpha": 0.25, "lw": 0, "step": "mid", "label": label}
            whole = axes.get_xaxis_transform()
            axes.fill_between(self.time, 0, 1, where=where, transform=whole, **style)

    def to_frame(self) -> Any:
        """One line a row of the stream."""
        columns: dict[str, Any] = {"time": self.time}
        for name, values in self.scores.items():
            columns |= {name: values, f"{name}_limit": self.limits[name]}
        told = {} if self.drift is None else {"drift": self.drift}
        return frame(columns | {"alarm": self.alarms} | told)


def _may_be_rows(time: Any) -> bool:
    time = np.asarray(time)
    return time.dtype.kind in "iuf" and bool((time == np.rint(time)).all())


def _checked_time(time: Any, index: Any, n: int) -> Any:
    """What is given, or the index of a frame, if it is numbers or times; or row numbers."""
    time, index = by_clock(time), by_clock(index)
    if time is None and index is not None and np.asarray(index).dtype.kind in "iufM":
        time = index
    if time is None:
        return np.arange(n)
    time = np.asarray(time)
    if time.shape != (n,):
        raise ValueError(f"time has shape {time.shape}, and there are {n} rows.")
    return time
