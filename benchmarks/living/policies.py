"""compress, drop or project: which policy keeps most when the dictionary is full?"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, batch, captured, median_gamma, table

from okpca import OnlineKernelPCA, kernels
from okpca.kernels import Kernel

TITLE = "Budget policies"
POLICIES = ("compress", "drop", "project")
BUDGETS = (25, 50, 100)
ROWS = 2000
DATA: dict[str, Callable[[], Array]] = {
    "digits": data.digits,
    "breast cancer": data.breast_cancer,
    "USPS": lambda: data.usps()[0],
    "MNIST": lambda: data.mnist(ROWS),
    "phoneme": data.phoneme,
    "Tennessee": data.tennessee,
}


def kernels_for(X: Array) -> dict[str, Kernel]:
    size = float(np.square(X).sum(axis=1).mean())
    return {
        "RBF": kernels.RBF(median_gamma(X)),
        "polynomial": kernels.Polynomial(degree=2, gamma=1 / size, coef0=1),
    }


def orders(n: int, count: int) -> list[np.ndarray]:
    """As stored, then shuffled."""
    shuffled = [np.random.default_rng(seed).permutation(n) for seed in range(count - 1)]
    return [np.arange(n), *shuffled]


class Trial:
    """Mean captured share and seconds of every policy, for one data set, kernel and budget."""

    def __init__(self, X: Array, kernel: Kernel, total: float, budget: int, n_orders: int) -> None:
        self.captured: list[float] = []
        self.seconds: list[float] = []
        for policy in POLICIES:
            shares, taken = [], []
            for order in orders(len(X), n_orders):
                model = OnlineKernelPCA(
                    10, kernel=kernel, max_atoms=budget, on_full=policy, random_state=0
                )
                start = time.perf_counter()
                model.fit(X[order])
                taken.append(time.perf_counter() - start)
                shares.append(captured(model, X, total))
            self.captured.append(float(np.mean(shares)))
            self.seconds.append(float(np.mean(taken)))

    def cells(self) -> list[str]:
        best = max(self.captured)
        return [f"**{c:.3f}**" if c == best else f"{c:.3f}" for c in self.captured]


def run(quick: bool) -> str:
    sets, absent = {}, []
    for name, read in list(DATA.items())[: 2 if quick else None]:
        try:
            sets[name] = read()[: 300 if quick else ROWS]
        except data.Absent:
            absent.append(name)
    n_orders = 2 if quick else 3
    rows, trials = [], []
    for name, X in sets.items():
        for label, kernel in kernels_for(X).items():
            total = float(batch(kernel, X, 10)[0].sum())
            line = [Trial(X, kernel, total, budget, n_orders) for budget in BUDGETS]
            trials += line
            rows.append([f"{name}, {label}", *(cell for trial in line for cell in trial.cells())])
    share = np.array([trial.captured for trial in trials])
    seconds = np.array([trial.seconds for trial in trials])
    rank = (share[:, None, :] > share[:, :, None]).sum(axis=2) + 1
    summary = [
        (
            policy,
            f"{(rank[:, i] == 1).sum()} of {len(trials)}",
            f"{rank[:, i].mean():.2f}",
            f"{share[:, i].mean():.3f}",
            f"{share[:, i].min():.3f}",
            f"{np.median(seconds[:, i]):.2f}",
        )
        for i, policy in enumerate(POLICIES)
    ]
    header = [f"{policy} {budget}" for budget in BUDGETS for policy in POLICIES]
    kind = ["policy", "best", "mean rank", "mean captured", "least captured", "median seconds"]
    skipped = f" Absent, hence skipped: {', '.join(absent)}." if absent else ""
    return f"""\
`on_full` says what happens when a row asks to join a full dictionary. {len(sets)} data sets of at
most {ROWS} rows, two kernels (RBF with γ one over the median squared distance, polynomial of degree
two), `max_atoms` of 25, 50 and 100, ten components; the mean over {n_orders} orders of the rows (as
stored, then shuffled) of the captured share of batch kernel PCA's variance.{skipped}

{table(["data, kernel", *header], rows)}

{table(kind, summary)}

By this table the default is `on_full="{POLICIES[int(rank.mean(axis=0).argmin())]}"`.
"""
