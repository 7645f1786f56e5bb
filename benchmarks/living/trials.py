"""The two numbers of `Compress`: how much is merged at a time, and when a newcomer may join."""

from __future__ import annotations

import time

import numpy as np
from benchmarks import data
from benchmarks.living.common import table
from benchmarks.living.streams import STREAMS, Kept

from okpca.model.budget import Compress

TITLE = "Trials"
TUNED = ("digits by class", "phonemes by class", "Frey faces", "USPS by class")
FREE, THRIFT = (1 / 16, 1 / 8, 1 / 4), (0.3, 1.2, 5.0)
ATOMS = 50


def run(quick: bool) -> str:
    streams = []
    for name in TUNED[: 1 if quick else None]:
        try:
            streams.append(Kept(STREAMS[name]()[:: 4 if quick else 1]))
        except data.Absent:
            continue
    rows = []
    for free in FREE:
        for thrift in THRIFT:
            kept, taken = [], []
            for stream in streams:
                shuffled = stream.X[np.random.default_rng(0).permutation(len(stream.X))]
                for X in (stream.X, shuffled):
                    start = time.process_time()
                    on_full = Compress(free=free, thrift=thrift)
                    kept.append(stream.by(X, max_atoms=ATOMS, on_full=on_full)[0])
                    taken.append((time.process_time() - start) / len(X) * 1e6)
            ordered, mixed = np.mean(kept[::2]), np.mean(kept[1::2])
            rows.append(
                (f"{free:.3f}", f"{thrift}", f"{ordered:.4f}", f"{mixed:.4f}",
                 f"{np.median(taken):.0f}")
            )  # fmt: skip
    return f"""\
`Compress(free, thrift)`: the share of the budget that is free after a merge, and how many times the
cost of the last merge a newcomer's rows must have lost. {ATOMS} atoms, ten components; the mean
captured share over {len(streams)} streams ({", ".join(TUNED[: len(streams)])}), in order and
shuffled, and the median processor time per row in microseconds. These streams were tuned on; of
those above, MNIST and SKAB were looked at rarely, Tennessee often.

{table(["free", "thrift", "in order", "shuffled", "µs a row"], rows)}

Distances between atoms are those of the feature space, for every kernel: they are bounded, so a row
far from all others does not hold an atom for itself alone.
"""
