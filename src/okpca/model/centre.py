"""Centre and weight: what happens to coordinates between the dictionary and the rule.

The mean is tracked in the span of the atoms (Honeine 5.2), so it gains a zero with every atom. A
row first joins the mean, then the mean is taken off the row. Weights decay by the factor φ
(`forgetting`) with every row: W_t = φ W_{t−1} + w_t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core import compiled
from okpca._core.decay import running_sum
from okpca._core.fast_replace import following
from okpca._core.typing import Array
from okpca.rules import Centred
from okpca.rules.schedules import Inverse, Schedule, make


@dataclass(frozen=True, eq=False)
class Centre:
    mean: Array
    weight: float  # W: the sum of the weights, decayed
    forgetting: float
    moving: bool  # False: uncentred, the mean stays zero

    def take(self, Z: Array, weight: Array, first: int) -> tuple[Centre, Centred]:
        """The centre after these rows, and the rows as a rule wants them. Z is used up."""
        mean, gain = np.zeros(Z.shape[1]), np.ones(len(Z))
        mean[: len(self.mean)] = self.mean
        total = self.running_weight(weight)
        if self.moving:
            self._take_off(mean, Z, weight, gain, first)
        after, share = following(self, mean=mean, weight=float(total[-1])), weight / total
        return after, Centred(Z, weight.copy(), gain, share, self.forgetting, after.weight, first)

    def _take_off(self, mean: Array, Z: Array, weight: Array, gain: Array, first: int) -> None:
        """The mean, from every row as it comes; it moves with each, in place."""
        compiled.centre_rows(Z, weight, mean, self.weight, self.forgetting, gain)

    def running_weight(self, weight: Array) -> Array:
        """W after each of these rows."""
        return running_sum(self.weight, weight, self.forgetting)


@dataclass(frozen=True, eq=False)
class LaggedCentre(Centre):
    """The order of Huang & Yeh's Algorithm 1: a row is centred on the mean before it, which then
    moves by η_t w_t, whatever the earlier weights were (12, 16, 19); η_t is that of `schedule`, or
    1/t if that is None."""

    schedule: Schedule | float | None = None

    def _take_off(self, mean: Array, Z: Array, weight: Array, gain: Array, first: int) -> None:
        eta = make(Inverse() if self.schedule is None else self.schedule)
        steps = weight * eta(np.arange(first, first + len(Z)))
        for step, z in zip(steps, Z, strict=True):
            z -= mean
            mean += step * z
