"""A stream whose subspace turns: an ellipse in a plane of eight columns."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from benchmarks.comparison.race import Mark, Race, Truth
from benchmarks.comparison.shown import drawn
from benchmarks.living.common import Array
from benchmarks.living.drift import ring, turned
from benchmarks.papers.common import rounded, table

from okpca import KernelWarning, kernels

TITLE = "A stream that drifts"
R, ATOMS, FORGETTING = 4, 100, 0.998
OTHERS = {"forgetting=0.99": 0.99, "no forgetting": 1.0}
START, LASTS, END, EVERY = 2000, 1000, 6000, 200
AXES = (1.4, 0.7)  # of unequal lengths, so that every component has its own variance


def ellipse(n: int, rng: np.random.Generator) -> Array:
    X = ring(n, rng)
    X[:, :2] *= AXES
    return X


def angle(rows: Array | int) -> Array:
    return np.asarray(np.clip((np.asarray(rows) - START) / LASTS, 0, 1) * np.pi / 2)


def stream() -> Iterator[Array]:
    yield turned(ellipse(END, np.random.default_rng(0)), angle(np.arange(END)))


def race(end: int, forgetting: float) -> Race:
    kernel = kernels.RBF(0.5)
    fresh = ellipse(1000, np.random.default_rng(1))
    first = Truth.of(kernel, fresh, R)

    def truth(rows: int) -> Truth:
        """The kernel only sees distances, so the truth turns with the rows."""
        return replace(first, rows=turned(fresh, angle(rows - 1)))

    options = {"n_components": R, "kernel": kernel, "max_atoms": ATOMS, "random_state": 0}
    marks = tuple(range(EVERY, end + 1, EVERY))
    return Race(stream, truth, marks, options | {"forgetting": forgetting})


def line(name: str, path: Sequence[Mark]) -> list[str]:
    at = {mark.rows: mark for mark in path}
    moments = [n for n in (START, START + LASTS, END) if n in at] or [path[-1].rows]
    worst = min((mark.captured for mark in path if mark.rows > START), default=path[-1].captured)
    shown = [f"{at[n].cosine:.2f} / {at[n].captured:.2f}" for n in moments]
    return [name, *shown, f"{worst:.2f}", f"{1e6 * path[-1].seconds / path[-1].rows:.0f}"]


def run(quick: bool) -> str:
    # The columns are unequal on purpose, six of them being noise.
    with warnings.catch_warnings(action="ignore", category=KernelWarning):
        return compared(quick)


def compared(quick: bool) -> str:
    end = 2 * EVERY if quick else END
    paths = race(end, FORGETTING).paths()
    caption = "Drift: AC and captured variance, by rows and by time"
    figure = drawn(paths, "drifting", caption, quick, scale="linear")
    lines = [line(f"`{name}`", path) for name, path in paths.items()]
    for name, forgetting in OTHERS.items():
        lines.append(line(f"`exact`, {name}", race(end, forgetting).path("exact")))
    when = [end] if quick else [START, START + LASTS, END]
    head = ["rule", *(f"{rounded(n)} rows" for n in when), "least captured", "µs a row"]
    return f"""\
Rows about an ellipse in a plane of eight columns. From row {rounded(START)} to
{rounded(START + LASTS)} the plane turns into an orthogonal one; the truth is batch kernel PCA of
1 000 fresh rows of the moment. RBF with γ = 0.5, {R} components, `max_atoms={ATOMS}`,
`forgetting={FORGETTING}` for all: it shortens the memory of the rules that keep sums, while steps
of constant or slowly falling size have a memory of their own. Cells: AC / captured, before the
change, at its end, and at the end; then the least captured from the change on.

{table(head, lines)}

{figure}
"""
