"""Rows a second, one by one."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

import numpy as np
from benchmarks.living.common import Array, table, verdict
from river import feature_extraction, preprocessing

from okpca import KernelWarning
from okpca.river import KernelNovelty, OnlineKernelPCA

TITLE = "How many rows a second?"
FEATURES, ATOMS, COMPONENTS, CHUNK = 20, 100, 10, 1000
GOAL = 5000
OURS, YOUNG = "`OnlineKernelPCA`", 2
LATE = f"after {YOUNG * CHUNK} rows"
SLOW = {"with `refresh=1`", f"River's `RBFSampler({ATOMS})`"}
SPARED = 5  # they take one turn in so many
Stream = list[dict[str, float]]
Work = Callable[[Iterable[dict[str, float]]], None]


def streams(rows: int) -> dict[str, tuple[Array, dict[str, Any]]]:
    """Rows, and what a user would say of them."""
    rng = np.random.default_rng(0)
    which = rng.integers(300, size=rows)
    centres = rng.random((300, FEATURES))
    clusters = centres[which] + rng.normal(scale=0.05, size=(rows, FEATURES))
    in_order = clusters[np.argsort(which, kind="stable")]
    normal = rng.normal(size=(rows, FEATURES))
    units = normal * 10.0 ** rng.uniform(-3, 3, FEATURES)
    return {
        "300 clusters, shuffled": (clusters, {"gamma": 0.5}),
        "300 clusters, one after the other": (in_order, {"gamma": 0.5}),
        "normal, `gamma=0.02`": (normal, {"gamma": 0.02}),
        "normal, units from 1e-3 to 1e3": (units, {"gamma": "median", "scale": "standard"}),
    }


def plain(names: list[str]) -> Work:
    """A dict becomes a row, and nothing else happens."""

    def work(rows: Iterable[dict[str, float]]) -> None:
        for x in rows:
            np.array([[x[name] for name in names]])

    return work


def shown(model: Any) -> Work:
    def work(rows: Iterable[dict[str, float]]) -> None:
        for x in rows:
            model.learn_one(x)
            model.transform_one(x)

    return work


def judged(model: Any) -> Work:
    def work(rows: Iterable[dict[str, float]]) -> None:
        for x in rows:
            model.score_one(x)
            model.learn_one(x)

    return work


def sides(names: list[str], how: dict[str, Any]) -> dict[str, Work]:
    """What is timed, the first being what all others are beside."""
    params: dict[str, Any] = {"max_atoms": ATOMS, **how}
    return {
        "dict to row": plain(names),
        OURS: shown(OnlineKernelPCA(COMPONENTS, **params)),
        "with `refresh=1`": shown(OnlineKernelPCA(COMPONENTS, refresh=1, **params)),
        "`KernelNovelty`": judged(KernelNovelty(COMPONENTS, **params)),
        "River's `StandardScaler`": shown(preprocessing.StandardScaler()),
        f"River's `RBFSampler({ATOMS})`": shown(
            feature_extraction.RBFSampler(n_components=ATOMS, seed=0)
        ),
    }


def rates(stream: Stream, how: dict[str, Any]) -> dict[str, float]:
    """Rows a second of each side; they take turns."""
    working = sides(list(stream[0]), how)
    seconds = {name: [0.0] for name in working}
    for start in range(0, len(stream), CHUNK):
        part = stream[start : start + CHUNK]
        for name, work in working.items():
            if name in SLOW and start % (SPARED * CHUNK):
                continue
            began = time.process_time()
            work(part)
            seconds[name].append((time.process_time() - began) / len(part))
    whole = {name: 1.0 / float(np.mean(taken[1:])) for name, taken in seconds.items()}
    late = 1.0 / float(np.mean(seconds[OURS][YOUNG + 1 :] or seconds[OURS][1:]))
    return {"dict to row": whole.pop("dict to row"), OURS: whole.pop(OURS), LATE: late, **whole}


def run(quick: bool) -> str:
    rows, repeats = (100, 1) if quick else (10_000, 3)
    lines, least = [], np.inf
    header: list[str] = []
    for name, (X, how) in streams(rows).items():
        keys = [f"feature {i}" for i in range(FEATURES)]
        stream = [dict(zip(keys, row, strict=True)) for row in X.tolist()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelWarning)
            rates(stream[: rows // 30], how)  # loads what is compiled
            runs = [rates(stream, how) for _ in range(repeats)]
        found = {side: median(one[side] for one in runs) for side in runs[0]}
        least, header = min(least, found[OURS]), list(found)
        lines.append((name, *(f"{rate:,.0f}".replace(",", " ") for rate in found.values())))
    return f"""\
Rows a second through `learn_one` and `transform_one` (of `KernelNovelty`: `score_one` and
`learn_one`), {FEATURES} features, at most {ATOMS} atoms, {COMPONENTS} components, {rows} rows, from
the first one on and once there are atoms enough. "Dict to row" is a loop that makes an array of
each dict, `np.array([[x[name] for name in names]])`, and drops it. All sides take turns of {CHUNK}
rows, the slow ones (`refresh=1`, `RBFSampler`) one turn in {SPARED}; processor time, BLAS on one
thread, medians of {repeats} runs. Another machine has other rates; what was timed together can be
compared.

{table(["stream", *header], lines)}

{verdict(f"{GOAL} rows a second from the first on, slowest stream", bool(least >= GOAL))}
"""
