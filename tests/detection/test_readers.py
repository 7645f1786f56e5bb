"""One thread teaches a detector, others ask: every answer is that of a detector after some row."""

import threading

import numpy as np
import pytest

from okpca import KernelNoveltyDetector


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 7])
def test_readers_beside_a_writer(size):
    rng = np.random.default_rng(0)
    X, probe = rng.normal(size=(260, 3)), rng.normal(size=(4, 3))

    def young():
        return KernelNoveltyDetector(
            5, gamma=0.3, max_atoms=25, warm_up=20, contamination=0.1, refresh=8
        ).partial_fit(X[:60])

    alone = young()
    known = [alone.decision_function(probe)]
    known += [
        alone.partial_fit(X[start : start + size]).decision_function(probe)
        for start in range(60, len(X), size)
    ]
    detector, seen, done = young(), [], threading.Event()

    def read():
        while not done.is_set():
            seen.append(detector.decision_function(probe))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for start in range(60, len(X), size):
        detector.partial_fit(X[start : start + size])
    done.set()
    for reader in readers:
        reader.join()
    assert seen
    for answer in seen:
        assert np.abs(np.array(known) - answer).max(axis=1).min() < 1e-9
