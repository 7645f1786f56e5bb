"""γ for features: as narrow as rows far from each other still allow.

    γ = 2.7 / q,   q the 0.9-quantile of the squared distances between rows

A narrow kernel tells more apart than a wide one, which is little more than linear PCA. But rows
must not be alone: of the pairs of rows, nine in ten have κ ≥ e^−2.7 = 0.07. Where all distances are
much alike, as between images, that is about twice as narrow as 1 / median; where some rows lie far
out, as with heavy tails, it is wider than that.
"""

from __future__ import annotations

import numpy as np

from okpca._core.numerics import MEDIAN_ROWS
from okpca._core.typing import Array, Rows
from okpca.estimator.guidance.suggestion import Choice, Trial, rounded
from okpca.kernels.first_rows import between_rows, gamma_by

FAR = 0.9
"""The quantile of the squared distances."""
RATE = 2.7
"""γ times that. See docs/uses.md for the sets that it was chosen on."""
FACTORS: Array = np.exp2(np.arange(-4.0, 4.0))


def width_for(rows: Rows) -> Choice:
    unit = gamma_by("median", rows)
    squares = between_rows(np.sqrt(unit) * rows[:MEDIAN_ROWS])  # which cannot overflow
    far = float(np.quantile(squares[squares > 0], FAR))
    factor = RATE / far
    gamma = rounded(factor * unit)
    why = (
        f"{factor:.2g} / median squared distance: {100 * FAR:.0f} % of the pairs of rows, some "
        f"{far:.2g} times that apart, still have kernel values above {np.exp(-RATE):.2g}"
    )
    meaning = f"kernel values that {100 * FAR:.0f} % of\nthe pairs of rows exceed"
    values = np.exp(-FACTORS * RATE)
    return Choice(gamma, why, Trial("gamma", FACTORS * factor * unit, values, gamma, meaning))
