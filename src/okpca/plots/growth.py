"""The size of the dictionary over a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from okpca.plots._axes import Display, frame, from_zero, panels, styled
from okpca.plots.trace import Trace, checked, traced


@dataclass(eq=False, repr=False, kw_only=True)
class GrowthDisplay(Display):
    """Atoms in the dictionary against rows seen.

    Parameters
    ----------
    rows, atoms : ndarray of int of shape (n_records,)
    max_atoms : int or None
        The budget, drawn as a line.

    Attributes
    ----------
    line_ : the atoms; budget_ : the budget, or None.
    """

    rows: NDArray[np.int64]
    atoms: NDArray[np.int64]
    max_atoms: int | None = None

    @classmethod
    def from_trace(
        cls, trace: Trace, *, max_atoms: int | None = None, ax: Any = None, **kwargs: Any
    ) -> Self:
        """From an :class:`okpca.Trace` that was a callback of `fit` or `partial_fit`; `ax` and
        `kwargs` are those of `plot`."""
        records = checked(trace)
        return cls(
            rows=np.array([record["row"] for record in records]),
            atoms=np.array([record["atoms"] for record in records]),
            max_atoms=max_atoms,
        )._drawn(ax, kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, every: int | None = None, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Fit a copy of the estimator to the rows of X, and look every so many of them.

        The estimator need not be fitted, and stays as it is; 100 looks by default.
        """
        trace = traced(estimator, X, every)
        return cls.from_trace(trace, max_atoms=estimator.max_atoms, ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the growth; `kwargs` are those of `Axes.step`."""
        (axes,) = panels(ax, 1, size=(6.4, 3.8))
        style: dict[str, Any] = {"where": "post", "lw": 1.6, "label": "atoms"}
        (self.line_,) = axes.step(self.rows, self.atoms, **styled(style, kwargs))
        self.budget_ = None
        drawn = {line.get_label() for line in axes.get_lines()}
        budget = f"max_atoms = {self.max_atoms}"
        if self.max_atoms is not None and budget not in drawn:
            self.budget_ = axes.axhline(self.max_atoms, color="0.45", ls=":", lw=1.4, label=budget)
        axes.set(xlabel="rows seen", ylabel="atoms in the dictionary")
        from_zero(axes)
        axes.legend(frameon=False)
        return self._shown([axes])

    def to_frame(self) -> Any:
        """One line a record."""
        return frame({"row": self.rows, "atoms": self.atoms})
