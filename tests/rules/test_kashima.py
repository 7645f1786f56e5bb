"""Kashima's algorithms, sums over all past rows, against the library: the outputs of every step."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from helpers import normal, random_borders
from okpca import OnlineKernelPCA, kernels, presets, rules, schedules
from okpca.dictionary import Seeded
from oracles import functions, kashima

pytestmark = pytest.mark.leaves

KERNELS = {  # his (14) and (15), and a step size η that suits κ(x, x)
    "polynomial": (
        kashima.polynomial(3),
        kernels.Polynomial(gamma=1, degree=3, coef0=1),
        0.03,
    ),
    "quadratic": (kashima.polynomial(2), kernels.Polynomial(gamma=1, degree=2, coef0=1), 0.1),
    "gaussian": (functions.rbf(0.7), kernels.RBF(0.7), 0.3),
}
BETAS = (0.5, 1.0, 1.4, 2.0)


def rows(n=60):
    return 0.6 * normal(n, 2, seed=3)


def outputs(rule, kernel, X, P):
    """y(1), y(2), …: the outputs for each row before it is learned; x(0) is the first row."""
    model = OnlineKernelPCA(P, kernel=kernel, rule=rule, nu=0, max_atoms=None, center=False)
    model.partial_fit(X[:1])
    y = []
    for x in X[1:]:
        y.append(model.transform(x[None])[0])
        model.partial_fit(x[None])
    return np.array(y)


def literal(oracle, X):
    return np.array([np.atleast_1d(oracle.step(x)) for x in X[1:]])


def assert_same_outputs(actual, desired):
    assert_allclose(actual, desired, rtol=0, atol=1e-9 * np.abs(desired).max())


@pytest.mark.parametrize("name", KERNELS)
def test_first_component(name):
    kappa, kernel, eta = KERNELS[name]
    X = rows()
    y = literal(kashima.FirstComponent(kappa, eta, X[0]), X)
    rule = rules.Hebbian(schedule=schedules.Constant(eta), init="unit")
    assert_same_outputs(outputs(rule, kernel, X, 1), y)
    # One component of the other two algorithms is this one.
    assert_allclose(literal(kashima.OneByOne(kappa, eta, X[0], 1), X), y, rtol=1e-12)
    assert_allclose(literal(kashima.Simultaneous(kappa, eta, X[0], 1, 2), X), y, rtol=1e-12)


@pytest.mark.parametrize("turn", [None, 17])
@pytest.mark.parametrize("P", [2, 3, 4])
@pytest.mark.parametrize("name", KERNELS)
def test_one_component_after_another(name, P, turn):
    kappa, kernel, eta = KERNELS[name]
    X = rows()
    y = literal(kashima.OneByOne(kappa, eta, X[0], P, turn), X)
    rule = rules.Apex(schedule=eta, rows_per_component=turn, init="unit")
    assert_same_outputs(outputs(rule, kernel, X, P), y)


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("P", [2, 3, 4])
@pytest.mark.parametrize("name", KERNELS)
def test_components_at_once(name, P, beta):
    kappa, kernel, eta = KERNELS[name]
    X = rows()
    y = literal(kashima.Simultaneous(kappa, eta, X[0], P, beta), X)
    rule = rules.Hebbian(deflation=beta, schedule=eta, init="unit")
    assert_same_outputs(outputs(rule, kernel, X, P), y)


def test_the_literal_algorithms_are_the_updates_they_stand_for():
    """(13), and (10), (11) with their slips mended, on weights written out (linear kernel)."""
    X, P, eta, beta = 0.6 * normal(40, 3, seed=4), 3, 0.1, 1.4
    start = np.tile(X[0] / np.linalg.norm(X[0]), (P, 1))
    oracle = kashima.Simultaneous(functions.linear, eta, X[0], P, beta)
    W = start.copy()
    for x in X[1:]:
        y = W @ x
        assert_allclose(oracle.step(x), y, rtol=0, atol=1e-13)
        deflated = [x - beta * sum(y[j] * W[j] for j in range(p)) for p in range(P)]  # (12)
        W = W + eta * np.array([y[p] * (deflated[p] - y[p] * W[p]) for p in range(P)])  # (13)
    oracle = kashima.OneByOne(functions.linear, eta, X[0], P)
    W, a = start.copy(), [np.zeros(p) for p in range(P)]
    for x in X[1:]:
        y = W @ x
        for p in range(P):
            y[p] -= a[p] @ y[:p]  # (9)
        assert_allclose(oracle.step(x), y, rtol=0, atol=1e-13)
        for p in range(P):
            W[p] += eta * y[p] * (x - y[p] * W[p])  # (10)
            a[p] += eta * y[p] * (y[:p] - y[p] * a[p])  # (11)


def test_a_start_as_kashima_has_it():
    """(31): norm one, whatever κ(x(0), x(0))."""
    x = 3 * normal(1, 2)
    for rule in (rules.Hebbian(init="unit"), rules.Apex(init="unit")):
        model = OnlineKernelPCA(2, kernel="poly", gamma=1, degree=2, rule=rule, center=False).fit(x)
        c = (1 + np.sum(x**2)) ** -1.0
        assert_allclose(model.dual_coef_, [[c], [c]], rtol=1e-12)
        assert_allclose(model.transform(x), [[1 / c, 1 / c]], rtol=1e-12)


@pytest.mark.thorough
def test_a_bounded_memory_of_past_rows():
    """His last sentence: with the number of memorised rows fixed, steps take constant time. Ours
    project what exceeds it, and the outputs stay close to those of the whole memory."""
    kappa, kernel, eta = KERNELS["gaussian"]
    X = rows(150)
    y = literal(kashima.Simultaneous(kappa, eta, X[0], 2, 2), X)
    rule = rules.Hebbian(deflation=2, schedule=eta, init="unit")
    model = OnlineKernelPCA(2, kernel=kernel, rule=rule, nu=1e-6, max_atoms=40, center=False)
    model.partial_fit(X[:1])
    ours = []
    for x in X[1:]:
        ours.append(model.transform(x[None])[0])
        model.partial_fit(x[None])
    assert model.n_atoms_ <= 40
    assert 1e-12 < np.abs(np.array(ours) - y).max() < 1e-2


# -- start points of their own (49) ----------------------------------------------------------------

STARTS = np.array([[0.5, 0.1], [-0.2, 0.7], [0.3, -0.6]])


def feature(x):
    """φ of (x·y + 1)² in the plane."""
    a, b = x
    r = np.sqrt(2)
    return np.array([1, r * a, r * b, a * a, r * a * b, b * b])


def from_start_points(X, eta, beta):
    """(55), or for beta=None (42)-(44), in the feature space itself; w_p(1) by (49)."""
    W = np.array([feature(x) / np.linalg.norm(feature(x)) for x in STARTS])
    lateral = np.zeros((len(W), len(W)))
    out = []
    for x in X:
        f, y, old = feature(x), np.zeros(len(W)), W.copy()
        for p, w in enumerate(old):
            y[p] = w @ f - (lateral[p, :p] @ y[:p] if beta is None else 0)
            others = 0 if beta is None else beta * sum(y[i] * old[i] for i in range(p))
            W[p] = w + eta * y[p] * (f - y[p] * w - others)
            lateral[p, :p] += eta * y[p] * (y[:p] - y[p] * lateral[p, :p])
        out.append(y)
    return np.array(out)


@pytest.mark.parametrize("beta", [None, 1.0, 2.0])
def test_start_points(beta):
    X, eta = rows(), 0.1
    rule = (
        rules.Apex(schedule=eta, init="atoms")
        if beta is None
        else rules.Hebbian(deflation=beta, schedule=eta, init="atoms")
    )
    model = OnlineKernelPCA(
        3,
        kernel=KERNELS["quadratic"][1],
        rule=rule,
        dictionary=Seeded(STARTS, nu=0),
        max_atoms=None,
        center=False,
    ).partial_fit(X[:1])
    y = from_start_points(X, eta, beta)
    for x, expected in zip(X[1:], y[1:], strict=True):
        assert_same_outputs(model.transform(x[None])[0], expected)
        model.partial_fit(x[None])
    assert model.n_atoms_ == 6  # the dimensions of the feature space
    assert_allclose(model.atoms_[:3], STARTS)


@pytest.mark.parametrize("beta", [None, 1.0, 2.0])
def test_start_points_of_the_presets(beta):
    X, eta = rows(), 0.1
    settings = {"eta": eta, "start_points": STARTS, "kernel": KERNELS["quadratic"][1]}
    model = (
        presets.kashima_apex(3, **settings)
        if beta is None
        else presets.kashima_simultaneous(3, beta=beta, **settings)
    )
    model.partial_fit(X[:1])
    for x, expected in zip(X[1:], from_start_points(X, eta, beta)[1:], strict=True):
        assert_same_outputs(model.transform(x[None])[0], expected)
        model.partial_fit(x[None])


def test_start_points_that_cannot_be():
    alike = OnlineKernelPCA(2, gamma=1.0, dictionary=Seeded(STARTS[[0, 1, 0]]))
    with pytest.raises(ValueError, match="only 2 are independent"):
        alike.fit(rows())
    few = OnlineKernelPCA(
        3, gamma=1.0, dictionary=Seeded(STARTS[:2]), rule=rules.Hebbian(init="atoms")
    )
    with pytest.raises(ValueError, match=r"an atom for each of 3 components .* there are 2"):
        few.fit(rows())


@pytest.mark.thorough
@pytest.mark.parametrize("on_full", ["compress", "drop", "project", "slide"])
def test_a_seeded_dictionary_under_a_budget(on_full):
    X = normal(300, 5)
    seeded = Seeded(normal(3, 5, seed=8))
    model = OnlineKernelPCA(2, gamma=0.2, dictionary=seeded, max_atoms=12, on_full=on_full)
    whole, cut = clone(model).fit(X), clone(model)
    for part in np.split(X, random_borders(len(X), 1)):
        if len(part):
            cut.partial_fit(part)
    assert whole.n_atoms_ <= 12
    assert_allclose(cut.transform(X), whole.transform(X), rtol=0, atol=1e-9)
