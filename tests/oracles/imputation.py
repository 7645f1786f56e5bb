"""Missing values by regression among rows, one row, one matrix and one left-out atom at a time."""

from __future__ import annotations

import numpy as np

RIDGES = np.logspace(-3, 0, 13)


def spread(points, weight):
    """Mean and standard deviation of each column, constant columns with 1."""
    mean = np.average(points, axis=0, weights=weight)
    scale = np.sqrt(np.average((points - mean) ** 2, axis=0, weights=weight))
    return mean, np.where(scale > 1e-12, scale, 1.0)


def likeness(x, points, weight, most):
    """ω exp(−‖x_o − d_o‖² / |o|), of the `most` heaviest less what the next one has, sum 1."""
    there = ~np.isnan(x)
    apart = np.array([((x - d)[there] ** 2).sum() / max(there.sum(), 1) for d in points])
    w = weight * np.exp(apart.min() - apart)  # in units of the nearest: no underflow
    if len(w) > most:
        w = np.maximum(w - np.sort(w)[::-1][most], 0.0)
    return w / w.sum()


def conditional(x, points, w, ridge):
    """The mean of what is missing given what is there, by covariances of the weighted points."""
    there, out = ~np.isnan(x), x.copy()
    mean = w @ points
    C = sum(wi * np.outer(d - mean, d - mean) for wi, d in zip(w, points, strict=True))
    inner = C[np.ix_(there, there)] + ridge * np.eye(there.sum())
    out[~there] = mean[~there] + C[np.ix_(~there, there)] @ np.linalg.solve(
        inner, (x - mean)[there]
    )
    return out


def fewer(w, weight):
    """√ of how many points there are for each that counts."""
    share = weight / weight.sum()
    return np.sqrt((w**2).sum() / (share**2).sum())


def left_out_error(points, weight, ridge):
    """Every column of every point told from its other columns, by the other points about the mean
    of all."""
    share = weight / weight.sum()
    B = points - share @ points
    total, d = 0.0, B.shape[1]
    for i, b in enumerate(B):
        C = sum(
            (share[k] * np.outer(B[k], B[k]) for k in range(len(B)) if k != i), np.zeros((d, d))
        )
        for j in range(d):
            o = np.arange(d) != j
            told = C[j, o] @ np.linalg.solve(C[np.ix_(o, o)] + ridge * np.eye(d - 1), b[o])
            total += share[i] * (b[j] - told) ** 2
    return total


def best_ridge(points, weight):
    mean, scale = spread(points, weight)
    unit = (points - mean) / scale
    best = RIDGES[np.argmin([left_out_error(unit, weight, ridge) for ridge in RIDGES])]
    return max(best, 0.1 * points.shape[1] * (weight**2).sum() / weight.sum() ** 2)


def filled(X, points, weight, most=128, ridge=None):
    mean, scale = spread(points, weight)
    unit = (points - mean) / scale
    ridge = best_ridge(points, weight) if ridge is None else ridge
    rows = []
    for x in (X - mean) / scale:
        w = likeness(x, unit, weight, most)
        rows.append(conditional(x, unit, w, ridge * fewer(w, weight)) * scale + mean)
    return np.array(rows)


def completed(X, weight, rounds=3):
    """Rows from each other, none from itself."""
    gaps = np.isnan(X)
    out = X.copy()
    for j in range(X.shape[1]):
        there = ~gaps[:, j]
        out[gaps[:, j], j] = np.average(X[there, j], weights=weight[there]) if there.any() else 0.0
    for _ in range(rounds):
        before, ridge = out.copy(), best_ridge(out, weight)
        mean, scale = spread(before, weight)
        for i in np.flatnonzero(gaps.any(axis=1)):
            others = np.arange(len(X)) != i
            unit, x = (before[others] - mean) / scale, (X[i] - mean) / scale
            w = likeness(x, unit, weight[others], most=128)
            out[i] = conditional(x, unit, w, ridge * fewer(w, weight)) * scale + mean
    return out
