"""Novelty: γ by the median, components and atoms by the spectrum, columns of one kind as they are.

Pixels scaled one by one are a loss: rows of digits with 8 as the novel class have an AUROC of .92
as they are, and .67 scaled by quartiles, since a pixel at the border that is hardly ever lit counts
as much as all others then.
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Rows
from okpca.guidance.budget import budget_for
from okpca.guidance.components import MOST, curve
from okpca.guidance.halves import halves
from okpca.guidance.sample import Sample
from okpca.guidance.scale import scale_for, scaled
from okpca.guidance.suggestion import Choice, rounded
from okpca.kernels.first_rows import gamma_by

PER_DIMENSION = 5.0
"""Components per effective dimension that are looked at."""
SHARE = 0.95
"""Of the variance that components can hold at all of rows not learned."""


def for_novelty(sample: Sample) -> dict[str, Choice]:
    scale = scale_for(sample.learned)
    if scale.value is not None:  # faults must not set the scale that they are measured by
        scale = Choice("robust", f"{scale.why}; faults do not move quartiles")
    learned, held = scaled(scale.value, sample.learned, sample.learned, sample.held)
    unit = rounded(gamma_by("median", learned))
    gamma = Choice("median", f"1 / median squared distance of the first rows, {unit:.3g} here")
    r = _components(unit, learned, held)
    budget = budget_for(unit, r.value, learned, held)
    return {"scale": scale, "gamma": gamma, "n_components": r, **budget}


def _components(gamma: float, learned: Rows, held: Rows) -> Choice:
    seen = halves(gamma, learned, held, PER_DIMENSION, 2 * MOST)
    share = seen.share()
    r = min(int(np.searchsorted(share, SHARE * share[-1])) + 1, MOST)
    why = (
        f"they hold {100 * share[r - 1]:.0f} % of the variance of rows not learned, and "
        f"{len(share)} hold {100 * share[-1]:.0f} %: what is outside is the score"
    )
    return Choice(r, why, curve(share, r))
