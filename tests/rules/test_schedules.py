"""Step sizes: the papers' formulas, on single rows and on blocks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import normal
from okpca import OnlineKernelPCA, rules, schedules
from oracles import functions, honeine

PAIRS = [
    (schedules.Constant(0.3), functions.constant(0.3)),
    (schedules.Inverse(0.7), functions.inverse_time(0.7)),
    (schedules.SearchThenConverge(0.5, 40.0), functions.search_then_converge(0.5, 40.0)),
    (schedules.ExponentialDecay(0.2, 0.97), functions.exponential_decay(0.2, 0.97)),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_formula(ours, theirs):
    t = np.arange(1, 200)
    eta = ours(t)
    assert eta.dtype == np.float64
    assert eta.shape == (199,)
    assert_allclose(eta, [theirs(int(i)) for i in t], rtol=1e-13)


def test_a_small_tau_stops_learning_soonest():
    """(20) begins with η₀ and tends to η₀ τ / t: to follow a change τ must be large, or there must
    be forgetting. (Honeine's 5.1 has it the other way round, and 6.1 calls η₀ asymptotic.)"""
    small, large = schedules.SearchThenConverge(0.5, 10.0), schedules.SearchThenConverge(0.5, 1e5)
    t = np.array([1, 100, 10_000])
    assert_allclose(large(t)[0], 0.5, rtol=1e-4)
    assert (small(t) < large(t)).all()
    assert_allclose(small(t)[-1], 0.5 * 10 / 10_000, rtol=2e-3)


def test_exponential_decay_is_souza_filhos_recursion():
    eta = schedules.ExponentialDecay(0.05, 0.999995)(np.arange(1, 50))
    assert_allclose(eta[1:], 0.999995 * eta[:-1], rtol=1e-14)
    assert_allclose(eta[0], 0.05 * 0.999995, rtol=1e-14)
    late = schedules.ExponentialDecay(0.05, 0.999995)(np.array([10**8]))
    assert np.isfinite(late).all()


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_row_t_takes_step_t(ours, theirs):
    """The second row of the stream is the first to learn, with η(2)."""
    X = normal(3)
    rule = rules.Hebbian(deflation=1, schedule=ours, init=[[0.4]])
    model = OnlineKernelPCA(1, gamma=0.5, nu=0.01, center=False, rule=rule)
    oracle = honeine.NaiveOKHA(functions.rbf(0.5), 0.01, theirs, [[0.4]])
    for x in X:
        model.partial_fit(x[None])
        oracle.step(x)
        assert_allclose(model.dual_coef_, oracle.A.T, rtol=1e-11, atol=1e-13)
    assert_allclose(model.fit(X).dual_coef_, oracle.A.T, rtol=1e-11, atol=1e-13)


def test_a_number_is_a_constant_step():
    X = normal(40)
    a, b = (
        OnlineKernelPCA(2, rule=rules.Hebbian(schedule=s), random_state=0).fit(X)
        for s in (0.2, schedules.Constant(0.2))
    )
    assert_allclose(a.dual_coef_, b.dual_coef_, rtol=0, atol=0)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
@pytest.mark.parametrize(
    "build",
    [
        schedules.Constant,
        schedules.Inverse,
        schedules.SearchThenConverge,
        lambda v: schedules.SearchThenConverge(0.5, v),
        schedules.ExponentialDecay,
        lambda v: schedules.ExponentialDecay(0.5, v),
        lambda v: rules.Hebbian(schedule=v),
    ],
)
def test_impossible_steps_are_refused(build, bad):
    with pytest.raises(ValueError, match="must be a positive finite number"):
        build(bad)


def test_growing_steps_are_refused():
    with pytest.raises(ValueError, match="gamma of ExponentialDecay must be <= 1"):
        schedules.ExponentialDecay(0.1, 1.01)
    assert_allclose(schedules.ExponentialDecay(0.1, 1.0)(np.array([1, 9])), 0.1)


@pytest.mark.parametrize("bad", [-1, np.nan, np.inf, None])
def test_impossible_deflation_is_refused(bad):
    with pytest.raises(ValueError, match="Hebbian: deflation must be a non-negative"):
        rules.Hebbian(deflation=bad)


def test_unknown_start_is_refused():
    with pytest.raises(ValueError, match="'first-atom', 'random', 'atoms' or an array"):
        rules.Hebbian(init="zeros")
