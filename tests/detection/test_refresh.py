"""Components are taken anew when it matters, and seldom enough."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from helpers import normal
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.detection.refresh import rows_to_border, rows_to_new_components
from okpca.detection.scores import Chart
from okpca.estimator import model_of


@pytest.mark.parametrize(
    ("n", "options", "rows"),
    [
        (40, {"max_atoms": None, "nu": 0}, 10 + 40**2 / 500),  # young
        (1000, {"max_atoms": 10}, 160),  # no more than sixteen rows an atom
        (1000, {"max_atoms": 3}, 50),  # a twentieth of the rows
        (1000, {"max_atoms": 10, "forgetting": 0.9}, 2.5 + 0.2),  # a short memory
    ],
    ids=str,
)
def test_when_components_are_due(n, options, rows):
    model = model_of(OnlineKernelPCA(2, gamma=2.0, on_full="project", **options).fit(normal(n)))
    assert rows_to_new_components(model) == int(rows)


def counted(monkeypatch):
    taken, of = [], Chart.of

    def noted(model, levels=()):
        taken.append(model.n_rows)
        return of(model, levels)

    monkeypatch.setattr(Chart, "of", noted)
    return taken


@pytest.mark.thorough
@pytest.mark.parametrize("calls", [1, 500])
def test_eigenproblems_are_rare(monkeypatch, calls):
    taken = counted(monkeypatch)
    detector = KernelNoveltyDetector(3, max_atoms=40, gamma=0.5)
    X = normal(3000)
    for start in range(0, len(X), calls):
        detector.partial_fit(X[start : start + calls])
    assert 10 <= len(taken) <= 20  # every 64 rows: 46
    assert len(set(taken)) == len(taken)


def test_refresh_is_the_least_distance(monkeypatch):
    taken = counted(monkeypatch)
    X = normal(600)
    KernelNoveltyDetector(3, gamma=0.5, refresh=250).partial_fit(X)
    assert taken[0] == 100
    assert (np.diff(taken) >= 240).all()  # some of 250 rows may be alarms


def test_limits_follow_between_components(monkeypatch):
    taken = counted(monkeypatch)
    seen = KernelNoveltyDetector(3, max_atoms=20, gamma=0.5, refresh=20).monitor(normal(3000))
    changes = np.flatnonzero(np.diff(seen.limit[500:]))
    assert len(changes) > len(taken)
    assert_array_equal((changes + 501 - 100) % 20, 0)


@pytest.mark.thorough
def test_one_row_takes_a_shorter_way_to_the_same_place():
    X = normal(700)
    X[650:655] += 9.0
    options = {"max_atoms": 40, "gamma": 0.5, "contamination": 0.05, "refresh": 30}
    for more in ({}, {"statistic": "t2"}, {"statistic": "combined", "ewma": 0.3, "lags": 1}):
        rows, block = (KernelNoveltyDetector(3, **options, **more) for _ in range(2))
        parts = [rows.monitor(x[None]) for x in X]
        whole = block.monitor(X)
        for name in ("score", "limit", "alarms", "learned"):
            found = np.concatenate([getattr(part, name) for part in parts])
            assert_allclose(found, getattr(whole, name), atol=1e-9)
        assert rows._watch.evidence == pytest.approx(block._watch.evidence)
        assert rows.n_alarms_ == block.n_alarms_


@pytest.mark.parametrize(("refresh", "window"), [(64, 1000), (5, 70), (10, 60), (64, 1030)])
def test_borders_are_rarer_once_a_large_window_is_full(refresh, window):
    """And lie where they do from wherever one counts."""
    rare = window >= 14 * refresh
    last = 4 * window
    borders = [
        n for n in range(refresh, last, refresh)
        if n <= window or not rare or n % (2 * refresh) == 0
    ]  # fmt: skip
    for n in range(borders[-1]):
        assert n + rows_to_border(n, refresh, window) == next(b for b in borders if b > n)
