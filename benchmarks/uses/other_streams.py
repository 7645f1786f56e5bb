"""Streams that settings for contaminated ones were tried on: other classes, and made-up rows.

None of them is among those that are judged in docs/uses.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array
from benchmarks.uses.novel_sets import Labelled, columns_of
from sklearn.datasets import load_digits, make_blobs, make_moons

NORMAL, NOVEL = 2000, 200


def other_classes() -> Iterator[Labelled]:
    X, y = load_digits(return_X_y=True)
    for digit in (1, 4, 7):
        yield Labelled(f"digits, {digit}", X / 16, y == digit, scaled=False)
    try:
        yield from _of_files()
    except data.Absent:
        return
    if find_spec("river") is not None:
        yield from _of_river()


def _of_files() -> Iterator[Labelled]:
    X, y = data.usps()
    for digit in (1, 3, 8):
        yield Labelled(f"USPS, {digit}", X, y == digit, scaled=False)
    labels = np.asarray(data.arrays("mnist_70000.npz")["y"][:10_000])
    X = data.mnist(10_000)
    for digit in (1, 4, 6):
        yield Labelled(f"MNIST, {digit}", X, labels == digit, scaled=False)
    stored = data.arrays("phoneme_npfda_2000x150.npz")
    for kind in (2, 4):
        yield Labelled(f"phoneme, {kind}", stored["X"].astype(np.float64), stored["y"] == kind)


def _of_river() -> Iterator[Labelled]:
    from river import datasets

    rows = list(datasets.ImageSegments())
    X = columns_of([x for x, _ in rows])
    for kind in ("sky", "window", "grass"):
        yield Labelled(f"segments, {kind}", X, np.array([y == kind for _, y in rows]))
    rows = list(datasets.Yeast())
    X = columns_of([x for x, _ in rows])
    for kind in ("Class5", "Class9"):
        yield Labelled(f"yeast, {kind}", X, np.array([bool(y[kind]) for _, y in rows]))


def made_up() -> Iterator[Labelled]:
    rng = np.random.default_rng(5)

    def of(name: str, normal: Array, novel: Array) -> Labelled:
        rows = np.vstack([normal, novel])
        return Labelled(name, rows, np.arange(len(rows)) >= len(normal))

    def plane(n: int) -> Array:
        return rng.normal(size=(n, 3)) @ rng.normal(size=(3, 8)) + 0.2 * rng.normal(size=(n, 8))

    latent = plane(NORMAL)
    spread = 1.2 * latent.std(axis=0)
    yield of("latents, scattered", latent, rng.normal(size=(NOVEL, 8)) * spread)
    yield of("latents, another plane", latent, plane(NOVEL))
    blobs, _ = make_blobs(NORMAL, 10, centers=6, random_state=1)
    noise = rng.uniform(blobs.min(), blobs.max(), size=(NOVEL, 10))
    yield of("clusters, uniform", blobs, noise)
    rows, cluster = make_blobs(NORMAL + NOVEL, 5, centers=8, random_state=3, cluster_std=2.0)
    yield Labelled("clusters, one of them", rows, cluster == 0)
    moons, _ = make_moons(NORMAL, noise=0.08, random_state=0)
    yield of("moons, uniform", moons, rng.uniform([-1.5, -1], [2.5, 1.5], size=(NOVEL, 2)))
    heavy = rng.standard_t(3, size=(NORMAL, 6))
    corners = 0.5 * rng.normal(size=(NOVEL, 6)) + 4 * rng.choice([-1, 1], size=(NOVEL, 6))
    yield of("heavy tails, corners", heavy, corners)
    normal, off = rng.normal(size=(NORMAL, 12)), rng.normal(size=(NOVEL, 12))
    off[:, :2] += 5 * rng.choice([-1, 1], size=(NOVEL, 2))
    yield of("two columns off", normal, off)
    yield of(
        "skewed, wider", rng.gamma(2.0, size=(NORMAL, 6)), 2.5 * rng.gamma(2.0, size=(NOVEL, 6))
    )


def others(quick: bool) -> list[Labelled]:
    return list(made_up())[: 2 if quick else None] + ([] if quick else list(other_classes()))
