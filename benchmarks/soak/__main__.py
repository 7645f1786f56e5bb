"""`python -m benchmarks.soak [--minutes 10] [--quick] [--from SEED] [--part NAME]`: 1 if it broke.

Two processes of one BLAS thread each try one part after another for its share of the time; busy
neighbours come last, alone on the machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

from benchmarks.soak.tally import Tally, soaked

WORKERS = 2
PARTS = {  # what is tried, how often with one seed, and its share of the time
    "lives": ("random lives against batch kernel PCA, by their certificates", 1, 0.3),
    "cuts": ("random cuts of a stream, against the whole", 3, 0.17),
    "interrupts": ("interrupts at random moments", 8, 0.45),
    "readers": ("writers with two readers beside them", 1, 0.04),
    "neighbours": ("streams beside busy processes", 1, 0.04),
}
QUICK = 10.0  # seconds


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.soak", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--quick", action="store_true", help=f"some {QUICK:g} seconds, for a look")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("--part", action="append", choices=PARTS, help="these alone")
    given = parser.parse_args(arguments)
    seconds = QUICK if given.quick else 60.0 * given.minutes
    began, broken = time.monotonic(), 0
    together, alone = list(PARTS)[:-1], list(PARTS)[-1:]
    for parts, workers, threads in ((together, WORKERS, "1"), (alone, 1, None)):
        with _pool(workers, threads) as pool:
            for part in [one for one in parts if one in (given.part or PARTS)]:
                what, each, share = PARTS[part]
                starts = range(given.first, given.first + workers)
                tally = _soaked(pool, part, starts, share * seconds)
                broken += len(tally.broken)
                print(_told(part, what, each, tally), flush=True)
    print(f"{time.monotonic() - began:.0f} s, {broken} broken")
    return int(broken > 0)


@contextmanager
def _pool(workers: int, threads: str | None) -> Iterator[ProcessPoolExecutor]:
    """Workers with so many BLAS threads, a number they read when they start."""
    before = os.environ.copy()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.pop(name, None)
        if threads is not None:
            os.environ[name] = threads
    try:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
            yield pool
    finally:
        os.environ.clear()
        os.environ.update(before)


def _soaked(pool: ProcessPoolExecutor, part: str, starts: range, seconds: float) -> Tally:
    tally, step = Tally(), len(starts)
    for task in [pool.submit(soaked, part, start, step, seconds) for start in starts]:
        tally.add(task.result())
    return tally


def _told(part: str, what: str, each: int, tally: Tally) -> str:
    lines = [
        f"{part}: {each * tally.tried} {what}; of {tally.tried} seeds {len(tally.broken)} broken; "
        f"the largest error is {tally.worst:.2g} of what it may be"
    ]
    told = (f"  seed {seed} {tally.errors.get(seed, '')}" for seed in sorted(tally.broken))
    return "\n".join([*lines, *map(str.rstrip, told)])


if __name__ == "__main__":
    sys.exit(main())
