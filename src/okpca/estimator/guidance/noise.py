"""How much noise there is in rows, and the error of denoising them, by noisy rows alone.

    x⁺ = x + √α ω,   x⁻ = x − ω / √α,   ω normal with the variance σ² of the noise
    error = mean of (denoised(x⁺) − x⁻)² − σ² (1 + 1/α)

The noise of x⁺ and that of x⁻ are independent, since their covariance is σ² − σ². So x⁻ judges
without knowing: but for chance, the error is that of denoised(x⁺) against the rows before the
noise, σ² (1 + 1/α) being the variance of the noise of x⁻ (Oliveira, Lei & Tibshirani 2021, the
coupled bootstrap). Too few components blur, too many bring back noise: both miss x⁻. x⁺ is a little
noisier than x, so whether denoising is worth while is seen beside the error of x⁺ left alone, which
x⁻ judges with the same chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from okpca._core.typing import Array

ALPHA = 0.25
"""x⁺ has the noise of x times 1.12; more would judge other rows than those that come, less would
judge them by x⁻ that is nearly all noise."""


@dataclass(frozen=True, eq=False)
class Pairs:
    noisier: Array  # x⁺
    judge: Array  # x⁻
    sigma: float

    @classmethod
    def of(cls, rows: Array, sigma: float, rng: np.random.RandomState) -> Pairs:
        omega = sigma * rng.standard_normal(rows.shape)
        return cls(rows + np.sqrt(ALPHA) * omega, rows - omega / np.sqrt(ALPHA), sigma)

    def error(self, denoise: Callable[[Array], Array]) -> float:
        judged = np.square(denoise(self.noisier) - self.judge).mean()
        return float(judged - self.sigma**2 * (1 + 1 / ALPHA))

    def alone(self) -> float:
        """The error if nothing is done."""
        return self.error(lambda X: X)
