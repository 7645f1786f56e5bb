"""More data sets with classes: those that `suggest` was tried on after its rules were chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks import data
from benchmarks.data import Array
from benchmarks.labelled import MOST, Labels, faces, tennessee
from river.datasets import ImageSegments, Phishing
from sklearn.datasets import make_blobs, make_classification, make_hastie_10_2, make_swiss_roll

SIDE = 12


def rows_of(stream: Any) -> Callable[[], tuple[Array, Labels]]:
    """Of River's dicts, in random order."""

    def read() -> tuple[Array, Labels]:
        rows, classes = zip(*((list(x.values()), y) for x, y in stream), strict=True)
        which = np.random.RandomState(0).permutation(len(rows))[:MOST]
        labels = np.unique(classes, return_inverse=True)[1]
        return np.array(rows, dtype=np.float64)[which], labels[which]

    return read


def more_mnist() -> tuple[Array, Labels]:
    arrays = data.arrays("mnist_70000.npz")
    which = np.random.RandomState(7).permutation(len(arrays["X"]))[:MOST]
    return arrays["X"][which].astype(np.float64), arrays["y"][which].astype(np.int64)


def patches() -> tuple[Array, Labels]:
    """Squares of four photographs: which of them is each from?"""
    images, rng = data.arrays("images_gray.npz"), np.random.RandomState(0)
    X, y = [], []
    for number, name in enumerate(sorted(images)[:4]):
        image = images[name].astype(np.float64)
        for _ in range(400):
            i, j = (rng.randint(0, length - SIDE) for length in image.shape)
            X.append(image[i : i + SIDE, j : j + SIDE].ravel())
            y.append(number)
    return np.array(X), np.array(y)


def spirals() -> tuple[Array, Labels]:
    rng = np.random.RandomState(0)
    t, y = 3 * np.pi * np.sqrt(rng.rand(1200)), rng.randint(0, 2, 1200)
    angle = t + np.pi * y
    X = np.column_stack([t * np.cos(angle), t * np.sin(angle)]) + 0.3 * rng.randn(1200, 2)
    return X, y


def swiss_roll() -> tuple[Array, Labels]:
    X, t = make_swiss_roll(1500, noise=0.3, random_state=0)
    return X, np.digitize(t, np.quantile(t, [0.25, 0.5, 0.75]))


def spectra() -> tuple[Array, Labels]:
    """A strong baseline that tells nothing, and four classes in weak bands."""
    rng, x = np.random.RandomState(0), np.linspace(0, 1, 200)
    y = rng.randint(0, 4, 1200)
    base = np.array([np.ones_like(x), x, x * x, np.sin(3 * x)])
    bands = np.exp(-np.square((x - rng.rand(12)[:, None]) / 0.05))
    heights = 0.06 * rng.randn(4, 12)[y] + 0.05 * rng.randn(1200, 12)
    X = (rng.randn(1200, 4) * [3, 2, 1, 1]) @ base + heights @ bands + 0.005 * rng.randn(1200, 200)
    return X, y


def hastie() -> tuple[Array, Labels]:
    X, y = make_hastie_10_2(1500, random_state=0)
    return X, (y > 0).astype(np.int64)


def mixture() -> tuple[Array, Labels]:
    X, y = make_classification(
        1500, 20, n_informative=8, n_redundant=6, n_classes=4, random_state=0
    )
    return X, y


def blobs() -> tuple[Array, Labels]:
    X, y = make_blobs(1500, 10, centers=6, cluster_std=4.0, random_state=0)
    return X, y


SEEN: dict[str, Callable[[], tuple[Array, Labels]]] = {
    "image segments": rows_of(ImageSegments()),
    "patches of photographs": patches,
    "Tennessee faults 1, 2, 5, 6, 7, 10": tennessee(1, 2, 5, 6, 7, 10),
    "Yale faces 11 to 20": faces(10),
}
"""When the number of components was chosen."""

UNSEEN: dict[str, Callable[[], tuple[Array, Labels]]] = {
    "blobs": blobs,
    "Hastie's sum of squares": hastie,
    "make_classification": mixture,
    "MNIST, other rows": more_mnist,
    "phishing": rows_of(Phishing()),
    "spectra, made up": spectra,
    "spirals": spirals,
    "swiss roll": swiss_roll,
    "Tennessee faults 10, 12, 16, 19": tennessee(0, 10, 12, 16, 19),
    "Yale faces 21 to 30": faces(20),
}
