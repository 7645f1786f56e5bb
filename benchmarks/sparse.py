"""Wide sparse rows: `python -m benchmarks.sparse`.

CSR rows of 60 numbers in up to 262 144 columns, by default settings with 200 atoms; and a stream of
hashed text in one pass, the documents drawn from topics of words. Every case runs in a process of
its own, with BLAS on one thread, after a small fit that loads what is compiled. Printed are seconds
of processor time and the most memory the process had in all, which is 250 MB before the first row.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from okpca import OnlineKernelPCA

# name: kernel, gamma (None: one over the number of columns), rows, columns
FITS = {
    "cosine, 60 000 columns": ("cosine", None, 600, 60_000),
    "cosine": ("cosine", None, 1000, 2**18),
    "rbf": ("rbf", 0.05, 1000, 2**18),
    "linear": ("linear", None, 1000, 2**18),
    "polynomial": ("poly", 1.0, 1000, 2**18),
    "laplacian": ("laplacian", 0.02, 1000, 2**18),
    "exponential": ("exponential", None, 1000, 2**18),
}
TEXT = "text, 20 000 documents"
DOCUMENTS, BATCH, TOPICS, WORDS, LENGTH = 20_000, 500, 8, 30_000, 100


def rows(n: int, d: int, entries: int = 60) -> sparse.csr_array:
    rng = np.random.default_rng(0)
    where = np.repeat(np.arange(n), entries), rng.integers(d, size=n * entries)
    return sparse.csr_array((rng.random(n * entries), where), shape=(n, d))


def documents(n: int) -> Iterator[list[str]]:
    """Batches of texts: words by Zipf's law, and two thirds of them from one topic."""
    rng, rank = np.random.default_rng(0), np.arange(1, WORDS + 1)
    common = np.cumsum(1.0 / rank) / np.sum(1.0 / rank)
    for _ in range(0, n, BATCH):
        words = np.searchsorted(common, rng.random((BATCH, LENGTH)))
        topic = rng.integers(TOPICS, size=(BATCH, 1))
        own = rng.random((BATCH, LENGTH)) < 2 / 3
        words = np.where(own, words - words % TOPICS + topic, words)
        yield [" ".join(f"w{word}" for word in text) for text in words]


def fit(name: str) -> tuple[float, OnlineKernelPCA]:
    kernel, gamma, n, d = FITS[name]
    X = rows(n, d)
    OnlineKernelPCA(2, kernel=kernel, gamma=gamma, max_atoms=20).fit(X[:100])
    start = time.process_time()
    model = OnlineKernelPCA(2, kernel=kernel, gamma=gamma, max_atoms=200).fit(X)
    model.transform(X)
    return time.process_time() - start, model


def text() -> tuple[float, OnlineKernelPCA]:
    """Learning alone; the texts are made and hashed in between."""
    from sklearn.feature_extraction.text import HashingVectorizer

    vectorizer, model = HashingVectorizer(n_features=2**18), OnlineKernelPCA(8, kernel="cosine")
    seconds = 0.0
    for number, batch in enumerate(documents(DOCUMENTS)):
        X = vectorizer.transform(batch)
        start = time.process_time()
        model.partial_fit(X)
        seconds += time.process_time() - start
        if number * BATCH in (DOCUMENTS // 4, DOCUMENTS // 2):
            print(f"  after {number * BATCH:6d} documents: {megabytes():.0f} MB", flush=True)
    return seconds, model


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux counts in kilobytes


def run(name: str) -> None:
    seconds, model = text() if name == TEXT else fit(name)
    shown = f"{name:26s} {seconds:7.2f} s {megabytes():7.0f} MB {model.n_atoms_:5d} atoms"
    print(shown, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=[*FITS, TEXT], help="this one, in this process")
    case = parser.parse_args().case
    if case is not None:
        run(case)
        return
    for name in (*FITS, TEXT):
        one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "benchmarks.sparse", "--case", name]
        subprocess.run(command, env=one_thread, check=True)


if __name__ == "__main__":
    main()
