"""The error of denoising, told by noisy rows alone.

    error = mean over hidden entries of (x̂_J − x_J)²

Of every row some columns J are hidden; a row without them, filled in by the column means and then
by its own denoised entries, is denoised, and x̂_J is what is there afterwards. x_J has no part in
x̂_J. So if noise is independent from column to column, the error is that of x̂_J against what was
there before the noise, plus the variance of the noise, which no choice changes (Batson & Royer
2019, Noise2Self). Too few components blur, and too many bring back the noise of the columns that
are seen: both miss x_J.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from okpca._core.typing import Array, Flags

HIDDEN = 0.2
"""The share of columns hidden in a row, one at least."""
TURNS = 2
"""How often what is hidden is filled in anew."""


@dataclass(frozen=True, eq=False)
class Masked:
    rows: Array
    hidden: Flags  # (n, d)
    filled: Array  # with column means in the place of what is hidden

    @classmethod
    def of(cls, rows: Array, means: Array, rng: np.random.RandomState) -> Masked:
        n, d = rows.shape
        order = np.argsort(rng.uniform(size=(n, d)), axis=1)
        hidden = order < max(1, round(HIDDEN * d))
        return cls(rows, hidden, np.where(hidden, means, rows))

    def error(self, denoise: Callable[[Array], Array]) -> float:
        x = self.filled
        for _ in range(TURNS):
            x = np.where(self.hidden, denoise(x), self.rows)
        return float(np.square(denoise(x) - self.rows)[self.hidden].mean())

    def blank(self) -> float:
        """The error of the column means."""
        return float(np.square(self.filled - self.rows)[self.hidden].mean())
