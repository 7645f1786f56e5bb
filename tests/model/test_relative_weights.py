"""Robust weights in units of the usual residual: step by step, in any cut, in any unit."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import (
    assert_same_model,
    every_other,
    normal,
    pairs,
    random_borders,
    row_by_row,
    stream,
)
from helpers import contaminated as rows
from okpca import OnlineKernelPCA, dictionary, kernels, presets, weights
from okpca.checks import check_weight
from okpca.dictionary import encode
from okpca.estimator import model_of
from okpca.model.residual_quantiles import Residuals
from okpca.model.robust import reweighted
from okpca.rules import Apex, Exact, Hebbian, IncrementalSVD, Tracking
from oracles import huang_yeh
from oracles import relative_weights as literal

EXPONENTIAL = weights.Exponential(scale="median")
LOGISTIC = weights.Logistic(scale="median")
AUTO = weights.Auto()
TWINS = [(EXPONENTIAL, literal.exponential), (LOGISTIC, literal.logistic), (AUTO, literal.auto)]
RULES = [
    Exact(),
    IncrementalSVD(block=5, rank=4),
    Hebbian(deflation=1, schedule=0.2, init="unit"),
    Apex(schedule=0.2),
    Tracking(),
]


def model(robust, n_components=2, **params):
    settings = {"gamma": 1.0, "nu": 1e-2, "random_state": 0} | params
    return OnlineKernelPCA(n_components, robust=robust, **settings)


# -- the weights themselves -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", [weights.Exponential, weights.Logistic])
def test_a_scale_is_the_unit_of_residuals(kind):
    e, s = np.linspace(0, 9, 30), 3.7
    assert_allclose(kind(0.7, scale=s)(e), kind(0.7)(e / s), rtol=1e-13)
    assert_allclose(kind(0.7, scale=s).loss(e), s * kind(0.7).loss(e / s), rtol=1e-13)


@pytest.mark.parametrize("weight", [EXPONENTIAL, LOGISTIC, AUTO, weights.Logistic(3, 2, 5.0)])
def test_they_are_weights(weight):
    check_weight(weight)
    assert repr(weight) == repr(eval(repr(weight), vars(weights)))


def test_defaults_are_those_of_the_papers_or_of_the_median():
    assert weights.Exponential() == weights.Exponential(0.07, 1.0)
    assert weights.Logistic() == weights.Logistic(0.002, 2.0, 1.0)
    assert weights.Logistic(scale="median") == weights.Logistic(4.0, 2.0, "median")
    assert weights.Logistic(xi=4, scale="median").beta == 2.0
    assert_allclose(EXPONENTIAL(np.array([2.0])), 0.5)
    assert weights.make("auto") == weights.Auto(3.0)


@pytest.mark.parametrize(("make", "twin"), TWINS, ids=lambda x: type(x).__name__)
def test_formulas(make, twin):
    e = np.random.default_rng(0).chisquare(3, size=200)
    bins = literal.Bins()
    for value in e:
        bins.add(value)
    ours = make.at(Residuals().after(e, np.ones(200)))
    psi = twin(bins)
    assert_allclose(ours(e), [psi(value) for value in e], rtol=1e-7)
    assert make.at(Residuals()) is None


@pytest.mark.parametrize("degrees", [1, 3, 10, 100])
def test_auto_is_as_strict_whatever_the_number_of_directions(degrees):
    e = np.random.default_rng(0).chisquare(degrees, size=20_000)
    ours = AUTO.at(Residuals().after(e, np.ones(len(e))))
    assert 0.0002 < np.mean(e > ours.scale) < 0.004  # a normal variable is beyond 3 in 0.13 %


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: weights.Logistic(scale="mean"), "a number > 0 or 'median', got 'mean'"),
        (lambda: weights.Exponential(scale=0), "Exponential: scale must be a positive"),
        (lambda: weights.Logistic(xi=-1, scale="median"), "Logistic: xi must be a positive"),
        (lambda: weights.Exponential(beta="median"), "Exponential: beta must be a positive"),
        (lambda: weights.Auto(reach=0), "Auto: reach must be a positive"),
    ],
)
def test_refused_parameters(make, match):
    with pytest.raises(ValueError, match=match):
        make()


# -- step by step ---------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(("which", "wanted", "forgetting"), pairs(TWINS, [2, 0.9], [1.0, 0.95]))
def test_the_stream_step_by_step(which, wanted, forgetting):
    robust, twin = which
    X = rows(100)
    # In objects, so that no warm-up comes before the stream.
    robust = robust if robust is not AUTO else Streaming()
    ours = model(robust, wanted, nu=0, max_atoms=None, forgetting=forgetting)
    K = kernels.RBF(gamma=1.0)(X)
    counted = []
    for x, (w, values) in zip(X, literal.stream(K, wanted, twin, forgetting), strict=True):
        ours.partial_fit(x[None])
        assert_allclose(ours._model.robust_weight, w, rtol=1e-6, atol=1e-9)
        found = ours.eigenvalues_[ours.eigenvalues_ > 0]
        if len(found) == len(values):
            assert_allclose(found, values, rtol=1e-6, atol=1e-12)
        counted.append(w)
    assert len(found) == len(values)
    assert min(counted) < 0.1 < 0.9 < max(counted[1:])


class Streaming(weights.Auto):
    """Without a warm-up of its own."""

    warms_up = False


@pytest.mark.parametrize(("robust", "twin"), TWINS, ids=lambda x: type(x).__name__)
def test_algorithm_1_step_by_step(robust, twin):
    X, points = rows(60), rows(5, seed=1)
    Gamma = 0.05 * np.random.default_rng(2).normal(size=(5, 2))
    ours = presets.rkpca(
        2,
        kernel=kernels.RBF(gamma=1.0),
        robust=robust,
        init=Gamma.T,  # and so even "auto" has no warm-up
        dictionary=dictionary.Fixed(points),
        geometry="empirical",
    )
    bins = literal.Bins()

    def psi(e):
        w = twin(bins)(e) if bins.weight else 1.0
        bins.add(e)
        return w

    steps = huang_yeh.algorithm_1(lambda x, u: np.exp(-((x - u) @ (x - u))), X, points, Gamma, psi)
    for x, (mu, expected, w) in zip(X, steps, strict=True):
        ours.partial_fit(x[None])
        assert_allclose(ours._model.robust_weight, w, rtol=1e-7)
        assert_allclose(ours.dual_coef_, expected.T, rtol=1e-7, atol=1e-10)
        assert_allclose(ours.mean_, mu, rtol=1e-7, atol=1e-10)


@pytest.mark.thorough
@pytest.mark.parametrize("wanted", [2, 0.9])
@pytest.mark.parametrize(("robust", "twin"), TWINS, ids=lambda x: type(x).__name__)
def test_a_warm_up_ends_where_weights_and_residuals_agree(robust, twin, wanted):
    X = rows(60)
    fitted = model(robust, wanted, nu=0, max_atoms=None, burn_in=100).fit(X)
    seen = encode(model_of(fitted).basis, X, model_of(fitted).plan.policy, 0)
    w, _ = reweighted(seen, np.ones(60), wanted, robust, center=True, forgetting=1.0)
    assert_allclose(model_of(fitted).centre.weight, w.sum(), rtol=1e-12)
    # A sharp cut may go round in a small circle with the unit it is in.
    within = 1e-2 if robust is LOGISTIC else 1e-6
    assert literal.unsettled(kernels.RBF(gamma=1.0)(X), wanted, twin, w) < within
    assert w.min() < 0.1 < 0.9 < w.max()


# -- what every operation keeps -------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rule", "robust"), every_other(RULES, [EXPONENTIAL, LOGISTIC, "auto"]), ids=str
)
def test_slicing(rule, robust):
    X, probe = rows(150), rows(5, seed=9)
    params = {"rule": rule, "burn_in": 33 if robust == "auto" else 0}
    whole = model(robust, **params).fit(X)
    for borders in (sorted({*random_borders(150, 1), 32, 33, 34}), range(1, 150)):
        assert_same_model(stream(model(robust, **params), X, borders), whole, probe)


@pytest.mark.long
@pytest.mark.parametrize("wanted", [2, 0.9])
def test_slicing_with_forgetting_and_a_share(wanted):
    X, probe = rows(240), rows(5, seed=9)
    params = {"forgetting": 0.97, "n_components": wanted}
    whole = model("auto", **params).fit(X)
    for borders in (random_borders(240, 1), [199, 200, 201], range(190, 240)):
        assert_same_model(stream(model("auto", **params), X, borders), whole, probe)


@pytest.mark.thorough
@pytest.mark.parametrize("on_full", ["compress", "drop", "project", "slide"])
def test_slicing_under_a_budget(on_full):
    X, probe = rows(250), rows(5, seed=9)
    params = {"max_atoms": 12, "on_full": on_full, "burn_in": 50}
    whole = model("auto", **params).fit(X)
    for borders in (sorted({*random_borders(250, 1), 7, 200}), range(3, 250, 3)):
        assert_same_model(stream(model("auto", **params), X, borders), whole, probe)


@pytest.mark.thorough
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_integer_weights_are_repetition(rule):
    X = rows(40)
    w = np.random.default_rng(0).integers(1, 4, size=len(X))
    weighted = stream(model(LOGISTIC, rule=rule), X, (), w.astype(float))
    repeated = row_by_row(model(LOGISTIC, rule=rule), np.repeat(X, w, axis=0))
    assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-8, atol=1e-12)
    assert_allclose(weighted.transform(X), repeated.transform(X), rtol=0, atol=1e-8)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("robust", "unit"),
    every_other([EXPONENTIAL, LOGISTIC, "auto"], [1e-60, 2.0**-7, 3e3, 1e60]),
    ids=str,
)
def test_the_unit_of_the_rows_does_not_matter(robust, unit):
    X = rows(300) @ [[1, 0.3], [0, 1]]
    params = {"n_components": 1, "kernel": "linear", "nu": 1e-6}
    one = model(robust, **params).fit(X)
    other = model(robust, **params).fit(unit * X)
    # Bins lie elsewhere, unless a unit is a power of two.
    off = 1e-9 if np.frexp(unit)[0] == 0.5 else 5e-3
    assert_allclose(other._model.centre.weight, one._model.centre.weight, rtol=off)
    assert_allclose(other.transform(unit * X) / unit, one.transform(X), rtol=0, atol=off)


@pytest.mark.thorough
def test_rows_in_the_subspace_are_not_judged_by_rounding():
    """All but a few rows lie on a line: their residual is what rounding makes of zero."""
    x = np.random.default_rng(0).normal(size=300)
    X = np.column_stack([x, 2 * x, -x]) + 5
    X[7::20, 1] += 9
    params = {"n_components": 1, "kernel": "linear", "nu": 1e-12}
    whole = model("auto", **params).fit(X)
    truth = np.array([1, 2, -1]) / np.sqrt(6)
    assert abs(whole.dual_coef_ @ whole.atoms_ @ truth)[0] > 1 - 1e-9
    for borders in ([100, 201], range(195, 300)):
        assert_same_model(stream(model("auto", **params), X, borders), whole, X[:5])


def test_all_rows_the_same():
    fitted = model("auto", burn_in=5).fit(np.ones((50, 2)))
    assert fitted._model.robust_weight > 0
    assert np.isfinite(fitted.transform(np.ones((1, 2)))).all()


@pytest.mark.thorough
def test_merging_adds_what_is_usual():
    X = rows(600)
    a, b = (model("auto", burn_in=100).fit(part) for part in (X[:300], X[300:]))
    expected = a._model.residuals.joined(b._model.residuals).quantile(0.5)
    a.merge(b)
    assert a._model.residuals.quantile(0.5) == expected
    a.partial_fit(rows(50, seed=3))
    assert a.n_samples_seen_ == 650


@pytest.mark.thorough
def test_a_pickle_goes_on_alike():
    X = rows(300)
    for n in (50, 230):
        half = model("auto").partial_fit(X[:n])
        copied = pickle.loads(pickle.dumps(half)).partial_fit(X[n:])
        assert_same_model(copied, half.partial_fit(X[n:]), X[:5])


def test_compressing_keeps_what_is_usual():
    fitted = model("auto").fit(rows(300))
    before = fitted._model.residuals.quantile(0.5)
    assert fitted.compress(5)._model.residuals.quantile(0.5) == before


# -- when it warms up ------------------------------------------------------------------------------


@pytest.mark.thorough
def test_auto_warms_up_by_itself():
    assert model("auto").partial_fit(rows(199))._model.held is not None
    assert model("auto").partial_fit(rows(200))._model.held is None
    assert model("auto", burn_in=20).partial_fit(rows(20))._model.held is None
    assert model(LOGISTIC).partial_fit(rows(20))._model.held is None


def test_all_components_leave_no_residual():
    with pytest.raises(ValueError, match="robust weights need n_components"):
        OnlineKernelPCA(None, robust="auto").fit(normal(5))
