"""What does a compression cost?"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from statistics import median

from benchmarks import data
from benchmarks.living.common import median_gamma, table, verdict

from okpca import OnlineKernelPCA

TITLE = "The cost of a compression"


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run(quick: bool) -> str:
    X = data.mnist(2_000 if quick else 20_000)
    atoms = 100 if quick else 400
    gamma = median_gamma(X)

    def learn() -> OnlineKernelPCA:
        model = OnlineKernelPCA(10, gamma=gamma, max_atoms=atoms, on_full="project", random_state=0)
        for start in range(0, len(X), 1000):
            model.partial_fit(X[start : start + 1000])
        return model

    model = learn()
    works: dict[str, Callable[[], object]] = {
        "learn": learn,
        # What a full dictionary does in the middle of a stream: 30 components, a short search.
        "stream": lambda: model._model.compressed(atoms // 2),
        "call": lambda: copy(model).compress(atoms // 2),
    }
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(2 if quick else 7):
        for name, work in works.items():
            seconds[name].append(timed(work))
    middle = {name: median(taken) for name, taken in seconds.items()}
    labels = {
        "learn": f"learning {len(X)} rows, `max_atoms={atoms}`",
        "stream": "one compression in the middle of a stream",
        "call": f"`compress({atoms // 2})`",
    }
    steps: dict[str, list[int]] = {"stream": [], "call": []}
    model._model.compressed(atoms // 2, progress=lambda i, _: steps["stream"].append(i))
    copy(model).compress(atoms // 2, progress=lambda i, _: steps["call"].append(i))
    rows = [
        (
            label,
            f"{middle[name]:.2f}",
            f"{middle[name] / middle['learn']:.2f}",
            str(len(steps[name])) if name in steps else "",
        )
        for name, label in labels.items()
    ]
    goal = "a compression takes no longer than learning the rows"
    return f"""\
MNIST, 784 columns, {atoms} atoms compressed to {atoms // 2}, against learning {len(X)} rows in
batches of 1000; medians of {len(seconds["learn"])} turns taken alternately.

{table(["", "seconds", "ratio", "iterations"], rows)}

{verdict(goal, max(middle["stream"], middle["call"]) <= middle["learn"])}
"""
