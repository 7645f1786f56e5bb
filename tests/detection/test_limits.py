"""What a limit promises, and from how many scores."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from helpers import normal
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.detection.lags import folded, joined, smoothed
from okpca.detection.limits import (
    beyond,
    cluster_size,
    clustered,
    hotelling,
    matched,
    quantile,
    rows_needed,
    tail,
)
from okpca.detection.scores import Chart
from okpca.detection.window import Window
from okpca.estimator import model_of

CHART = Chart.of(model_of(OnlineKernelPCA(3, gamma=0.3).fit(normal(50))))


@pytest.mark.parametrize("n", [99, 100, 150, 399, 1000])
def test_a_quantile_limit_is_exceeded_by_a_new_row_as_often_as_stated(n):
    # Exact: among n + 1 exchangeable scores each rank is as likely as the others.
    scores = np.arange(n, dtype=float)
    below = np.sum(scores <= quantile(scores, 0.01))
    missed = 1 - below / (n + 1)
    assert 0.01 - 1 / (n + 1) < missed <= 0.01 + 1e-12


@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.05, 0.01, 0.001])
def test_as_many_scores_are_needed_as_stated(alpha):
    n = rows_needed(alpha)
    assert quantile(np.arange(n, dtype=float), alpha) == n - 1
    assert quantile(np.arange(n - 1, dtype=float), alpha) == math.inf


def test_clusters_are_runs_among_the_largest_scores():
    scores = np.zeros(1000)
    scores[[10, 11, 12, 50, 51, 52, 53, 900]] = 1.0
    assert cluster_size(scores, 0.02) == pytest.approx(0.98 * 8 / 3)
    assert cluster_size(np.ones(1000), 0.02) == 1.0
    independent = [cluster_size(np.random.default_rng(i).normal(size=1000), 0.05) for i in range(9)]
    assert np.mean(independent) == pytest.approx(1.0, abs=0.05)


def test_a_cluster_counts_as_one_score_more():
    # In blocks of five, a low one after a high one: as if there were only a fifth of them.
    scores = (np.arange(400.0).reshape(2, 200).T.ravel()[:, None] + np.arange(5) / 10).ravel()
    alpha, c = 0.05, 5 * 0.95
    assert clustered(scores, alpha) == np.sort(scores)[math.ceil(2000 - alpha * 2001 + c) - 1]
    assert clustered(scores, alpha) > quantile(scores, alpha)
    assert quantile(scores, alpha, 1.0) == quantile(scores, alpha)


def test_too_few_clusters_leave_the_largest_score_or_more():
    scores = smoothed(np.random.default_rng(0).chisquare(4, (1000, 1)), np.full(1, 4.0), 0.1)[:, 0]
    assert clustered(scores, 0.001) == max(scores.max(), tail(scores, 0.001))
    assert clustered(scores[:998], 0.001) == math.inf


def test_a_tail_is_exceeded_as_often_as_stated_where_it_is_exponential():
    rng = np.random.default_rng(0)
    over = [np.exp(-tail(rng.exponential(size=1000), 0.001)) for _ in range(300)]
    assert np.mean(over) == pytest.approx(0.001, rel=0.15)
    assert tail(np.ones(100), 0.001) == 1.0


@pytest.mark.parametrize("weight", [0.2, 0.1])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_moving_averages_exceed_their_limit_about_as_often_as_stated(alpha, weight):
    rng, rates = np.random.default_rng(1), []
    for _ in range(150):
        scores = smoothed(rng.exponential(size=(2000, 1)), np.ones(1), weight)[:, 0]
        rates.append(np.mean(scores[1200:] > clustered(scores[:1000], alpha)))
    assert np.mean(rates) == pytest.approx(alpha, rel=0.25)


def test_matched_limit_is_right_for_a_weighted_chi_squared():
    scores = 0.3 * np.random.default_rng(0).chisquare(5, size=100_000)
    assert matched(scores, 0.01) == pytest.approx(0.3 * stats.chi2.ppf(0.99, 5), rel=0.02)


def test_matched_limit_of_too_few_or_equal_scores():
    assert matched(np.ones(1), 0.01) == math.inf
    assert matched(np.full(9, 2.0), 0.01) == 2.0
    assert matched(np.zeros(9), 0.01) == 0.0


def test_hotelling_holds_for_new_gaussian_rows():
    rng = np.random.default_rng(0)
    n, r, none, scores = 40, 3, np.empty(0), []
    for _ in range(400):
        rows, new = rng.normal(size=(n, r)), rng.normal(size=(50, r))
        apart = new - rows.mean(axis=0)
        scores.append(np.einsum("ij,jk,ik->i", apart, np.linalg.inv(np.cov(rows.T)), apart))
    t2 = np.concatenate(scores)
    assert np.mean(t2 > hotelling(r, n, 0.05, none)) == pytest.approx(0.05, abs=0.006)
    # The scale is the one that fits: here 1, and that of the scores where they are larger.
    assert hotelling(r, n, 0.05, t2) == pytest.approx(hotelling(r, n, 0.05, none), rel=0.05)
    assert hotelling(r, n, 0.05, 7 * t2) == pytest.approx(7 * hotelling(r, n, 0.05, t2))


@pytest.mark.parametrize(("r", "n"), [(3, 5), (0, 9)])
def test_hotelling_without_rows_or_components_is_infinite(r, n):
    assert hotelling(r, n, 0.05, np.empty(0)) == math.inf


def test_a_window_keeps_the_last_scores():
    window, rows = Window.empty(0.1, 5, parametric=False), normal(8, 3)
    assert window.extended(rows[:0], np.empty((0, 2)), CHART) is window
    pairs = np.arange(16.0).reshape(8, 2)
    for part in (slice(3), slice(3, 4), slice(4, 8)):
        window = window.extended(rows[part], pairs[part], CHART)
    window = window.packed()
    assert_allclose(window.rows, rows[None, 3:])
    assert_allclose(window.pairs * [1.0, CHART.rank], np.arange(6.0, 16.0).reshape(5, 2))
    assert len(window.cleared().pairs) == len(window.cleared().rows) == 0


def filled(pairs, chart, *, parametric=False, ewma=1.0):
    window = Window.empty(0.05, 500, parametric=parametric, ewma=ewma)
    return window.extended(normal(len(pairs), 3), pairs, chart).looked_over(chart)


@pytest.mark.parametrize("ewma", [1.0, 0.3])
def test_rows_judged_anew_count_for_no_less_than_they_score_today(ewma):
    low = filled(np.zeros((50, 2)), CHART, ewma=ewma)
    today = CHART.scores(low.rows[0])
    if ewma < 1:
        today = smoothed(today, CHART.expected(), ewma)
    assert_allclose(low.judged_anew(CHART).scores(CHART)[:, 0], today[:, 0])
    assert_allclose(low.judged_anew(CHART).pairs[:, 1] * CHART.rank, today[:, 1])
    high = filled(np.full((50, 2), 1e3), CHART, ewma=ewma)
    assert_allclose(high.judged_anew(CHART).pairs, high.pairs)
    empty = low.cleared().judged_anew(CHART)
    assert len(empty.rows) == len(empty.pairs) == 0


def test_limits_of_all_three_scores():
    pairs = np.random.default_rng(0).exponential(size=(200, 2)) * [0.02, 9.0]  # below strangers
    window = filled(pairs, CHART)
    limits = window.limits(CHART)
    pairs = as_today(pairs)
    combined = pairs[:, 0] / CHART.divisor[-1] + pairs[:, 1]
    kth = np.sort(np.column_stack([pairs, combined]), axis=0)[math.ceil(0.95 * 201) - 1]
    assert_allclose([limits.spe, limits.t2, limits.combined], kth)
    assert_allclose(limits.combine(pairs)[:, 2], combined)


@pytest.mark.parametrize("averaged", [False, True])
def test_parametric_limits(averaged):
    pairs = np.random.default_rng(0).exponential(size=(200, 2)) * [0.02, 1.0]  # below strangers
    window = filled(pairs, CHART, parametric=True, ewma=0.5 if averaged else 1.0)
    limits = window.limits(CHART)
    pairs = as_today(pairs)
    assert limits.spe == pytest.approx(matched(pairs[:, 0], 0.05))
    of_t2 = matched(pairs[:, 1], 0.05)
    if not averaged:
        of_t2 = max(of_t2, hotelling(CHART.rank, 50, 0.05, pairs[:, 1]))
    assert limits.t2 == pytest.approx(of_t2)
    assert limits.combined == pytest.approx(matched(limits.combine(pairs)[:, 2], 0.05))


def as_today(pairs):
    """T² that has risen of late counts as if it had always been so high."""
    rise = np.median(pairs[-(len(pairs) // 4) :, 1]) / np.median(pairs[:, 1])
    return pairs * [1.0, max(rise, 1.0)]


def test_a_model_with_more_components_has_larger_limits_of_t2():
    pairs = np.random.default_rng(0).exponential(size=(200, 2))
    young = Chart.of(model_of(OnlineKernelPCA(1, gamma=0.3).fit(normal(50))))
    window = filled(pairs, young)
    before, after = window.limits(young), window.limits(CHART)
    assert after.t2 == pytest.approx(before.t2 * CHART.rank / young.rank)
    assert after.spe == before.spe


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["t2", "combined"])
def test_false_alarms_while_the_model_still_learns(statistic):
    """New components come with nearly every row here, and T² with them."""
    rates = []
    for seed in range(4):
        X, fresh = normal(400, 10, seed=seed), normal(1000, 10, seed=seed + 50)
        detector = KernelNoveltyDetector(statistic=statistic, contamination=0.02).fit(X)
        rates.append(np.mean(detector.predict(fresh) == -1))
    assert np.mean(rates) < 0.04


def test_without_scores_limits_are_infinite_and_the_combination_still_works():
    limits = Window.empty(0.05, 50, parametric=False).limits(CHART)
    assert limits.spe == limits.t2 == limits.combined == math.inf
    spe, t2 = CHART.expected()
    assert_allclose(limits.combine(CHART.expected()[None])[0, 2], t2 + spe / CHART.variance[-1])


@pytest.mark.parametrize("lags", [0, 1, 3])
@pytest.mark.parametrize("borders", [(), (1, 2, 5), (4,)])
def test_rows_are_joined_with_those_before_them(lags, borders):
    X = normal(9, 2)
    past, parts = None, []
    for part in np.split(X, borders):
        wide, past = joined(part, past, lags)
        parts.append(wide)
    rows = [np.concatenate([X[max(t - lag, 0)] for lag in range(lags + 1)]) for t in range(9)]
    assert_allclose(np.concatenate(parts), rows)


def test_contributions_are_summed_over_lags():
    wide, _ = joined(normal(4, 3), None, 2)
    assert_allclose(folded(wide, 2), wide[:, :3] + wide[:, 3:6] + wide[:, 6:])


def test_moving_averages():
    scores, level = normal(6, 2), np.array([1.0, -1.0])
    slow = []
    for row in scores:
        level = 0.3 * row + 0.7 * level
        slow.append(level)
    assert_allclose(smoothed(scores, np.array([1.0, -1.0]), 0.3), slow)
    assert_allclose(smoothed(scores, level, 1.0), scores)


@pytest.mark.parametrize("share", [0.01, 0.02, 0.05, 0.3])
@pytest.mark.parametrize("n", [1, 2, 21, 500])
def test_what_a_share_of_scores_exceeds_is_their_quantile(n, share):
    scores = np.random.default_rng(n).exponential(size=n)
    assert beyond(scores, share) == pytest.approx(np.quantile(scores, 1 - share), rel=1e-12)
