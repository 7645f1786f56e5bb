"""Data sets with novel rows: those that settings were chosen on, and those kept for the end.

Which rows of the latter are novel was written down before any of them was judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows, and which of them are novel; scaled ones have units of their own in every column."""

    name: str
    X: Array
    novel: Flags
    scaled: bool = True
    looked_at: bool = False  # while the defaults were chosen


@dataclass(frozen=True)
class Case:
    """Rows to learn, all normal; rows to judge, and which of these are novel."""

    name: str
    train: Array
    test: Array
    novel: Flags
    looked_at: bool

    @classmethod
    def split(cls, of: Labelled, seed: int, most: int) -> Case:
        """At most 70 % of the normal rows are learned; at most as many of each kind judged."""
        rng = np.random.default_rng(seed)
        normal, novel = (rng.permutation(of.X[chosen]) for chosen in (~of.novel, of.novel))
        n = min(most, int(0.7 * len(normal)))
        train, rest, novel = normal[:n], normal[n : n + most // 2], novel[: most // 2]
        test = np.vstack([rest, novel])
        if of.scaled:
            mean, spread = train.mean(axis=0), train.std(axis=0)
            spread = np.where(spread > 0, spread, 1.0)
            train, test = (train - mean) / spread, (test - mean) / spread
        return cls(of.name, train, test, np.arange(len(test)) >= len(rest), of.looked_at)


def looked_at() -> Iterator[Labelled]:
    X, y = load_digits(return_X_y=True)
    yield Labelled("digits, 0 novel", X / 16, y == 0, scaled=False, looked_at=True)
    X, y = load_breast_cancer(return_X_y=True)
    yield Labelled("breast cancer, malignant", X, y == 0, looked_at=True)
    X, y = load_wine(return_X_y=True)
    yield Labelled("wine, first cultivar", X, y == 0, looked_at=True)


def kept_files() -> Iterator[Labelled]:
    X, y = data.usps()
    yield Labelled("USPS, 0 novel", X, y == 0, scaled=False)
    labels = np.asarray(data.arrays("mnist_70000.npz")["y"][:10_000])
    yield Labelled("MNIST, 0 novel", data.mnist(10_000), labels == 0, scaled=False)
    stored = data.arrays("phoneme_npfda_2000x150.npz")
    yield Labelled("phoneme, sh novel", stored["X"].astype(np.float64), stored["y"] == 1)
    stored = data.arrays("tep_braatz.npz")
    faulty = (stored["fault_on"] == 1) & (stored["is_test"] == 1)
    used = (stored["y"] == 0) | faulty
    X = stored["X"].astype(np.float64)
    yield Labelled("Tennessee Eastman, 21 faults", X[used], faulty[used])
    stored = data.arrays("skab.npz")
    yield Labelled("SKAB, rows shuffled", stored["X"].astype(np.float64), stored["y"] == 1)


def kept_packaged() -> Iterator[Labelled]:
    """What scikit-learn and River bring along."""
    X, y = load_iris(return_X_y=True)
    yield Labelled("iris, virginica", X, y == 2)
    if find_spec("river") is None:
        return
    from river import datasets

    def of(name: str, stream: Any, is_novel: Callable[[Any], bool]) -> Labelled:
        rows = list(stream)
        X = columns_of([x for x, _ in rows])
        return Labelled(name, X, np.array([is_novel(y) for _, y in rows]))

    yield of("bananas, one class", datasets.Bananas(), bool)
    yield of("phishing", datasets.Phishing(), bool)
    yield of("image segments, brickface", datasets.ImageSegments(), lambda y: y == "brickface")
    yield of("shuttle, anomalies", datasets.Shuttle().take(20_000), bool)
    yield of("solar flares", datasets.SolarFlare(), lambda y: sum(y.values()) > 0)
    yield of("yeast, first class", datasets.Yeast(), lambda y: y["Class1"])


def columns_of(rows: list[dict[str, Any]]) -> Array:
    """Numbers as they are, words as one column for each."""
    parts = []
    for name in rows[0]:
        values = [row[name] for row in rows]
        if isinstance(values[0], str):
            parts += [np.array([value == word for value in values]) for word in sorted(set(values))]
        else:
            parts.append(np.array(values))
    return np.column_stack(parts).astype(np.float64)


def sets(quick: bool) -> tuple[list[Labelled], str]:
    """All that there are, and what is missing."""
    found, missing = list(looked_at()), ""
    if quick:
        return found, missing
    try:
        found += kept_files()
    except data.Absent as absent:
        missing = f"\n(Not all data sets: {absent}.)\n"
    if find_spec("river") is None:
        missing += "\n(River is not installed, `pip install river`: its data sets are missing.)\n"
    return found + list(kept_packaged()), missing
