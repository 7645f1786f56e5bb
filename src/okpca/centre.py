"""Centre and weight: what happens to coordinates between the dictionary and the rule.

The mean is tracked in the span of the atoms (Honeine 5.2), so it gains a zero with every atom. A
row first joins the mean, then the mean is taken off the row. Weights decay by the factor φ
(`forgetting`) with every row: W_t = φ W_{t−1} + w_t.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Centred:
    """Rows ready for a rule."""

    rows: Array  # z_t − z̄_t, or z_t if uncentred
    weight: Array  # w_t
    gain: Array  # g_t: the scatter matrix is Σ w_t g_t c_t c_tᵀ (see `centre_rows`)
    share: Array  # w_t / W_t: the row's part in running averages
    decay: float  # φ, per row
    total: float  # W after the last row
    first: int  # number of the first row in the stream, from 1


@dataclass(frozen=True, eq=False)
class Centre:
    mean: Array
    weight: float  # W: the sum of the weights, decayed
    forgetting: float
    moving: bool  # False: uncentred, the mean stays zero

    @classmethod
    def at_origin(cls, m: int, *, forgetting: float, moving: bool) -> Centre:
        return cls(np.zeros(m), 0.0, forgetting, moving)

    def take(self, Z: Array, weight: Array, first: int) -> tuple[Centre, Centred]:
        """The centre after these rows, and the rows as a rule wants them. Z is used up."""
        from okpca import _compiled

        mean = np.zeros(Z.shape[1])
        mean[: len(self.mean)] = self.mean
        gain = np.ones(len(Z))
        total = self.running_weight(weight)
        if self.moving:
            _compiled.centre_rows(Z, weight, mean, self.weight, self.forgetting, gain)
        after = Centre(mean, float(total[-1]), self.forgetting, self.moving)
        share = weight / total
        return after, Centred(Z, weight.copy(), gain, share, self.forgetting, after.weight, first)

    def running_weight(self, weight: Array) -> Array:
        """W after each of these rows."""
        return running_sum(self.weight, weight, self.forgetting)


@dataclass(frozen=True, eq=False)
class LaggedCentre(Centre):
    """The order of Huang & Yeh's Algorithm 1: a row is centred on the mean before it, which then
    moves by η_t w_t with η_t = 1/t, whatever the earlier weights were (12, 16, 19)."""

    def take(self, Z: Array, weight: Array, first: int) -> tuple[Centre, Centred]:
        mean = np.zeros(Z.shape[1])
        mean[: len(self.mean)] = self.mean
        total = self.running_weight(weight)
        if self.moving:
            for t, z in enumerate(Z):
                z -= mean
                mean += weight[t] / (first + t) * z
        after = replace(self, mean=mean, weight=float(total[-1]))
        gain, share = np.ones(len(Z)), weight / total
        return after, Centred(Z, weight.copy(), gain, share, self.forgetting, after.weight, first)


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
    if decay == 1.0:
        return before + float(terms.sum())
    powers = decay_powers(len(terms), decay)
    return float(before * decay ** len(terms) + terms @ powers)


def decay_powers(n: int, decay: float) -> Array:
    """φ^{n−1}, …, φ, 1"""
    return np.asarray(decay ** np.arange(n - 1, -1, -1, dtype=np.float64))


def unit_steps(weight: Array) -> tuple[NDArray[np.intp], Array]:
    """Rows for a rule that takes steps: weight 2.5 is two whole steps and a half one.

    So an integer weight is a repetition for those rules too. Returns which row each step takes,
    and the weight of the step.
    """
    repeats = np.ceil(weight).astype(np.intp)
    steps = np.ones(repeats.sum())
    steps[np.cumsum(repeats) - 1] = weight - (repeats - 1)
    return np.repeat(np.arange(len(weight)), repeats), steps
