"""Robust weights beside outliers, on data of very different units: `python -m benchmarks.robust`.

Each set has clean rows and gross outliers, and comes in three units: as it is, a hundred times as
large, and a hundredth (γ of an RBF kernel adapted, so that only the other kernels see it). What is
printed is the smallest |cos| between the leading components of the clean rows alone and those of
all rows, over draws, orders and units; 1 is perfect.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, table
from numpy.typing import NDArray

from okpca import KernelWarning, OnlineKernelPCA, kernels, weights
from okpca.subspace import Subspace, principal_angles

UNITS = (1.0, 100.0, 0.01)
FIRST_SEED = 100  # `Auto` was chosen on other draws, from 0 on
METHODS: dict[str, dict[str, Any]] = {
    "plain": {},
    "Exponential(0.02)": {"robust": weights.Exponential(0.02), "burn_in": 100},
    "Logistic(0.002, 2)": {"robust": weights.Logistic(0.002, 2.0), "burn_in": 100},
    'Exponential(scale="median")': {"robust": weights.Exponential(scale="median"), "burn_in": 100},
    '"auto"': {"robust": "auto"},
    '"auto", burn_in=100': {"robust": "auto", "burn_in": 100},
    '"auto", 90 % of variance': {"robust": "auto", "n_components": 0.9},
}


class Contaminated(NamedTuple):
    """Rows, which of them are outliers, and the model for the rows in this unit."""

    rows: Array
    outlier: NDArray[np.bool_]
    settings: Callable[[float], dict[str, Any]]


def plane(rng: np.random.Generator, outlier: NDArray[np.bool_]) -> Contaminated:
    """A plane in six columns; outliers far away on all sides."""
    X = rng.normal(size=(len(outlier), 6)) * [3, 2, 0.4, 0.4, 0.4, 0.4]
    X[outlier] = 30 * rng.normal(size=(outlier.sum(), 6))
    return Contaminated(X, outlier, lambda unit: {"kernel": "linear"})


def one_side(rng: np.random.Generator, outlier: NDArray[np.bool_]) -> Contaminated:
    """The same plane; all outliers at one place."""
    X = plane(rng, outlier).rows
    X[outlier] = rng.normal(size=(outlier.sum(), 6))
    X[outlier, 2] += 40
    return Contaminated(X, outlier, lambda unit: {"kernel": "linear"})


def parabola(rng: np.random.Generator, outlier: NDArray[np.bool_]) -> Contaminated:
    """Huang & Yeh's first example: squares of points near a curve, some far off."""
    x = rng.uniform(-10, 10, size=len(outlier))
    X = np.column_stack([x, 0.3 * x + rng.normal(size=len(x))])
    X[outlier, 1] += 40 * rng.choice([-1, 1], size=outlier.sum())
    squares = kernels.Polynomial(degree=2, coef0=0, gamma=1)
    return Contaminated(X, outlier, lambda unit: {"kernel": squares, "n_components": 1})


def ring(rng: np.random.Generator, outlier: NDArray[np.bool_]) -> Contaminated:
    """A ring under a Gaussian kernel; outliers at one place outside."""
    angle = rng.uniform(0, 2 * np.pi, len(outlier))
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[outlier] = [6, 6]
    X += 0.05 * rng.normal(size=X.shape)
    return Contaminated(X, outlier, lambda unit: {"gamma": 0.2 / unit**2})


def digits(rng: np.random.Generator, outlier: NDArray[np.bool_]) -> Contaminated:
    """Images of digits; outliers are noise, all of it alike but for a tenth."""
    images = data.digits()
    X = images[rng.permutation(len(images))[: len(outlier)]]
    noise = 4 * rng.normal(size=X.shape[1])
    X[outlier] = noise + 0.4 * rng.normal(size=(outlier.sum(), X.shape[1]))
    return Contaminated(X, outlier, lambda unit: {"gamma": 0.01 / unit**2})


SETS = {
    "plane, outliers around": plane,
    "plane, outliers at one place": one_side,
    "squares near a line": parabola,
    "ring, RBF": ring,
    "digits, RBF": digits,
}


def outliers(rng: np.random.Generator, n: int, share: float, order: str) -> NDArray[np.bool_]:
    """Anywhere in the stream, or all of them in one stretch in its middle."""
    where = np.arange(n // 2, n) if order == "in a stretch" else rng.permutation(n)
    chosen = np.zeros(n, dtype=bool)
    chosen[where[: int(share * n)]] = True
    return chosen


def fitted(rows: Array, settings: dict[str, Any]) -> OnlineKernelPCA:
    return OnlineKernelPCA(**({"n_components": 2} | settings)).fit(rows)


def cosine(model: OnlineKernelPCA, truth: OnlineKernelPCA) -> float:
    """Of the largest angle between as many leading components as the two have."""
    r = min(truth.n_components_, model.n_components_)
    angles = principal_angles(Subspace.of(model).leading(r), truth)
    return float(np.cos(angles.max(initial=0.0))) if len(angles) == r else 0.0


def measured(n: int = 600, draws: int = 2) -> dict[str, dict[str, float]]:
    """By set and method."""
    found: dict[str, dict[str, float]] = {}
    for name, make in SETS.items():
        worst = dict.fromkeys(METHODS, 1.0)
        seeds = range(FIRST_SEED, FIRST_SEED + draws)
        for seed, share, order in product(seeds, (0.1, 0.2), ("anywhere", "in a stretch")):
            rng = np.random.default_rng(seed)
            rows, outlier, settings = make(rng, outliers(rng, n, share, order))
            for unit in UNITS:
                truth = fitted(unit * rows[~outlier], settings(unit))
                for method, params in METHODS.items():
                    model = fitted(unit * rows, settings(unit) | params)
                    worst[method] = min(worst[method], cosine(model, truth))
        found[name] = worst
    return found


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    warnings.simplefilter("ignore", KernelWarning)
    found = measured(draws=draws)
    print(table(["", *found], [[m, *(f"{v[m]:.3f}" for v in found.values())] for m in METHODS]))


if __name__ == "__main__":
    main()
