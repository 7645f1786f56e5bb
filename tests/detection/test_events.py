"""Faults must not become the new normal by the back door of the limits."""

import numpy as np
import pytest

from helpers import normal
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.kernels import RBF


def ring(n, seed):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.normal(size=(n, 2))


@pytest.mark.thorough
@pytest.mark.parametrize("n", [600, 2000])
def test_a_solid_fault_stays_one(n):
    """Also while the window of scores is not full."""
    detector = KernelNoveltyDetector(gamma=0.5, max_atoms=100).fit(normal(n, 3))
    seen = detector.monitor(normal(300, 3, seed=1) + 9)
    assert seen.alarms.mean() > 0.97


@pytest.mark.parametrize("share", [0.05, 0.25])
def test_scattered_faults_stay_faults(share):
    detector = KernelNoveltyDetector(gamma=2.0, max_atoms=80).fit(ring(2000, 0))
    rows, rng = ring(1000, 1), np.random.default_rng(2)
    faulty = rng.uniform(size=1000) < share
    rows[faulty] = 0.15 * rng.normal(size=(faulty.sum(), 2))
    alarms = detector.monitor(rows).alarms
    assert alarms[500:][faulty[500:]].mean() > 0.7
    assert alarms[~faulty].mean() < 0.06


@pytest.mark.parametrize("limits", ["quantile", "parametric"])
@pytest.mark.parametrize("statistic", ["spe", "t2", "combined"])
def test_one_spike_does_not_move_the_limits(statistic, limits):
    params = {"kernel": "linear", "statistic": statistic, "limits": limits}
    detector = KernelNoveltyDetector(2, **params).fit(normal(1200, 4))
    before = detector.limits_[statistic]
    detector.partial_fit(np.full((1, 4), 1e3)).partial_fit(normal(70, 4, seed=1))
    assert detector.limits_[statistic] == pytest.approx(before, rel=0.15)


@pytest.mark.filterwarnings("ignore:no row can be an alarm yet")
@pytest.mark.parametrize("rule", ["oja", "okha", "apex", "tanaka", "exact"])
def test_spe_is_the_reconstruction_error_whatever_the_rule(rule):
    X = normal(300, 3)
    detector = KernelNoveltyDetector(3, gamma=0.3, rule=rule, statistic="spe", random_state=0).fit(
        X
    )
    assert isinstance(detector.estimator_, OnlineKernelPCA)
    error = detector.estimator_.reconstruction_error(X)
    np.testing.assert_allclose(-detector.score_samples(X), error, rtol=0, atol=1e-10)


@pytest.mark.filterwarnings("ignore:no row can be an alarm yet")
@pytest.mark.parametrize("size", [5.0, 300.0, 1e4, 1e9])
def test_contributions_however_far(size):
    detector = KernelNoveltyDetector(3, gamma=0.3).fit(normal(300, 6))
    far = np.zeros((1, 6))
    far[0, 4] = size
    shares = detector.contributions(far)[0]
    assert shares[4] > 0.9
    assert shares.sum() == pytest.approx(1.0)


class Grudging:
    """RBF values, but for rows of a certain size among five: then they are infinite."""

    def __call__(self, X, Y):
        K = RBF(0.5)(X, Y)
        K[(X[:, 0] == 9.5) & (len(X) == 5)] = np.inf
        return K


@pytest.mark.parametrize("size", [1, 3, 20], ids="calls of {}".format)
def test_a_run_that_cannot_be_learned_is_refused_where_it_ends(size):
    """Its rows may have come in earlier calls."""
    params = {"warm_up": 40, "contamination": 0.1, "refresh": 1, "accept_after": 5}
    rows = normal(20, 2, seed=1) * 0.1 + 9
    rows[2, 0] = 9.5
    detector = KernelNoveltyDetector(2, kernel=Grudging(), **params).fit(normal(200, 2))
    call, row = divmod(4, size)
    for start in range(0, call * size, size):
        detector.partial_fit(rows[start : start + size])
    alarms = detector.n_alarms_
    with pytest.raises(
        ValueError,
        match=r"the run of 5 alarms that ends here cannot be accepted, because of its row 2 "
        rf".*NaN or infinity.* \[row {row} of call {call + 2} to partial_fit",
    ):
        detector.partial_fit(rows[call * size : (call + 1) * size])
    assert detector.n_alarms_ == alarms  # the refused call left nothing behind
    detector.start_run().partial_fit(rows[4:9])
    assert detector.n_alarms_ == alarms + 5
