"""Limits on streams in their own order: blind no longer than a cycle takes to come back."""

import copy

import numpy as np
import pytest
from scipy.signal import lfilter

from helpers import normal
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca._core.fast_replace import following
from okpca.detection.leave_one_out import borne_out, without_each_other, without_itself
from okpca.detection.limits import EVENT
from okpca.detection.scores import Chart
from okpca.estimator import model_of


def plant(seed, n=2000, slow=50):
    """Temperature, pressure and a trace gas on a slow cycle, units of their own, and a flow."""
    t, rng = np.arange(n), np.random.default_rng(seed)
    return np.column_stack(
        [
            20 + 5 * np.sin(t / slow) + rng.normal(0, 0.3, n),
            1e5 + 3e3 * np.sin(t / slow + 0.5) + rng.normal(0, 200, n),
            1e-4 * (1 + 0.2 * np.cos(t / slow)) + rng.normal(0, 2e-6, n),
            rng.normal(3, 1, n),
        ]
    )


def shop(seed, n=2000):
    """Another cycle, not sinusoidal: a saw tooth, a switch, and what follows them."""
    t, rng = np.arange(n) % 220, np.random.default_rng(seed)
    X = np.column_stack([t / 55, (t >= 110) * 2.0, np.cos(2 * np.pi * t / 220)])
    return X + 0.1 * rng.normal(size=(n, 3))


def watched(X, column, size, first, **options):
    """Whether a single row with a fault in a column would be an alarm, every 100 rows from `first`
    on; and the share of alarms among the rows as they are from there on."""
    detector = KernelNoveltyDetector(**options).partial_fit(X[:first])
    found, alarms = [], []
    for start in range(first, len(X), 100):
        faulty = X[start : start + 1].copy()
        faulty[0, column] += size
        found.append(copy.copy(detector).monitor(faulty).alarms[0])
        alarms.append(detector.monitor(X[start : start + 100]).alarms)
    return np.array(found), np.concatenate(alarms)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_a_gross_fault_is_found_once_a_cycle_has_come_back(seed):
    # What 99.99 % of the variance leave takes a hundred rows more to be learned again.
    found, alarms = watched(plant(seed), 1, 2e4, 450, n_components=0.99)
    assert found.all()
    assert alarms.mean() < 0.02


@pytest.mark.long
@pytest.mark.parametrize(
    ("X", "column", "size", "first"),
    [(plant(0, slow=100), 1, 2e4, 900), (shop(0), 0, 8.0, 450), (shop(1), 2, 5.0, 450)],
    ids=["twice as slow", "saw tooth", "switch"],
)
def test_so_it_is_on_other_cycles(X, column, size, first):
    found, alarms = watched(X, column, size, first)
    assert found.all()
    assert alarms.mean() < 0.02


@pytest.mark.thorough
def test_what_an_event_belies_is_not_believed_in_it():
    """Alarms that do not end say that not all was learned: the limits are those of the past."""
    watch = KernelNoveltyDetector().partial_fit(plant(0, 600))._watch.charted().limited()
    assert watch.limits.spe < 0.76 * watch.chart.stranger
    assert following(watch, evidence=EVENT).limits_by(watch.chart).spe == watch.limits.spe
    assert following(watch, evidence=EVENT + 0.1).limits_by(watch.chart).spe == np.inf


@pytest.mark.long
def test_a_stream_with_a_long_memory_is_not_full_of_alarms():
    """It goes where it has never been, and back. (35 % of these rows were alarms once.)"""
    alarms = []
    for seed in range(2):
        steps = np.sqrt(1 - 0.99**2) * np.random.default_rng(seed).normal(size=(3500, 4))
        X = lfilter([1.0], [1.0, -0.99], steps, axis=0)[1500:]
        alarms.append(KernelNoveltyDetector().monitor(X).alarms[200:].mean())
    assert np.mean(alarms) < 0.06


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_a_first_turn_is_learned_and_no_fault(seed):
    """Where all rows are strangers, none is an alarm for its last digits."""
    # With 99.99 % of the variance one of the two has 4.5 % of alarms: its limit is just below.
    detector = KernelNoveltyDetector(n_components=0.99)
    alarms = detector.monitor(plant(seed, 1300, slow=200)).alarms
    assert alarms.mean() < 0.02


@pytest.mark.data
@pytest.mark.long
def test_gross_faults_of_a_plant_in_its_own_order(data_set):
    """Tennessee Eastman without a fault: the rows to learn, then those to test."""
    stored = data_set("tep_braatz")
    X = np.asarray(stored["X"], dtype=float)[stored["y"] == 0]
    found, alarms = watched(X, 1, 10 * X[:, 1].std(), 400)
    assert found.all()
    assert alarms.mean() < 0.05


# -- the formulas ---------------------------------------------------------------------------------


def fitted(X, r=6):
    return Chart.of(model_of(OnlineKernelPCA(r, gamma=0.1, nu=0.0, max_atoms=None).fit(X)))


@pytest.mark.thorough
def test_without_itself_is_the_score_by_a_model_of_the_others():
    X = normal(150, 5)
    seen = without_itself(fitted(X), X)
    true = [fitted(np.delete(X, i, axis=0)).scores(X[i : i + 1])[0, 0] for i in range(0, 150, 5)]
    known = fitted(X).scores(X)[:, 0]
    assert (seen >= known).all()
    off = np.log(seen[::5] / true)
    assert np.abs(off).mean() < 0.3 * np.abs(np.log(known[::5] / true)).mean()


def test_without_each_other_is_much_more_where_rows_are_all_there_is_of_their_kind():
    X = normal(150, 5)
    X[-30:] = 6.0 + 0.3 * normal(30, 5, seed=1)
    chart = fitted(X)
    far, usual = without_each_other(chart, X[-30:]), without_each_other(chart, X[:30])
    true = fitted(X[:-30]).scores(X[-30:])[:, 0]
    assert (far > 0.8 * true).all()
    assert chart.scores(X[-30:])[:, 0].max() < 0.2 * true.min()
    assert np.median(usual) < 0.5 * np.median(far)


def test_a_stranger_scores_what_a_row_far_from_all_does():
    chart = fitted(normal(100, 5))
    assert chart.stranger == pytest.approx(chart.scores(np.full((1, 5), 1e3))[0, 0])


def test_borne_out_by_scores_that_are_seldom_beyond():
    scores = np.r_[np.zeros(97), np.ones(3)]
    assert borne_out(scores, 0.5, 0.01, 1.0)
    assert not borne_out(scores, 0.5, 0.005, 1.0)
    assert borne_out(scores, 0.5, 0.005, 2.0)


@pytest.mark.thorough
def test_a_detector_that_cannot_see_says_so():
    """Rows of a first turn are strangers, and set a limit that no row can exceed."""
    t = np.arange(400)
    X = np.column_stack([np.sin(t / 100), np.cos(t / 100), np.sin(t / 50)])
    X += 0.05 * np.random.default_rng(0).normal(size=X.shape)
    with pytest.warns(UserWarning, match="no row can be an alarm yet"):
        detector = KernelNoveltyDetector(gamma=20.0).fit(X[:250])
    absurd = np.full((1, 3), 1e3)
    assert detector.limits_["spe"] == np.inf
    assert np.isinf(detector.monitor(X[250:]).limit).all()
    assert detector.predict(absurd) == 1
    assert "no row can be an alarm yet" in str(detector.describe())
    seeing = KernelNoveltyDetector().fit(np.random.default_rng(0).normal(size=(400, 3)))
    assert seeing.predict(absurd) == -1
    assert seeing.told_blind() is None
