"""γ for features: the narrowest kernel whose components are found again in other rows.

    γ = f / median squared distance,  f = 1/8 … 4
    again(γ) = Σ v_j / Σ λ_j  over the later half of the components

A wide kernel is little more than linear PCA. A narrow one tells more apart, until its components
are those of single rows: they have variance in the rows learned (λ_j) and none in others (v_j).
Where distances are alike, as in many columns of noise, that comes early, and where rows lie on a
surface late; the median alone knows neither.
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Rows
from okpca.guidance.components import MOST, PER_DIMENSION
from okpca.guidance.halves import Halves, halves
from okpca.guidance.suggestion import Choice, Trial, rounded
from okpca.kernels.first_rows import gamma_by

FACTORS = 2.0 ** np.arange(-3, 2.5, 0.5)
AGAIN = 0.7
"""Of the later components' variance must be there in rows that were not learned. By trial on four
sets, see docs/uses.md."""


def width_for(learned: Rows, held: Rows) -> Choice:
    unit = gamma_by("median", learned)
    tried = [halves(f * unit, learned, held, PER_DIMENSION, MOST) for f in FACTORS]
    again = np.array([found_again(each) for each in tried])
    # The widest is taken if none will do; a narrower one after a wider that failed is chance.
    best = max(int(np.argmin(np.append(again >= AGAIN, False))) - 1, 0)
    gamma = rounded(FACTORS[best] * unit)
    meaning = "variance of the later components\nfound again in other rows"
    trial = Trial("gamma", FACTORS * unit, again, gamma, meaning)
    return Choice(gamma, _why(FACTORS[best], again[best]), trial)


def _why(factor: float, again: float) -> str:
    found = f"found again in rows not learned ({100 * again:.0f} % of their variance)"
    if again >= AGAIN:
        which = f"the narrowest of {len(FACTORS)} widths whose later components are {found}"
    else:
        which = f"the widest of {len(FACTORS)}, since later components are hardly {found}"
    return f"{factor:.2g} / median squared distance, {which}"


def found_again(each: Halves) -> float:
    later = slice(len(each.learned) // 2, None)
    return float(each.held[later].sum() / each.learned[later].sum())
