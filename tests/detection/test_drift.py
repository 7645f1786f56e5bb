"""A drift that is slow is announced, a stream that stays is not, and cuts do not matter."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.signal import lfilter

from helpers import normal, random_borders
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.detection import drift
from okpca.detection.drift import BLOCKS, EVERY, GATHERED, SHARE, SHORTEST, Lens, limit_at
from okpca.detection.scores import Chart
from okpca.estimator import model_of
from okpca.kernels import RBF

READY = 2 * BLOCKS * SHORTEST * EVERY


def detector(**options):
    settings = {"n_components": 3, "gamma": 0.2, "max_atoms": 30, "window": 200, "warm_up": 50}
    return KernelNoveltyDetector(**(settings | options))


def drifting(n=6000, size=4.0, start=1500):
    X = normal(n, 3)
    X[start:, 0] += np.linspace(0, size, n - start)
    return X


# -- what it announces ----------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_slow_drift_of_the_mean_is_announced_where_alarms_are_not():
    model = detector()
    seen = model.monitor(drifting())
    found = model.drift_
    assert 1500 < found.since < 6000
    assert found.value > found.limit
    assert seen.alarms.mean() < 0.03
    assert_array_equal(seen.drift, np.arange(6000) >= found.since)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:no row can be an alarm yet")
def test_a_slow_rotation_is_announced():
    rng, n = np.random.default_rng(0), 9000
    latent, angle = rng.normal(size=(n, 1)), np.linspace(0, np.pi / 2, n)[:, None]
    X = np.hstack([np.cos(angle) * latent, np.sin(angle) * latent]) + 0.1 * rng.normal(size=(n, 2))
    assert detector().fit(X).drift_.since is not None


@pytest.mark.slow
@pytest.mark.parametrize("memory", [1, 30])
def test_a_stream_that_stays_is_not_announced(memory):
    phi = 0.0 if memory == 1 else np.exp(-1 / memory)
    announced = 0
    for seed in range(8):
        X = normal(6000, 3, seed=seed)
        X = lfilter([np.sqrt(1 - phi**2)], [1.0, -phi], X, axis=0)
        announced += detector().partial_fit(X).drift_.since is not None
    assert announced <= 1  # promised are 0.08, for independent rows


def test_before_there_are_rows_enough_nothing_is_known():
    model = detector().fit(normal(1000, 3))
    value, limit, since, what = model.drift_
    assert np.isnan(value)
    assert (limit, since, what) == (np.inf, None, "")
    model.partial_fit(normal(READY + 500, 3, seed=1))
    assert 0 < model.drift_.value < model.drift_.limit
    assert model.drift_.what


@pytest.mark.thorough
def test_it_stays_announced_until_it_is_accepted():
    model = detector(gamma=0.05).fit(drifting(size=8.0))
    since = model.drift_.since
    model.partial_fit(normal(3000, 3))
    assert model.drift_.since == since
    scores = model.score_samples(normal(5, 3))
    assert model.accept_drift() is model
    assert model.drift_.since is None
    assert_array_equal(model.score_samples(normal(5, 3)), scores)
    assert not model.monitor(normal(10, 3)).drift.any()


def test_a_run_that_is_accepted_is_what_drift_is_measured_from():
    model = detector(accept_after=20, gamma=0.02).fit(drifting())
    assert model.drift_.since is not None
    model.partial_fit(normal(40, 3) + 30)
    assert model.drift_.since is None


@pytest.mark.thorough
def test_rows_that_are_alarms_do_not_count():
    # From the middle on every tenth row is far out: too many for a mean that counts them.
    X = normal(3 * READY, 3)
    X[len(X) // 2 :: 10] = 50.0
    shy, bold = detector(gamma=0.02), detector(gamma=0.02, learn_from_alarms=True)
    assert shy.fit(X).drift_.since is None
    assert shy.n_alarms_ >= len(X) // 20
    assert bold.fit(X).drift_.since is not None


# -- manners --------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("lags", [0, 1])
def test_cuts_do_not_matter(lags):
    X = drifting(6000, start=500)
    whole, cut = detector(lags=lags), detector(lags=lags)
    seen = whole.monitor(X)
    parts = [cut.monitor(part) for part in np.split(X, random_borders(len(X), 1, 40)) if len(part)]
    for row in X[:70]:
        whole.partial_fit(row[None])
    cut.partial_fit(X[:70])
    assert whole.drift_.since == cut.drift_.since is not None
    assert_allclose(whole.drift_[:2], cut.drift_[:2], rtol=1e-9)
    assert_array_equal(np.concatenate([part.drift for part in parts]), seen.drift)


@pytest.mark.thorough
def test_looking_changes_nothing_and_copies_go_on_alike():
    X = drifting()
    model = detector().partial_fit(X[:3000])
    before = pickle.dumps(model)
    assert model.drift_ == model.drift_
    assert pickle.dumps(model) == before
    copy = pickle.loads(before)
    assert model.partial_fit(X[3000:]).drift_ == copy.partial_fit(X[3000:]).drift_


@pytest.mark.thorough
def test_memory_does_not_grow():
    model = detector().partial_fit(normal(6400, 3))
    size = len(pickle.dumps(model._watch.drifting))
    model.partial_fit(normal(6400, 3, seed=1))
    waiting = 8 * 3 * GATHERED  # rows to be looked at, at most
    assert len(pickle.dumps(model._watch.drifting)) < 1.2 * size + waiting


# -- its parts ------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_lens_sees_components_and_spe():
    X, probe = normal(200, 3), 2.0 * normal(30, 3, seed=1)
    model = OnlineKernelPCA(4, kernel=RBF(0.2), nu=0, max_atoms=None).fit(X)
    lens = Lens.of(Chart.of(model_of(model)))
    seen = lens.seen(probe)
    u = model.transform(probe) / np.sqrt(model.explained_variance_)
    spe = model.reconstruction_error(probe)
    assert_allclose(seen[:, :4], np.clip(u, -3, 3), atol=1e-8)
    assert_allclose(seen[:, 4:8], np.clip(u, -3, 3) ** 2, atol=1e-8)
    usual = model.reconstruction_error(X).mean()
    assert_allclose(seen[:, 8], spe / (spe + usual), atol=1e-8)
    names = [lens.name(i) for i in range(9)]
    assert names[0] == "component 1"
    assert names[4] == "spread along component 1"
    assert names[8] == "SPE"


def test_a_lens_without_components_or_atoms():
    model = OnlineKernelPCA(2, kernel="linear").fit(np.zeros((5, 3)))
    lens = Lens.of(Chart.of(model_of(model)))
    assert lens.seen(normal(4, 3)).shape == (4, 1)
    assert_array_equal(lens.seen(np.zeros((2, 3))), 0.0)


def test_distances_are_those_of_a_t_test_about_curves():
    reference, today = normal(BLOCKS, 4), normal(BLOCKS, 4, seed=1) + np.eye(4)[1]
    time, squares = np.arange(BLOCKS), 0.0
    for means in (reference, today):
        for j in range(4):
            curve = np.polyval(np.polyfit(time, means[:, j], 3), time)
            squares = squares + np.eye(4)[j] * np.square(means[:, j] - curve).sum()
    s = np.sqrt(squares / (2 * (BLOCKS - 4)))
    wanted = np.abs(today.mean(axis=0) - reference.mean(axis=0)) / (s * np.sqrt(2 / BLOCKS))
    assert_allclose(drift.distances(reference, today), wanted)


@pytest.mark.thorough
def test_chances_of_all_looks_add_up_to_the_promise():
    t = stats.t(2 * (BLOCKS - 4))
    looks = np.unique(np.geomspace(1, 1e9, 4000).astype(int))
    chance = np.array([2 * 11 * t.sf(limit_at(look, 11)) for look in looks])
    total = np.sum(chance[:-1] * np.diff(looks))  # from above: the chance falls
    assert 0.5 * SHARE < total < 1.05 * SHARE


def test_correlation_of_neighbours_forgives_a_curve():
    independent, time = normal(BLOCKS, 3, seed=5), np.arange(BLOCKS)[:, None] / BLOCKS
    for curve in (9 * time, 9 * time**3):
        found = drift.correlation(independent + curve)
        assert_allclose(found, drift.correlation(independent), atol=1e-6)
    assert drift.correlation(np.cumsum(independent, axis=0)) > drift.ALIKE
    assert drift.correlation(np.ones((BLOCKS, 2))) == 0.0


@pytest.mark.thorough
def test_blocks_are_made_longer_for_a_stream_that_remembers():
    X = lfilter([0.14], [1.0, -0.99], normal(6000, 3), axis=0)
    slow = detector(learn_from_alarms=True).partial_fit(X)._watch.drifting
    assert slow.size > SHORTEST
