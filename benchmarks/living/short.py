"""Short streams: a few rows an atom, most of which come when the dictionary has been full once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, table, verdict
from benchmarks.living.streams import STREAMS, Kept

TITLE = "Short streams"
NAMES = ("digits by class", "phonemes by class", "Frey faces", "USPS by class", "MNIST by class")
ROWS, BUDGETS = (200, 400, 800), (50, 90, 140)


def some(X: Array, n: int) -> Array:
    """So many of the rows, in their order."""
    return X[np.sort(np.random.default_rng(5).permutation(len(X))[:n])]


def line(streams: list[Array], n: int, atoms: int) -> Array:
    """In order with 10 and with 30 components, then shuffled: means over the streams."""
    found = []
    for X in streams:
        rows = some(X, n)
        kept = Kept(rows)
        orders = [rows[np.random.default_rng(seed).permutation(n)] for seed in (0, 1)]
        shuffled = np.mean([kept.by(order, max_atoms=atoms) for order in orders], axis=0)
        found.append([*kept.by(rows, max_atoms=atoms), *shuffled])
    return np.mean(found, axis=0)


def run(quick: bool) -> str:
    streams = []
    for name in NAMES[: 1 if quick else None]:
        try:
            streams.append(STREAMS[name]())
        except data.Absent:
            continue
    cases = [(n, atoms) for n in ROWS for atoms in BUDGETS][: 1 if quick else None]
    found = {case: line(streams, *case) for case in cases}
    rows = [
        (f"{n}", f"{atoms}", *(f"{kept[k]:.3f}" for k in (0, 2, 1, 3)))
        for (n, atoms), kept in found.items()
    ]
    head = ["rows", "atoms", "in order, 10", "shuffled, 10", "in order, 30", "shuffled, 30"]
    worst = max(float((kept[2:] - kept[:2]).max()) for kept in found.values())
    more = all(
        (found[n, larger] >= found[n, fewer]).all()
        for n in ROWS
        for fewer, larger in pairwise(BUDGETS)
        if (n, fewer) in found and (n, larger) in found
    )
    return f"""\
A sample of the rows of {len(streams)} of these streams
({", ".join(NAMES[: len(streams)])}),
in their order and shuffled (mean of two), means over the streams. When so short a stream ends, most
of the rows that asked to join still wait for others; who looks at the model sees it as if they had
joined (`model/waiting_rows.py`).

{table(head, rows)}

- {verdict("in order at most 0.02 below shuffled", worst <= 0.02)} Largest gap {worst:+.3f}.
- {verdict("more atoms keep more", more)}
"""
