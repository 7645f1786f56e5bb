"""How much noise there is in rows, and whether it can be told from what they are without it.

    σ² = median of the eigenvalues λ of the covariance that are noise / that of noise of variance 1
    noise: λ ≤ σ² (1 + √(d / n))²

The eigenvalues of d columns of pure noise are known (Marchenko & Pastur 1967); d and σ² are found
in turn, from a low quantile on. That is for noise that is independent and alike in all columns.

Where columns are few, the rows may be in every direction though they are a curve or a sheet, and
the smallest eigenvalue is theirs. A neighbourhood of a row is flatter than all of them, if it is
not so small that the noise is all there is in it, nor so large that the curve bends:

    σ²(k)    = median σ² of the k nearest rows, of some rows
    share(k) = σ²(k) / median variance of them, per column
    σ²       = least σ²(k) with share(k) ≤ 3/2 min share      k = n, n/2, n/3, ... ≥ 3 d

The noise can be told if the same is found in many directions, or is little beside the rest, or if
neighbourhoods are far flatter than the whole, as those of a cloud are not: a cloud that is thin in
some directions looks like noise about a plane, and one that is a ball like noise about a point.

The numbers below were chosen on a swiss roll, an S-curve, a helix, a cube, wine, iris, breast
cancer and digits, with noise of 0 to 0.3 standard deviations, and tried afterwards on circles,
moons, a sphere, a torus, diabetes and images. Blobs in ten columns are noise about their centres
by this rule. Where columns differ in their noise, what is found is in between.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from okpca._core.typing import Array

LOW = 0.1
"""The quantile to start from, where there is noise alone."""
TURNS = 50
"""At most, until the eigenvalues that are noise stay the same."""
GRID = 2001
"""Points that the distribution of eigenvalues is summed over."""
ROWS = 700
"""For the covariance: of twice as many the eigenvalues take seconds where columns are thousands."""
CENTRES = 60
"""Rows whose neighbourhoods are looked at."""
SHRINKING = 1.5
"""From one size of a neighbourhood to the next."""
FEWEST, EACH = 10, 3
"""Rows of a neighbourhood, at least, and for each column."""
DIRECTIONS, NUMBERS = 8, 2000
"""That have the same noise, and these times the rows: so many are no accident."""
LITTLE, NOTHING = 0.1, 1e-6
"""Of the variance: were it no noise, not more than that would be lost; in one direction only the
other, for that is what a thin cloud has."""
AS_FLAT = 1.5
"""Times the least share: of the neighbourhoods that are about as flat the one that bends least."""
FLAT, FLATTER = 0.4, 0.75
"""Shares of the noise in neighbourhoods, of their variance, and of the share in all rows."""


class Level(NamedTuple):
    variance: float  # σ²
    whole: float  # variance of a column, the mean of all
    directions: int  # of noise alone
    told: bool = False  # from what the rows are without it

    @property
    def sigma(self) -> float:
        return float(np.sqrt(self.variance))

    @property
    def removable(self) -> float:
        """σ, and none where it may be what the rows are without noise."""
        return self.sigma if self.told else 0.0

    @property
    def share(self) -> float:
        return self.variance / self.whole if self.whole > 0 else 0.0


def level_of(X: Array) -> Level:
    """Of rows in no order."""
    X = X[:, np.ptp(X, axis=0) > 0]
    whole = floor_of(X[:ROWS])
    if whole.directions >= DIRECTIONS and whole.directions * len(X[:ROWS]) >= NUMBERS:
        return whole._replace(told=True)
    levels = [whole, *_around(X)]
    flattest = min(levels, key=lambda level: level.share)
    found = min(level for level in levels if level.share <= AS_FLAT * flattest.share)
    flat = flattest.share <= min(FLAT, FLATTER * whole.share)
    little = flattest.share <= (LITTLE if flattest.directions > 1 else NOTHING)
    return found._replace(told=True) if flat or little else flattest


def _around(X: Array) -> list[Level]:
    """In neighbourhoods of several sizes."""
    sizes, k = [], len(X) // 2
    while k >= max(FEWEST, EACH * X.shape[1]):
        sizes.append(k)
        k = int(k / SHRINKING)
    order = np.argsort(cdist(X[:CENTRES], X), axis=1) if sizes else ()
    return [_typical([floor_of(X[near[:k]]) for near in order]) for k in sizes]


def _typical(levels: list[Level]) -> Level:
    """The medians: a few rows are at a border, or where two sheets meet."""
    variance, whole, directions, _ = np.median(levels, axis=0)
    return Level(float(variance), float(whole), int(directions))


def floor_of(X: Array) -> Level:
    """σ² by the eigenvalues of rows all of whose columns vary."""
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
    return Level(float(variance), float(values.sum() / d), noise)


@lru_cache(maxsize=4096)
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
