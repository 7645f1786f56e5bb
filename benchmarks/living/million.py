"""A million rows: does memory stay flat, and the speed?"""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from benchmarks.living.common import table, verdict
from threadpoolctl import threadpool_limits

from okpca import OnlineKernelPCA

TITLE = "A million rows"
COLUMNS, CHUNK, EARLY = 20, 10_000, 10_000
# Batch size: rows of the stream.
STREAMS = {1000: 1_000_000, 100: 1_000_000, 1: 1_000_000}


def peak_memory() -> float:
    """Peak resident memory of this process in megabytes."""
    status = Path("/proc/self/status")
    if status.is_file():  # ru_maxrss would remember the process that started this one
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def model() -> OnlineKernelPCA:
    return OnlineKernelPCA(10, gamma=0.05, max_atoms=200, random_state=0)


def chunk(centres: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    which = rng.integers(len(centres), size=n)
    return centres[which] + rng.normal(scale=0.3, size=(n, COLUMNS))


def stream(batch: int, n: int) -> tuple[list[float], float, float, int]:
    """Rows a second of each tenth, peak memory early and at the end, and the atoms."""
    threadpool_limits(1)
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(50, COLUMNS))
    warm = model().partial_fit(chunk(centres, rng, 1000))
    for row in chunk(centres, rng, 300):
        warm.partial_fit(row[None])
    learner, seen, seconds, early = model(), 0, np.zeros(10), 0.0
    while seen < n:
        X = chunk(centres, rng, min(CHUNK, n // 10))
        start = time.process_time()
        for at in range(0, len(X), batch):
            learner.partial_fit(X[at : at + batch])
        seconds[seen * 10 // n] += time.process_time() - start
        seen += len(X)
        if early == 0.0 and seen >= EARLY:
            early = peak_memory()
    return [n / 10 / s for s in seconds], early or peak_memory(), peak_memory(), learner.n_atoms_


def run(quick: bool) -> str:
    rows, flat, slower = [], True, False
    steady: dict[int, bool] = {}
    for batch, total in STREAMS.items():
        n = total // 50 if quick else total
        # A process of its own, for the memory of this stream alone.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            speeds, early, late, atoms = pool.submit(stream, batch, n).result()
        flat &= late - early < 5
        steady[batch] = abs(speeds[-1] / speeds[0] - 1) <= 0.25
        slower |= speeds[-1] < 0.75 * speeds[0]
        rows.append(
            (
                f"{batch}",
                f"{n:,}".replace(",", " "),
                f"{atoms}",
                f"{early:.0f} / {late:.0f}",
                f"{speeds[0]:.0f}",
                f"{min(speeds[1:-1]):.0f} – {max(speeds[1:-1]):.0f}",
                f"{speeds[-1]:.0f}",
                f"{speeds[-1] / speeds[0]:.2f}",
            )
        )
    head = ["rows a call", "rows", "atoms", "peak MB after 10 000 rows / at the end"]
    head += ["rows/s, first tenth", "tenths 2 to 9", "last tenth", "last / first"]
    goals = "\n".join(
        "- " + verdict(f"calls of {batch}: first and last tenth within 25 % of each other", reached)
        for batch, reached in steady.items()
    )
    return f"""\
20 columns, 50 clusters that overlap, RBF γ = 0.05, ten components, `max_atoms=200` with the default
policy, each stream in a process of its own with one thread. The time is that of `partial_fit`
alone, in seconds of the processor.

{table(head, rows)}

A full dictionary is compressed ever more rarely, until it is after every 100 rows per atom. One row
at a time the early ones hardly show; in large calls, where a row costs a few microseconds, the
first tenth is slower than the last. (A larger `patience` would compress less often at the beginning
and even that out, and short streams would pay for it.)

- {verdict("memory flat within 5 MB", flat)}
- {verdict("the last tenth at most 25 % slower than the first", not slower)}
{goals}
"""
