"""How long do rows remember, and have enough of them come?

Rows that follow each other slowly are alike: a hundred of them that took one turn of a process are
to a limit hardly more than one. With κ_l the mean of κ(x_t, x_{t+l}) and κ̄ that of all pairs, the
memory τ is the least l with

    κ_l − κ̄ < (κ_0 − κ̄) / e

(1 for rows that do not depend on each other, −1 / log φ or so for autoregressive ones, a fifth of a
turn on a cycle). Scores of n rows are those of n / τ, or twice as many; so a limit for a share α
of alarms wants, where independent rows must be 1 / α − 1,

    n ≥ τ / 2α

Sooner, all there is to judge by is one stretch of the stream, the next is beyond the limit as a
whole, is not learned, and the stream is locked out where it lives.
"""

from __future__ import annotations

import math

import numpy as np

from okpca._core.numerics import EPS
from okpca._core.typing import Array
from okpca.kernels import Kernel

ANCHORS = 64
"""Rows that all others are compared with: the time is that of as many rows, not of all pairs."""


def memory(kernel: Kernel, X: Array) -> int:
    """τ of rows in the order of time; their number, if it is not reached within them."""
    n = len(X)
    if n < 2:
        return n
    at = np.unique(np.linspace(0, n - 1, min(ANCHORS, n)).astype(int))
    K = kernel(X[at], X)
    whole, mean = float(np.mean(K[np.arange(len(at)), at])), float(K.mean())
    if whole - mean <= EPS * whole:
        return 1  # nothing ever changed, and whatever does is new
    least = mean + (whole - mean) / math.e
    return next((lag for lag in range(1, n // 2) if _alike(K, at, lag) < least), n)


def _alike(K: Array, at: Array, lag: int) -> float:
    """Mean kernel value of the rows with those so many rows before and after."""
    before, after = at >= lag, at < K.shape[1] - lag
    rows = np.arange(len(at))
    total = K[rows[before], at[before] - lag].sum() + K[rows[after], at[after] + lag].sum()
    return float(total / (before.sum() + after.sum()))


def enough(kernel: Kernel, X: Array, alpha: float) -> bool:
    return 2.0 * alpha * len(X) >= memory(kernel, X)
