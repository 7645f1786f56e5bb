"""The 300 images of Souza Filho & Diniz, again and again in random order."""

from __future__ import annotations

from benchmarks.comparison.race import Race, Truth, passes
from benchmarks.comparison.shown import drawn, leaders, tabled
from benchmarks.papers.souza_filho import COMPONENTS, KERNEL, images

TITLE = "USPS: the 300 images of Souza Filho & Diniz"
MARKS = (100, 200, 300, 600, 1500, 3000, 6000, 15_000, 30_000)
SHOWN = (300, 3000, 30_000)


def race(marks: tuple[int, ...]) -> Race:
    X = images()
    truth = Truth.of(KERNEL, X, COMPONENTS, center=False)
    options = {"n_components": COMPONENTS, "kernel": KERNEL, "center": False, "random_state": 0}
    return Race(lambda: passes(X), lambda rows: truth, marks, options)


def run(quick: bool) -> str:
    shown = MARKS[:1] if quick else SHOWN
    race_ = race(MARKS[: MARKS.index(shown[-1]) + 1])
    paths = race_.paths()
    figure = drawn(paths, "usps", "USPS: AC and captured variance, by rows and by time", quick)
    return f"""\
100 images each of the digits 1, 2 and 3, RBF with σ = 8, {COMPONENTS} components, uncentred,
ν = 0.001 (the paper's full dictionary), in a new random order at every pass. After the first pass,
300 rows, the exact rule is done. Cells: AC / captured.

{tabled(paths, shown, {} if quick else race_.tuned())}

{leaders(race_, paths, 0.9)}

{figure}
"""
