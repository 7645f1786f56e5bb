"""What is an incident, and what chance brings about."""

import numpy as np
import pytest

from okpca import KernelNoveltyDetector
from okpca.report import report
from okpca.report.bins import Binned, Bins
from okpca.report.incidents import beyond_chance, too_many

from .conftest import process
from .test_report import Words, cut


def binned(alarms):
    """Rows of one score, as a report has them."""
    n = len(alarms)
    found, place = Binned(0), np.arange(n)
    scores = alarms.astype(float)[:, None]
    one = np.ones(n, dtype=np.int64)
    own = scores, place, place, place, place, place
    found.add(Bins(place, one, scores, alarms.astype(np.int64), place, *own))
    return found.bins


def is_incident(alarms, allowed):
    bins = binned(alarms)
    return beyond_chance(bins, allowed) and bool(too_many(bins, allowed).any())


@pytest.mark.parametrize("allowed", [0.001, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("n", [1, 60, 1200, 1201, 5000])
def test_chance_is_hardly_ever_an_incident(n, allowed):
    rng = np.random.default_rng(n)
    found = [is_incident(rng.random(n) < allowed, allowed) for _ in range(100)]
    assert sum(found) <= 2  # 0.2 are expected


@pytest.mark.parametrize(
    ("n", "allowed", "rows"),
    [(300, 0.01, 3), (1200, 0.01, 4), (1200, 0.05, 6), (5000, 0.01, 6), (20_000, 0.05, 16)],
)
def test_some_rows_in_a_quiet_stream_are_one(n, allowed, rows):
    rng = np.random.default_rng(n)
    for start in rng.integers(0, n - rows, 20):
        alarms = rng.random(n) < allowed / 3
        alarms[start : start + rows] = True
        assert is_incident(alarms, allowed)


@pytest.mark.parametrize("n", [1000, 20_000])
def test_so_is_a_stream_whose_alarms_are_too_many(n):
    rng = np.random.default_rng(n)
    assert is_incident(rng.random(n) < 0.1, 0.05)


@pytest.mark.parametrize("n", [1000, 1201, 3000])
def test_alarms_that_are_allowed_are_no_incidents_of_a_report(rows, n):
    detector = KernelNoveltyDetector(gamma=0.5, max_atoms=80, contamination=0.1, window=500)
    detector.fit(rows)
    data, faulty = process(n, seed=5), process(n, seed=5)
    faulty[700:720, 2] += 3.0
    made = report(detector, cut(data, 500))
    assert made.summary["alarms"] > 0.05 * n
    assert "Incidents" not in Words(made.html).text
    made = report(detector, cut(faulty, 500))
    assert "Incidents" in Words(made.html).text
    assert 700 <= made.summary["incidents"][0]["row"] < 720
