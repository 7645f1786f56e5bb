"""Sample weights and forgetting."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from helpers import (
    assert_same_model,
    normal,
    pairs,
    random_borders,
    row_by_row,
    stream,
    up_to_sign,
    variance_of,
)
from okpca import OnlineKernelPCA, dictionary, rules, schedules
from oracles import brute_force, functions, kernel_pca

RULES = ["exact", "okha", "oo-kha", "on-kha", "oja"]
DICTIONARIES = [
    {"nu": 0.05},
    {"nu": 0.05, "max_atoms": 6, "on_full": "project"},
    {"dictionary": dictionary.Coherence(0.6)},
    {"dictionary": dictionary.Fixed(normal(9, seed=99))},
]


def new_model(rule="exact", **params):
    return OnlineKernelPCA(2, rule=rule, random_state=0, **{"gamma": 0.5} | params)


@pytest.mark.parametrize("params", DICTIONARIES)
@pytest.mark.parametrize("rule", RULES)
def test_zero_weight_is_no_row_at_all(rule, params):
    """Not in the dictionary, the mean, the clock of the schedule or that of forgetting."""
    X, probe, rng = normal(80), normal(9, seed=1), np.random.default_rng(3)
    w = rng.uniform(0.2, 1.0, size=80) * (rng.random(80) < 0.7)
    assert (w == 0).sum() > 10
    model = new_model(rule, forgetting=0.97, **params)
    weighted = stream(clone(model), X, [20, 50], w)
    without = stream(clone(model), X[w > 0], (), w[w > 0])
    assert_same_model(weighted, without, probe)


def alike(rule, weighted, repeated):
    """The exact rule tells signs by the components at certain rows, which repetition moves."""
    return (up_to_sign(weighted, repeated) if rule == "exact" else weighted), repeated


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("params", DICTIONARIES)
@pytest.mark.parametrize("rule", RULES)
def test_integer_weights_are_repetition(rule, params, center):
    X, probe = normal(60), normal(9, seed=1)
    w = np.random.default_rng(4).integers(0, 4, size=60)
    w[0] = 3  # the row that starts a rule counts as often as it comes
    model = new_model(rule, center=center, **params)
    weighted = stream(clone(model), X, random_borders(60, seed=2), w)
    repeated = clone(model).fit(np.repeat(X, w, axis=0))
    assert repeated.n_samples_seen_ == w.sum()
    assert_array_equal(weighted.atoms_, repeated.atoms_)
    top = repeated.eigenvalues_[0]
    assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=0, atol=1e-9 * top)
    assert_allclose(weighted.explained_variance_, repeated.explained_variance_, atol=1e-10)
    assert_allclose(variance_of(weighted), variance_of(repeated), rtol=1e-9)
    assert_allclose(*alike(rule, weighted.transform(probe), repeated.transform(probe)), atol=1e-9)


@pytest.mark.parametrize("rule", RULES[1:])
def test_a_part_of_a_step_is_a_smaller_step(rule):
    """Hebbian rules: weight 2.5 is two whole steps and half a one."""
    X, probe = normal(50), normal(9, seed=1)
    w = np.random.default_rng(5).uniform(0.1, 3.5, size=50)
    pieces = [[1.0] * int(np.ceil(v) - 1) + [v - np.ceil(v) + 1] for v in w]
    parts = np.concatenate(pieces)
    repeats = [len(piece) for piece in pieces]
    a = stream(new_model(rule), X, [1, 17], w)
    b = stream(new_model(rule), np.repeat(X, repeats, axis=0), (), parts)
    assert_allclose(a.transform(probe), b.transform(probe), rtol=0, atol=1e-11)
    assert_allclose(a.explained_variance_, b.explained_variance_, rtol=1e-9)


@pytest.mark.parametrize("weight", [0.25, 1.0])
@pytest.mark.parametrize("rule", RULES[1:])
def test_a_weight_up_to_one_scales_the_step(rule, weight):
    X, probe = normal(50), normal(9, seed=1)
    named = rules.make(rule)
    pairs = [(0.4, [weight] * 50), (0.4 * weight, None)]
    a, b = (
        new_model(
            rules.Hebbian(
                deflation=named.deflation,
                normalize=named.normalize,
                schedule=schedules.Constant(eta),
            )
        ).fit(X, sample_weight=w)
        for eta, w in pairs
    )
    assert_allclose(a.transform(probe), b.transform(probe), rtol=0, atol=1e-11)


@pytest.mark.parametrize("scale", [1e-6, 0.3, 1e6])
@pytest.mark.parametrize("forgetting", [1.0, 0.9])
def test_a_common_factor_scales_eigenvalues_only(scale, forgetting):
    X, probe = normal(70), normal(9, seed=1)
    w = np.random.default_rng(6).uniform(0.2, 3, size=70)
    a, b = (
        stream(new_model(nu=0.05, forgetting=forgetting), X, [10, 11, 40], v)
        for v in (w, scale * w)
    )
    assert_array_equal(a.atoms_, b.atoms_)
    assert_allclose(b.eigenvalues_, scale * a.eigenvalues_, rtol=1e-9)
    assert_allclose(b.explained_variance_, a.explained_variance_, rtol=1e-9)
    assert_allclose(b.explained_variance_ratio_, a.explained_variance_ratio_, rtol=1e-9)
    assert_allclose(b.transform(probe), a.transform(probe), atol=1e-9)


@pytest.mark.parametrize("center", [True, False])
def test_weights_equal_the_weighted_batch(center):
    X, new, rng = normal(70), normal(9, seed=1), np.random.default_rng(7)
    w = rng.lognormal(sigma=2, size=70)
    model = stream(
        OnlineKernelPCA(4, gamma=0.5, nu=0, max_atoms=None, center=center), X, [1, 30], w
    )
    kappa = functions.rbf(0.5)
    batch = kernel_pca.batch_kpca(kappa(X, X), 4, center, weights=w)
    assert_allclose(model.eigenvalues_, batch.eigenvalues, rtol=1e-8)
    wanted = kernel_pca.batch_kpca_project(kappa(new, X), kappa(X, X), batch.dual_coef, center, w)
    assert_allclose(up_to_sign(model.transform(new), wanted), wanted, atol=1e-7)


# --------------------------------------------------------------------------------------- forgetting


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("forgetting", "which", "size"),
    pairs([0.5, 0.9, 0.999], product([True, False], [True, False]), [1, 7]),
)
def test_forgetting_agrees_with_brute_force(forgetting, which, size):
    center, weighted = which
    X, new, rng = normal(84), normal(9, seed=1), np.random.default_rng(8)
    w = rng.uniform(0.1, 4, size=84) if weighted else np.ones(84)
    model = OnlineKernelPCA(3, gamma=0.5, nu=0.05, center=center, forgetting=forgetting)
    oracle = brute_force.NaiveExact(functions.rbf(0.5), 0.05, center=center, forgetting=forgetting)
    for t in range(0, 84, size):
        some = slice(t, t + size)
        model.partial_fit(X[some], sample_weight=w[some] if weighted else None)
        oracle.run(X[some], w[some])
        if t < 14 or t % 4:
            continue
        moments = oracle.moments()
        top = moments.eigenvalues[0]
        assert_allclose(model.eigenvalues_, moments.eigenvalues[:3], rtol=0, atol=1e-10 * top)
        assert_allclose(
            model.explained_variance_, model.eigenvalues_ / moments.total_weight, rtol=1e-10
        )
        total = moments.eigenvalues.sum() + moments.residual_energy
        assert_allclose(variance_of(model), total, rtol=1e-9)
        mean = oracle.kappa(new, oracle.D) @ moments.mean
        assert_allclose(model.kernel_(new, model.atoms_) @ model.mean_, mean, atol=1e-10)
        wanted = oracle.project(new, 3)
        assert_allclose(up_to_sign(model.transform(new), wanted), wanted, atol=1e-7)


def test_forgetting_follows_a_change():
    before, after = normal(300, 2) * [3, 0.3], normal(300, 2, seed=1) * [0.3, 3]
    keeps = OnlineKernelPCA(1, kernel="linear").fit(before).partial_fit(after)
    moves = OnlineKernelPCA(1, kernel="linear", forgetting=0.95).fit(before).partial_fit(after)
    axis = np.eye(2)
    share = [np.abs(m.transform(axis) - m.transform(0 * axis))[:, 0] for m in (keeps, moves)]
    assert share[1][1] > 0.99
    assert share[0][1] < 0.99 * share[1][1]


@pytest.mark.thorough
def test_forgetting_over_a_long_time_stays_finite():
    """φⁿ underflows long before this; a whole internal block must not notice."""
    X = np.tile(normal(50), (60, 1))
    model = OnlineKernelPCA(2, gamma=0.5, nu=0.1, forgetting=0.05)
    whole, single = clone(model).fit(X), row_by_row(clone(model), X)
    assert_same_model(single, whole, X[:5])
    assert whole.explained_variance_[0] > 0


# ---------------------------------------------------------------------------- nothing, and too much


def test_a_model_cannot_start_from_zero_weights():
    model = OnlineKernelPCA()
    for method in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match="zero"):
            method(normal(5), sample_weight=np.zeros(5))
        assert not hasattr(model, "n_atoms_")
    model.partial_fit(normal(5))
    assert model.n_samples_seen_ == 5


@pytest.mark.parametrize("n", [1, 6])
@pytest.mark.parametrize("rule", RULES)
def test_a_call_of_zero_weights_later_on_changes_nothing(rule, n):
    """A stream may be cut anywhere, also where every weight is zero."""
    X = normal(40)
    model = new_model(rule, forgetting=0.9).fit(X)
    before = model.transform(X)
    model.partial_fit(normal(n, seed=1) * 9, sample_weight=np.zeros(n))
    assert model.n_samples_seen_ == 40
    assert_array_equal(model.transform(X), before)


@pytest.mark.parametrize("bad", [[1, -0.1, 1], [1, np.nan, 1], [1, np.inf, 1], [1, 1], [[1, 1, 1]]])
def test_impossible_weights_are_refused_and_change_nothing(bad):
    X = normal(20)
    model = OnlineKernelPCA().fit(X)
    before = model.transform(X)
    with pytest.raises(ValueError, match=r"weight|NaN|infinity|1D|shape"):
        model.partial_fit(X[:3], sample_weight=bad)
    assert model.n_samples_seen_ == 20
    assert_array_equal(model.transform(X), before)


@pytest.mark.parametrize("rule", RULES)
def test_a_large_weight_is_many_steps(rule):
    """A weight of a thousand is a thousand steps for a rule that takes steps."""
    X = normal(30)
    w = np.ones(30)
    w[7] = 1000
    model = new_model(rule).fit(X, sample_weight=w)
    repeated = new_model(rule).fit(np.repeat(X, w.astype(int), axis=0))
    assert_allclose(*alike(rule, model.transform(X), repeated.transform(X)), atol=1e-9)
