"""Which columns are to blame for an alarm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from okpca._core.times import told_alike
from okpca._core.typing import Array
from okpca.detection.fitted import settings_of
from okpca.plots._axes import BLUE, Display, frame, panels, plain, styled
from okpca.plots._inputs import judged, named

TICKS = 8
STATISTICS = {"spe": "SPE", "t2": "T²", "combined": "combined score", "nested": "nested score"}


@dataclass(eq=False, repr=False, kw_only=True)
class ContributionDisplay(Display):
    """The share of every column in the score of every row: bars, or a map of rows by columns.

    Parameters
    ----------
    contributions : ndarray of shape (n_samples, n_features)
        Shares of the score, as :meth:`KernelNoveltyDetector.contributions` gives them.
    feature_names : list of str
    statistic : {"nested", "spe", "t2", "combined"}
    index : sequence of n_samples labels

    Attributes
    ----------
    bars_ : the bars, or None; image_ : the map, or None.
    """

    contributions: Array
    feature_names: list[str]
    statistic: str
    index: Any

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        statistic: str | None = None,
        feature_names: Any = None,
        time: Any = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """From a fitted KernelNoveltyDetector whose kernel has a gradient.

        `statistic` is the one that decides unless given. `time` is what the rows are called by: by
        default the index of a data frame, or their number. With `lags` the rows are one run. `ax`
        and `kwargs` are those of `plot`.
        """
        judge, rows, known = judged(estimator, X)
        shares = np.asarray(judge.contributions(rows, statistic=statistic), dtype=np.float64)
        names = named(feature_names, known, shares.shape[1])
        index = getattr(X, "index", None) if hasattr(X, "iloc") else None
        index = index if time is None else time
        index = np.arange(len(shares)) if index is None else np.asarray(index)
        if len(index) != len(shares):
            raise ValueError(f"time has {len(index)} entries, and there are {len(shares)} rows.")
        of = statistic or settings_of(judge).statistic
        return cls(contributions=shares, feature_names=names, statistic=of, index=index)._drawn(
            ax, kwargs
        )

    def plot(self, ax: Any = None, *, kind: str = "auto", top: int = 10, **kwargs: Any) -> Self:
        """Draw the `top` columns with the largest mean share.

        `kind` is "bar" (the mean over the rows), "map", or "auto": bars for a single row. `kwargs`
        are those of `Axes.barh` or `Axes.imshow`.
        """
        if kind not in ("auto", "bar", "map"):
            raise ValueError(f"kind must be 'auto', 'bar' or 'map', got {kind!r}.")
        mean = self.contributions.mean(axis=0)
        order = np.argsort(-mean, kind="stable")[:top]
        bars = kind == "bar" or (kind == "auto" and len(self.contributions) == 1)
        self.bars_ = self.image_ = None
        height = max(1.3 + 0.3 * (len(order) + (len(order) < len(mean))), 2.6)
        (axes,) = panels(ax, 1, size=(6.8, height))
        self._bars(axes, mean, order, kwargs) if bars else self._map(axes, order, kwargs)
        return self._shown([axes])

    def _bars(self, axes: Any, mean: Array, order: Any, kwargs: Any) -> None:
        names, values = [self.feature_names[i] for i in order], list(mean[order])
        rest = len(mean) - len(order)
        if rest:
            names.append(f"the other {rest} together")
            values.append(float(mean.sum() - mean[order].sum()))
        colours = [BLUE] * len(order) + ["0.7"] * bool(rest)
        at = np.arange(len(names))
        self.bars_ = axes.barh(at, 100 * np.array(values), **styled({"color": colours}, kwargs))
        axes.bar_label(self.bars_, fmt="%.0f", padding=3)
        axes.set_yticks(at, [plain(name) for name in names])
        axes.invert_yaxis()
        of = "a row" if len(self.contributions) == 1 else f"{len(self.contributions)} rows, mean"
        axes.set(xlabel="share of the score, %", ylabel="column")
        axes.set_title(f"what raises the {STATISTICS[self.statistic]} of {of}")

    def _map(self, axes: Any, order: Any, kwargs: Any) -> None:
        style = {"cmap": "Blues", "vmin": 0.0, "aspect": "auto", "interpolation": "nearest"}
        shares = 100 * self.contributions[:, order].T
        self.image_ = axes.imshow(shares, **styled(style, kwargs))
        axes.set_yticks(np.arange(len(order)), [plain(self.feature_names[i]) for i in order])
        where = range(0, len(self.index), -(-len(self.index) // TICKS))
        times = np.asarray(self.index).dtype.kind == "M"
        rotated: dict[str, Any] = {"rotation": 30, "ha": "right"} if times else {}
        labels = told_alike([self.index[i] for i in where])
        axes.set_xticks(where, [plain(label or "") for label in labels], **rotated)
        axes.set(xlabel="time" if times else "row", ylabel="column")
        axes.set_title(f"what raises the {STATISTICS[self.statistic]} of each row")
        axes.figure.colorbar(self.image_, ax=axes, label="share of the score, %")

    def to_frame(self) -> Any:
        """One line a row, a column a column."""
        columns = dict(zip(self.feature_names, self.contributions.T, strict=True))
        return frame(columns, index=self.index)
