"""How many components features are: by the effective dimension of the spectrum.

    p_j = λ_j / Σ λ,   r = exp(−Σ p_j log p_j),   8 at least, at most a tenth of the rows

The exponential of the entropy says how many components there are, were they all alike, and a long
tail of small ones counts for much of it. That is wanted: what tells classes apart is often not what
varies most (the light on faces varies more than the faces do). (Σ λ)² / Σ λ², which hardly sees the
tail, is a third of it there. Behind a `StandardScaler` the last components count as much as the
first, and a classifier that has few rows for each takes their noise for something: hence the tenth.
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.estimator.guidance.held_out import halves
from okpca.estimator.guidance.suggestion import Choice, Trial

ROWS_EACH = 10
"""Rows of the sample to a component. See docs/uses.md for the sets that it was chosen on."""
FEW, MOST = 8, 128
"""Components that are worth their price for any number of rows, and the most that is suggested."""


def components_for(gamma: float, learned: Rows, held: Rows) -> Choice:
    n = learned.shape[0] + held.shape[0]
    most = min(max(FEW, n // ROWS_EACH), MOST)
    seen = halves(gamma, learned, held)
    share = seen.share()
    asked = max(FEW, int(np.ceil(seen.dimension)))
    r = min(asked, most, len(share))
    why = f"{_reason(r, asked, len(share), n, seen.dimension)}: they hold "
    why += f"{100 * share[r - 1]:.0f} % of the variance of rows not learned"
    if 2 * r <= len(share):
        why += f", twice as many {100 * share[2 * r - 1]:.0f} %"
    return Choice(r, why, curve(share[: 2 * r], r))


def _reason(r: int, asked: int, there: int, n: int, dimension: float) -> str:
    if r == there < asked:
        return "all that there are"
    if r < asked:
        return f"as many as {n} rows allow, the effective dimension being {dimension:.1f}"
    if r == FEW:
        return f"no fewer, though the effective dimension is {dimension:.1f}"
    return f"the effective dimension ({dimension:.1f})"


def curve(share: Array, r: int) -> Trial:
    """Of the share that each number of components holds."""
    meaning = "share of the variance\nof rows not learned"
    return Trial("n_components", np.arange(1.0, len(share) + 1), share, r, meaning)
