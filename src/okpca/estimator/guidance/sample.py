"""The rows that a suggestion is made from: checked, drawn at random, in two parts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from okpca._core.missing_values import REMEDIES
from okpca._core.typing import Array, Rows
from okpca._core.validation import checked_rows
from okpca.estimator import OnlineKernelPCA
from okpca.kernels.rows import dense_blocks, real

FEWEST = 20
"""Rows: half of fewer, which the other half is compared with, is chance."""
EXTREME = 1e153
"""Spreads of columns, and their inverse, that squares of are beyond the largest number."""
MOST = 1400
"""Rows drawn: an eigenproblem of half of them takes a tenth of a second."""


class Sample(NamedTuple):
    """`learned` and `held` have nothing in common but the distribution."""

    learned: Rows
    held: Rows
    n_rows: int  # given

    @property
    def n_columns(self) -> int:
        return int(self.learned.shape[1])

    @property
    def size(self) -> int:
        return int(self.learned.shape[0] + self.held.shape[0])


def drawn(X: Any, random_state: Any) -> Sample:
    rows = _checked(X)
    n = rows.shape[0]
    if n < FEWEST:
        raise ValueError(
            f"suggest needs at least {FEWEST} rows, got {n}: give more of them, or begin with "
            "OnlineKernelPCA(gamma='median', scale='standard')."
        )
    which = check_random_state(random_state).permutation(n)[:MOST]
    half = len(which) // 2
    sample = Sample(real(rows[which[:half]]), real(rows[which[half:]]), n)
    _refuse_one_point(sample)
    _refuse_extreme(sample)
    return sample


def _checked(X: Any) -> Any:
    try:
        return checked_rows(OnlineKernelPCA(), X, "suggest", reset=True, sparse=True)
    except ValueError as error:
        if "NaN" not in str(error):
            raise
        raise ValueError(
            f"{str(error).removesuffix(REMEDIES)}Nothing can be suggested from rows with holes: "
            "leave these out (X[~np.isnan(X).any(axis=1)]), or fill them in first (sklearn.impute)."
        ) from None


def _refuse_extreme(sample: Sample) -> None:
    """One over a squared distance, the width of a kernel, must be a number."""
    widest = float(spread(sample.learned).max())
    if not 1 / EXTREME < widest < EXTREME:
        raise ValueError(
            f"the columns spread by {widest:.1g}, whose square is no number: give the rows in "
            "other units."
        )


def _refuse_one_point(sample: Sample) -> None:
    if not (spread(sample.learned) > 0).any():
        raise ValueError(
            "all rows are the same, as far as the sample goes: there is nothing to choose by."
        )


def spread(X: Rows) -> Array:
    """Largest minus smallest number of each column."""
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    for part in dense_blocks(X):
        low, high = np.minimum(low, part.min(axis=0)), np.maximum(high, part.max(axis=0))
    return np.asarray(high - low)
