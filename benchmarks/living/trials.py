"""The numbers of `Compress`: how much is merged at a time, when a newcomer may join, and how many
of them together, while the stream is young and later."""

from __future__ import annotations

import time
from collections.abc import Iterable
from unittest.mock import patch

import numpy as np
from benchmarks import data
from benchmarks.living.common import table
from benchmarks.living.streams import STREAMS, Kept

from okpca.model import surgery, waiting_rows
from okpca.model.budget import Compress
from okpca.model.budget import compress as budget

TITLE = "Trials"
TUNED = ("digits by class", "phonemes by class", "Frey faces", "USPS by class")
LONG = ("USPS by class", "MNIST by class")
FREE, THRIFT = (None, 1 / 16, 1 / 8, 1 / 4), (0.3, 1.2, 5.0)
LATE = [  # share of the budget that waits, rows between borders
    (1 / 24, 32), (1 / 12, 32), (1 / 4, 32), (1 / 2, 32), (1 / 12, 128), (1 / 12, 16),
]  # fmt: skip
EARLY = [  # rows, share of the budget that waits, thrift meanwhile
    (0, 1.5, 0.2), (500, 1.5, 0.2), (1000, 1.5, 0.2), (2000, 1.5, 0.2), (8000, 1.5, 0.2),
    (2000, 0.25, 0.2), (2000, 0.75, 0.2), (2000, 1.5, 0.4), (2000, 1.5, 1.0),
]  # fmt: skip


def opened(names: Iterable[str], thin: int) -> list[Kept]:
    streams = []
    for name in names:
        try:
            streams.append(Kept(STREAMS[name]()[::thin]))
        except data.Absent:
            continue
    return streams


def tried(streams: list[Kept], atoms: int, on_full: Compress, which: int = 0) -> list[str]:
    """What is kept in order and shuffled, and the microseconds a row; of so many components."""
    kept, taken = [], []
    for stream in streams:
        shuffled = stream.X[np.random.default_rng(0).permutation(len(stream.X))]
        for X in (stream.X, shuffled):
            start = time.process_time()
            kept.append(stream.by(X, max_atoms=atoms, on_full=on_full)[which])
            taken.append((time.process_time() - start) / len(X) * 1e6)
    return [f"{np.mean(kept[::2]):.4f}", f"{np.mean(kept[1::2]):.4f}", f"{np.median(taken):.0f}"]


def run(quick: bool) -> str:
    few, thin = (1, 4) if quick else (None, 1)
    streams = opened(TUNED[:few], thin)
    merged = [
        (f"{free or 0:.3f}", f"{thrift}", *tried(streams, 50, Compress(free=free, thrift=thrift)))
        for free in FREE[: 2 if quick else None]
        for thrift in THRIFT[:few]
    ]
    late, long = [], opened(LONG[:few], thin)
    for share, rows in LATE[:few]:
        crowd = patch.object(budget, "LATE_CROWD", (share, share))
        with crowd, patch.object(waiting_rows, "WINDOW", 1 / rows):
            found = [cell for m in (50, 200) for cell in tried(long, m, Compress(), which=1)]
        late.append((f"{share:.3f}", f"1/{rows}", *found))
    early = []
    for rows, share, thrift in EARLY[: 2 if quick else None]:
        shares = {"CROWD": share, "ENOUGH": 50 * share}
        youth = {"YOUNG_AT_MOST": rows, "YOUNG": rows, "YOUNG_OF_MANY": 0}
        chosen = patch.multiple(budget, EARLY_THRIFT=thrift, **youth, **shares)
        with chosen:
            found = [cell for atoms in (50, 200) for cell in tried(streams, atoms, Compress())]
        early.append((f"{rows}", f"{share}", f"{thrift}", *found))
    few_atoms = int(budget.MANY * budget.EARLY_THRIFT ** (1 / 3))
    default = (
        f"{budget.YOUNG}\nan atom up to {budget.YOUNG_AT_MOST}, or {budget.YOUNG_OF_MANY} an atom; "
        f"{budget.CROWD}, but no more than {budget.ENOUGH} rows, or {budget.OF_MANY} of\nlarger "
        f"budgets, so that what is new does not wait for hundreds; and, up to {few_atoms} atoms, "
        f"{budget.EARLY_THRIFT}"
    )
    late_share = " to ".join(f"{share:.2g}" for share in budget.LATE_CROWD)
    given = []
    for restore in (surgery.restore, lambda model, *_: model):
        with patch.object(surgery, "restore", restore):
            found = [cell for atoms in (50, 200) for cell in tried(streams, atoms, Compress())]
        given.append(("no" if given else "yes", *found))
    columns = ["in order", "shuffled", "µs a row"]
    by_size = [f"{column}, {atoms}" for atoms in (50, 200) for column in columns]
    return f"""\
`Compress(free, thrift)`: the share of the budget that is free after a merge, and how many times the
cost of the last merge a newcomer's rows must have lost. 50 atoms, ten components; the mean
captured share over {len(streams)} streams ({", ".join(TUNED[: len(streams)])}), in order and
shuffled, and the median processor time per row in microseconds. By default nothing is free, and
newcomers wait for each other. These streams were tuned on; of those above, so were MNIST and
Tennessee, and SKAB was looked at rarely.

{table(["free", "thrift", *columns], merged)}

How many newcomers, as a share of the budget, wait for each other, and how far apart, as a share of
the rows so far, the borders are at which it is seen whether enough ask: USPS and MNIST by class, 50
and 200 atoms, 30 components. By default the share is the atoms over {budget.LATE_ATOMS}, within
{late_share}.

{table(["wait for", "border", *by_size], late)}

While a stream is young, which it is for so many rows, newcomers wait until they are a larger share
of the budget, and need to have lost less: the first streams with 50 and 200 atoms, by each of these
numbers. (Of 200 atoms a quarter of it.) By default these are {default}.

{table(["rows", "wait for", "thrift", *by_size], early)}

What rows lost because the atoms they needed were not there yet is given back as far as it is known
by the rows that join (`model/moment_correction.py`): the same streams with and without.

{table(["given back", *by_size], given)}

Distances between atoms are those of the feature space, for every kernel: they are bounded, so a row
far from all others does not hold an atom for itself alone.
"""
