"""64 partitions merged in random trees, in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import process_time
from typing import NamedTuple

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, median_gamma, table, verdict
from numpy.typing import NDArray

from okpca import OnlineKernelPCA, kernels, merge

TITLE = "What merging keeps"
TREES, LOOKED_AT = 3, 5_000
Models = list[OnlineKernelPCA]


def balanced(X: Array, y: NDArray[np.int64], P: int) -> list[Array]:
    return np.array_split(X, P)


def skewed(X: Array, y: NDArray[np.int64], P: int) -> list[Array]:
    """Sizes from a Dirichlet distribution, a few rows at least: the largest has some 10 % of 64."""
    least = min(20, len(X) // (2 * P))
    shares = np.random.default_rng(0).dirichlet(np.full(P, 0.5))
    sizes = least + (shares * (len(X) - P * least)).astype(int)
    return np.split(X, np.cumsum(sizes)[:-1])


def one_class_each(X: Array, y: NDArray[np.int64], P: int) -> list[Array]:
    """As many partitions for a class as it has rows, about, and at least one."""
    classes = np.unique(y)
    spare = max(P - len(classes), 0)
    more = np.bincount(np.arange(spare) % len(classes), minlength=len(classes))
    return [
        part
        for label, extra in zip(classes, more, strict=True)
        for part in np.array_split(X[y == label], 1 + extra)
    ]


KINDS = {"balanced": balanced, "skewed": skewed, "one class each": one_class_each}


class Case(NamedTuple):
    n: int
    m: int
    kinds: tuple[str, ...]
    counts: tuple[int, ...]


CASES = (
    Case(20_000, 200, tuple(KINDS), (8, 64)),
    Case(70_000, 500, ("one class each",), (64,)),  # the default budget
)
QUICK = (Case(800, 20, tuple(KINDS), (8,)),)


def random_tree(models: Models, rng: np.random.Generator) -> OnlineKernelPCA:
    """Any two that there are, until there is one."""
    left = [models[i] for i in rng.permutation(len(models))]
    while len(left) > 1:
        i, j = sorted(rng.choice(len(left), 2, replace=False))
        other, one = left.pop(j), left.pop(i)
        left.append(merge([one, other]))
    return left[0]


def of_neighbours(models: Models) -> OnlineKernelPCA:
    """The tree of okpca.dask."""
    while len(models) > 1:
        models = [merge(models[i : i + 2]) for i in range(0, len(models), 2)]
    return models[0]


class Found(NamedTuple):
    """Captured variance beside one pass, less one; seconds of a core for a merge."""

    fixed: float
    random: list[float]
    seconds: float

    @property
    def spread(self) -> float:
        return max(self.random) - min(self.random)

    @property
    def lowest(self) -> float:
        return min(self.fixed, *self.random)

    def cells(self) -> list[str]:
        shares = self.fixed, min(self.random), max(self.random)
        told = [f"{share:+.2%}" for share in shares]
        return [*told, f"{self.spread:.2%}", f"{1e3 * self.seconds:.0f} ms"]


def measured(case: Case, trees: int) -> Iterator[tuple[list[str], Found]]:
    """Each line of the table: what it is about, and what was found."""
    stored = data.arrays("mnist_70000.npz")
    X = stored["X"][: case.n].astype(np.float64) / 255
    y = stored["y"][: case.n].astype(np.int64)
    given = {"kernel": kernels.RBF(median_gamma(X)), "max_atoms": case.m, "random_state": 0}
    mixed = X[np.random.default_rng(0).permutation(len(X))]

    def learn(rows: Array) -> OnlineKernelPCA:
        return OnlineKernelPCA(10, **given).fit(rows)  # type: ignore[arg-type]

    def captured(model: OnlineKernelPCA) -> float:
        return float(model.transform(mixed[:LOOKED_AT]).var(axis=0).sum())

    single = captured(learn(mixed))
    for kind in case.kinds:
        for P in case.counts:
            models = [learn(part) for part in KINDS[kind](X, y, P)]
            start = process_time()
            neighbours = of_neighbours(models)
            seconds = (process_time() - start) / (len(models) - 1)
            chances = map(np.random.default_rng, range(trees))
            random = [captured(random_tree(models, rng)) / single - 1 for rng in chances]
            found = Found(captured(neighbours) / single - 1, random, seconds)
            about = [f"{case.n}", f"{case.m}", kind, f"{len(models)}"]
            print(*about, *found.cells(), file=sys.stderr, flush=True)
            yield about, found


def run(quick: bool) -> str:
    cases, trees = (QUICK, 2) if quick else (CASES, TREES)
    lines = [line for case in cases for line in measured(case, trees)]
    header = ["rows", "atoms", "partitions", "how many", "by `okpca.dask`'s tree",
              "random trees, worst", "best", "spread", "a merge, of one core"]  # fmt: skip
    most, least = max(f.spread for _, f in lines), min(f.lowest for _, f in lines)
    goals = [
        verdict("random trees differ by 0.5 % at most", most <= 0.005),
        verdict("at most 0.5 % below one pass over shuffled rows", least >= -0.005),
    ]
    return f"""\
MNIST / 255, RBF with γ one over the median squared distance, ten components; every partition is
learned for itself, and the models are merged: by the tree that `okpca.dask.fit` takes, and {trees}
times by a tree that joins any two at random. Captured variance of {LOOKED_AT} rows, beside one pass
over all rows, shuffled, under the same budget. Balanced and skewed partitions are cut from the rows
in their own order, those of the last kind hold one class. (64 of 20 000 rows have some 310 each.)

{table(header, [[*about, *found.cells()] for about, found in lines])}

{chr(10).join("- " + goal for goal in goals)}
"""
