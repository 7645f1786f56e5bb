"""`python -m benchmarks.soak [--minutes 10] [--quick] [--from SEED]`: exit code 1 if anything broke.

Two processes of one BLAS thread each try one part after another for its share of the time; busy
neighbours come last, alone on the machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from itertools import count

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before numpy is loaded, here and in the workers

from benchmarks.soak.tally import Tally, soak

WORKERS = 2
PARTS = {  # what is tried, and its share of the time
    "lives": ("random lives against batch kernel PCA, by their certificates", 0.4),
    "cuts": ("random streams, each cut in four ways", 0.33),
    "interrupts": ("calls with an interrupt at eight random moments each", 0.17),
    "readers": ("writers with two readers beside them", 0.05),
    "neighbours": ("streams beside busy processes", 0.05),
}
QUICK = 10.0  # seconds


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.soak", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--quick", action="store_true", help=f"some {QUICK:g} seconds, for a look")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    given = parser.parse_args(arguments)
    seconds = QUICK if given.quick else 60.0 * given.minutes
    began, broken = time.monotonic(), 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
        list(pool.map(_warm, range(WORKERS)))  # compiling is not soaking
        for part, (what, share) in PARTS.items():
            alone = part == "neighbours"
            workers = 1 if alone else WORKERS
            starts = range(given.first, given.first + workers)
            tasks = [pool.submit(_part, part, start, workers, share * seconds) for start in starts]
            tally = Tally()
            for task in tasks:
                tally.add(task.result())
            broken += len(tally.broken)
            print(_told(part, what, tally), flush=True)
    print(f"{time.monotonic() - began:.0f} s, {broken} broken")
    return int(broken > 0)


def _warm(worker: int) -> None:
    for part in ("lives", "cuts", "interrupts"):
        import_module(f"benchmarks.soak.{part}").excess_of(worker)


def _part(name: str, start: int, step: int, seconds: float) -> Tally:
    part = import_module(f"benchmarks.soak.{name}")
    return soak(part.excess_of, count(start, step), seconds)


def _told(part: str, what: str, tally: Tally) -> str:
    lines = [
        f"{part}: {tally.tried} {what}; {len(tally.broken)} broken; the largest error is "
        f"{tally.worst:.2g} of what it may be"
    ]
    for seed in sorted(tally.broken):
        lines.append(f"  seed {seed} {tally.errors.get(seed, '')}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
