"""Streams without any fault: independent rows, sluggish ones, and rows that follow the hour."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from benchmarks.living.common import Array

Make = Callable[[np.random.Generator, int], Array]


def gaussian(rng: np.random.Generator, n: int) -> Array:
    """Five correlated columns."""
    return rng.normal(size=(n, 5)) @ rng.normal(size=(5, 5))


def ring(rng: np.random.Generator, n: int) -> Array:
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + 0.1 * rng.normal(size=(n, 2))


def modes(rng: np.random.Generator, n: int) -> Array:
    """Four clusters in six columns, changing at random."""
    return 3 * rng.normal(size=(4, 6))[rng.integers(0, 4, n)] + rng.normal(size=(n, 6))


def heavy(rng: np.random.Generator, n: int) -> Array:
    """Student's t with four degrees of freedom."""
    return rng.standard_t(4, size=(n, 4))


def sensors(rng: np.random.Generator, n: int) -> Array:
    """Two latents in six columns whose units differ by 300."""
    mixed = rng.normal(size=(2, 6))
    units = np.geomspace(1, 300, 6)
    return (rng.normal(size=(n, 2)) @ mixed + 0.3 * rng.normal(size=(n, 6))) * units


def sluggish(rng: np.random.Generator, n: int) -> Array:
    """Autoregressive, coefficient 0.7: neighbours are alike, so scores are not exchangeable."""
    X = rng.normal(size=(n, 4))
    for t in range(1, n):
        X[t] += 0.7 * X[t - 1]
    return X


def seasonal(rng: np.random.Generator, n: int) -> Array:
    """A day of 48 rows, in four columns with phases and overtones of their own, and noise."""
    hour = 2 * np.pi * np.arange(n) / 48
    phase = rng.uniform(0, 2 * np.pi, size=(2, 4))
    waves = np.sin(hour[:, None] + phase[0]) + 0.5 * np.sin(2 * hour[:, None] + phase[1])
    return np.asarray(waves + 0.2 * rng.normal(size=(n, 4)))


def sluggish_seasonal(rng: np.random.Generator, n: int) -> Array:
    return seasonal(rng, n) + 0.3 * sluggish(rng, n)


STREAMS: dict[str, Make] = {
    "Gaussian": gaussian,
    "ring": ring,
    "four modes": modes,
    "heavy tails": heavy,
    "sensors": sensors,
    "autoregressive": sluggish,
    "seasonal": seasonal,
    "seasonal, autoregressive": sluggish_seasonal,
}
