"""From a row in to its alarm out."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from benchmarks.data import Absent
from benchmarks.prompt.commands import ended, started

TITLE = "From a row to its alarm"
RATE, OUTLIER = 1000, 50
LINE = "monitor - --max-atoms 200 --id number -q --checkpoint kept --every 5s"
TEXT = """\
Rows are written to the pipe of `okpca {line}` one by one, {rate} a second for {seconds}
seconds, every {outlier}th of them far out; milliseconds from the moment such a row is written
until the line of its alarm has been read. Learning, checkpoints and the renewal of components
and limits go on meanwhile. (The first {first} rows come before, as fast as they are taken: a
process needs seconds to start.)

| alarms | median | 99 % | most | processor time a row |
|---|---|---|---|---|
"""
FIRST = 5_000
BUSY = 0.5  # processes that wait for each processor


class Clock(threading.Thread):
    """When the alarm of each row was read."""

    def __init__(self, pipe: object) -> None:
        super().__init__(daemon=True)
        self.read: dict[int, float] = {}
        self._pipe = pipe

    def run(self) -> None:
        for line in self._pipe:  # type: ignore[attr-defined]
            now, told = time.perf_counter(), json.loads(line)
            if told["kind"] == "alarm":
                self.read[int(told["id"])] = now


def lines(n: int) -> list[bytes]:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, 5)) @ rng.normal(size=(5, 5))
    rows[FIRST - 1 :: OUTLIER] += 40.0
    return [f"{i},{','.join(f'{x:.5f}' for x in row)}\n".encode() for i, row in enumerate(rows)]


def paced(texts: list[bytes], pipe: object) -> dict[int, float]:
    """When each was written, so many a second."""
    written, start = {}, time.perf_counter()
    for i, text in enumerate(texts):
        wait = start + i / RATE - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        written[FIRST + i] = time.perf_counter()
        pipe.write(text)  # type: ignore[attr-defined]
        pipe.flush()  # type: ignore[attr-defined]
    return written


def run(quick: bool) -> str:
    seconds = 1 if quick else 60
    if not quick and os.getloadavg()[0] > BUSY * (os.cpu_count() or 1):
        raise Absent("the machine is busy, and then a latency is that of its other work")
    texts = lines(FIRST + RATE * seconds)
    with tempfile.TemporaryDirectory() as folder:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        process = started(LINE, Path(folder), **pipes)
        assert process.stdin is not None
        clock = Clock(process.stdout)
        clock.start()
        process.stdin.write(b"number,a,b,c,d,e\n" + b"".join(texts[:FIRST]))
        process.stdin.flush()
        while FIRST - 1 not in clock.read:  # an outlier: all before it is done
            time.sleep(0.05)
        written = paced(texts[FIRST:], process.stdin)
        process.stdin.close()
        clock.join()
        spent = ended(process)
        assert spent.code == 0
    far = [i for i in written if (i - FIRST + 1) % OUTLIER == 0]
    took = [1000 * (clock.read[i] - written[i]) for i in far if i in clock.read]
    half, most = np.quantile(took, [0.5, 0.99])
    said = {"line": LINE, "rate": RATE, "seconds": seconds, "outlier": OUTLIER, "first": FIRST}
    return TEXT.format(**said) + (
        f"| {len(took)} of {len(far)} | {half:.1f} ms | {most:.1f} ms | {max(took):.1f} ms | "
        f"{1e6 * spent.seconds / len(texts):.0f} µs |\n"
    )
