"""The detector beside its own model."""

from __future__ import annotations

import sys
import time
from itertools import product
from statistics import median
from typing import Any

import numpy as np
from benchmarks.living.common import verdict

from okpca import KernelNoveltyDetector, OnlineKernelPCA

TITLE = "Does it keep up?"
COLUMNS, ATOMS, CHUNK = (6, 30), (100, 300, 500), 1000
TEXT = """\
Rows a second of the detector, divided by those of `OnlineKernelPCA` with the same parameters
(`n_components=0.95`, `gamma="median"`, columns of independent normal numbers, a hard case: nearly
all components are needed, and atoms keep coming). Both take the same {rows} rows from the first one
on, in turns of {chunk}; processor time, BLAS on one thread; the median of {repeats} runs, and all
of them.

| rows in a call | columns | `max_atoms` | ratio | of all runs |
|---|---|---|---|---|
"""


def ratio(X: np.ndarray, max_atoms: int, calls: int) -> float:
    params: dict[str, Any] = {"n_components": 0.95, "gamma": "median", "max_atoms": max_atoms}
    sides = [OnlineKernelPCA(**params), KernelNoveltyDetector(**params)]
    seconds = [0.0, 0.0]
    chunk = min(CHUNK, len(X))
    for start in range(0, len(X), chunk):
        for i, side in enumerate(sides):
            began = time.process_time()
            for first in range(start, start + chunk, calls):
                side.partial_fit(X[first : first + calls])
            seconds[i] += time.process_time() - began
    return seconds[0] / seconds[1]


def run(quick: bool) -> str:
    rows, repeats = (200, 1) if quick else (20_000, 3)
    rng = np.random.default_rng(0)
    streams = {columns: rng.normal(size=(rows, columns)) for columns in COLUMNS}
    ratio(streams[COLUMNS[0]][:CHUNK], 20, 1)  # loads what is compiled
    parts, found = [TEXT.format(rows=rows, chunk=min(CHUNK, rows), repeats=repeats)], list[float]()
    for calls, (columns, X), max_atoms in product((1000, 1), streams.items(), ATOMS):
        of_all = [ratio(X, max_atoms, calls) for _ in range(repeats)]
        found.append(median(of_all))
        shown = ", ".join(f"{one:.2f}" for one in of_all)
        parts.append(f"| {calls} | {columns} | {max_atoms} | {found[-1]:.2f} | {shown} |\n")
        print(parts[-1], end="", file=sys.stderr, flush=True)
    held = verdict(f"at least half of its model's rows ({min(found):.2f})", min(found) >= 0.5)
    return "".join(parts) + f"\n{held}\n"
