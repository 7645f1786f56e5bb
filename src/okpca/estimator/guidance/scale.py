"""Should columns be brought to one scale?

    s_j     standard deviation of column j, of d that vary
    P       = (Σ s_j²)² / Σ s_j⁴        how many columns squared distances are made of
    share   = (P − 1) / (d − 1)         1 if all count alike, 0 if one alone counts

A kernel of the distance sees the P columns. Pixels, spectra and other columns of one kind have
shares from 0.35 upwards though single columns differ by any factor (0.45 Frey's faces, 0.55 MNIST,
0.94 phonemes); measurements in units of their own have less than 0.25 (0.25 diabetes, 0.06 breast
cancer, 0.08 wine). Whatever the share, columns that a model would warn of are brought to one scale.
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array, Rows
from okpca._core.warning_thresholds import UNEQUAL
from okpca.estimator.guidance.suggestion import Choice
from okpca.kernels import RBF, Standardized
from okpca.kernels.first_rows import column_scales, of_one_scale
from okpca.kernels.rows import dense, is_sparse

COUNTED = 0.3
"""A smaller share of the columns: they are not of one kind."""
MOSTLY_ZERO = 0.8
"""Share of zeros from which columns are left alone: scaled, a number would count the more the rarer
it is in its column."""
FAR_OUT, INFLATED = 0.01, 2.0
"""A standard deviation that falls by this factor when so many rows at either end are drawn in is
that of a few rows."""


def scale_for(X: Rows) -> Choice:
    if _share_of_zeros(X) >= MOSTLY_ZERO:
        return Choice(None, "mostly zeros: scaled, a column would count the more the rarer it is")
    X = dense(X) / np.abs(X).max()  # squares cannot overflow
    varying = X[:, X.std(axis=0) > 0]
    if ((varying == 0) | (varying == 1)).all():
        return Choice(None, "every column is 0 or 1: they are of one scale")
    share, d = counted(column_scales("standard", varying)[1]), varying.shape[1]
    seen = f"distances are made of {1 + share * (d - 1):.1f} of {d} columns"
    if share >= COUNTED and of_one_scale(varying, ratio=UNEQUAL):
        return Choice(None, f"{seen}: they are of one kind")
    if _inflated(varying):
        return Choice("robust", f"{seen}, others hardly count; a few rows are far out")
    return Choice("standard", f"{seen}, others hardly count")


def counted(s: Array) -> float:
    """(P − 1) / (d − 1)"""
    if len(s) < 2:
        return 1.0
    v = np.square(s / s.max())
    return float((v.sum() ** 2 / np.square(v).sum() - 1) / (len(s) - 1))


def scaled(how: str | None, *parts: Rows) -> tuple[Rows, ...]:
    """Rows as a model with `scale=how` sees them that has learned the first part."""
    if how is None:
        return parts
    offset, scale = column_scales(how, parts[0])
    columns = Standardized(RBF(), scale, None if is_sparse(parts[0]) else offset)
    return tuple(columns.rows(part) for part in parts)


def _share_of_zeros(X: Rows) -> float:
    n_numbers = X.shape[0] * X.shape[1]
    return float(1 - (X.nnz if is_sparse(X) else np.count_nonzero(X)) / n_numbers)


def _inflated(X: Array) -> bool:
    low, lower, upper, high = np.quantile(X, [FAR_OUT, 0.25, 0.75, 1 - FAR_OUT], axis=0)
    usual = np.clip(X, low, high).std(axis=0)
    return bool(((X.std(axis=0) > INFLATED * usual) & (upper > lower)).any())
