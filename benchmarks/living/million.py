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
ROWS = 1_000_000
TURNS = {1000: 3, 100: 1, 1: 1}  # rows a call: how often the stream is run


def peak_memory() -> float:
    """Peak resident memory of this process in megabytes."""
    status = Path("/proc/self/status")
    if status.is_file():  # ru_maxrss would remember the process that started this one
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def model(on_full: str = "compress") -> OnlineKernelPCA:
    return OnlineKernelPCA(10, gamma=0.05, max_atoms=200, on_full=on_full, random_state=0)


def chunk(centres: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    which = rng.integers(len(centres), size=n)
    return centres[which] + rng.normal(scale=0.3, size=(n, COLUMNS))


def stream(batch: int, n: int, on_full: str) -> tuple[list[float], float, float, int]:
    """Rows a second of each tenth, peak memory early and at the end, and the atoms."""
    threadpool_limits(1)
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(50, COLUMNS))
    warm = model(on_full).partial_fit(chunk(centres, rng, 1000))
    for row in chunk(centres, rng, 300):
        warm.partial_fit(row[None])
    learner, seen, seconds, early = model(on_full), 0, np.zeros(10), 0.0
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


def turn(batch: int, n: int, on_full: str = "compress") -> tuple[list[float], float, float, int]:
    """`stream` in a process of its own, for the memory of this stream alone."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(stream, batch, n, on_full).result()


def run(quick: bool) -> str:
    rows, flat, steady, share = [], True, {}, {}
    n = ROWS // 50 if quick else ROWS
    for batch, turns in TURNS.items():
        results, shares = [], []
        for _ in range(1 if quick else turns):
            results.append(turn(batch, n))
            plain = turn(batch, n, "project")[0]
            shares.append(np.sum(1 / np.array(plain)) / np.sum(1 / np.array(results[-1][0])))
        share[batch] = float(np.median(shares))
        speeds = np.median([speeds for speeds, *_ in results], axis=0)
        ratios = [speeds[-1] / speeds[0] for speeds, *_ in results]
        ratio = float(np.median(ratios))
        early, late = (max(result[k] for result in results) for k in (1, 2))
        flat &= all(late - early < 5 for _, early, late, _ in results)
        steady[batch] = abs(ratio - 1) <= 0.25
        rows.append(
            (
                f"{batch}",
                f"{len(results)}",
                f"{results[0][3]}",
                f"{early:.0f} / {late:.0f}",
                f"{speeds[0]:.0f}",
                f"{min(speeds[1:-1]):.0f} – {max(speeds[1:-1]):.0f}",
                f"{speeds[-1]:.0f}",
                f"{ratio:.2f} ({min(ratios):.2f} – {max(ratios):.2f})",
                f"{share[batch]:.2f}",
            )
        )
    head = ["rows a call", "turns", "atoms", "peak MB after 10 000 rows / at the end"]
    head += ["rows/s, first tenth", "tenths 2 to 9", "last tenth", "last / first"]
    head += ["speed, of that of `project`"]
    goals = "\n".join(
        "- " + verdict(f"calls of {batch}: first and last tenth within 25 % of each other", reached)
        for batch, reached in steady.items()
    )
    count = f"{n:,}".replace(",", " ")
    return f"""\
{count} rows of 20 columns, 50 clusters that overlap, RBF γ = 0.05, ten components, `max_atoms=200`
with the default policy, each turn in a process of its own with one thread. The time is that of
`partial_fit` alone, in seconds of the processor; speeds are medians over the turns, the last column
is the median of the turns' ratios, and their range.

{table(head, rows)}

Atoms are merged ever more rarely, so the first tenth has more such times than the others. One row
at a time that hardly shows; in large calls, where a row costs a few microseconds, it does.

- {verdict("memory flat within 5 MB", flat)}
- {verdict("calls of 1000: at least 0.6 of the speed of `project`", share[1000] >= 0.6)}
{goals}
"""
