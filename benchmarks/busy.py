"""Rows a second beside busy processes, as ratios: `python -m benchmarks.busy`.

A stream in blocks, with the threads that the library chooses and with BLAS held to one. The two
take turns, and the median of each counts. The neighbours are processes that do nothing but compute;
they are started and stopped here. A ratio of 1 means that the library's choice costs nothing; above
1, its threads pay.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from benchmarks.core import alternate, timed
from threadpoolctl import threadpool_limits

from okpca import OnlineKernelPCA

# rows in a block, atoms, columns
SIZES = (
    (1, 500, 30),
    (10, 500, 30),
    (64, 500, 30),
    (64, 500, 784),
    (1000, 300, 30),
    (1000, 300, 784),
)
NEIGHBOURS = (0, 1, 2)


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    command = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(command) for _ in range(count)]
    try:
        time.sleep(0.3)
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def stream(
    rows: int, atoms: int, columns: int, blocks: int
) -> tuple[OnlineKernelPCA, list[np.ndarray]]:
    """A model whose dictionary is full, and blocks for it."""
    X = np.random.default_rng(0).random((4 * atoms + rows * blocks, columns))
    gamma = 30 / columns
    model = OnlineKernelPCA(8, gamma=gamma, nu=1e-3, max_atoms=atoms, on_full="project")
    model.fit(X[: 4 * atoms])
    assert model.n_atoms_ == atoms
    return model, np.split(X[4 * atoms :], blocks)


def rates(model: OnlineKernelPCA, blocks: list[np.ndarray], repeats: int) -> tuple[float, float]:
    """Rows a second as the library chooses, and with BLAS on one thread."""

    def learn() -> float:
        return timed(lambda: [model.partial_fit(block) for block in blocks])

    def alone() -> float:
        with threadpool_limits(1):
            return learn()

    learn()
    rows = sum(map(len, blocks))
    chosen, one = alternate(learn, alone, repeats=repeats)
    return rows / chosen, rows / one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few repeats, for a look")
    repeats = 3 if parser.parse_args().quick else 9
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{os.cpu_count()} cores, load {load:.1f} before it began")
    print("rows in a block, atoms, columns | busy neighbours | rows/s | with one thread | ratio")
    for rows, atoms, columns in SIZES:
        model, blocks = stream(rows, atoms, columns, max(2, min(200, 1000 // rows)))
        for count in NEIGHBOURS:
            with neighbours(count):
                chosen, one = rates(model, blocks, repeats)
            print(
                f"{rows:5d} {atoms:4d} {columns:4d} | {count} | {chosen:8.0f} | {one:8.0f} | "
                f"{chosen / one:5.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
