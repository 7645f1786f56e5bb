"""Readers beside a writer: threads that look while another learns see a model of some moment.

Every answer must be, to `SAME`, one that the model gives after some number of the writer's calls;
and what the writer has learned in the end is what it learns alone.
"""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from okpca import OnlineKernelPCA

SAME = 1e-8
READERS = 2

RULES = ("exact", "on-kha", "tanaka", "incremental-svd")
BUDGETS = ("compress", "project", "drop")


def excess_of(seed: int) -> float:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3)) * np.linspace(0.2, 2.0, 120)[:, None]
    probe, size = rng.normal(size=(4, 3)), int(rng.choice([1, 1, 7]))
    model = random_model(rng).fit(X[:20])
    pieces = [X[start : start + size] for start in range(20, len(X), size)]
    moments = moments_of(copy.deepcopy(model), pieces, probe)
    answers = answers_beside(model, pieces, probe)
    far = [min(_apart(answer, moment) for moment in moments) for answer in answers]
    return max([*far, _apart(model.transform(probe), moments[-1])]) / SAME


def random_model(rng: np.random.Generator) -> OnlineKernelPCA:
    rule = str(rng.choice(RULES))
    return OnlineKernelPCA(
        0.9 if rule == "exact" and rng.integers(2) else 3,
        gamma=float(rng.choice([0.1, 0.3, 1.0])),
        nu=1e-2,
        max_atoms=int(rng.integers(8, 30)),
        on_full=str(rng.choice(BUDGETS)),
        rule=rule,
        random_state=0,
    )


def moments_of(model: OnlineKernelPCA, pieces: list[np.ndarray], probe: np.ndarray) -> list[Any]:
    moments = [model.transform(probe)]
    return moments + [model.partial_fit(piece).transform(probe) for piece in pieces]


def answers_beside(
    model: OnlineKernelPCA, pieces: list[np.ndarray], probe: np.ndarray
) -> list[np.ndarray]:
    """What readers saw while the pieces were learned."""
    answers: list[np.ndarray] = []
    done = threading.Event()

    def write() -> None:
        try:
            for piece in pieces:
                model.partial_fit(piece)
        finally:
            done.set()

    def read() -> None:
        while True:
            answers.append(model.transform(probe))
            energy = model.certificate().discarded_energy
            assert 0 <= energy < np.inf, f"a discarded energy of {energy}"
            if done.is_set():
                break

    at_once(write, *[read] * READERS)
    return answers


def at_once(*jobs: Callable[[], None]) -> None:
    """In threads that take turns as often as they can; what one raises is raised here."""
    start, failed = threading.Barrier(len(jobs)), []
    interval = sys.getswitchinterval()

    def run(job: Callable[[], None]) -> None:
        start.wait()
        try:
            job()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if failed:
        raise failed[0]


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    if one.shape != other.shape:
        return float("inf")
    return float(np.abs(one - other).max(initial=0.0))
