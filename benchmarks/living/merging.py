"""Eight models of eight parts against one model of all."""

from __future__ import annotations

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, batch, captured, median_gamma, table, verdict

from okpca import OnlineKernelPCA, kernels, merge

TITLE = "Merging"
PARTS = 8
BUDGETS = (200, 300, 500)


def tree(models: list[OnlineKernelPCA]) -> OnlineKernelPCA:
    while len(models) > 1:
        models = [merge(models[i : i + 2]) for i in range(0, len(models), 2)]
    return models[0]


def merged(parts: list[OnlineKernelPCA]) -> dict[str, OnlineKernelPCA]:
    rng = np.random.default_rng(0)
    shuffled = [[parts[j] for j in rng.permutation(PARTS)] for _ in range(3)]
    return {
        "one after another": merge(parts),
        "random order 1": merge(shuffled[0]),
        "random order 2": merge(shuffled[1]),
        "as a tree": tree(parts),
        "as a tree, random order": tree(shuffled[2]),
    }


def run(quick: bool) -> str:
    X = data.mnist(2_000 if quick else 20_000)
    kernel = kernels.RBF(median_gamma(X))
    some = X[np.random.default_rng(0).permutation(len(X))[:3000]]
    total = float(batch(kernel, some, 10)[0].sum())
    budgets = (60,) if quick else BUDGETS
    columns: list[dict[str, float]] = []
    whole_share = []
    for max_atoms in budgets:

        def learn(rows: Array, max_atoms: int = max_atoms) -> OnlineKernelPCA:
            return OnlineKernelPCA(10, kernel=kernel, max_atoms=max_atoms, random_state=0).fit(rows)

        whole = learn(X)
        scatter = captured(whole, X, 1.0)
        whole_share.append(captured(whole, some, total))
        parts = [learn(rows) for rows in np.array_split(X, PARTS)]
        column = {name: captured(model, X, scatter) for name, model in merged(parts).items()}
        columns.append(column)
    rows = [[name, *(f"{column[name]:.4f}" for column in columns)] for name in columns[0]]
    rows.append(["(one pass / batch)", *(f"{share:.3f}" for share in whole_share)])
    every = np.array([list(column.values()) for column in columns])
    spread = np.ptp(every, axis=1).max()
    goals = [
        "- " + verdict(f"within 0.5 % with {m} atoms, in any order", abs(line - 1).max() <= 0.005)
        for m, line in zip(budgets, every, strict=True)
    ]
    return f"""\
MNIST, {len(X)} rows / 255, RBF γ = {kernel.gamma:.4f} (one over the median squared distance), ten
components. Eight models learn an eighth of the rows each and are merged in several orders; captured
variance of all rows, relative to the model of one pass over them under the same budget. The last
line is what one pass captures of batch kernel PCA's variance, on {len(some)} of the rows.

{table(["eight parts merged", *(f"`max_atoms={m}`" for m in budgets)], rows)}

The order hardly matters ({spread:.2%} between best and worst under one budget). Against one pass
merged models stand between {every.min() - 1:+.2%} and {every.max() - 1:+.2%}; above zero the merged
model is the better one.

{chr(10).join(goals)}
"""
