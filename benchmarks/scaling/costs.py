"""The constants of the cost model, and what it predicts."""

from __future__ import annotations

import pickle
from time import process_time
from typing import NamedTuple

import numpy as np
from benchmarks.living.common import Array, table
from benchmarks.scaling.model import Cluster, Costs, model_bytes, predicted

from okpca import OnlineKernelPCA, merge

TITLE = "What it costs"
GRID = [(d, m) for d in (50, 200, 800) for m in (100, 250, 500)]
CHECKED = (400, 350)  # columns and atoms that the constants are not taken from
CLUSTER = Cluster(workers=100, read=200e6, network=1.25e9)


def rows(n: int, d: int, seed: int) -> Array:
    """A cloud of some directions among many, so wide that any dictionary fills up."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=(n, 20)) @ rng.normal(size=(20, d)) / np.sqrt(20))


def model(d: int, m: int) -> OnlineKernelPCA:
    return OnlineKernelPCA(10, gamma=0.5 / d, max_atoms=m)


class Timed(NamedTuple):
    """Seconds of a core, medians, and bytes."""

    row: float
    merge: float
    size: int


def timed(d: int, m: int, n: int, repeats: int) -> Timed:
    """A row when the dictionary is full, a merge, a model that travels."""
    parts = [model(d, m).partial_fit(rows(4 * m, d, seed)) for seed in range(2)]
    more = rows(n, d, 2)
    learning, merging = [], []
    for _ in range(repeats):
        start = process_time()
        merge(parts)
        merging.append(process_time() - start)
        start = process_time()
        merge(parts[:1]).partial_fit(more)  # a copy
        learning.append((process_time() - start) / n)
    size = len(pickle.dumps(merge(parts), protocol=5))
    return Timed(float(np.median(learning)), float(np.median(merging)), size)


def measured(quick: bool) -> tuple[Costs, Timed]:
    """The constants, and what the sizes take that they are to be checked by."""
    n, repeats = (100, 1) if quick else (3000, 3)
    grid = GRID[::4] if quick else GRID
    timed(50, 100, 150, 1)  # compiled by now
    found = [(d, m, *timed(d, m, n, repeats)) for d, m in grid]
    lines = np.array(found)
    return Costs.measured(lines[:, :3], lines[:, [0, 1, 3]]), timed(*CHECKED, n, repeats)


def shown(seconds: float) -> str:
    for size, unit in ((3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.1g} s"


def run(quick: bool) -> str:
    costs, seen = measured(quick)
    (a, b, c), (e, f, g) = costs.row, costs.merge
    size, thrice = (f"{times * model_bytes(1000, 500) / 1e6:.0f} MB" for times in (1, 3))
    constants = [
        ["a row", "a d m + b m² + c m", f"a = {a:.2g} s, b = {b:.2g} s, c = {c:.2g} s"],
        ["a merge", "e m³ + f m² d + g", f"e = {e:.2g} s, f = {f:.2g} s, g = {g:.2g} s"],
        ["a model", "at most 8 (2 m d + 2 m²) bytes", f"{size} for d = 1 000, m = 500"],
    ]
    d, m = CHECKED
    said = costs.of_row(d, m), costs.of_merge(d, m), model_bytes(d, m) / 1e6
    found = seen.row, seen.merge, seen.size / 1e6
    shows = (shown, shown, "{:.1f} MB".format)
    checks = [
        [name, show(one), show(other), f"{one / other:.2f}"]
        for name, show, one, other in zip(
            ("a row", "a merge", "a model"), shows, said, found, strict=True
        )
    ]
    return f"""\
N rows of d columns, m atoms, P partitions, W workers with one BLAS thread each. The number of
components hardly matters: they are taken once, at the end.

{table(["", "takes", "constants, as CPU time of one core of this machine"], constants)}

Rows under a full dictionary, Gaussian in 20 directions; sizes d = 50 to 800, m = 100 to 500. What
the constants say of a size they do not come from, d = {d}, m = {m}:

{table(["", "predicted", "measured", "ratio"], checks)}

A fit then takes

    T = (N / W) (row + 8 d / D) + ((P − W) / W) merge + ⌈log₂ W⌉ (merge + model / G)

where D is what a worker reads and G what the network carries between two workers, bytes in a
second. Memory of a worker: a block of its partition, two models and their merge, so 8 d times the
rows of a block and about {thrice} for d = 1 000, m = 500. Network: at most P − 1 models in all,
and no rows. A second pass (`passes=2`) is all of that again, with merges over one dictionary, which
are sums.

{_billion(costs)}
"""


def _billion(costs: Costs) -> str:
    lines = []
    for P in (100, 1000, 10_000):
        parts = predicted(costs, 1e9, 1000, 500, P, CLUSTER)
        lines.append([f"{P}", *map(shown, parts.values()), shown(sum(parts.values()))])
    header = ["P", *predicted(costs, 1, 1, 1, 1, CLUSTER), "together"]
    return f"""\
**10⁹ rows of 1 000 columns on 100 workers**, 500 atoms, cores like this one. Two things are not
measured here but taken for granted: a worker reads {CLUSTER.read / 1e6:.0f} MB/s, and the
network carries {CLUSTER.network / 1e9:.2f} GB/s (10 Gbit/s).

{table(header, lines)}

More workers shorten all but the tree over them, ⌈log₂ W⌉ merges; more partitions than workers cost
a merge each, beside the learning."""
