"""How large the residuals of most rows are: running quantiles, in memory that does not grow.

    e  →  p = 8 log₂ e  →  the bins ⌊p⌋ and ⌊p⌋ + 1 share the row's weight, as p lies between them

The median is where half of all weight lies below, each bin spread evenly over its width. So it is
continuous in every residual, it does not care in which calls rows came, weights decay as the model
forgets, and two models' residuals add. Bins of an eighth of an octave know it to two per cent.

All rows count alike, whatever their robust weight: a median moves little as long as most rows are
normal, while one of only those rows that were thought normal would shrink from look to look.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from okpca._core.decay import decay_powers
from okpca._core.numerics import TIE
from okpca._core.typing import Array

PER_OCTAVE = 8  # bins


@dataclass(frozen=True, eq=False)
class Residuals:
    """Σ of the weights of rows by the size of their residuals; bins[0] is that of p = first."""

    bins: Array = field(default_factory=lambda: np.zeros(0))
    first: int = 0

    def after(self, e: Array, weight: Array, decay: float = 1.0) -> Self:
        """With these rows, each of which lets the earlier ones fade. One of no e says nothing."""
        old, weight = self.bins * decay ** len(e), weight * decay_powers(len(e), decay)
        some = e > sys.float_info.min
        e, weight = e[some], weight[some]
        if not len(e):
            return type(self)(old, self.first)
        position = PER_OCTAVE * np.log2(e)
        low = np.floor(position)
        share = weight * (position - low)
        start, stop = int(low.min()), int(low.max()) + 2
        where = low.astype(np.intp) - start
        new: Array = np.bincount(where, weight - share, stop - start).astype(np.float64)
        new += np.bincount(where + 1, share, stop - start)
        return type(self)(old, self.first).joined(type(self)(new, start))

    def joined(self, other: Residuals) -> Self:
        """The rows of both."""
        parts = [part for part in (self, other) if len(part.bins)]
        if not parts:
            return self
        first = min(part.first for part in parts)
        bins = np.zeros(max(part.first + len(part.bins) for part in parts) - first)
        for part in parts:
            bins[part.first - first :][: len(part.bins)] += part.bins
        return type(self)(bins, first)

    @property
    def empty(self) -> bool:
        """Has no row said anything?"""
        return not self.bins.any()

    def quantile(self, share: Any) -> Any:
        """What this share of the weight, one or several, lies below; NaN if there is none."""
        below = np.concatenate([[0.0], np.cumsum(self.bins)])
        if not below[-1] > 0:
            return np.full(np.shape(share), np.nan)[()]
        edges = self.first - 0.5 + np.arange(len(below))
        # Where just so many of the rows are near and the others far, rounding does not choose.
        goals = np.multiply.outer([1 - TIE, 1 + TIE], share) * below[-1]
        return 2.0 ** (np.interp(goals, below, edges).mean(axis=0) / PER_OCTAVE)
