"""How long rows remember, and when a stream has shown enough of itself."""

import numpy as np
import pytest
from scipy.signal import lfilter

from helpers import normal
from okpca import KernelNoveltyDetector
from okpca.detection.autocorrelation import enough, memory
from okpca.kernels import RBF


def slow(phi, n, d=3, seed=0):
    steps = np.sqrt(1 - phi**2) * np.random.default_rng(seed).normal(size=(n + 1000, d))
    return lfilter([1.0], [1.0, -phi], steps, axis=0)[1000:]


def test_memory_is_the_first_lag_at_which_rows_are_hardly_alike():
    """All pairs of rows, one by one."""
    X = slow(0.9, 60)  # fewer rows than are compared with all others
    K = np.array([[np.exp(-0.2 * ((x - y) ** 2).sum()) for y in X] for x in X])
    least = K.mean() + (1 - K.mean()) / np.e
    lag = 1
    while np.mean([K[t, t + lag] for t in range(60 - lag)]) >= least:
        lag += 1
    assert memory(RBF(0.2), X) == lag > 1


def test_the_slower_the_longer():
    found = [memory(RBF(0.2), slow(phi, 600)) for phi in (0.0, 0.9, 0.98)]
    assert found[0] == 1
    assert 2 * found[0] < found[1] < 0.6 * found[2]


def test_rows_that_go_one_way_only_are_never_enough():
    assert not enough(RBF(0.2), np.linspace(0, 1, 400)[:, None], 0.05)
    assert enough(RBF(0.2), np.ones((40, 3)), 0.05)  # nothing to wait for


@pytest.mark.thorough
def test_there_is_no_limit_before_and_it_says_why():
    X = slow(0.99, 700, 4)
    with pytest.warns(UserWarning, match="follow each other so slowly"):
        detector = KernelNoveltyDetector().fit(X[:300])
    assert np.isinf(list(detector.limits_.values())).all()
    quick = KernelNoveltyDetector().fit(normal(300, 4))
    assert np.isfinite(quick.offset_)
    short = KernelNoveltyDetector(window=200).fit(X[:400])  # what the window holds must do
    assert np.isfinite(short.limits_["t2"])
