"""How much noise there is in rows, and the error of denoising them, by noisy rows alone.

    x⁺ = x + √α ω,   x⁻ = x − ω / √α,   ω normal with the variance σ² of the noise
    error = mean of (denoised(x⁺) − x⁻)² − σ² (1 + 1/α)

The noise of x⁺ and that of x⁻ are independent, since their covariance is σ² − σ². So x⁻ judges
without knowing: but for chance, the error is that of denoised(x⁺) against the rows before the
noise, σ² (1 + 1/α) being the variance of the noise of x⁻ (Oliveira, Lei & Tibshirani 2021, the
coupled bootstrap). Too few components blur, too many bring back noise: both miss x⁻. x⁺ is a little
noisier than x.

    σ² = median of the eigenvalues λ of the covariance that are noise / that of noise of variance 1
    noise: λ ≤ σ² (1 + √(d / n))²

The eigenvalues of d columns of pure noise are known (Marchenko & Pastur 1967); d and σ² are found
in turn, from a low quantile on. That is for noise that is independent and alike in all columns; in
few columns it is too much by what of the rows is in every direction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from okpca._core.typing import Array

ALPHA = 0.25
"""x⁺ has the noise of x times 1.12; more would judge other rows than those that come, less would
judge them by x⁻ that is nearly all noise."""
LOW = 0.1
"""The quantile to start from, where there is noise alone."""
TURNS = 50
"""At most, until the eigenvalues that are noise stay the same."""
GRID = 2001
"""Points that the distribution of eigenvalues is summed over."""


@dataclass(frozen=True, eq=False)
class Pairs:
    noisier: Array  # x⁺
    judge: Array  # x⁻
    variance: float  # of its noise

    @classmethod
    def of(cls, rows: Array, sigma: float, rng: np.random.RandomState) -> Pairs:
        omega = sigma * rng.standard_normal(rows.shape)
        variance = sigma**2 * (1 + 1 / ALPHA)
        return cls(rows + np.sqrt(ALPHA) * omega, rows - omega / np.sqrt(ALPHA), variance)

    def error(self, denoise: Callable[[Array], Array]) -> float:
        return float(np.square(denoise(self.noisier) - self.judge).mean() - self.variance)


def noise_of(X: Array) -> float:
    """σ, by the rows of X."""
    X = X[:, np.ptp(X, axis=0) > 0]
    n, d = len(X) - 1, X.shape[1]
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[: min(n, d)][::-1] ** 2 / n
    fewest, noise = max(1, int(LOW * len(values))), len(values)
    variance = np.quantile(values, LOW) / quantile_of_noise(LOW, n, d)
    for _ in range(TURNS):
        columns = d - (len(values) - noise)
        edge = variance * (1 + np.sqrt(columns / n)) ** 2
        before, noise = noise, max(int(np.sum(values <= edge)), fewest)
        columns = d - (len(values) - noise)
        variance = np.median(values[:noise]) / quantile_of_noise(0.5, n, columns)
        if noise == before:
            break
    return float(np.sqrt(variance))


def quantile_of_noise(q: float, n: int, d: int) -> float:
    """Of the eigenvalues λ > 0 of the covariance of n rows of pure noise in d columns. With
    c = d / n ≤ 1 their density is √((b − λ)(λ − a)) / (2π c λ) between a, b = (1 ∓ √c)²; rows and
    columns may change places."""
    ratio = min(n, d) / max(n, d)
    a, b = (1 - np.sqrt(ratio)) ** 2, (1 + np.sqrt(ratio)) ** 2
    # λ in the middle of each of the arcs of a circle, where the density is tame at both ends.
    angle = np.pi * (np.arange(GRID) + 0.5) / GRID
    value = 0.5 * (a + b) - 0.5 * (b - a) * np.cos(angle)
    mass = np.cumsum(np.sin(angle) ** 2 / value)
    return float(np.interp(q, mass / mass[-1], value)) * max(n, d) / n
