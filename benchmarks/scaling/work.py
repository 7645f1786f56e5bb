"""What partitions cost beside one stream, in CPU time, which neighbours hardly change."""

from __future__ import annotations

from time import process_time

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, median_gamma, table, verdict
from benchmarks.scaling.parts import of_neighbours

from okpca import OnlineKernelPCA, budget, kernels

TITLE = "More partitions, more work"
ATOMS, COUNTS = 500, (2, 8)


def run(quick: bool) -> str:
    X = data.mnist(2000 if quick else 70_000)
    given = {"kernel": kernels.RBF(median_gamma(X)), "max_atoms": 40 if quick else ATOMS}

    def learn(rows: Array, **more: object) -> OnlineKernelPCA:
        return OnlineKernelPCA(10, **given, **more).partial_fit(rows)  # type: ignore[arg-type]

    learn(X[:1500])  # compiled by now
    start = process_time()
    learn(X)
    stream = process_time() - start
    lines, most = [["one stream", f"{stream:.1f} s", "0 s", "1", "1"]], 0.0
    for P in COUNTS:
        start = process_time()
        thrifty = budget.Compress().of_parts(P)  # as `okpca.dask` does
        models = [learn(part, on_full=thrifty) for part in np.array_split(X, P)]
        between = process_time()
        of_neighbours(models)
        learning, merging = between - start, process_time() - between
        share = (learning + merging) / stream
        most = max(most, 2 / share)
        told = [f"{learning:.1f} s", f"{merging:.1f} s", f"{share:.2f}", f"{2 / share:.2f}"]
        lines.append([f"{P} partitions", *told])
    header = ["", "learning", "merging", "beside one stream", "two free cores, at best"]
    return f"""\
MNIST, {len(X)} × {X.shape[1]} / 255, {given["max_atoms"]} atoms, CPU time in one process without
Dask. The last column is how many times as fast as one process two workers can be at the very most:
with the work divided evenly, and nothing lost by Dask.

{table(header, lines)}

- {verdict("work that two workers could do 1.7 times as fast as one process", most >= 1.7)}
"""
