"""What do merging in a stream and a compression at its end cost?"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import copy
from statistics import median

from benchmarks import data
from benchmarks.living.common import median_gamma, table, verdict

from okpca import OnlineKernelPCA

TITLE = "The cost of a full dictionary"


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def run(quick: bool) -> str:
    X = data.mnist(500 if quick else 20_000)
    atoms, few = (100, 50) if quick else (500, 200)
    gamma = median_gamma(X)

    def learn(on_full: str = "compress", r: int = 10, m: int = atoms) -> OnlineKernelPCA:
        model = OnlineKernelPCA(r, gamma=gamma, max_atoms=m, on_full=on_full, random_state=0)
        for start in range(0, len(X), 1000):
            model.partial_fit(X[start : start + 1000])
        return model

    full = learn("project", m=2 * few)
    works: dict[str, Callable[[], object]] = {
        f'`on_full="project"`, {atoms} atoms': lambda: learn("project"),
        f"the default, {atoms} atoms": learn,
        f'`on_full="project"`, {few} atoms': lambda: learn("project", m=few),
        f"the default, {few} atoms": lambda: learn(m=few),
        f"the same with 30 components instead of 10, {few} atoms": lambda: learn(r=30, m=few),
        f"`compress({few})` of {2 * few} atoms, once": lambda: copy(full).compress(few),
    }
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(1 if quick else 5):
        for name, work in works.items():
            seconds[name].append(timed(work))
    middle = {name: median(taken) for name, taken in seconds.items()}
    names = list(works)
    ratio = middle[names[1]] / middle[names[0]]
    more = middle[names[4]] / middle[names[3]]
    base = [names[0], names[0], names[2], names[2], names[2], names[2]]
    rows = [
        (name, f"{middle[name]:.2f}", f"{middle[name] / middle[against]:.2f}")
        for name, against in zip(names, base, strict=True)
    ]
    return f"""\
MNIST, {len(X)} rows of 784 columns in calls of 1000, ten components; medians of
{len(seconds[names[0]])} turns taken alternately, in seconds of the processor, and against
`on_full="project"` with as many atoms.

{table(["", "seconds", "ratio"], rows)}

- {verdict(f"{atoms} atoms at most 2.5 times the time of `project`", ratio <= 2.5)}
- {verdict("30 components take no more than a fifth longer than 10", more <= 1.2)}
"""
