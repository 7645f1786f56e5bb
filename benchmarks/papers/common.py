"""What the sections share: tables, and runs side by side in processes of one thread."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

import numpy as np
from benchmarks.living.common import Array, table, verdict
from threadpoolctl import threadpool_limits

__all__ = ["COLOURS", "Array", "in_processes", "in_turn", "rounded", "spread", "table", "verdict"]

# Okabe & Ito: told apart by the colour-blind, too.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000"]
PROCESSES = 2
SAY_EVERY = 20.0  # seconds between two words on how far it is


def in_processes(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
    """work(*task) of every task, in their order; each process computes on one thread."""
    start = said = time.monotonic()
    with ProcessPoolExecutor(PROCESSES, get_context("spawn"), _use_one_thread) as pool:
        waiting = [pool.submit(work, *task) for task in tasks]
        for done, _ in enumerate(as_completed(waiting), 1):
            now = time.monotonic()
            if now - said > SAY_EVERY:
                left = (now - start) * (len(tasks) - done) / done / 60
                text = f"  {done} of {len(tasks)}, about {left:.0f} min to go"
                print(text, file=sys.stderr, flush=True)
                said = now
        return [one.result() for one in waiting]


def _use_one_thread() -> None:
    """Only libraries that are loaded can be told so: numpy's is by this file, scipy's is here."""
    import scipy.linalg  # noqa: F401

    threadpool_limits(1)


def in_turn(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
    """The same in this process, for quick runs."""
    return [work(*task) for task in tasks]


def rounded(n: float) -> str:
    """50000 as 50 000."""
    return f"{n:,.0f}".replace(",", " ")


def spread(values: Iterable[float], digits: int = 3) -> str:
    """Mean ± standard deviation."""
    sample = np.fromiter(values, dtype=np.float64)
    return f"{sample.mean():.{digits}f} ± {sample.std():.{digits}f}"
