"""APEX: its turns, its limit, its parameters. (Kashima's own algorithm: `test_kashima.py`.)"""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from helpers import column_cosines, cosines_over_epochs, normal, row_by_row
from okpca import OnlineKernelPCA, dictionary, rules, schedules
from okpca.rules.schedules import SearchThenConverge
from oracles import functions, kernel_pca

pytestmark = pytest.mark.leaves


def network(X, init, eta, turn=None):
    """The network written out on explicit weights (linear kernel); returns w, a after the rows."""
    W, a = init * X[0], np.zeros((len(init), len(init)))
    for row, x in enumerate(X[1:], start=2):
        y = W @ x
        for p in range(len(W)):
            y[p] -= a[p, :p] @ y[:p]
        for p in range(len(W)):
            if turn is None or p * turn < row <= (p + 1) * turn:
                W[p] += eta * y[p] * (x - y[p] * W[p])
                a[p, :p] += eta * y[p] * (y[:p] - y[p] * a[p, :p])
    return W, a


def computed(W, a):
    """What the network computes: y = (I + a)⁻¹ W x."""
    return np.linalg.solve(np.eye(len(W)) + a, W)


@pytest.mark.parametrize("turn", [None, 1, 7, 30, 100])
def test_turns_are_counted_in_rows_of_the_stream(turn):
    X, eta = 0.5 * normal(70, 4), 0.1
    init = np.array([[0.5], [-0.3], [0.2]])
    rule = rules.Apex(schedule=eta, rows_per_component=turn, init=init)
    W = computed(*network(X, init, eta, turn))
    for fit in (OnlineKernelPCA.fit, row_by_row):
        model = fit(OnlineKernelPCA(3, kernel="linear", nu=1e-9, center=False, rule=rule), X)
        assert_allclose(model.dual_coef_ @ model.atoms_, W, rtol=0, atol=1e-12)


def test_components_wait_then_learn_then_freeze():
    rule = rules.Apex(schedule=0.2, rows_per_component=20)
    atoms = dictionary.Fixed(normal(5, 3, seed=9))  # every row is a step
    model = OnlineKernelPCA(3, gamma=0.3, rule=rule, dictionary=atoms, center=False, random_state=0)
    W = np.array([model.partial_fit(x[None])._model.learner.V for x in normal(90, 3)])
    steps = np.abs(np.diff(W, axis=0)).max(axis=2)  # of row 2, row 3, ...
    row = np.arange(2, 91)
    for p in range(3):
        turn = (20 * p < row) & (row <= 20 * (p + 1))
        assert steps[turn, p].min() > 0
        assert steps[~turn, p].max() == 0


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("init", ["first-atom", "unit"])
def test_converges_to_kernel_pca_over_epochs(init, center):
    X = normal(30, 2) * [2, 0.7]  # a clear gap after the second eigenvalue
    rule = rules.Apex(schedule=SearchThenConverge(0.3, 300), init=init)
    model = OnlineKernelPCA(2, gamma=0.3, nu=1e-3, center=center, rule=rule, random_state=0)
    batch = kernel_pca.batch_kpca(functions.rbf(0.3)(X, X), 2, center)
    cosine = cosines_over_epochs(model, X, batch.projections, (1, 9, 70))
    assert cosine[0] < cosine[-1]
    assert cosine[-1] > 0.999
    dual = model.dual_coef_
    assert_allclose(dual @ model.kernel_(model.atoms_) @ dual.T, np.eye(2), atol=0.05)
    assert_allclose(model.explained_variance_, batch.eigenvalues / 30, rtol=0.1)
    assert np.abs(model._model.learner.lateral).max() < 0.05


def test_converges_one_component_after_another():
    X = normal(30, 2) * [2, 0.7]
    rule = rules.Apex(schedule=0.05, rows_per_component=900, init="unit")
    model = OnlineKernelPCA(2, gamma=0.3, nu=1e-3, center=False, rule=rule)
    batch = kernel_pca.batch_kpca(functions.rbf(0.3)(X, X), 2, False)
    for _ in range(30):
        model.partial_fit(X)
    first, second = column_cosines(model.transform(X), batch.projections)
    assert first > 0.999
    assert second < 0.9
    for _ in range(30):
        model.partial_fit(X)
    assert column_cosines(model.transform(X), batch.projections).min() > 0.999
    done = model.transform(X)
    assert_array_equal(model.partial_fit(X).transform(X), done)  # nobody's turn


def lateral(X, sign, eta=0.1):
    """The connection of two components, up to a limit; the output is w·x − sign a y₁."""
    W, a = np.tile(X[0] / np.linalg.norm(X[0]), (2, 1)), 0.0
    for x in X[1:]:
        y = W @ x
        y[1] -= sign * a * y[0]
        W += eta * y[:, None] * (x - y[:, None] * W)
        a += sign * eta * y[1] * (y[0] - y[1] * a)
        if abs(a) > 100:
            break
    return abs(a)


def test_kashimas_printed_signs_do_not_go_together():
    """(9) adds a y, and (11) is a ← (1 + η y²) a − η y y_prev: the larger, the more it grows."""
    X = 0.5 * normal(2000, 4)
    assert lateral(X, sign=-1) > 100
    assert lateral(X, sign=1) < 0.5


def test_shorthand_and_defaults():
    X = normal(80)
    shorthand = OnlineKernelPCA(3, gamma=0.5, rule="apex", random_state=4).fit(X)
    rule = rules.Apex(schedule=schedules.Constant(0.05), init="first-atom")
    written = OnlineKernelPCA(3, gamma=0.5, rule=rule, random_state=4).fit(X)
    assert_array_equal(shorthand.dual_coef_, written.dual_coef_)


@pytest.mark.parametrize("rows", [0, -3, 2.5])
def test_impossible_turns_are_refused(rows):
    with pytest.raises(ValueError, match="Apex: rows_per_component must be an integer >= 1"):
        rules.Apex(rows_per_component=rows)


def test_other_impossible_parameters_are_refused():
    with pytest.raises(ValueError, match="init of Apex must be"):
        rules.Apex(init="zeros")
    with pytest.raises(ValueError, match="Constant: eta0 must be a positive finite number"):
        rules.Apex(schedule=-1.0)
    with pytest.raises(ValueError, match=r"init of Apex has shape .* call for \(2, 1\)"):
        OnlineKernelPCA(2, rule=rules.Apex(init=np.ones((2, 3)))).fit(normal(5))


@pytest.mark.parametrize("size", [1, 40])
def test_divergence_is_refused_and_changes_nothing(size):
    X = normal(60, 4) * 0.3
    model = OnlineKernelPCA(2, kernel="linear", rule=rules.Apex(schedule=0.5), random_state=0)
    scores, before = model.fit(X).transform(X), pickle.dumps(model)
    wild = normal(size, 4, seed=1) * 1e80
    with pytest.raises(ValueError, match="APEX rule diverges: lower the step size"):  # noqa: PT012
        for _ in range(20):  # one row alone may not be enough
            model.partial_fit(wild)
            scores, before = model.transform(X), pickle.dumps(model)
    assert pickle.dumps(model) == before
    assert_array_equal(model.transform(X), scores)
