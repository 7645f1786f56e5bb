"""Data sets with classes, as they come: columns in their own units, at most 2 000 rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks import data
from benchmarks.data import Array
from numpy.typing import NDArray
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_circles,
    make_gaussian_quantiles,
    make_moons,
)

MOST = 2000
Labels = NDArray[np.int64]


def bundled(load: Callable[..., Any]) -> Callable[[], tuple[Array, Labels]]:
    return lambda: load(return_X_y=True)


def stored(name: str) -> Callable[[], tuple[Array, Labels]]:
    def read() -> tuple[Array, Labels]:
        arrays = data.arrays(name)
        which = np.random.RandomState(0).permutation(len(arrays["X"]))[:MOST]
        return arrays["X"][which].astype(np.float64), arrays["y"][which].astype(np.int64)

    return read


def moons() -> tuple[Array, Labels]:
    X, y = make_moons(1000, noise=0.25, random_state=0)
    return X, y


def quantiles() -> tuple[Array, Labels]:
    """Shells about the origin: no linear feature tells them apart."""
    X, y = make_gaussian_quantiles(n_samples=1500, n_features=5, n_classes=3, random_state=0)
    return X, y


def circles() -> tuple[Array, Labels]:
    X, y = make_circles(1200, noise=0.15, factor=0.5, random_state=0)
    return X, y


def tennessee(*conditions: int) -> Callable[[], tuple[Array, Labels]]:
    """The process with these faults; 0 is without."""

    def read() -> tuple[Array, Labels]:
        arrays = data.arrays("tep_braatz.npz")
        some = np.isin(arrays["y"], conditions) & (arrays["is_test"] == 0)
        return arrays["X"][some].astype(np.float64), arrays["y"][some].astype(np.int64)

    return read


def faces(first: int) -> Callable[[], tuple[Array, Labels]]:
    """Ten people in some sixty lights."""

    def read() -> tuple[Array, Labels]:
        arrays = data.arrays("yaleB_ext_2414x1024.npz")
        some = np.isin(arrays["y"], np.unique(arrays["y"])[first : first + 10])
        return arrays["X"][some].astype(np.float64), arrays["y"][some].astype(np.int64)

    return read


IN_VIEW: dict[str, Callable[[], tuple[Array, Labels]]] = {
    "breast cancer": bundled(load_breast_cancer),
    "digits": bundled(load_digits),
    "Gaussian shells": quantiles,
    "iris": bundled(load_iris),
    "MNIST": stored("mnist_70000.npz"),
    "moons": moons,
    "phonemes": stored("phoneme_npfda_2000x150.npz"),
    "USPS": stored("usps_9298.npz"),
    "wine": bundled(load_wine),
}
LOOKED_AT_LAST: dict[str, Callable[[], tuple[Array, Labels]]] = {
    "circles": circles,
    "Tennessee faults": tennessee(0, 4, 8, 11, 13),
    "Yale faces": faces(0),
}
