"""What the first rows of a stream say of all: how far apart rows are, and how wide columns.

A whole weight counts as so many rows, and weights that are all ten times as large change nothing.
Quantiles are those of the distribution function of the rows, in the middle of its steps
(`averaged_inverted_cdf` in numpy); no other keep both promises.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.spatial.distance import pdist

from okpca._core.numerics import MEDIAN_ROWS, ROUNDING, TIE
from okpca._core.typing import Array, Rows
from okpca._core.warning_thresholds import COMPARABLE
from okpca.kernels.rows import blocks, dense, is_sparse, real
from okpca.kernels.sparse_distances import distances

WIDTHS = ("scale", "median")
SCALES = ("standard", "robust", "auto")
QUARTILES = 1.349  # the distance of those of a normal distribution, in standard deviations


def gamma_by(rule: str, X: Rows, weight: Array | None = None, power: int = 2) -> float:
    """One over the squared length (or, with power 1, the length) that is usual among rows.

    "scale":  d · variance of all entries (d · standard deviation), as in scikit-learn's SVC
    "median": the median of Σ_k |x_k − y_k|^power over the pairs of rows that differ

    1 where all rows, or all entries, are the same.
    """
    X, weight = real(X), _weight(X, weight)
    unit = _power_of_two(np.abs(X).max()) if X.shape[0] and X.shape[1] else 1.0
    X = X / unit  # the squares cannot overflow
    if rule == "scale":
        length = X.shape[1] * _variance(X, weight) ** (power / 2)
    else:
        length = _median_distance(X, weight, power)
    if length == 0.0:
        return 1.0
    with np.errstate(over="ignore", under="ignore"):
        gamma = np.float64(1.0) / length / unit / (unit if power == 2 else 1.0)
    return float(np.clip(gamma, sys.float_info.min, sys.float_info.max))


def _variance(X: Rows, weight: Array) -> float:
    """Of all entries, those that CSR does not store included."""
    n_entries = float(weight.sum()) * X.shape[1]
    mean = float((X.T @ weight).sum()) / n_entries
    squares = [np.square(dense(part) - mean).sum(axis=1) for part in blocks(X)]
    variance = float(weight @ np.concatenate(squares)) / n_entries
    return variance if variance > ROUNDING**2 else 0.0


def _median_distance(X: Rows, weight: Array, power: int) -> float:
    n = X.shape[0]
    if n > MEDIAN_ROWS:
        some = np.linspace(0, n - 1, MEDIAN_ROWS).astype(np.intp)
        X, weight, n = X[some], weight[some], MEDIAN_ROWS
    i, j = np.triu_indices(n, 1)
    lengths = between_rows(X, power)
    differ = lengths > 0
    if not differ.any():
        return 0.0
    return float(quantile(lengths[differ, None], (weight[i] * weight[j])[differ], 0.5)[0])


def between_rows(X: Rows, power: int = 2) -> Array:
    """Σ_k |x_k − y_k|^power of every pair of rows, in the order of `np.triu_indices(n, 1)`."""
    if is_sparse(X):
        return np.asarray(distances(X, X, power)[np.triu_indices(X.shape[0], 1)] ** power)
    return np.asarray(pdist(X, "sqeuclidean" if power == 2 else "cityblock"))


def column_scales(how: str, X: Rows, weight: Array | None = None) -> tuple[Array, Array]:
    """Offset and scale of every column, (d,) each.

    "standard": mean and standard deviation
    "robust":   median, and the distance of the quartiles / 1.349, which normal columns have the
                standard deviation by; where the quartiles are the same, the standard deviation

    A constant column has the scale 1.
    """
    weight = _weight(X, weight)
    if not is_sparse(X):
        return _dense_scales(how, real(X), weight)
    columns = X.T.tocsr()
    parts = [_dense_scales(how, dense(part).T, weight) for part in blocks(columns)]
    offset, scale = (np.concatenate(values) for values in zip(*parts, strict=True))
    return offset, scale


def _dense_scales(how: str, X: Array, weight: Array) -> tuple[Array, Array]:
    unit = _power_of_two(np.abs(X).max(axis=0, initial=0.0))
    X, share = X / unit, weight / weight.sum()
    offset = share @ X
    deviation = np.sqrt(share @ np.square(X - offset))
    constant, scale = deviation <= ROUNDING, deviation
    if how == "robust":
        offset = quantile(X, weight, 0.5)
        scale = (quantile(X, weight, 0.75) - quantile(X, weight, 0.25)) / QUARTILES
        scale = np.where(scale > ROUNDING, scale, deviation)
    return offset * unit, np.where(constant, 1.0, scale * unit)


def of_one_scale(X: Rows, weight: Array | None = None, ratio: float = COMPARABLE) -> bool:
    """Whether columns can be compared as they are, as grey levels can, up to this ratio.

    By the distances of their quartiles: the border of pictures, the same in nearly all of them,
    does not count; nor do the least quarter of the others.
    """
    weight = _weight(X, weight)
    columns = list(blocks(X.T.tocsr())) if is_sparse(X) else [real(X).T]
    high, low = (
        np.concatenate([quantile(dense(part).T, weight, share) for part in columns])
        for share in (0.75, 0.25)
    )
    with np.errstate(over="ignore"):
        varying = np.sort((high - low)[high > low])
    return len(varying) < 2 or bool(varying[-1] <= ratio * varying[(len(varying) - 1) // 4])


def quantile(values: Array, weight: Array, share: float) -> Array:
    """Of each column, (n, d) -> (d,), the rows weighted."""
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    below = np.cumsum(weight[order], axis=0)
    goal = share * below[-1]
    low = (below < (1 - TIE) * goal).sum(axis=0)
    high = np.minimum((below <= (1 + TIE) * goal).sum(axis=0), len(values) - 1)
    columns = np.arange(values.shape[1])
    return np.asarray(0.5 * (ordered[low, columns] + ordered[high, columns]))


def _weight(X: Rows, weight: Array | None) -> Array:
    if weight is None:
        return np.ones(X.shape[0])
    return np.asarray(weight / weight.max())  # products of two cannot overflow


def _power_of_two(top: Array) -> Array:
    """At least `top`, and no digit is lost by dividing by it; 1 for 0."""
    exponent = np.minimum(np.frexp(top)[1], 1023)
    return np.asarray(np.where(np.asarray(top) > 0, np.ldexp(1.0, exponent), 1.0))
