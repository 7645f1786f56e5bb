"""Eight models of eight parts against one model of all."""

from __future__ import annotations

import time

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, batch, captured, median_gamma, table, verdict

from okpca import OnlineKernelPCA, kernels, merge

TITLE = "Merging"
PARTS = 8
ATOMS = 250


def tree(models: list[OnlineKernelPCA]) -> OnlineKernelPCA:
    while len(models) > 1:
        models = [merge(models[i : i + 2]) for i in range(0, len(models), 2)]
    return models[0]


def run(quick: bool) -> str:
    X = data.mnist(2_000 if quick else 20_000)
    max_atoms = 60 if quick else ATOMS
    kernel = kernels.RBF(median_gamma(X))

    def learn(rows: Array) -> OnlineKernelPCA:
        return OnlineKernelPCA(10, kernel=kernel, max_atoms=max_atoms, random_state=0).fit(rows)

    start = time.perf_counter()
    whole = learn(X)
    once = time.perf_counter() - start
    parts = [learn(rows) for rows in np.array_split(X, PARTS)]
    rng = np.random.default_rng(0)
    merged = {"one after another": merge(parts)}
    for i in range(1 if quick else 4):
        merged[f"random order {i + 1}"] = merge([parts[j] for j in rng.permutation(PARTS)])
    merged["as a tree"] = tree(parts)
    merged["as a tree, random order"] = tree([parts[j] for j in rng.permutation(PARTS)])

    some = X[rng.permutation(len(X))[:3000]]
    total = float(batch(kernel, some, 10)[0].sum())
    scatter = captured(whole, X, 1.0)
    relative = {name: captured(model, X, scatter) for name, model in merged.items()}
    alone = [captured(part, X, scatter) for part in parts]
    rows = [(name, f"{value:.4f}") for name, value in relative.items()]
    rows.append(("one part alone, mean", f"{np.mean(alone):.4f}"))
    worst = max(abs(value - 1) for value in relative.values())
    return f"""\
MNIST, {len(X)} rows / 255, RBF γ = {kernel.gamma:.4f} (one over the median squared distance), ten
components, `max_atoms={max_atoms}`. Eight models learn an eighth of the rows each and are merged in
several orders; captured variance of all rows, relative to the model of one pass over them (which
itself captures {captured(whole, some, total):.3f} of what batch kernel PCA finds in
{len(some)} of the rows, and takes {once:.1f} s).

{table(["eight parts merged", "captured / one pass"], rows)}

Merging is as good as one pass, whatever the order: {worst:.2%} apart at most.
{verdict("within 0.5 % in any order", worst <= 0.005)}
"""
