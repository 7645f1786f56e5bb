"""The speed of the core, as ratios of two things timed side by side: `make bench-core`.

Shared machines are noisy, so the two sides alternate, several times over, and the median of each is
taken; the ratio of the medians is what the README quotes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np
from sklearn.decomposition import IncrementalPCA
from sklearn.kernel_approximation import Nystroem

from okpca import OnlineKernelPCA, kernels, rules

COMPONENTS = 16
ATOMS = 300


def alternate(*sides: Callable[[], float], repeats: int) -> list[float]:
    """The median seconds of each side, the sides taking turns."""
    seconds: list[list[float]] = [[] for _ in sides]
    for _ in range(repeats):
        for side, taken in zip(sides, seconds, strict=True):
            taken.append(side())
    return [median(taken) for taken in seconds]


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def clustered(n: int, d: int) -> np.ndarray:
    """Rows about 300 centres: a dictionary of about 300 atoms spans them."""
    rng = np.random.default_rng(0)
    centres = rng.random((ATOMS, d))
    return centres[rng.integers(ATOMS, size=n)] + rng.normal(scale=0.02, size=(n, d))


def batches(X: np.ndarray, size: int) -> list[np.ndarray]:
    return [X[start : start + size] for start in range(0, len(X), size)]


def learn(X: np.ndarray, size: int, gamma: float) -> OnlineKernelPCA:
    model = OnlineKernelPCA(COMPONENTS, gamma=gamma, nu=0.05, max_atoms=ATOMS, on_full="project")
    for batch in batches(X, size):
        model.partial_fit(batch)
    model.eigenvalues_  # noqa: B018  # the components are part of the work
    return model


class Pair:
    """Nystroem(300) and IncrementalPCA: what one could install before."""

    def __init__(self, X: np.ndarray, gamma: float) -> None:
        self.map = Nystroem(n_components=ATOMS, gamma=gamma, random_state=0).fit(X[:1000])
        self.pca = IncrementalPCA(COMPONENTS)

    def learn(self, stream: list[np.ndarray]) -> None:
        for batch in stream:
            self.pca.partial_fit(self.map.transform(batch))


def by_blocks(n: int, d: int, gamma: float, repeats: int) -> tuple[float, float, float, int]:
    """Seconds of okpca, of the kernel blocks alone, of the pair; and the atoms."""
    X = clustered(n, d)
    stream = batches(X, 1000)
    model = learn(X, 1000, gamma)
    evaluate = kernels.RBF(gamma).bind(model.atoms_)
    ours, limit, theirs = alternate(
        lambda: timed(lambda: learn(X, 1000, gamma)),
        lambda: timed(lambda: [evaluate(batch) for batch in stream]),
        lambda: timed(lambda: Pair(X, gamma).learn(stream)),
        repeats=repeats,
    )
    return ours, limit, theirs, model.n_atoms_


def by_rows(n: int, d: int, gamma: float, repeats: int) -> tuple[float, float]:
    """Seconds a row of okpca and of the pair, both warm."""
    X = clustered(n + 2000, d)
    model = learn(X[:2000], 1000, gamma)
    pair = Pair(X, gamma)
    pair.learn(batches(X[:2000], 1000))
    rows = batches(X[2000:], 1)
    # The pair refuses a first batch below n_components rows and afterwards takes any.
    ours, theirs = alternate(
        lambda: timed(lambda: [model.partial_fit(row) for row in rows]) / n,
        lambda: timed(lambda: pair.learn(rows[: n // 10])) / (n // 10),
        repeats=repeats,
    )
    return ours, theirs


def on_kha(steps: int, repeats: int) -> tuple[float, float, int]:
    """Seconds a step of ON-KHA and of a NumPy loop of its Table I."""
    rng = np.random.default_rng(0)
    # As in the paper: 300 images of 256 pixels, shown again and again in random order.
    images = clustered(300, 256)
    gamma = 0.05
    rule = rules.NAMES["on-kha"]
    X = images[rng.integers(300, size=steps)]
    nu = 0.4

    def build() -> OnlineKernelPCA:
        return OnlineKernelPCA(
            COMPONENTS,
            gamma=gamma,
            rule=rule,
            nu=nu,
            max_atoms=49,
            on_full="project",
            center=False,
            random_state=0,
        )

    model = build().partial_fit(X)
    ours, theirs = alternate(
        lambda: timed(lambda: build().partial_fit(X)) / steps,
        lambda: timed(lambda: table_one(X[: steps // 100], gamma, nu, 49)) / (steps // 100),
        repeats=repeats,
    )
    return ours, theirs, model.n_atoms_


def table_one(X: np.ndarray, gamma: float, nu: float, max_atoms: int) -> np.ndarray:
    """Souza Filho & Diniz, Table I, as one would write it in NumPy."""
    rng = np.random.default_rng(0)
    D = np.empty((max_atoms, X.shape[1]))
    D[0] = X[0]
    m = 1
    K = np.ones((1, 1))
    K_inverse = np.ones((1, 1))
    A = rng.normal(scale=0.1, size=(1, COMPONENTS))
    eta, decay = 0.05, 0.999995
    for x in X[1:]:
        k = np.exp(-gamma * ((D[:m] - x) ** 2).sum(axis=1))
        beta = K_inverse @ k
        residual = 1.0 - beta @ k
        if residual >= nu and m < max_atoms:
            K = np.block([[K, k[:, None]], [k[None], np.ones((1, 1))]])
            edge = np.append(-beta, 1.0)
            K_inverse = np.pad(K_inverse, (0, 1)) + np.outer(edge, edge) / residual
            D[m] = x
            m += 1
            beta = np.zeros(m)
            beta[-1] = 1.0
            A = np.vstack([A, np.zeros(COMPONENTS)])
            k = np.append(k, 1.0)
        y = A.T @ k
        eta *= decay
        yy = np.outer(y, y)
        M = 2 * np.triu(yy) - np.diag(np.diag(yy))
        A = A + eta * (np.outer(beta, y) - A @ M)
        A = A / np.sqrt((A * (K @ A)).sum(axis=0))
    return A


def import_seconds(module: str) -> float:
    return timed(lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, for a look")
    quick = parser.parse_args().quick
    part = 10 if quick else 1
    repeats = 3 if quick else 7

    ours, limit, theirs, atoms = by_blocks(20_000 // part, 784, 0.05, repeats)
    print(f"20 000 x 784, {atoms} atoms, batches of 1 000, exact rule")
    print(f"  {ours / limit:6.2f} x the time of its kernel blocks alone")
    print(f"  {theirs / ours:6.1f} x faster than Nystroem({ATOMS}) + IncrementalPCA")
    ours, _, theirs, atoms = by_blocks(100_000 // part, 30, 1.0, repeats)
    print(f"100 000 x 30, {atoms} atoms, batches of 1 000")
    print(f"  {theirs / ours:6.1f} x faster than the same pair")
    ours, theirs = by_rows(5_000 // part, 30, 1.0, repeats)
    print(f"one row at a time, 30 columns, {ATOMS} atoms: {ours * 1e6:.0f} µs a row")
    print(f"  {theirs / ours:6.1f} x faster than the same pair ({theirs * 1e6:.0f} µs a row)")
    ours, theirs, atoms = on_kha(500_000 // part, 3)
    print(f"ON-KHA, {atoms} atoms, {COMPONENTS} components: {ours * 1e6:.2f} µs a step")
    print(f"  {theirs / ours:6.1f} x faster than a NumPy loop of Table I ({theirs * 1e6:.0f} µs)")
    ours, theirs = alternate(
        lambda: import_seconds("okpca"),
        lambda: import_seconds("sklearn.decomposition"),
        repeats=repeats,
    )
    print(f"import okpca: {ours:.2f} s")
    print(f"  {ours / theirs:6.2f} x import sklearn.decomposition")


if __name__ == "__main__":
    main()
