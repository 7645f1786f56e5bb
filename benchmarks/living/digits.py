"""Fifty atoms on the digits of scikit-learn."""

from __future__ import annotations

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, batch, captured, table, verdict
from sklearn.cluster import KMeans

from okpca import OnlineKernelPCA, kernels
from okpca.dictionary import Fixed

TITLE = "Small dictionaries"
KERNEL = kernels.RBF(0.32)
ATOMS = 50


def model(**options: object) -> OnlineKernelPCA:
    return OnlineKernelPCA(10, kernel=KERNEL, random_state=0, **options)


def ald(X: Array) -> tuple[OnlineKernelPCA, float]:
    """The distance criterion alone, ν such that the whole stream admits at most 50 rows."""
    low, high = 0.0, 1.0
    for _ in range(30):
        nu = (low + high) / 2
        fitted = model(nu=nu, max_atoms=ATOMS + 1, on_full="project").fit(X)
        low, high = (nu, high) if fitted.n_atoms_ > ATOMS else (low, nu)
    return model(nu=high, max_atoms=ATOMS, on_full="project").fit(X), high


def run(quick: bool) -> str:
    X = data.digits()[: 500 if quick else 1500]
    seeds = range(2 if quick else 10)
    total = float(batch(KERNEL, X, 10)[0].sum())
    rng = np.random.default_rng(0)

    def share(fitted: OnlineKernelPCA) -> float:
        return captured(fitted, X, total)

    def fixed(points: Array) -> float:
        return share(model(dictionary=Fixed(points)).fit(X))

    criterion, nu = ald(X)
    chance = [fixed(X[rng.permutation(len(X))[:ATOMS]]) for _ in seeds]
    centres = [
        fixed(KMeans(ATOMS, n_init=1, random_state=seed).fit(X).cluster_centers_) for seed in seeds
    ]
    living = {
        working: share(model(max_atoms=working).fit(X).compress(ATOMS)) for working in (100, 200)
    }
    first = share(model(nu=1e-3, max_atoms=ATOMS, on_full="project").fit(X))
    rows = [
        (f"ALD, ν = {nu:.3f} ({criterion.n_atoms_} atoms in the whole stream)", share(criterion)),
        ("ALD, ν = 0.001, the first 50 admitted", first),
        (f"random rows (mean of {len(seeds)})", float(np.mean(chance))),
        (f"k-means centres of all rows (mean of {len(seeds)})", float(np.mean(centres))),
        ("one pass, `max_atoms=50`", share(model(max_atoms=ATOMS).fit(X))),
        *(
            (f"one pass, `max_atoms={working}`, then `compress(50)`", value)
            for working, value in living.items()
        ),
    ]
    return f"""\
scikit-learn's digits, the first {len(X)} rows / 16, RBF γ = 0.32, ten components, 50 atoms: share
of the variance of batch kernel PCA's ten components that the model's own ten capture.

{table(["dictionary", "captured"], [(name, f"{value:.3f}") for name, value in rows])}

At equal size the distance criterion keeps less than random rows do, and placed atoms keep most.

- {verdict("at least 0.94 in one pass with 50 atoms", rows[4][1] >= 0.94)}
- {verdict("at least 0.955 with 100 working atoms", living[100] >= 0.955)}
- {verdict("at least 0.967 with 200 working atoms", living[200] >= 0.967)}
"""
