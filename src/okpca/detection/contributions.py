"""Which sensor? The score of a row shared among its columns, by the kernel's gradient.

    c_i(x) = (x_i − r_i) ∫₀¹ ∂s/∂x_i (r + t (x − r)) dt,     Σ_i c_i(x) = s(x) − s(r)

(integrated gradients: Sundararajan, Taly & Yan 2017). The gradient at x alone, as in the scaling
derivatives of Cho et al. 2005, vanishes far from the data, exactly where a fault lies; the
integral along the way from a normal row r does not. The normal row is the mean of the atoms nearest
to x in feature space.
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array
from okpca.detection.lags import folded
from okpca.detection.limits import NAMES, Limits
from okpca.detection.scores import Chart
from okpca.kernels import Kernel
from okpca.model import imputed

NEIGHBOURS = 10  # atoms that the reference is the mean of
POINTS = 16  # points of the integral (Gauss-Legendre)
TOGETHER = 16  # rows, with all their points: one row takes a third of the time it would by itself
FLAT = 1e-6  # of a score: a smaller change is none
DIAGONAL = 64  # rows at a time for the gradient of κ(x, x)


def raised_by(statistic: str, limits: Limits, chart: Chart, X: Array, lags: int) -> Array:
    """Which columns raise the score of rows with their past, as shares of 1."""
    X = imputed(chart.model, X)
    return shares(folded(shared(chart, X, weights_of(statistic, limits, chart, X)), lags))


def shared(chart: Chart, X: Array, weight: Array) -> Array:
    """c_i of s = weight · (SPE, T², …), shape (n, d); one weight for all rows, or one for each."""
    if chart.model.basis.m == 0:  # only rows with κ(x, x) = 0 were learned: nothing to start from
        return np.zeros_like(X)
    weight = np.broadcast_to(weight, (len(X), weight.shape[-1]))
    reference = normal_rows(chart, X)
    step = shortened(chart, reference, X - reference, weight)
    where, share = np.polynomial.legendre.leggauss(POINTS)
    total = np.zeros_like(X)
    for start in range(0, len(X), TOGETHER):
        rows = slice(start, start + TOGETHER)
        way = reference[rows] + (where[:, None, None] + 1) / 2 * step[rows]
        weights = np.tile(weight[rows], (POINTS, 1))
        slopes = gradient(chart, way.reshape(-1, X.shape[1]), weights).reshape(way.shape)
        total[rows] = np.tensordot(share / 2, slopes, axes=1)
    return np.asarray(step * total)


def shortened(chart: Chart, reference: Array, step: Array, weight: Array) -> Array:
    """Half the way, again and again, where the score is the same there: a local kernel is flat far
    out, and the points of the integral would all fall where it has no slope."""
    step = step.copy()
    end = _weighted(chart, reference + step, weight)
    rows = np.arange(len(step))
    while len(rows):
        there = _weighted(chart, reference[rows] + step[rows] / 2, weight[rows])
        moving = step[rows].any(axis=1)
        rows = rows[moving & (np.abs(there - end[rows]) <= FLAT * np.abs(end[rows]))]
        step[rows] /= 2
    return step


def _weighted(chart: Chart, X: Array, weight: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", chart.scores(X), weight))


def normal_rows(chart: Chart, X: Array) -> Array:
    """For each row the mean of the atoms nearest in feature space."""
    basis = chart.model.basis
    distance = basis.kernel.diag(basis.atoms) - 2.0 * basis.kernel_values(X)
    k = min(NEIGHBOURS, basis.m)
    nearest = np.argpartition(distance, k - 1, axis=1)[:, :k]
    return np.asarray(basis.atoms[nearest].mean(axis=1))


def gradient(chart: Chart, X: Array, weight: Array) -> Array:
    """∇(w₁ SPE + w₂ T² + …) at each row."""
    basis = chart.model.basis
    weight = np.broadcast_to(weight, (len(X), weight.shape[-1]))
    pulled = basis.kernel.pullback(X, basis.atoms, chart.weights(X, weight))
    residuals = weight.sum(axis=1) - weight[:, 1]
    return np.asarray(pulled + residuals[:, None] * diagonal_gradient(basis.kernel, X))


def diagonal_gradient(kernel: Kernel, X: Array) -> Array:
    """∇κ(x, x): twice the gradient in the first argument, kernels being symmetric."""
    out = np.empty_like(X)
    for start in range(0, len(X), DIAGONAL):
        block = X[start : start + DIAGONAL]
        out[start : start + DIAGONAL] = kernel.pullback(block, block, 2.0 * np.eye(len(block)))
    return out


def shares(contributions: Array) -> Array:
    """What raises the score, as shares of 1; zeros where nothing does."""
    raising = np.maximum(contributions, 0.0)
    total = raising.sum(axis=1, keepdims=True)
    return np.asarray(raising / np.where(total > 0, total, 1.0))


def known_statistic(statistic: str, limits: Limits) -> str:
    """A ValueError if the detector has no such score."""
    if statistic not in limits.names:
        raise ValueError(f"statistic must be one of {', '.join(limits.names)}; got {statistic!r}.")
    return statistic


def weights_of(statistic: str, limits: Limits, chart: Chart, X: Array) -> Array:
    """The score as a combination of the columns of a chart: one for all rows, or one for each."""
    out = np.zeros(2 + len(chart.levels))
    if statistic == "nested":
        assert limits.gauge is not None
        return limits.gauge.weights(chart.scores(X))
    if statistic == "combined":
        out[:2] = 1.0 / limits.scale
    else:
        out[NAMES.index(statistic)] = 1.0
    return out
