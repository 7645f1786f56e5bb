"""Robust weights, with every rule, in both geometries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from helpers import (
    assert_same_model,
    every_other,
    normal,
    pairs,
    random_borders,
    row_by_row,
    stream,
    up_to_sign,
)
from helpers import contaminated as rows
from okpca import OnlineKernelPCA, dictionary, kernels, presets, weights
from okpca.rules import Apex, Exact, Hebbian, IncrementalSVD, Tracking
from okpca.rules.schedules import Inverse
from okpca.subspace import Subspace, principal_angles
from oracles import huang_yeh

STEP_RULES = [
    Hebbian(deflation=1, schedule=0.2, init="unit"),
    Hebbian(deflation=2, normalize=True, schedule=0.2),
    Apex(schedule=0.2),
    Tracking(),
]
RULES = [Exact(), IncrementalSVD(block=5, rank=4), *STEP_RULES]
# Huang & Yeh's first example: a kernel without a bound, in which far rows count.
SQUARES = kernels.Polynomial(degree=2, coef0=0, gamma=1)
WEIGHTS = [weights.Plain(), weights.Exponential(2.0), weights.Logistic(8.0, 0.3)]


def model(rule, robust, **params):
    settings = {"gamma": 1.0, "nu": 1e-2, "random_state": 0} | params
    return OnlineKernelPCA(2, rule=rule, robust=robust, **settings)


# -- the weights themselves -----------------------------------------------------------------------


def test_formulas():
    e = np.linspace(0, 5, 20)
    assert_allclose(weights.Exponential(0.7)(e), huang_yeh.psi_1(0.7)(e), rtol=1e-14)
    assert_allclose(weights.Logistic(0.7, 2.0)(e), huang_yeh.psi_2(0.7, 2.0)(e), rtol=1e-13)
    assert (weights.Plain()(e) == 1).all()


@pytest.mark.parametrize("weight", WEIGHTS, ids=repr)
def test_the_weight_is_the_slope_of_the_loss(weight):
    e = np.linspace(0.1, 3, 20)
    slope = (weight.loss(e + 1e-5) - weight.loss(e - 1e-5)) / 2e-5
    assert_allclose(weight(e), slope, rtol=1e-6, atol=1e-8)
    assert np.isfinite(weight.loss(np.array([0.0, 1e300]))).all()


def test_far_rows_do_not_overflow():
    far = np.array([1e5, 1e300])
    assert (weights.Logistic(2.0, 1.0)(far) < 1e-300).all()
    assert (weights.Exponential(2.0)(far) == 0).all()


@pytest.mark.parametrize("make", [weights.Exponential, weights.Logistic])
@pytest.mark.parametrize("beta", [0, -1, np.inf, np.nan])
def test_refused_parameters(make, beta):
    with pytest.raises(ValueError, match="beta must be a positive finite number"):
        make(beta)


def test_names_stand_for_the_papers_settings():
    assert weights.make("exponential") == weights.Exponential(0.07)
    assert weights.make("logistic") == weights.Logistic(0.002, 2.0)
    with pytest.raises(ValueError, match="robust"):
        OnlineKernelPCA(robust="huber").fit(normal(5))


# -- Algorithm 1, to the letter -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("robust", "psi"),
    [
        (weights.Exponential(0.5), huang_yeh.psi_1(0.5)),
        (weights.Logistic(3.0, 0.5), huang_yeh.psi_2(3.0, 0.5)),
        (weights.Plain(), lambda z: 1.0),
    ],
)
@pytest.mark.parametrize("scale", [0.05, 1.5])
def test_algorithm_1_step_by_step(robust, psi, scale):
    X, points = rows(40), rows(5, seed=1)
    Gamma = scale * np.random.default_rng(2).normal(size=(5, 2)) / np.sqrt(5)
    kernel = kernels.RBF(gamma=1.0)
    ours = presets.rkpca(
        2,
        kernel=kernel,
        robust=robust,
        init=Gamma.T,
        dictionary=dictionary.Fixed(points),
        geometry="empirical",
    )

    def naive_kernel(x, u):
        return np.exp(-np.sum((x - u) ** 2))

    literal = huang_yeh.algorithm_1(naive_kernel, X, points, Gamma, psi)
    for x, (mu, expected, w) in zip(X, literal, strict=True):
        ours.partial_fit(x[None])
        assert_allclose(ours.dual_coef_, expected.T, rtol=1e-9, atol=1e-12)
        assert_allclose(ours.mean_, mu, rtol=1e-9, atol=1e-12)
        assert_allclose(ours._model.robust_weight, w, rtol=1e-9)
        h = np.array([naive_kernel(x, u) for u in points])
        assert_allclose(ours.transform(x[None])[0], expected.T @ (h - mu), rtol=1e-8, atol=1e-12)


def test_empirical_geometry_is_linear_pca_of_kernel_values():
    X, points = rows(50), rows(6, seed=1)
    ours = OnlineKernelPCA(
        3, gamma=1.0, dictionary=dictionary.Fixed(points), geometry="empirical"
    ).fit(X)
    H = kernels.RBF(gamma=1.0)(X, points)
    H = H - H.mean(axis=0)
    values, vectors = np.linalg.eigh(H.T @ H)
    assert_allclose(ours.eigenvalues_, values[::-1][:3], rtol=1e-9)
    expected = H @ vectors[:, ::-1][:, :3]
    assert_allclose(up_to_sign(ours.transform(X), expected), expected, rtol=0, atol=1e-9)


def test_empirical_geometry_needs_given_points():
    with pytest.raises(ValueError, match="needs a fixed dictionary"):
        OnlineKernelPCA(geometry="empirical").fit(normal(5))


@pytest.mark.parametrize(
    "change", [lambda m: m.compress(2), lambda m: m.merge(clone(m).fit(rows()))]
)
def test_empirical_geometry_has_no_atoms_to_move(change):
    points = dictionary.Fixed(rows(6, seed=1))
    fitted = OnlineKernelPCA(gamma=1.0, dictionary=points, geometry="empirical").fit(rows())
    before = fitted.dual_coef_
    with pytest.raises(ValueError, match="empirical geometry cannot be"):
        change(fitted)
    assert_allclose(fitted.dual_coef_, before, rtol=0)


# -- batch robust kernel PCA ----------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("robust", "psi", "center"),
    [
        (weights.Exponential(2.0), huang_yeh.psi_1(2.0), True),
        (weights.Logistic(8.0, 0.3), huang_yeh.psi_2(8.0, 0.3), False),
    ],
)
def test_a_warm_up_of_all_rows_is_the_batch(robust, psi, center):
    X = rows(40)
    rng = np.random.default_rng(3)
    w = rng.uniform(0.5, 2, size=len(X))
    ours = OnlineKernelPCA(
        2, gamma=1.0, nu=0, max_atoms=None, robust=robust, burn_in=100, center=center
    ).fit(X, sample_weight=w)
    K = kernels.RBF(gamma=1.0)(X)
    starts = [np.ones(len(X)), rng.uniform(size=len(X)), np.exp(-np.abs(X[:, 1]))]
    ends = [huang_yeh.batch(K, 2, psi, weight=w, center=center, start=s) for s in starts]
    loss = [robust.loss(z) @ w for _, _, _, z in ends]
    _, values, coef, _ = ends[int(np.argmin(loss))]
    assert_allclose(ours.eigenvalues_, values, rtol=1e-7)
    function = ours.kernel_(X, ours.atoms_) @ ours.dual_coef_.T
    expected = K @ coef
    if center:  # a component is orthogonal to no constant: compare differences of its values
        function, expected = function - function[0], expected - expected[0]
    assert_allclose(up_to_sign(function, expected), expected, rtol=0, atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("rule", [Exact(), Hebbian(deflation=1, schedule=Inverse(30.0))])
def test_the_iteration_converges_to_the_batch(rule):
    """Theorem 2: many passes over the same rows end where the reweighted batch does."""
    X = rows(60)
    X = X[np.random.default_rng(0).permutation(len(X))]
    params = {"n_components": 1, "kernel": SQUARES, "nu": 0}
    robust = weights.Exponential(1.0)
    plain = OnlineKernelPCA(**params).fit(X)
    batch = OnlineKernelPCA(**params, robust=robust, burn_in=1000).fit(X)
    online = OnlineKernelPCA(**params, robust=robust, rule=rule, burn_in=30, epochs=60).fit(X)
    assert principal_angles(plain, batch)[0] > 0.5  # the weights matter here
    assert principal_angles(online, batch)[0] < 0.02


@pytest.mark.long
def test_a_batch_is_not_led_astray_by_its_first_answer():
    """Plain PCA points at the outliers, and from there reweighting alone does not come back."""
    X = rows(150)
    clean = np.delete(X, np.s_[5::10], axis=0)
    truth = OnlineKernelPCA(1, kernel=SQUARES).fit(clean)
    batch = OnlineKernelPCA(1, kernel=SQUARES, robust=weights.Exponential(1.0), burn_in=150)
    assert principal_angles(batch.fit(X), truth)[0] < 0.1
    K = SQUARES(X)
    *_, coef, _ = huang_yeh.batch(K, 1, huang_yeh.psi_1(1.0))
    stuck = Subspace(SQUARES, X, coef.T)
    assert principal_angles(stuck, truth)[0] > 1.0


# -- every rule -----------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(("rule", "robust"), every_other(RULES, WEIGHTS), ids=repr)
def test_slicing(rule, robust):
    X, probe = rows(150), rows(5, seed=9)
    whole = model(rule, robust).fit(X)
    for borders in (random_borders(150, 1), range(1, 150)):
        cut = stream(model(rule, robust), X, borders)
        assert_same_model(cut, whole, probe)


@pytest.mark.thorough
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_slicing_with_a_warm_up_and_forgetting(rule):
    X, probe = rows(150), rows(5, seed=9)
    params = {"robust": weights.Exponential(2.0), "burn_in": 33, "forgetting": 0.97}
    whole = model(rule, **params).fit(X)
    for borders in (sorted({*random_borders(150, 1), 32, 33, 34}), range(1, 150)):
        assert_same_model(stream(model(rule, **params), X, borders), whole, probe)


@pytest.mark.thorough
@pytest.mark.parametrize("on_full", ["compress", "drop", "project", "slide"])
def test_slicing_under_a_budget(on_full):
    X, probe = rows(250), rows(5, seed=9)
    params = {"robust": weights.Exponential(2.0), "max_atoms": 12, "on_full": on_full}
    whole = model(Exact(), **params).fit(X)
    assert whole.n_atoms_ <= 12
    for borders in (random_borders(250, 1), [7, 200], range(3, 250, 3)):
        assert_same_model(stream(model(Exact(), **params), X, borders), whole, probe)


@pytest.mark.long
@pytest.mark.parametrize(
    ("rule", "forgetting", "robust"),
    pairs(
        [Exact(), IncrementalSVD(block=5, rank=4), Hebbian(normalize=True)],
        [1.0, 0.99],
        [None, weights.Exponential(3.0)],
    ),
    ids=repr,
)
def test_slicing_when_weights_decide_when_to_compress(rule, forgetting, robust):
    X, probe = normal(200, 3), normal(5, 3, seed=1)
    X[::15] *= 4
    w = np.random.default_rng(2).uniform(0.2, 2.5, size=len(X))
    params = {"gamma": 0.5, "max_atoms": 20, "forgetting": forgetting, "robust": robust}
    whole = stream(model(rule, **params), X, (), w)
    assert whole.n_atoms_ <= 20
    for borders in (range(3, 200, 3), random_borders(200, 3)):
        assert_same_model(stream(model(rule, **params), X, borders, w), whole, probe)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_plain_weights_change_nothing(rule):
    X = rows(80)
    assert_same_model(model(rule, weights.Plain()).fit(X), model(rule, None).fit(X), rows(5, 9))


@pytest.mark.thorough
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_integer_weights_are_repetition(rule):
    X = rows(40)
    w = np.random.default_rng(0).integers(1, 4, size=len(X))
    params = {"robust": weights.Exponential(2.0)}
    weighted = stream(model(rule, **params), X, (), w.astype(float))
    repeated = row_by_row(model(rule, **params), np.repeat(X, w, axis=0))
    assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-8, atol=1e-12)
    assert_allclose(weighted.transform(X), repeated.transform(X), rtol=0, atol=1e-8)


@pytest.mark.thorough
@pytest.mark.parametrize("rule", [Exact(), IncrementalSVD(block=5, rank=4)], ids=repr)
def test_outliers_count_less(rule):
    X = rows(300)
    clean = np.delete(X, np.s_[5::10], axis=0)
    params = {"n_components": 1, "kernel": SQUARES, "rule": rule}
    truth = OnlineKernelPCA(**params).fit(clean)
    robust = OnlineKernelPCA(**params, robust=weights.Exponential(1.0), burn_in=50).fit(X)
    plain = OnlineKernelPCA(**params).fit(X)
    assert principal_angles(robust, truth)[-1] < 0.2 * principal_angles(plain, truth)[-1]


def test_the_first_row_counts_whatever_the_dictionary():
    """There is no subspace to judge it by, nor a mean."""
    far = rows(30) + 50
    given = dictionary.Fixed(far[:5])
    fitted = model(Exact(), weights.Exponential(5.0), dictionary=given).partial_fit(far[:1])
    assert fitted._model.robust_weight == 1.0


@pytest.mark.parametrize("on_full", ["drop", "slide", "compress"])
@pytest.mark.parametrize("geometry", ["rkhs", "empirical"])
def test_given_atoms_stay(on_full, geometry):
    points = np.vstack([normal(5, 3), normal(5, 3, seed=1) + 20])
    params = {"dictionary": dictionary.Fixed(points), "geometry": geometry, "max_atoms": 10}
    fitted = model(Exact(), None, on_full=on_full, forgetting=0.9, **params)
    fitted.partial_fit(normal(60, 3, seed=2) + 20).partial_fit(normal(400, 3, seed=3))
    assert fitted.n_atoms_ == 10


def test_the_empirical_geometry_does_not_pretend():
    X = rows(30)
    params = {"dictionary": dictionary.Fixed(X[:6]), "geometry": "empirical"}
    fitted = model(Exact(), None, **params).fit(X)
    with pytest.raises(ValueError, match="empirical geometry cannot be compared"):
        fitted.certificate()
    with pytest.raises(ValueError, match="no subspace of the feature space"):
        Subspace.of(fitted)
    with pytest.raises(ValueError, match=r"forgetting=0\.9 has no meaning"):
        model(Hebbian(), None, forgetting=0.9, **params).fit(X)


def test_robust_weights_need_a_subspace():
    with pytest.raises(ValueError, match="robust weights need n_components"):
        OnlineKernelPCA(None, robust="exponential").fit(normal(5))


@pytest.mark.thorough
def test_a_share_of_the_variance_is_a_subspace():
    X = rows(80)
    params = {"nu": 0, "max_atoms": None, "burn_in": 100}
    share = model(Exact(), weights.Exponential(2.0), **params).set_params(n_components=0.8).fit(X)
    whole = model(Exact(), weights.Exponential(2.0), **params)
    whole = whole.set_params(n_components=share.n_components_).fit(X)
    assert_allclose(share.eigenvalues_, whole.eigenvalues_, rtol=1e-7)


@pytest.mark.thorough
def test_certificate_is_of_the_weighted_rows():
    X = rows(80)
    fitted = model(Exact(), weights.Exponential(2.0), burn_in=80).fit(X)
    K = fitted.kernel_(X)
    _, values, _, _ = huang_yeh.batch(K, 2, huang_yeh.psi_1(2.0))
    bounds = fitted.certificate()
    # Weights from the projected rows differ a little from those of the rows themselves.
    assert (values <= bounds.eigenvalue_upper * 1.01).all()
    assert (values >= bounds.eigenvalue_lower * 0.99).all()
