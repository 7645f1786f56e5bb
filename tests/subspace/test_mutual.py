"""Classes as subspaces: rows, sets, streams, refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import estimator_checks_generator

from helpers import normal
from okpca import OnlineKernelPCA, kernels
from okpca.subspace import MutualSubspaceClassifier, Subspace, principal_angles

LOOKS = OnlineKernelPCA(5, gamma=0.001, center=False, max_atoms=60, on_full="project")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600], y[:600], X[600:1000], y[600:1000]


@pytest.fixture(scope="module")
def fitted(digits):
    X, y, _, _ = digits
    return MutualSubspaceClassifier(LOOKS).fit(X, y)


# -- rows -----------------------------------------------------------------------------------------


def test_rows_go_to_the_nearest_class(digits, fitted):
    _, _, X, y = digits
    assert fitted.score(X, y) > 0.9
    scores = fitted.decision_function(X[:20])
    for c, model in enumerate(fitted.models_):
        K, dual = model.kernel_(X[:20], model.atoms_), model.dual_coef_
        distance = 1.0 - np.square(K @ dual.T).sum(axis=1)  # κ(x, x) − ‖P φ(x)‖²
        assert_allclose(scores[:, c], -distance, atol=1e-6)
    assert_array_equal(fitted.predict(X[:20]), scores.argmax(axis=1))


def test_uncentred_distance_is_the_angle_of_one_row(digits, fitted):
    """sin² θ for a kernel of unit norm: a row is a set of one."""
    X = digits[2][:3]
    scores = fitted.decision_function(X)
    for i in range(3):
        own = Subspace(kernels.RBF(0.001), X[[i]], [[1.0]])
        for c, model in enumerate(fitted.models_):
            assert_allclose(np.sin(principal_angles(own, model)) ** 2, -scores[i, c], atol=1e-6)


def test_two_classes_give_one_score(digits):
    X, y, test, truth = digits
    two = MutualSubspaceClassifier(LOOKS).fit(X[y < 2], y[y < 2])
    one = two.decision_function(test[truth < 2])
    assert one.ndim == 1
    assert_array_equal(two.predict(test[truth < 2]), (one > 0).astype(int))
    assert two.score(test[truth < 2], truth[truth < 2]) > 0.98


def test_labels_may_be_words(digits):
    X, y, test, truth = digits
    names = np.array(["zero", "one", "two"])
    few = MutualSubspaceClassifier(LOOKS).fit(X[y < 3], names[y[y < 3]])
    assert few.score(test[truth < 3], names[truth[truth < 3]]) > 0.95


# -- sets -----------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_sets_are_told_by_their_angles(digits, fitted):
    _, _, X, y = digits
    sets = [X[y == d][:15] for d in range(10)]
    assert fitted.score_sets(sets, np.arange(10)) == 1.0
    scores = fitted.decision_sets(sets[:2])
    for i in range(2):
        own = clone(LOOKS).fit(sets[i])
        wanted = [np.linalg.norm(principal_angles(own, model)) for model in fitted.models_]
        assert_allclose(scores[i], np.negative(wanted), atol=1e-6)


@pytest.mark.thorough
def test_groups_are_sets(digits, fitted):
    _, _, X, y = digits
    whole = fitted.decision_sets(X[:60], groups=y[:60])
    assert_allclose(whole, fitted.decision_sets([X[:60][y[:60] == d] for d in range(10)]))
    assert whole.shape == (10, 10)


def test_a_set_of_one_row(digits, fitted):
    X = digits[2]
    assert_array_equal(fitted.predict_sets([X[[0]], X[[1]]]), fitted.predict(X[:2]))


# -- streams --------------------------------------------------------------------------------------


def test_cuts_of_the_stream_do_not_matter(digits, fitted):
    X, y, test, _ = digits
    model = MutualSubspaceClassifier(LOOKS)
    for piece in np.array_split(np.arange(len(X)), 7):
        model.partial_fit(X[piece], y[piece])
    assert_array_equal(model.classes_, fitted.classes_)
    assert_allclose(
        model.decision_function(test[:50]), fitted.decision_function(test[:50]), atol=1e-6
    )


def test_a_class_may_come_later(digits):
    X, y, test, truth = digits
    model = MutualSubspaceClassifier(LOOKS).partial_fit(X[y > 0], y[y > 0])
    before = model.decision_function(test)
    model.partial_fit(X[y == 0], y[y == 0])
    assert_array_equal(model.classes_, np.arange(10))
    assert_allclose(model.decision_function(test)[:, 1:], before)
    assert np.mean(model.predict(test)[truth == 0] == 0) > 0.9


def test_an_announced_class_is_never_predicted_before_it_is_seen(digits):
    X, y, test, _ = digits
    model = MutualSubspaceClassifier(LOOKS).partial_fit(X[y < 2], y[y < 2], classes=range(10))
    assert model.decision_function(test).shape == (len(test), 10)
    assert set(model.predict(test)) == {0, 1}
    assert set(model.predict_sets([test[:9]])) <= {0, 1}


def test_fit_forgets(digits):
    X, y, _, _ = digits
    model = MutualSubspaceClassifier(LOOKS).fit(X, y).fit(X[y < 3], y[y < 3])
    assert_array_equal(model.classes_, np.arange(3))


# -- refusals -------------------------------------------------------------------------------------


def test_a_refused_block_teaches_no_class():
    def picky(X, Y):
        K = X @ Y.T
        return np.where(X[:, :1] > 50, np.nan, K)

    rows, y = normal(20, 2), np.repeat([0, 1], 10)
    looks = OnlineKernelPCA(1, kernel=picky, center=False)
    model = MutualSubspaceClassifier(looks).fit(rows, y)
    before = model.decision_function(rows)
    with pytest.raises(ValueError, match="returned NaN or infinity"):
        model.partial_fit([[1.0, 5.0], [99.0, 0.0]], [0, 1])
    assert_array_equal(model.decision_function(rows), before)
    assert [m.n_samples_seen_ for m in model.models_] == [10, 10]


def test_bad_sets_are_named(digits, fitted):
    X = digits[2]
    with pytest.raises(ValueError, match=r"64 features as input\. \[set 1, counting"):
        fitted.predict_sets([X[:3], X[:3, :5]])
    with pytest.raises(ValueError, match="needs `groups`"):
        fitted.predict_sets(X)
    with pytest.raises(ValueError, match=r"groups has the shape \(3,\) for 5 rows"):
        fitted.predict_sets(X[:5], groups=[0, 0, 1])
    with pytest.raises(ValueError, match="1 sets, but y has the shape"):
        fitted.score_sets([X[:5]], [1, 2])
    with pytest.raises(TypeError, match="must be an OnlineKernelPCA, got 3"):
        MutualSubspaceClassifier(3).fit(X[:4], [0, 1, 0, 1])


def test_a_class_of_nothing_spans_nothing():
    X = np.vstack([np.zeros((3, 2)), normal(5, 2)])
    looks = OnlineKernelPCA(2, kernel="linear", center=False)
    model = MutualSubspaceClassifier(looks).fit(X, [0] * 3 + [1] * 5)
    assert_array_equal(model.predict(normal(4, 2, seed=1)), [1, 1, 1, 1])


# -- scikit-learn ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        pytest.param(estimator, check, id=getattr(check, "func", check).__name__)
        for estimator, check in estimator_checks_generator(MutualSubspaceClassifier(), legacy=True)
    ],
)
def test_sklearn_check(estimator, check):
    """None is expected to fail."""
    check(estimator)


def test_a_refused_fit_leaves_the_old_model():
    X, y = normal(40, 3), np.arange(40) % 2
    fitted = MutualSubspaceClassifier().fit(X, y)
    before = fitted.predict(X)
    with pytest.raises(ValueError, match=r"[Uu]nknown label type"):
        fitted.fit(normal(40, 5), np.linspace(0, 1, 40))
    assert fitted.n_features_in_ == 3
    np.testing.assert_array_equal(fitted.predict(X), before)


def test_labels_of_two_kinds_are_refused():
    X, y = normal(40, 3), np.arange(40) % 2
    fitted = MutualSubspaceClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="text in one place and numbers in another"):
        fitted.partial_fit(X, np.array(["a", "b"])[y])
    assert list(fitted.classes_) == [0, 1]
