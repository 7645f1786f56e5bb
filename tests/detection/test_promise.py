"""False alarms on streams that do not change: as many as promised, whatever their distribution."""

import numpy as np
import pytest

from helpers import every_other
from okpca import KernelNoveltyDetector

pytestmark = pytest.mark.long


def clusters(rng, n):
    """Four of them: with two lags there are 64, more than the atoms can stand for."""
    centres = 5 * rng.normal(size=(4, 4))
    return centres[rng.integers(0, 4, n)] + 0.3 * rng.normal(size=(n, 4))


STREAMS = {
    "Gaussian": lambda rng, n: rng.normal(size=(n, 4)),
    "Laplace": lambda rng, n: rng.laplace(size=(n, 4)),
    "t3": lambda rng, n: rng.standard_t(3, size=(n, 4)),
    "lognormal": lambda rng, n: rng.lognormal(size=(n, 4)),
}


def late_alarms(make, n, seeds, **options):
    """The share in the second half of each stream."""
    rates = []
    for seed in seeds:
        detector = KernelNoveltyDetector(**options)
        rates.append(detector.monitor(make(np.random.default_rng(seed), n)).alarms[n // 2 :].mean())
    return np.array(rates)


@pytest.mark.parametrize(("name", "statistic"), every_other(STREAMS, ["spe", "t2", "combined"]))
def test_heavy_tails_are_no_reason_for_more_alarms(name, statistic):
    options = {"kernel": "linear", "contamination": 0.05, "statistic": statistic}
    rates = late_alarms(STREAMS[name], 2000, range(6), n_components=2, **options)
    # Six streams of 1 000 rows, and a window of 1 000: ± 0.004 by chance.
    assert rates.mean() == pytest.approx(0.05, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "on_full"),
    every_other(
        [{"gamma": 0.1, "max_atoms": 60, "lags": 2}, {"statistic": "t2", "max_atoms": 40}],
        ["compress", "drop", "project"],
    ),
)
def test_a_model_that_moves_does_not_lock_the_detector_into_false_alarms(options, on_full):
    rates = late_alarms(clusters, 8000, range(6), on_full=on_full, **options)
    assert rates.max() < 0.03
    assert rates.mean() < 0.015


@pytest.mark.parametrize("statistic", ["spe", "combined"])
@pytest.mark.parametrize("name", STREAMS)
def test_faults_are_found_among_heavy_tails_and_forgotten_when_they_are_over(name, statistic):
    rng = np.random.default_rng(0)
    X = STREAMS[name](rng, 4000)
    faulty = (rng.uniform(size=4000) < 0.1) & (np.arange(4000) // 1000 == 2)
    size = np.quantile(np.abs(X), 0.9999)
    X[faulty] += 3 * size * rng.choice([-1, 1], size=(faulty.sum(), 4))
    detector = KernelNoveltyDetector(2, kernel="linear", statistic=statistic)
    alarms = detector.monitor(X).alarms
    assert alarms[faulty].mean() > 0.9
    assert alarms[2000:3000][~faulty[2000:3000]].mean() < 0.02
    assert alarms[3000:].mean() < 0.02
