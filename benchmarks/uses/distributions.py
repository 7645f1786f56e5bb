"""False alarms against the promise on rows of many distributions, and what is found of faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.living.common import Array, table

from okpca import KernelNoveltyDetector

TITLE = "Limits, whatever distribution"
Make = Callable[[np.random.Generator, int], Array]
ROWS, COLUMNS = 3000, 4


def clusters(rng: np.random.Generator, n: int) -> Array:
    """Four narrow ones, far apart: with two lags there are 64, more than there are atoms."""
    centres = 5 * rng.normal(size=(4, COLUMNS))
    return centres[rng.integers(0, 4, n)] + 0.3 * rng.normal(size=(n, COLUMNS))


DISTRIBUTIONS: dict[str, Make] = {
    "Gaussian": lambda rng, n: rng.normal(size=(n, COLUMNS)),
    "Laplace": lambda rng, n: rng.laplace(size=(n, COLUMNS)),
    "t, 3 degrees": lambda rng, n: rng.standard_t(3, size=(n, COLUMNS)),
    "uniform": lambda rng, n: rng.uniform(size=(n, COLUMNS)),
    "lognormal": lambda rng, n: rng.lognormal(size=(n, COLUMNS)),
    "four clusters": clusters,
}
LINEAR = {"kernel": "linear", "n_components": 2}
ALL = {"max_atoms": 40, "statistic": "spe", "n_components": 0.99}
SETTINGS: dict[str, dict[str, Any]] = {
    "linear, SPE, 5 %": {**LINEAR, "contamination": 0.05},
    "linear, T², 5 %": {**LINEAR, "contamination": 0.05, "statistic": "t2"},
    "linear, SPE, EWMA 0.2, 1 %": {**LINEAR, "ewma": 0.2},
    "RBF, SPE, 5 %": {"contamination": 0.05},
    "RBF, SPE, 1 %": {},
    "RBF, T², 1 %": {"statistic": "t2"},
    "RBF, combined, 1 %": {"statistic": "combined"},
    "RBF, SPE, two lags, 1 %": {"lags": 2, "gamma": 0.1, "max_atoms": 60},
    'RBF, SPE, `on_full="drop"`, 1 %': {"on_full": "drop"},
    "RBF, combined, two lags, EWMA 0.2, 1 %": {"statistic": "combined", "lags": 2, "ewma": 0.2},
}


def ratio(make: Make, seed: int, **options: Any) -> float:
    """Alarms in the second half of the stream, as a multiple of the nominal share."""
    detector = KernelNoveltyDetector(**(ALL | options))
    alarms = detector.monitor(make(np.random.default_rng(seed), ROWS)).alarms
    return float(alarms[ROWS // 2 :].mean() / detector.contamination)


def ratios(quick: bool) -> tuple[dict[str, Array], int]:
    """For each setting an array (distributions, streams)."""
    seeds = 1 if quick else 2
    settings = list(SETTINGS.items())[: 1 if quick else None]
    return {
        name: np.array(
            [[ratio(make, seed, **how) for seed in range(seeds)] for make in DISTRIBUTIONS.values()]
        )
        for name, how in settings
    }, seeds


def faults(kind: str, rng: np.random.Generator) -> Array:
    """Which rows of the last third are faulty."""
    rows = np.arange(ROWS) - 2 * ROWS // 3
    chosen = {
        "400 rows": rows < 400,
        "15 of every 100 rows": rows % 100 < 15,
        "5 % at random": rng.uniform(size=ROWS) < 0.05,
        "25 % at random": rng.uniform(size=ROWS) < 0.25,
    }
    return np.asarray(chosen[kind] & (rows >= 0))


KINDS = ("400 rows", "15 of every 100 rows", "5 % at random", "25 % at random")


def found(make: Make, kind: str, seed: int) -> float:
    """The share of rows off by five standard deviations in every column that are alarms."""
    rng = np.random.default_rng(seed)
    X, faulty = make(rng, ROWS), faults(kind, rng)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X[faulty] += 5 * rng.choice([-1, 1], size=(int(faulty.sum()), COLUMNS))
    return float(KernelNoveltyDetector(**ALL).monitor(X).alarms[faulty].mean())


def run(quick: bool) -> str:
    of, seeds = ratios(quick)
    kinds = KINDS[: 1 if quick else None]
    rows = [
        (name, *(f"{r.mean():.2f}" for r in all_), f"{all_.max():.1f}") for name, all_ in of.items()
    ]
    power = [
        (
            kind,
            *(
                f"{np.mean([found(make, kind, seed) for seed in range(1 if quick else 2)]):.2f}"
                for make in DISTRIBUTIONS.values()
            ),
        )
        for kind in kinds
    ]
    return f"""\
Independent rows, {COLUMNS} columns as they come, {seeds} streams of {ROWS} rows each, 40 atoms (60
with lags): alarms in the second half as a multiple of the nominal share, mean over the streams; and
the largest of all.

{table(["detector", *DISTRIBUTIONS, "largest"], rows)}

Near 0 are scores with ties: far from all atoms SPE of a local kernel is one and the same number,
and if more than the nominal share of rows lie there, it is the limit, which none exceeds. T² and
combined scores are below 1 where atoms have moved: rows judged anew count for no less than before,
so limits are wide until the window has passed. Moving averages have few independent values in a
window, and stay high for long after one row far out: their limits take such a cluster for one
score, and single streams may still have twice the nominal share.

Rows off by five standard deviations in every column, in the last third of the stream, SPE, RBF,
1 %: the share that is found. Lognormal rows have a tail of their own out there, where a kernel as
narrow as the median distance tells nothing apart: rare faults hide in it. A wider one, or
`gamma="scale"`, helps.

{table(["faults", *DISTRIBUTIONS], power)}
"""
