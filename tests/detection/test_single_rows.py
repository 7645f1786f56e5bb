"""A row that comes alone is taken by a way of its own; what follows is what a block says."""

from __future__ import annotations

import numpy as np
import pytest

from okpca import KernelNoveltyDetector
from okpca.detection import stream

SETTINGS = {
    "defaults": {},
    "few atoms": {"max_atoms": 20},
    "combined, moving averages, lags": {"statistic": "combined", "ewma": 0.3, "lags": 1},
    "SPE": {"statistic": "spe"},
    "T², alarms are learned": {
        "statistic": "t2",
        "learn_from_alarms": True,
        "n_components": 0.99,  # more have so much T² on rows that are new that no limit is near
    },
    "a thin window": {"window": 60, "contamination": 0.05},
    "runs are accepted": {"accept_after": 8},
    "linear": {"kernel": "linear", "limits": "parametric"},
}


def rows() -> np.ndarray:
    """With strangers, some of them in a row, and one beyond everything."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(420, 2)) @ rng.normal(size=(2, 4)) + 0.1 * rng.normal(size=(420, 4))
    X[rng.choice(np.arange(150, 420), 12, replace=False)] += 4.0
    X[300:312] += 6.0
    X[390] = 50.0
    return X


def told(detector: KernelNoveltyDetector, X: np.ndarray) -> np.ndarray:
    rows = [detector.monitor(x[None]) for x in X]
    names = ("spe", "t2", "score", "limit", "alarms", "learned")
    return np.array([[float(getattr(row, name)[0]) for name in names] for row in rows])


@pytest.mark.thorough
@pytest.mark.parametrize("name", SETTINGS)
def test_the_short_way_is_the_long_way(name, monkeypatch):
    given = {"warm_up": 50, "contamination": 0.02, "gamma": "median", "max_atoms": 60}
    short, long = (KernelNoveltyDetector(**given | SETTINGS[name]) for _ in range(2))
    X, refused = rows(), []
    went = stream._after_row

    def noted(watch, x):
        taken = went(watch, x)
        refused.append(taken is None)
        return taken

    monkeypatch.setattr(stream, "_after_row", noted)
    quick = told(short, X)
    monkeypatch.setattr(stream, "_after_row", lambda watch, x: None)
    slow = told(long, X)
    assert len(refused) > 100
    assert name == "runs are accepted" or not any(refused)
    assert np.nansum(quick[:, 4]) > 5  # alarms, or nothing is tested
    np.testing.assert_allclose(quick, slow, rtol=1e-9, atol=1e-11)
    ours, theirs = short._watch, long._watch
    for what in ("n_rows", "n_learned", "n_alarms", "run"):
        assert getattr(ours, what) == getattr(theirs, what), what
    assert ours.evidence == pytest.approx(theirs.evidence)
    kept, other = ours.window.packed(), theirs.window.packed()
    np.testing.assert_allclose(kept.pairs, other.pairs, rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(kept.rows[0], other.rows[0])


def test_limits_that_do_not_decide_are_told_when_asked_for():
    X = rows()[:250]
    detector = KernelNoveltyDetector(warm_up=50, contamination=0.02, max_atoms=60).fit(X)
    assert set(np.isfinite(list(detector.limits_.values()))) == {True}
    assert np.isinf(detector._watch.limits.t2)


@pytest.mark.thorough
def test_a_chart_whose_kernel_has_settled_on_other_rows():
    """While a model is held back, its chart has the kernel of the rows so far: κ(x, x) by that is
    not the model's."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(420, 3)) * [1, 3, 10]
    X[100:] *= 3
    given = {"kernel": "poly", "degree": 2, "scale": "standard", "n_components": 3, "max_atoms": 8}
    given |= {"burn_in": 310, "warm_up": 100, "window": 200, "learn_from_alarms": True}
    block, alone = KernelNoveltyDetector(**given).partial_fit(X), KernelNoveltyDetector(**given)
    for x in X:
        alone.partial_fit(x[None])
    assert alone.estimator_.certificate().discarded_energy == pytest.approx(
        block.estimator_.certificate().discarded_energy, rel=1e-9
    )


@pytest.mark.parametrize("learns", [np.False_, np.True_])
def test_a_flag_of_numpy(learns):
    detector = KernelNoveltyDetector(3, gamma=0.1, warm_up=50, learn_from_alarms=learns)
    detector.fit(np.random.default_rng(0).normal(size=(300, 3)))
    assert detector.monitor(np.full((1, 3), 50.0)).learned[0] == learns
