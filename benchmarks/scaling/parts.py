"""64 partitions merged in random trees, in this process."""

from __future__ import annotations

from time import process_time

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, median_gamma, table, verdict
from numpy.typing import NDArray

from okpca import OnlineKernelPCA, kernels, merge

TITLE = "What merging keeps"
COUNTS, TREES, LOOKED_AT = (4, 16, 64), 3, 5_000
BUDGETS = (200, 500)
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


def run(quick: bool) -> str:
    n = 2000 if quick else 20_000
    stored = data.arrays("mnist_70000.npz")
    X = stored["X"][:n].astype(np.float64) / 255
    y = stored["y"][:n].astype(np.int64)
    kernel = kernels.RBF(median_gamma(X))
    mixed = np.random.default_rng(0).permutation(n)
    seen = X[mixed[:LOOKED_AT]]
    lines, spreads, lowest = [], [], []
    for m in (40,) if quick else BUDGETS:

        def learn(rows: Array, m: int = m) -> OnlineKernelPCA:
            return OnlineKernelPCA(10, kernel=kernel, max_atoms=m, random_state=0).fit(rows)

        def captured(model: OnlineKernelPCA) -> float:
            return float(model.transform(seen).var(axis=0).sum())

        single = captured(learn(X[mixed]))
        for kind, cut in KINDS.items():
            for P in (16,) if quick else COUNTS:
                models = [learn(part) for part in cut(X, y, P)]
                start = process_time()
                neighbours = of_neighbours(models)
                seconds = (process_time() - start) / (len(models) - 1)
                fixed = captured(neighbours) / single - 1
                found = [
                    captured(random_tree(models, np.random.default_rng(seed))) / single - 1
                    for seed in range(2 if quick else TREES)
                ]
                spread = max(found) - min(found)
                spreads.append(spread)
                lowest.append(min(*found, fixed))
                lines.append(
                    [f"{m}", kind, f"{len(models)}", f"{fixed:+.2%}", f"{min(found):+.2%}",
                     f"{max(found):+.2%}", f"{spread:.2%}", f"{1e3 * seconds:.0f} ms"]
                )  # fmt: skip
    header = ["atoms", "partitions", "how many", "by `okpca.dask`'s tree", "random trees, worst",
              "best", "spread", "a merge, of one core"]  # fmt: skip
    goals = [
        verdict("random trees differ by 0.5 % at most", max(spreads) <= 0.005),
        verdict("at most 0.5 % below one pass over shuffled rows", min(lowest) >= -0.005),
    ]
    return f"""\
MNIST, {n} rows / 255, RBF γ = {kernel.gamma:.4f} (one over the median squared distance), ten
components; every partition learned for itself, and the models merged: by the tree that
`okpca.dask.fit` takes, and {TREES} times by a tree that joins any two at random. Captured variance
of {len(seen)} rows, beside one pass over all rows, shuffled, under the same budget. Balanced and
skewed partitions are cut from the rows in their own order, those of the last kind hold one class.

{table(header, lines)}

{chr(10).join("- " + goal for goal in goals)}
"""
