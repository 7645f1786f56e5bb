"""The data sets of the benchmarks: scikit-learn's own, and files in the folder OKPCA_DATA.

The files are no part of the repository. Where one is absent its reader raises `Absent`, and whoever
needs it says so and goes on.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits

Array = NDArray[np.float64]


class Absent(Exception):
    """A data file is not there."""


def file(name: str) -> Path:
    folder = Path(os.environ.get("OKPCA_DATA", "../shared/data"))
    if not (folder / name).is_file():
        raise Absent(f"`{name}` is not in the folder OKPCA_DATA")
    return folder / name


def arrays(name: str) -> dict[str, NDArray[np.generic]]:
    with np.load(file(name), allow_pickle=False) as stored:
        return dict(stored)


def digits() -> Array:
    return np.asarray(load_digits().data / 16, dtype=np.float64)


def breast_cancer() -> Array:
    return standardised(load_breast_cancer().data)


def usps() -> tuple[Array, NDArray[np.int64]]:
    """The training split, grey levels 0 to 1, and the digits."""
    stored = arrays("usps_9298.npz")
    train = stored["split"] == 0
    return (stored["X"][train].astype(np.float64) + 1) / 2, stored["y"][train].astype(np.int64)


def mnist(n: int) -> Array:
    return arrays("mnist_70000.npz")["X"][:n].astype(np.float64) / 255


def phoneme() -> Array:
    return standardised(arrays("phoneme_npfda_2000x150.npz")["X"])


def tennessee() -> Array:
    """The Tennessee Eastman process without a fault."""
    stored = arrays("tep_braatz.npz")
    return standardised(stored["X"][stored["y"] == 0])


def standardised(X: NDArray[np.generic]) -> Array:
    rows = X.astype(np.float64)
    return np.asarray((rows - rows.mean(axis=0)) / rows.std(axis=0))
