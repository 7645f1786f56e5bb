"""The numbers of `Compress`: how much is merged at a time, when a newcomer may join, and how many
of them together while the stream is young."""

from __future__ import annotations

import time
from collections.abc import Iterable
from unittest.mock import patch

import numpy as np
from benchmarks import data
from benchmarks.living.common import table
from benchmarks.living.streams import STREAMS, Kept

from okpca.model.budget import Compress
from okpca.model.budget import compress as budget

TITLE = "Trials"
TUNED = ("digits by class", "phonemes by class", "Frey faces", "USPS by class")
FREE, THRIFT = (1 / 16, 1 / 8, 1 / 4), (0.3, 1.2, 5.0)
EARLY = [  # rows per atom, share of the budget that waits, thrift meanwhile
    (0, 0.75, 0.3), (10, 0.75, 0.3), (40, 0.75, 0.3), (160, 0.75, 0.3),
    (40, 0.25, 0.3), (40, 1.0, 0.3), (40, 0.75, 1.0),
]  # fmt: skip


def tried(streams: Iterable[Kept], atoms: int, on_full: Compress) -> list[str]:
    """What is kept in order and shuffled, and the microseconds a row."""
    kept, taken = [], []
    for stream in streams:
        shuffled = stream.X[np.random.default_rng(0).permutation(len(stream.X))]
        for X in (stream.X, shuffled):
            start = time.process_time()
            kept.append(stream.by(X, max_atoms=atoms, on_full=on_full)[0])
            taken.append((time.process_time() - start) / len(X) * 1e6)
    return [f"{np.mean(kept[::2]):.4f}", f"{np.mean(kept[1::2]):.4f}", f"{np.median(taken):.0f}"]


def run(quick: bool) -> str:
    streams = []
    for name in TUNED[: 1 if quick else None]:
        try:
            streams.append(Kept(STREAMS[name]()[:: 4 if quick else 1]))
        except data.Absent:
            continue
    late = [
        (f"{free:.3f}", f"{thrift}", *tried(streams, 50, Compress(free=free, thrift=thrift)))
        for free in FREE
        for thrift in THRIFT
    ]
    early = []
    for rows, share, thrift in EARLY[: 2 if quick else None]:
        shares = {"CROWD": share, "OF_MANY": share}
        chosen = patch.multiple(budget, YOUNG=rows, EARLY_THRIFT=thrift, **shares)
        with chosen:
            found = [cell for atoms in (50, 200) for cell in tried(streams, atoms, Compress())]
        early.append((f"{rows}", f"{share}", f"{thrift}", *found))
    default = (
        f"{budget.YOUNG}; {budget.CROWD}, but no more than\n{budget.ENOUGH} rows, or "
        f"{budget.OF_MANY} of larger budgets, so that what is new does not wait for hundreds"
    )
    columns = ["in order", "shuffled", "µs a row"]
    by_size = [f"{column}, {atoms}" for atoms in (50, 200) for column in columns]
    return f"""\
`Compress(free, thrift)`: the share of the budget that is free after a merge, and how many times the
cost of the last merge a newcomer's rows must have lost. 50 atoms, ten components; the mean
captured share over {len(streams)} streams ({", ".join(TUNED[: len(streams)])}), in order and
shuffled, and the median processor time per row in microseconds. These streams were tuned on; of
those above, MNIST and SKAB were looked at rarely, Tennessee often.

{table(["free", "thrift", *columns], late)}

While a stream is young, which it is for so many rows per atom, newcomers wait until they are a
share of the budget, need to have lost less, and leave nothing of the budget free: the same streams
with 50 and 200 atoms, by each of these numbers. By default these are {default}; and, up to 268
atoms, {budget.EARLY_THRIFT}.

{table(["rows an atom", "wait for", "thrift", *by_size], early)}

Distances between atoms are those of the feature space, for every kernel: they are bounded, so a row
far from all others does not hold an atom for itself alone.
"""
