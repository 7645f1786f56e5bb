"""Two latent variables in six columns and some noise: normal for ever, or not quite."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.signal import lfilter

Stream = Callable[[np.random.Generator, int], np.ndarray]
COLUMNS, NOISE = 6, 0.3
DETECTOR = {"n_components": 5, "gamma": "median", "max_atoms": 50}


def mixed(latent: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    rows = latent @ rng.normal(size=(2, COLUMNS))
    return rows + NOISE * rng.normal(size=rows.shape)


def independent(rng: np.random.Generator, n: int) -> np.ndarray:
    return mixed(rng.normal(size=(n, 2)), rng)


def autocorrelated(memory: int) -> Stream:
    """AR(1): correlation 1/e after so many rows."""
    phi = float(np.exp(-1 / memory))

    def stream(rng: np.random.Generator, n: int) -> np.ndarray:
        steps = np.sqrt(1 - phi**2) * rng.normal(size=(n + 10 * memory, 2))
        return mixed(lfilter([1.0], [1.0, -phi], steps, axis=0)[10 * memory :], rng)

    return stream


def seasonal(period: int) -> Stream:
    def stream(rng: np.random.Generator, n: int) -> np.ndarray:
        latent = rng.normal(size=(n, 2))
        latent[:, 0] *= 0.3
        latent[:, 0] += np.sqrt(2) * np.sin(2 * np.pi * (np.arange(n) / period + rng.random()))
        return mixed(latent, rng)

    return stream


# And how many of them are tried: the more, the smaller the rate that is promised for them.
STATIONARY: dict[str, tuple[Stream, int]] = {
    "independent rows": (independent, 200),
    "memory of 10 rows": (autocorrelated(10), 200),
    "memory of 100 rows": (autocorrelated(100), 100),
    "memory of 1 000 rows": (autocorrelated(1000), 40),
    "season of 500 rows": (seasonal(500), 40),
}


def moved_mean(rng: np.random.Generator, n: int, size: float) -> np.ndarray:
    """One column moves by so many of its standard deviations."""
    rows = independent(rng, n)
    rows[:, 0] += np.linspace(0, size, n) * rows[:, 0].std()
    return rows


def rotated(rng: np.random.Generator, n: int, size: float) -> np.ndarray:
    """The plane of the latent variables turns by so many degrees."""
    basis = np.linalg.qr(rng.normal(size=(COLUMNS, 4)))[0].T
    latent, angle = 2 * rng.normal(size=(n, 2)), np.radians(np.linspace(0, size, n))[:, None]
    rows = (np.cos(angle) * latent) @ basis[:2] + (np.sin(angle) * latent) @ basis[2:]
    return rows + NOISE * rng.normal(size=rows.shape)


def widened(rng: np.random.Generator, n: int, size: float) -> np.ndarray:
    """All columns become so many times as wide, in the end."""
    return independent(rng, n) * np.linspace(1, size, n)[:, None]
