"""What few components leave, heard where it is far out. The stream as a whole: `detector_twin`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import okpca
from helpers import normal
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.detection.contributions import gradient, normal_rows, shared, weights_of
from okpca.detection.fitted import limits_of
from okpca.detection.nested import COARSE, HEARD, LOUDER, Gauge
from okpca.detection.scores import Chart
from okpca.estimator import model_of
from okpca.kernels import RBF, Polynomial

X = normal(150, 3)
PROBE = np.vstack([normal(6, 3, seed=4), [[4.0, 0.0, 1.0], [9.0, 9.0, 9.0]]])


def chart(rule="exact", kernel=None, r=6):
    model = OnlineKernelPCA(r, kernel=kernel or RBF(0.2), rule=rule, max_atoms=25, random_state=0)
    return Chart.of(model_of(model.fit(X)), COARSE)


def gauge(of, n=150):
    return Gauge.of(of.scores(normal(n, 3, seed=7)), of, enough=True)


@pytest.mark.parametrize("kernel", [RBF(0.2), Polynomial(degree=2)], ids=str)
@pytest.mark.parametrize("r", [1, 3, 6])
def test_coarse_residuals_are_those_of_models_with_fewer_components(kernel, r):
    found = chart(kernel=kernel, r=r).scores(PROBE)
    for level, column in zip(COARSE, found.T[2:], strict=True):
        fewer = OnlineKernelPCA(max(min(level, r), 1), kernel=kernel, max_atoms=25).fit(X)
        expected = fewer.reconstruction_error(PROBE)
        if level == 0:
            expected = expected + np.square(fewer.transform(PROBE)).sum(axis=1)
        assert_allclose(column, expected, rtol=1e-9)


@pytest.mark.parametrize("rule", ["exact", "okha"])
def test_one_row_scores_what_it_scores_among_others(rule):
    of = chart(rule)
    assert_allclose([of.scores(x[None])[0] for x in PROBE], of.scores(PROBE), rtol=1e-12)
    assert (np.diff(of.scores(PROBE)[:, 2:], axis=1) <= 1e-12).all()


def test_the_score_is_the_formula():
    of = chart()
    past, found = of.scores(normal(150, 3, seed=7)), of.scores(PROBE)
    m, q = np.sort(past, axis=0)[75], np.sort(past, axis=0)[135]
    for row, score in zip(found, gauge(of).scores(found), strict=True):
        c = max((row[i] - m[i]) / (q[i] - m[i]) for i in range(2, 6))
        raised = m[0] + (q[0] - m[0]) * (HEARD + LOUDER * (c - HEARD))
        assert score == pytest.approx(max(row[0], raised) / q[0])


def test_a_level_that_all_rows_leave_alike_is_not_heard():
    of = chart()
    past = of.scores(normal(150, 3, seed=7))
    past[:, 3] = 0.5
    found = Gauge.of(past, of, enough=True)
    assert found.slope[3] == found.offset[3] == 0
    assert np.isfinite(found.scores(of.scores(PROBE))).all()


def test_with_few_rows_it_is_spe_in_units_of_a_strangers():
    of = chart()
    guess = Gauge.of(of.scores(X)[:9], of, enough=False)
    assert not guess.known
    far = of.scores(np.full((1, 3), 1e3))
    assert_allclose(guess.scores(far), 1.0)
    assert_allclose(guess.scores(of.scores(PROBE)), of.scores(PROBE)[:, 0] / far[0, 0])


@pytest.mark.parametrize("rule", ["exact", "okha"])
@pytest.mark.parametrize("column", range(6))
def test_gradients_of_all_columns(rule, column):
    of, weight = chart(rule), np.eye(6)[column]
    step, found = 1e-6, gradient(of, PROBE, weight)
    for i in range(3):
        there, here = PROBE.copy(), PROBE.copy()
        there[:, i] += step
        here[:, i] -= step
        slope = (of.scores(there) - of.scores(here))[:, column] / (2 * step)
        assert_allclose(found[:, i], slope, rtol=1e-4, atol=1e-6)


def test_the_residual_that_decides_is_shared_among_columns():
    detector = KernelNoveltyDetector(gamma=0.2, max_atoms=25).fit(normal(700, 3))
    of, limits = detector._current()
    weights = weights_of("nested", limits, of, PROBE)
    assert_array_equal(weights.sum(axis=1), 1.0)
    assert not weights[:, 1].any()  # never T²
    rise = of.scores(PROBE) - of.scores(normal_rows(of, PROBE))
    parts = shared(of, PROBE, weights)
    assert_allclose(parts.sum(axis=1), (rise * weights).sum(axis=1), rtol=1e-5, atol=1e-8)


def strange(n=1500, share=0.05):
    """Two kinds of rows, near each other, and one in twenty of a third."""
    rng = np.random.default_rng(0)
    rows = 0.5 * rng.normal(size=(n, 8)) + rng.choice([-1.0, 1.0], size=(n, 1))
    novel = rng.random(n) < share
    rows[novel] = 0.2 * rng.normal(size=(novel.sum(), 8)) + [3, -3, 3, -3, 3, -3, 3, -3]
    return rows, novel


@pytest.mark.thorough
def test_strangers_are_told_although_some_were_learned():
    rows, novel = strange()
    told = {}
    for statistic in ("spe", "nested"):
        score = KernelNoveltyDetector(statistic=statistic).monitor(rows).score[500:]
        told[statistic] = np.mean(score[novel[500:]] > np.quantile(score[~novel[500:]], 0.95))
    assert told["nested"] > 0.95
    assert told["nested"] > told["spe"] + 0.3


@pytest.mark.thorough
def test_short_windows_and_parametric_limits_hear_spe_alone():
    for options in ({"window": 300}, {"limits": "parametric"}):
        detector = KernelNoveltyDetector(gamma=0.2, max_atoms=25, **options).fit(normal(700, 3))
        limits = limits_of(detector)
        assert not limits.gauge.known
        spe = KernelNoveltyDetector(gamma=0.2, max_atoms=25, statistic="spe", **options)
        assert_allclose(
            limits.nested / limits.gauge.slope[0], spe.fit(normal(700, 3)).limits_["spe"]
        )


def test_only_a_detector_that_has_it_can_blame_it():
    detector = KernelNoveltyDetector(gamma=0.2, max_atoms=25, statistic="spe").fit(normal(300, 3))
    with pytest.raises(ValueError, match="one of spe, t2, combined; got 'nested'"):
        detector.contributions(PROBE, statistic="nested")
    assert set(detector.limits_) == {"spe", "t2", "combined"}


def test_saved_in_mid_stream_it_goes_on_bit_for_bit(tmp_path):
    rows, _ = strange(900)
    detector = KernelNoveltyDetector(max_atoms=40, ewma=0.5).partial_fit(rows[:500])
    detector.save(tmp_path / "half.okpca")
    other = okpca.load(tmp_path / "half.okpca")
    assert_array_equal(detector.monitor(rows[500:]).score, other.monitor(rows[500:]).score)
    assert_array_equal(detector.contributions(rows[:3]), other.contributions(rows[:3]))


def test_averages_are_of_spe_with_fewer_components():
    X = normal(400, 4)
    averaged = KernelNoveltyDetector(ewma=0.3).fit(X)
    plain = KernelNoveltyDetector(ewma=0.3, statistic="spe", n_components=0.99).fit(X)
    assert_allclose(averaged.estimator_.eigenvalues_, plain.estimator_.eigenvalues_)
    assert_array_equal(averaged.predict(3 * X), plain.predict(3 * X))
    assert (plain.predict(3 * X) == -1).any()
    single = KernelNoveltyDetector().fit(X).estimator_
    assert single.n_components_ > averaged.estimator_.n_components_
