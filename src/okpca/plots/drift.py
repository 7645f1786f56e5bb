"""How a subspace moves while rows arrive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from okpca._core.typing import Array
from okpca.detection import KernelNoveltyDetector
from okpca.plots._axes import Display, frame, from_zero, panels, styled
from okpca.plots._inputs import learned_by, twin
from okpca.plots.trace import Trace, checked, curves, traced

NAMED = 6


@dataclass(eq=False, repr=False, kw_only=True)
class DriftDisplay(Display):
    """Distance to a reference, and variance along each component, against rows seen.

    Parameters
    ----------
    rows : ndarray of int of shape (n_records,)
    variance : ndarray of shape (n_records, n_components)
        NaN where there were fewer components.
    distance : ndarray of shape (n_records,) or None
        Subspace distance, √(Σ θ²) of the principal angles θ; None without a reference.

    Attributes
    ----------
    distance_line_ : the distance, or None; lines_ : the variances.
    """

    rows: NDArray[np.int64]
    variance: Array
    distance: Array | None = None

    @classmethod
    def from_trace(cls, trace: Trace, *, ax: Any = None, **kwargs: Any) -> Self:
        """From an :class:`okpca.Trace`; with a `reference` the distance is drawn as well. `ax` and
        `kwargs` are those of `plot`."""
        records = checked(trace)
        known = all("distance" in record for record in records)
        return cls(
            rows=np.array([record["row"] for record in records]),
            variance=curves(records, "variance"),
            distance=np.array([record["distance"] for record in records]) if known else None,
        )._drawn(ax, kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        every: int | None = None,
        rows: Any = None,
        reference: Any = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Fit a copy of the estimator to the rows of X, and look every so many of them.

        The estimator need not be fitted, and stays as it is; 100 looks by default. `rows` and
        `reference` are those of :class:`okpca.Trace`. Of a detector, which must be fitted, a copy
        of its `estimator_` with the same kernel is fitted, and that is the reference.
        """
        if isinstance(estimator, KernelNoveltyDetector):
            learned, X = learned_by(estimator, X)
            estimator, reference = twin(learned), learned if reference is None else reference
        trace = traced(estimator, X, every, rows=rows, reference=reference)
        return cls.from_trace(trace, ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the distance, if it is known, above the variances; `kwargs` of `Axes.plot`."""
        all_axes = panels(ax, 1 if self.distance is None else 2, size=(7.4, 2.8))
        self.distance_line_ = None
        if self.distance is not None:
            style = styled({"color": "black", "ls": "-", "lw": 1.6}, kwargs)
            (self.distance_line_,) = all_axes[0].plot(self.rows, self.distance, **style)
            all_axes[0].set_ylabel("subspace distance\nto the reference, rad")
            from_zero(all_axes[0])
        lower = all_axes[-1]
        self.lines_ = lower.plot(self.rows, self.variance, **styled({"lw": 1.6}, kwargs))
        for j, line in enumerate(self.lines_[:NAMED]):
            line.set_label(f"component {j + 1}")
        if self.lines_:
            above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 4}
            style = {"frameon": False, "handlelength": 2.4, "columnspacing": 1.0}
            lower.legend(borderaxespad=0, **style, **above)
        lower.set(xlabel="rows seen", ylabel="variance along\nthe component")
        from_zero(lower)
        return self._shown(all_axes)

    def to_frame(self) -> Any:
        """One line a record."""
        columns: dict[str, Any] = {"row": self.rows}
        if self.distance is not None:
            columns["distance"] = self.distance
        columns |= {f"variance{j}": column for j, column in enumerate(self.variance.T)}
        return frame(columns)
