"""MNIST with a bounded dictionary: one pass and five, shuffled and sorted by class."""

from __future__ import annotations

import numpy as np
from benchmarks import data
from benchmarks.comparison.race import RULES, Race, Truth, passes
from benchmarks.comparison.shown import drawn, leaders, tabled
from benchmarks.living.common import median_gamma
from benchmarks.papers.common import rounded, table

from okpca import kernels

TITLE = "MNIST, with a budget of 200 atoms"
ROWS, ATOMS, COMPONENTS = 2000, 200, 10
MARKS = (250, 500, 1000, 2000, 4000, 10_000)
SHOWN = (500, 2000, 10_000)
QUICK = (120,)


def sorted_by_class(n: int) -> np.ndarray:
    stored = data.arrays("mnist_70000.npz")
    order = np.argsort(stored["y"][:n], kind="stable")
    return np.asarray(stored["X"][:n][order].astype(np.float64) / 255)


def run(quick: bool) -> str:
    n, marks, shown = (QUICK[0], QUICK, QUICK) if quick else (ROWS, MARKS, SHOWN)
    X = data.mnist(n)
    kernel = kernels.RBF(median_gamma(X))
    truth = Truth.of(kernel, X, COMPONENTS)
    options = {"n_components": COMPONENTS, "kernel": kernel, "random_state": 0, "max_atoms": ATOMS}
    race = Race(lambda: passes(X), lambda rows: truth, marks, options)
    paths = race.paths()
    figure = drawn(paths, "mnist", "MNIST: AC and captured variance, by rows and by time", quick)
    inside = Race(lambda: iter([sorted_by_class(n)]), lambda rows: truth, (n,), options)
    ends = {name: inside.path(name)[0] for name in RULES}
    in_order = [(f"`{name}`", f"{e.cosine:.2f}", f"{e.captured:.2f}") for name, e in ends.items()]
    return f"""\
The first {rounded(n)} digits, RBF with γ one over the median squared distance, {COMPONENTS}
components, centred, `max_atoms={ATOMS}` under the default budget, whose atoms move now and then. In
random order, five passes. Cells: AC / captured; what the dictionary leaves out counts against all.

{tabled(paths, shown, {} if quick else race.tuned())}

{leaders(race, paths, 0.9)}

{figure}

The same rows once, **sorted by class**: what takes steps has forgotten the first classes when the
last ones come.

{table(["rule", "AC", "captured"], in_order)}
"""
