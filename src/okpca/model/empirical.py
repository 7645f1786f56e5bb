"""The empirical geometry: kernel values against fixed points are Euclidean coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.typing import Array


@dataclass(frozen=True, eq=False)
class Empirical:
    """`geometry="empirical"` with what Huang & Yeh's Algorithm 1 leaves open.

    `start_mean` is their μ₁, a kernel value for each point of the dictionary; zeros if None. With
    `shared_steps` the mean moves by the η_t of the rule's schedule, as their (19) and (20) have it;
    without, by 1/t whatever that is. Both are for rules that take steps.
    """

    start_mean: Array | None = None
    shared_steps: bool = False

    @property
    def plain(self) -> bool:
        """Is it what the word "empirical" stands for?"""
        return self.start_mean is None and not self.shared_steps

    def mean(self, m: int) -> Array:
        """μ₁ over m points."""
        if self.start_mean is None:
            return np.zeros(m)
        mean = np.array(self.start_mean, dtype=np.float64)
        if mean.shape != (m,) or not np.isfinite(mean).all():
            raise ValueError(
                f"start_mean must be {m} finite numbers, one for each point of the dictionary, got "
                f"{'shape ' + str(mean.shape) if mean.shape != (m,) else 'some that are not'}."
            )
        return mean
