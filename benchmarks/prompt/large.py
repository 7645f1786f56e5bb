"""A file that is larger than memory should be."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from benchmarks.prompt.commands import Spent, ended, started
from pyarrow import csv

from okpca import OnlineKernelPCA

TITLE = "A file larger than memory"
COLUMNS, CHUNK = 10, 200_000
SIZES = {"200 MB": 2 * 10**8, "2 GB": 2 * 10**9}
ATOMS = {"200 MB": (20, 200), "2 GB": (20,)}
TEXT = """\
`okpca fit x.csv --n-components 5 --gamma 0.05 --max-atoms M -o m.okpca` of generated CSV, {columns}
columns of correlated normal numbers with six digits. Its processor time against that of pyarrow
alone, which parses the file in blocks of 1 MB on one thread, and of the model alone, which learns
these blocks from memory by `partial_fit`, together: 1 would mean that the prompt adds nothing. BLAS
on one thread.

| file | rows | M | pyarrow alone | the model alone | `okpca fit` | ratio | peak resident |
|---|---|---|---|---|---|---|---|
"""


def write(path: Path, size: int) -> int:
    """A file of about so many bytes: how many rows."""
    rng, n = np.random.default_rng(0), 0
    mixed = rng.normal(size=(COLUMNS, COLUMNS)) / np.sqrt(COLUMNS)
    names = [f"sensor{j}" for j in range(COLUMNS)]
    with open(path, "wb") as file:
        while file.tell() < size:
            rows = np.round(rng.normal(size=(min(CHUNK, size // 90 + 1), COLUMNS)) @ mixed, 6)
            table = pa.table(dict(zip(names, rows.T, strict=True)))
            csv.write_csv(table, file, csv.WriteOptions(include_header=n == 0))
            n += len(rows)
    return n


def alone(path: Path, atoms: int) -> tuple[float, float]:
    """Seconds that pyarrow and the model take."""
    model = OnlineKernelPCA(5, gamma=0.05, max_atoms=atoms, random_state=0)
    parsing = learning = 0.0
    began = time.process_time()
    for batch in csv.open_csv(path, csv.ReadOptions(use_threads=False, block_size=2**20)):
        parsed = time.process_time()
        rows = np.column_stack([column.to_numpy() for column in batch.columns])
        ready = time.process_time()
        model.partial_fit(rows)
        done = time.process_time()
        parsing, learning, began = parsing + parsed - began, learning + done - ready, done
    return parsing, learning


def fitted(path: Path, atoms: int) -> Spent:
    line = f"fit {path.name} --n-components 5 --gamma 0.05 --max-atoms {atoms} -o m.okpca -q"
    spent = ended(started(line, path.parent))
    assert spent.code == 0
    return spent


def run(quick: bool) -> str:
    parts = [TEXT.format(columns=COLUMNS)]
    with tempfile.TemporaryDirectory() as folder:
        for name, size in {"200 kB": 2 * 10**5}.items() if quick else SIZES.items():
            path = Path(folder) / "x.csv"
            rows = write(path, size)
            for atoms in ATOMS.get(name, (20,)):
                parsing, learning = alone(path, atoms)
                spent = fitted(path, atoms)
                ratio = (parsing + learning) / spent.seconds
                parts.append(
                    f"| {name} | {rows:,} | {atoms} | {parsing:.1f} s | {learning:.1f} s | "
                    f"{spent.seconds:.1f} s | {ratio:.2f} | {spent.peak:.0f} MB |\n"
                )
                print(parts[-1], end="", file=sys.stderr, flush=True)
    return "".join(parts)
