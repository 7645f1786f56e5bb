"""Sums over the rows of a stream that forgets: every row multiplies what came before it by φ."""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array, Index


def running_sum(before: float, terms: Array, decay: float) -> Array:
    """`before` and then the terms, one per row, as it is after each of them."""
    if decay == 1.0:
        return before + np.cumsum(terms)
    total = np.empty(len(terms))
    running = before
    for t, term in enumerate(terms.tolist()):
        running = decay * running + term
        total[t] = running
    return total


def decayed_sum(before: float, terms: Array, decay: float) -> float:
    """`before` and then the terms, one per row, each row decaying all that came earlier."""
    if len(terms) == 1:
        return decay * before + float(terms[0])
    if decay == 1.0:
        return before + float(terms.sum())
    powers = decay_powers(len(terms), decay)
    return float(before * decay ** len(terms) + terms @ powers)


def decay_powers(n: int, decay: float) -> Array:
    """φ^{n−1}, …, φ, 1"""
    return np.asarray(decay ** np.arange(n - 1, -1, -1, dtype=np.float64))


def remembered(n: float, decay: float) -> float:
    """How many of n rows a stream that forgets still knows: 1 / (1 − φ) at most."""
    return n if decay == 1.0 else min(n, 1.0 / (1.0 - decay))


def unit_steps(weight: Array) -> tuple[Index, Array]:
    """Rows for a rule that takes steps: weight 2.5 is two whole steps and a half one.

    So an integer weight is a repetition for those rules too. Returns which row each step takes,
    and the weight of the step.
    """
    repeats = np.ceil(weight).astype(np.intp)
    steps = np.ones(repeats.sum())
    steps[np.cumsum(repeats) - 1] = weight - (repeats - 1)
    return np.repeat(np.arange(len(weight)), repeats), steps
