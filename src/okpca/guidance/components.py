"""How many components features are: by the effective dimension of the spectrum.

    r = 2.5 · (Σ λ)² / Σ λ²

The effective dimension counts alike components; a spectrum that falls has more than that, of which
the last are small. Behind a `StandardScaler` they count as much as the first.
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.guidance.halves import Halves, halves
from okpca.guidance.suggestion import Choice, Trial

PER_DIMENSION = 2.5
"""Components per effective dimension: logistic regression on them gains little from more, and on
few rows it loses. By trial on four sets, see docs/uses.md."""
MOST = 128
"""Components, whatever the spectrum."""


def components_for(gamma: float, learned: Rows, held: Rows) -> Choice:
    seen = halves(gamma, learned, held, 2 * PER_DIMENSION, 2 * MOST)
    share = seen.share()
    r = min(wanted(seen), len(share))
    capped = ", the most that is suggested" if r == MOST else ""
    why = (
        f"{PER_DIMENSION} per effective dimension ({seen.dimension:.1f}){capped}: they hold "
        f"{100 * share[r - 1]:.0f} % of the variance of rows not learned, twice as many "
        f"{100 * share[min(2 * r, len(share)) - 1]:.0f} %"
    )
    return Choice(r, why, curve(share, r))


def curve(share: Array, r: int) -> Trial:
    """Of the share that each number of components holds."""
    meaning = "share of the variance\nof rows not learned"
    return Trial("n_components", np.arange(1.0, len(share) + 1), share, r, meaning)


def wanted(seen: Halves) -> int:
    return min(int(np.ceil(PER_DIMENSION * seen.dimension)), MOST)
