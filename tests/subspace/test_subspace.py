"""Angles, distances, cosines and residuals, against explicit feature maps."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from helpers import normal
from okpca import OnlineKernelPCA, kernels
from okpca.subspace import (
    Subspace,
    average_cosine,
    captured_variance,
    principal_angles,
    residual_error,
    subspace_distance,
)
from oracles import kernel_pca

SQUARE = kernels.Polynomial(degree=2, gamma=1.0, coef0=1.0)


def features(X):
    """φ of (x·y + 1)² for two columns."""
    x, y = X.T
    r = np.sqrt(2)
    return np.stack([np.ones(len(X)), r * x, r * y, x * x, y * y, r * x * y], axis=1)


MAPS = {"linear": (kernels.Linear(), lambda X: X), "square": (SQUARE, features)}


def random_space(kernel, n=9, r=2, seed=0, d=2):
    rng = np.random.default_rng(seed)
    return Subspace(kernel, rng.normal(size=(n, d)), rng.normal(size=(r, n)))


def explicit(space, phi):
    return space.dual @ phi(space.points)


def models(seed=0):
    """One of each kind of dictionary and rule, on the same rows."""
    X = normal(80, 3, seed)
    common = {"kernel": "rbf", "gamma": 0.3, "random_state": 0}
    yield X, OnlineKernelPCA(3, nu=0, max_atoms=None, **common).fit(X)
    yield X, OnlineKernelPCA(3, max_atoms=20, **common).fit(X)
    yield X, OnlineKernelPCA(3, nu=0.1, on_full="project", max_atoms=15, **common).fit(X)
    yield X, OnlineKernelPCA(3, rule="okha", nu=0.1, **common).fit(X)
    yield X, OnlineKernelPCA(3, center=False, nu=0.05, **common).fit(X)


MODELS = list(models())
MODEL_IDS = ["all", "compressed", "projected", "hebbian", "uncentred"]
each_model = pytest.mark.parametrize(("X", "model"), MODELS, ids=MODEL_IDS)

# -- angles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("seed", range(5))
def test_angles_are_those_of_the_feature_space(name, seed):
    kernel, phi = MAPS[name]
    d = 6 if name == "linear" else 2
    A = random_space(kernel, r=2, seed=seed, d=d)
    B = random_space(kernel, r=3, seed=seed + 50, d=d)
    wanted = np.sort(scipy.linalg.subspace_angles(explicit(A, phi).T, explicit(B, phi).T))
    assert_allclose(principal_angles(A, B), wanted, atol=1e-12)
    assert_allclose(principal_angles(B, A), wanted, atol=1e-12)


@pytest.mark.parametrize("angle", [1e-12, 1e-9, 1e-6, 1e-3, 0.7, np.pi / 2 - 1e-9, np.pi / 2])
def test_small_and_right_angles_keep_their_digits(angle):
    points = np.eye(3)
    A = Subspace(kernels.Linear(), points, [[1, 0, 0], [0, 1, 0]])
    B = Subspace(kernels.Linear(), points, [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0]])
    assert_allclose(principal_angles(A, B), [0, angle], rtol=1e-6, atol=1e-15)


def test_distance_is_the_norm_of_the_angles():
    """(36)"""
    A, B = (random_space(SQUARE, r=3, seed=seed) for seed in (0, 1))
    angles = principal_angles(A, B)
    assert angles[-1] > 0.1
    assert_allclose(subspace_distance(A, B), np.sqrt((angles**2).sum()))


def test_a_dimension_alone_is_a_right_angle():
    A = random_space(SQUARE, r=3)
    assert_allclose(subspace_distance(A, A.leading(1)), np.sqrt(2) * np.pi / 2)


def test_only_the_span_counts():
    A = random_space(SQUARE, n=20, r=3)
    mixed = np.array([[1.0, 2, 0], [1, 1, 0], [1e-6, 0, 1e-6]]) @ A.dual  # not orthogonal, short
    B = Subspace(SQUARE, A.points, np.vstack([mixed, np.zeros(20), mixed[0]]))
    assert_allclose(principal_angles(A, B), np.zeros(3), atol=1e-9)
    assert subspace_distance(A, B) < 1e-8


@pytest.mark.thorough
@given(st.integers(0, 10**6), st.sampled_from(["linear", "square"]), st.integers(1, 4))
def test_symmetric_bounded_and_zero_only_for_equal_spans(seed, name, r):
    kernel, _ = MAPS[name]
    d = 5 if name == "linear" else 2
    A, B = (random_space(kernel, r=r, seed=s, d=d) for s in (seed, seed + 1))
    assert_allclose(subspace_distance(A, B), subspace_distance(B, A), atol=1e-10)
    assert 1e-3 < subspace_distance(A, B) <= np.sqrt(r) * np.pi / 2 + 1e-12
    assert subspace_distance(A, A) < 1e-9
    assert_allclose(average_cosine(A, B), average_cosine(B, A), atol=1e-10)


@pytest.mark.thorough
@given(st.integers(0, 10**6))
def test_the_same_functions_over_other_points(seed):
    """φ(points) spans all six dimensions, so other points express the same functions."""
    rng = np.random.default_rng(seed)
    A, B = random_space(SQUARE, seed=seed), random_space(SQUARE, seed=seed + 1)
    others = rng.uniform(-2, 2, size=(30, 2))
    dual = np.linalg.lstsq(features(others).T, features(A.points).T @ A.dual.T, rcond=None)[0].T
    again = Subspace(SQUARE, others, dual)
    assert subspace_distance(A, again) < 1e-8
    assert_allclose(principal_angles(A, B), principal_angles(again, B), atol=1e-8)
    assert_allclose(average_cosine(A, B), average_cosine(again, B), atol=1e-8)
    X = rng.normal(size=(10, 2))
    assert_allclose(A.residuals(X), again.residuals(X), rtol=1e-7, atol=1e-7)


# -- models ---------------------------------------------------------------------------------------


@each_model
def test_a_model_is_its_own_subspace(X, model):
    space = Subspace.of(model)
    assert_allclose(space.transform(X), model.transform(X), atol=1e-9)
    assert subspace_distance(model, space) == subspace_distance(model, model) < 1e-6
    assert_allclose(average_cosine(model, space), 1.0)


def test_exact_model_is_batch_kernel_pca():
    X, model = MODELS[0]
    batch = Subspace.batch(kernels.RBF(0.3), X, 3)
    assert subspace_distance(model, batch) < 1e-6
    assert_allclose(average_cosine(model, batch), 1.0, atol=1e-10)
    assert_allclose(captured_variance(model, X), model.explained_variance_, rtol=1e-8)
    assert_allclose(captured_variance(model, X, batch), np.ones(3), rtol=1e-8)


@pytest.mark.parametrize("center", [True, False])
def test_batch_against_the_oracle(center):
    X = normal(30, 2)
    oracle = kernel_pca.batch_kpca(kernels.RBF(0.5)(X), 4, center=center)
    batch = Subspace.batch(kernels.RBF(0.5), X, 4, center=center)
    values = captured_variance(batch, X) * len(X)
    assert_allclose(values, oracle.eigenvalues, rtol=1e-9)
    same = Subspace(kernels.RBF(0.5), X, oracle.dual_coef.T)
    assert_allclose(average_cosine(batch, same), 1.0, atol=1e-9)
    assert (batch.mean is not None) == center


def test_batch_with_weights_is_repetition():
    X = normal(12, 2)
    weight = np.arange(12) % 3 + 1
    a = Subspace.batch(kernels.RBF(0.5), X, 3, weight=weight)
    b = Subspace.batch(kernels.RBF(0.5), np.repeat(X, weight, axis=0), 3)
    assert subspace_distance(a, b) < 1e-6
    assert_allclose(captured_variance(a, X), captured_variance(b, X), rtol=1e-9)


def test_batch_of_few_rows_has_zero_components():
    batch = Subspace.batch(kernels.RBF(0.5), normal(3, 2), 5)
    assert batch.n_components == 5
    assert not batch.dual[2:].any()  # three centred rows span two dimensions
    assert len(principal_angles(batch, batch)) == 2


# -- average cosine, captured variance, residual --------------------------------------------------


def test_average_cosine_literally():
    """(62), with the matrices of (63): a reference whose first rows are the dictionary."""
    X = normal(20, 2)
    kernel = kernels.RBF(0.5)
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 8)), rng.normal(size=(3, 20))
    K = kernel(X)
    total = 0.0
    for i in range(3):
        above = a[i] @ K[:8] @ b[i]
        total += abs(above) / np.sqrt(a[i] @ K[:8, :8] @ a[i]) / np.sqrt(b[i] @ K @ b[i])
    ours = average_cosine(Subspace(kernel, X[:8], a), Subspace(kernel, X, b))
    assert_allclose(ours, total / 3)
    assert ours < 0.9


def test_a_component_without_variance_has_cosine_zero():
    A = random_space(SQUARE, r=2)
    B = Subspace(SQUARE, A.points, A.dual * [[1], [0]])
    assert_allclose(average_cosine(A, B), 0.5)


@each_model
def test_captured_variance_is_23(X, model):
    y = model.transform(X)
    wanted = (y**2).mean(axis=0)
    if model.center:
        wanted = wanted - y.mean(axis=0) ** 2
    assert_allclose(captured_variance(model, X), wanted, rtol=1e-8)


def test_captured_variance_has_no_share_of_nothing():
    X = normal(3, 2)
    batch = Subspace.batch(kernels.RBF(0.5), X, 3)
    share = captured_variance(batch, X, batch)
    assert_allclose(share[:2], 1.0)
    assert np.isnan(share[2])


@pytest.mark.parametrize("centred", [True, False])
def test_residual_in_the_feature_space(centred):
    rng = np.random.default_rng(0)
    A = random_space(SQUARE, r=2)
    mean = rng.normal(size=9) if centred else None
    space = Subspace(SQUARE, A.points, A.dual, mean)
    X = rng.normal(size=(15, 2))
    c = features(X) - (mean @ features(A.points) if centred else 0.0)
    Q = scipy.linalg.orth(explicit(A, features).T)
    left = c - c @ Q @ Q.T
    assert_allclose(space.residuals(X), (left**2).sum(axis=1), rtol=1e-8)
    assert_allclose(residual_error(space, X), (left**2).sum(axis=1).mean(), rtol=1e-8)
    distance = np.linalg.norm(left, axis=1).mean()
    assert_allclose(residual_error(space, X, squared=False), distance, rtol=1e-8)


@each_model
def test_no_model_leaves_less_than_batch_kernel_pca(X, model):
    kernel, center = kernels.RBF(0.3), model.center
    best = residual_error(Subspace.batch(kernel, X, 3, center=center), X)
    assert residual_error(model, X) >= best - 1e-9
    assert best > 0.1
    K = kernel(X)
    whole = np.trace(K) - (K.sum() / len(X) if center else 0.0)
    top = kernel_pca.batch_kpca(K, 3, center=center).eigenvalues
    assert_allclose(best, (whole - top.sum()) / len(X), rtol=1e-8)


# -- refusals -------------------------------------------------------------------------------------


def test_different_feature_spaces_are_refused():
    A = random_space(kernels.RBF(0.5))
    with pytest.raises(ValueError, match=r"different kernel: RBF\(gamma=0.5\) and RBF\(gamma=1"):
        principal_angles(A, random_space(kernels.RBF(1.0)))
    with pytest.raises(ValueError, match="different number of columns: 2 and 3"):
        subspace_distance(A, random_space(kernels.RBF(0.5), d=3))
    with pytest.raises(ValueError, match="different kernel"):
        average_cosine(A, random_space(kernels.Linear()))


def test_a_default_gamma_is_that_of_the_columns():
    A = random_space(kernels.RBF())
    assert A.kernel == kernels.RBF(0.5)


def test_what_is_no_subspace_is_refused():
    with pytest.raises(TypeError, match="got int"):
        principal_angles(3, random_space(SQUARE))
    with pytest.raises(ValueError, match="not fitted"):
        Subspace.of(OnlineKernelPCA())
    with pytest.raises(ValueError, match="dual has 2 coefficients for 3 points"):
        Subspace(SQUARE, np.eye(3), np.ones((1, 2)))
    with pytest.raises(ValueError, match="mean has 2 coefficients for 3 points"):
        Subspace(SQUARE, np.eye(3), np.ones((1, 3)), np.ones(2))
    with pytest.raises(ValueError, match="NaN"):
        Subspace(SQUARE, np.full((1, 2), np.nan), np.ones((1, 1)))
    with pytest.raises(ValueError, match="there are 2 components, not 3"):
        random_space(SQUARE).leading(3)
    with pytest.raises(ValueError, match="X has 3 columns, the subspace was built on 2"):
        residual_error(random_space(SQUARE), np.ones((4, 3)))
    nothing = OnlineKernelPCA(1, kernel="linear").fit(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="no atom yet"):
        Subspace.of(nothing)
    huge = Subspace(SQUARE, np.full((1, 2), 1e200), np.ones((1, 1)))
    with pytest.raises(ValueError, match="not finite"):
        principal_angles(huge, huge)


def test_component_counts_must_agree_where_components_are_paired():
    A, B = random_space(SQUARE, r=2), random_space(SQUARE, r=3)
    with pytest.raises(ValueError, match="got 2 and 3"):
        average_cosine(A, B)
    with pytest.raises(ValueError, match="the reference has 3 components, the model 2"):
        captured_variance(A, normal(5, 2), B)


def test_a_span_of_nothing():
    A = Subspace(SQUARE, np.eye(2), np.zeros((2, 2)))
    assert len(principal_angles(A, random_space(SQUARE))) == 0
    assert_allclose(A.residuals(np.eye(2)), SQUARE.diag(np.eye(2)))
