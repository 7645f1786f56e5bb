"""A worker killed at random moments of a fit."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from time import perf_counter, sleep

import dask
import numpy as np
from benchmarks.living.common import Array, table, verdict
from distributed import Client, LocalCluster

import okpca.dask
from okpca import OnlineKernelPCA

TITLE = "Workers that are killed"
KILLS, PARTS, ROWS, COLUMNS = 10, 12, 2000, 60


@dask.delayed  # type: ignore[untyped-decorator]
def block(seed: int, n: int) -> Array:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=(n, 10)) @ rng.normal(size=(10, COLUMNS)))


def run(quick: bool) -> str:
    n, kills = (300, 1) if quick else (ROWS, KILLS)
    model = OnlineKernelPCA(5, gamma=0.05 / COLUMNS, max_atoms=30 if quick else 100)
    parts = [block(seed, n) for seed in range(PARTS)]
    chance = random.Random(0)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    worst, taken = 0.0, list[float]()
    done: list[tuple[float, bool]] = []  # when, and whether it was still running
    with (
        LocalCluster(**options, silence_logs=50) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):

        def fitted(into: list[OnlineKernelPCA]) -> None:
            into.append(okpca.dask.fit(model, parts, scheduler=client))

        whole: list[OnlineKernelPCA] = []
        fitted(whole)  # compiled by now
        start = perf_counter()
        fitted(whole)
        alone = perf_counter() - start
        killed: set[int] = set()
        while sum(running for _, running in done) < kills:
            _until(lambda: len(_pids(cluster) - killed) == 2)
            client.wait_for_workers(2)
            found: list[OnlineKernelPCA] = []
            thread = threading.Thread(target=fitted, args=(found,))
            moment = chance.uniform(0.02, 0.95) * alone
            start = perf_counter()
            thread.start()
            sleep(moment)
            victim = chance.choice(sorted(_pids(cluster)))
            running = thread.is_alive()
            os.kill(victim, signal.SIGKILL)
            killed.add(victim)
            thread.join()
            taken.append(perf_counter() - start)
            done.append((moment / alone, running))
            print(
                f"killed after {moment / alone:.0%}: {taken[-1]:.1f} s", file=sys.stderr, flush=True
            )
            worst = max(worst, _difference(found[0], whole[0]))
    moments = ", ".join(f"{100 * share:.0f} %" for share, _ in done)
    in_time = sum(running for _, running in done)
    rows = [[f"{len(done)}", f"{in_time}", f"{worst:.1g}", f"{np.median(taken) / alone:.1f}"]]
    header = [
        "kills",
        "while it ran",
        "largest difference of an eigenvalue or score",
        "time, beside a fit left alone",
    ]
    return f"""\
{PARTS} partitions of {n} × {COLUMNS} on two workers; one of them is killed (SIGKILL) after
{moments} of the time that a fit takes, and its nanny starts another.

{table(header, rows)}

- {verdict("the same model to rounding each time", worst <= 1e-10)}
"""


def _pids(cluster: LocalCluster) -> set[int]:
    """Of the workers, as their nannies know them."""
    return {nanny.pid for nanny in cluster.workers.values() if nanny.pid is not None}


def _until(done: Callable[[], bool]) -> None:
    while not done():
        sleep(0.05)


def _difference(a: OnlineKernelPCA, b: OnlineKernelPCA) -> float:
    """Relative to the largest."""
    X = block(99, 500).compute(scheduler="synchronous")
    pairs = ((a.eigenvalues_, b.eigenvalues_), (a.transform(X), b.transform(X)))
    return max(float(np.abs(one - other).max() / np.abs(other).max()) for one, other in pairs)
