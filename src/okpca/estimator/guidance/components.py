"""How many components features are: by the effective dimension of the spectrum.

    r = 1.5 · (Σ λ)² / Σ λ²,  at most a twentieth of the rows

The effective dimension counts alike components; a spectrum that falls has more than that, of which
the last are small. Behind a `StandardScaler` they count as much as the first, and a classifier that
has few rows for each takes their noise for something.
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.estimator.guidance.held_out import halves
from okpca.estimator.guidance.suggestion import Choice, Trial

PER_DIMENSION = 1.5
"""Components per effective dimension. See docs/uses.md for the sets that it was chosen on."""
ROWS_EACH = 20
"""Rows of the sample to a component."""
FEW, MOST = 8, 128
"""Components that any number of rows allows, and the most that is suggested."""


def components_for(gamma: float, learned: Rows, held: Rows) -> Choice:
    n = learned.shape[0] + held.shape[0]
    most = min(max(FEW, n // ROWS_EACH), MOST)
    seen = halves(gamma, learned, held, 2 * PER_DIMENSION, 2 * most)
    share = seen.share()
    r = min(int(np.ceil(PER_DIMENSION * seen.dimension)), most, len(share))
    reason = f"{PER_DIMENSION} per effective dimension ({seen.dimension:.1f})"
    if r == most:
        reason = f"as many as {n} rows allow, the effective dimension being {seen.dimension:.1f}"
    why = f"{reason}: they hold {100 * share[r - 1]:.0f} % of the variance of rows not learned"
    if 2 * r <= len(share):
        why += f", twice as many {100 * share[2 * r - 1]:.0f} %"
    return Choice(r, why, curve(share, r))


def curve(share: Array, r: int) -> Trial:
    """Of the share that each number of components holds."""
    meaning = "share of the variance\nof rows not learned"
    return Trial("n_components", np.arange(1.0, len(share) + 1), share, r, meaning)
