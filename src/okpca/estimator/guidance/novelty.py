"""Novelty: the detector's own rules, asked of rows drawn at random instead of the first ones.

Its defaults were chosen by benchmark (docs/uses.md), so what is left to say is what a sample shows
better than the first hundred rows of a stream: whether columns are of one scale, and whether the
atoms of the default are enough for rows like these.

Pixels scaled one by one are a loss: rows of digits with 8 as the novel class have an AUROC of .97
as they are, and .67 scaled by quartiles, since a pixel at the border that is hardly ever lit counts
as much as all others then.
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Rows
from okpca.estimator.guidance.budget import MOST, MOST_NU, USUAL, fitted
from okpca.estimator.guidance.components import curve
from okpca.estimator.guidance.held_out import halves
from okpca.estimator.guidance.sample import Sample
from okpca.estimator.guidance.scale import scaled
from okpca.estimator.guidance.suggestion import Choice, rounded
from okpca.kernels.first_rows import gamma_by, of_one_scale
from okpca.kernels.rows import is_sparse

SHARE = 0.9999
"""Of the variance: that of the detector's default."""
PER_DIMENSION, SHOWN = 5.0, 256
"""Components per effective dimension that are drawn, and the most of them."""
ALONE = 0.5
"""Where more of the rows are atoms of their own, no dictionary that is small says what is normal;
then twice as many atoms as usual."""


def for_novelty(sample: Sample) -> dict[str, Choice]:
    if is_sparse(sample.learned):
        raise ValueError(
            "the detector takes dense rows: give X.toarray(), if there is room for it."
        )
    scale = _scale(sample.learned)
    learned, held = scaled(scale.value, sample.learned, sample.held)
    unit = rounded(gamma_by("median", learned))
    gamma = Choice("median", f"1 / median squared distance of the first rows, {unit:.3g} here")
    nu = Choice(MOST_NU, "the default")
    return {
        "scale": scale,
        "gamma": gamma,
        "n_components": _components(unit, learned, held),
        "max_atoms": _atoms(unit, learned),
        "nu": nu,
    }


def _scale(rows: Rows) -> Choice:
    if of_one_scale(rows):
        return Choice(None, "columns can be compared as they are, by their quartiles")
    return Choice("robust", "quartiles of columns differ tenfold; faults do not move them")


def _components(gamma: float, learned: Rows, held: Rows) -> Choice:
    seen = halves(gamma, learned, held)
    share = seen.share()[: min(int(np.ceil(PER_DIMENSION * seen.dimension)), SHOWN)]
    why = (
        f"{SHARE:.2%} of the variance: what is outside is the score. {len(share)} hold "
        f"{100 * share[-1]:.0f} % of that of rows not learned"
    )
    return Choice("auto", why, curve(share, int(np.searchsorted(share, SHARE * share[-1])) + 1))


def _atoms(gamma: float, learned: Rows) -> Choice:
    n = learned.shape[0]
    free = fitted(gamma, None, MOST_NU, None, learned)
    if free.n_atoms_ > max(ALONE * n, ALONE * USUAL):
        return Choice(MOST, f"{free.n_atoms_} of {n} rows are atoms where there is no bound")
    return Choice(USUAL, f"the default: {n} rows need {free.n_atoms_}")
