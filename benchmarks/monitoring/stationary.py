"""How often is a drift announced where there is none?"""

from __future__ import annotations

import numpy as np
from benchmarks.monitoring.streams import DETECTOR, STATIONARY, Stream

from okpca import KernelNoveltyDetector
from okpca.detection.drift import SHARE

TITLE = "Is what is announced there?"
TEXT = """\
Streams of {rows} rows that do not drift: two latent variables in six columns and some noise.
Promised: no more than {share:.0%} of the streams are ever announced. *Memory* is the number of rows
after which the correlation of a latent variable has fallen to 1/e. The third column counts streams
that were too short to tell anything, because blocks had to be long. The last is the share of false
alarms in the second half of the streams; promised are {alarms:.0%} of
rows that depend on few rows before them. Where they depend on many, a stretch of the stream that is
unlike those in the window is full of alarms: a longer `window` holds more of them.

| stream | announced | too short | alarms |
|---|---|---|---|
"""


def tried(stream: Stream, n_streams: int, rows: int) -> tuple[int, int, float]:
    """Announced, without a value at the end, and the share of alarms."""
    announced, unready, alarms = 0, 0, []
    for seed in range(n_streams):
        detector = KernelNoveltyDetector(**DETECTOR)
        seen = detector.monitor(stream(np.random.default_rng(seed), rows))
        announced += detector.drift_.since is not None
        unready += bool(np.isnan(detector.drift_.value))
        alarms.append(seen.alarms[rows // 2 :].mean())
    return announced, unready, float(np.mean(alarms))


def run(quick: bool) -> str:
    rows = 6000 if quick else 12_000
    alarms = KernelNoveltyDetector().contamination
    parts = [TEXT.format(rows=rows, share=SHARE, alarms=alarms)]
    for name, (stream, wanted) in STATIONARY.items():
        n_streams = 1 if quick else wanted
        announced, unready, share = tried(stream, n_streams, rows)
        parts.append(f"| {name} | {announced} of {n_streams} | {unready} | {share:.2%} |\n")
    return "".join(parts)
