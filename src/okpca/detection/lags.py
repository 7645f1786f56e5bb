"""Time: rows joined with their past, and scores averaged over theirs.

lags:  x_t becomes [x_t, x_{t−1}, …, x_{t−L}] (dynamic PCA: Ku, Storer & Georgakis 1995). Before the
       first row of a run its first row stands in for the past.
EWMA:  s̄_t = λ s_t + (1 − λ) s̄_{t−1}  (Roberts 1959)
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array


def joined(X: Array, past: Array | None, lags: int) -> tuple[Array, Array | None]:
    """The rows with their past, and the past of the rows to come (L rows, oldest first)."""
    if lags == 0 or not len(X):
        return X, past
    if past is None:
        past = np.repeat(X[:1], lags, axis=0)
    rows = np.concatenate([past, X])
    n = len(X)
    wide = np.hstack([rows[lags - lag : lags - lag + n] for lag in range(lags + 1)])
    return wide, rows[-lags:]


def folded(contributions: Array, lags: int) -> Array:
    """Summed over the lags: back to one number per sensor."""
    n = len(contributions)
    return np.asarray(contributions.reshape(n, lags + 1, -1).sum(axis=1))


def smoothed(scores: Array, level: Array, weight: float) -> Array:
    """The moving average of every column, from the level it had before."""
    if len(scores) == 1:
        return weight * scores + (1.0 - weight) * level
    from scipy.signal import lfilter  # half a second to load

    start = (1.0 - weight) * level[None]
    averages, _ = lfilter([weight], [1.0, weight - 1.0], scores, axis=0, zi=start)
    return np.asarray(averages)
