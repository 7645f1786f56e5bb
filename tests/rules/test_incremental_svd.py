"""The incremental SVD rule against Chin & Suter IV-A, literally, at every block border."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from helpers import (
    assert_columns_close,
    assert_orthonormal,
    assert_same_model,
    normal,
    random_borders,
    row_by_row,
    stream,
    up_to_sign,
)
from okpca import OnlineKernelPCA, kernels, rules
from oracles import functions, kernel_pca
from oracles.chin_suter import NaiveIKPCA
from oracles.functions import decayed

GAMMA = 1.5
PROBE = normal(15, 3, seed=9)


def model_of(rank, block, first=None, *, center=True, kernel=None, **more):
    rule = rules.IncrementalSVD(block=block, rank=rank, first=first)
    settings = {"n_components": 3, "nu": 0, "max_atoms": None} | more
    kernel = kernel or kernels.RBF(GAMMA)
    return OnlineKernelPCA(rule=rule, center=center, kernel=kernel, **settings)


def quadratic(X, Y):
    return (0.5 * functions.linear(X, Y) + 1) ** 2


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize(
    ("rank", "block", "first"), [(3, 5, None), (3, 1, 4), (6, 7, 12), (4, 2, 3)]
)
def test_the_paper_at_every_border(rank, block, first, center):
    X = normal(47)
    oracle, model = NaiveIKPCA(functions.rbf(GAMMA), rank, center=center), None
    model = model_of(rank, block, first, center=center)
    start, borders = 0, list(range(first or block, len(X) + 1, block))
    for stop in borders:
        oracle.update(X[start:stop])
        model.partial_fit(X[start:stop])
        start = stop
        r = min(3, len(oracle.sigma))
        assert_allclose(model.eigenvalues_[:r], oracle.eigenvalues[:r], rtol=1e-9)
        expected = oracle.project(PROBE)[:, :r]
        actual = up_to_sign(model.transform(PROBE)[:, :r], expected)
        assert_columns_close(actual, expected, 1e-7)
        assert_orthonormal(model)
    assert len(borders) > 4
    exact = kernel_pca.batch_kpca(functions.rbf(GAMMA)(X, X), 3, center=center)
    assert model.eigenvalues_[0] < exact.eigenvalues[0] * (1 - 1e-6)  # it does truncate


@pytest.mark.parametrize("center", [True, False])
def test_the_oracle_itself(center):
    """NaiveIKPCA with a rank that holds everything is batch kernel PCA."""
    X = normal(30)
    oracle = NaiveIKPCA(quadratic, 10, center=center)
    for piece in np.split(X, [4, 11, 12, 20]):
        oracle.update(piece)
    batch = kernel_pca.batch_kpca(quadratic(X, X), 9, center=center)
    assert_allclose(oracle.eigenvalues[:9], batch.eigenvalues, rtol=1e-8)
    new = kernel_pca.batch_kpca_project(
        quadratic(PROBE, X), quadratic(X, X), batch.dual_coef, center
    )
    assert_columns_close(up_to_sign(oracle.project(PROBE)[:, :9], new), new, 1e-6)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("block", [1, 6, 200])
def test_exact_if_the_rank_holds_everything(block, center):
    """Degree two in three columns: ten dimensions. Rank ten loses nothing but rounding."""
    X = normal(60)
    kernel = kernels.Polynomial(degree=2, gamma=0.5, coef0=1)
    model = model_of(10, block, center=center, kernel=kernel, n_components=5).fit(X)
    batch = kernel_pca.batch_kpca(quadratic(X, X), 5, center=center)
    assert_allclose(model.eigenvalues_, batch.eigenvalues, rtol=1e-10)
    expected = kernel_pca.batch_kpca_project(
        quadratic(PROBE, X), quadratic(X, X), batch.dual_coef, center
    )
    assert_columns_close(up_to_sign(model.transform(PROBE), expected), expected, 1e-8)
    c = model.certificate()
    assert c.discarded_energy < 1e-9
    assert_allclose(c.eigenvalue_upper, c.eigenvalue_lower, rtol=1e-5)


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("forgetting", [1.0, 0.95])
def test_any_slicing(center, forgetting):
    X = normal(71)
    model = model_of(4, 8, 13, center=center, forgetting=forgetting)
    whole = clone(model).fit(X)
    for borders in ([8], [12, 13, 14], [5, 13, 20, 21, 22], random_borders(71, 2, 9), range(1, 71)):
        assert_same_model(stream(clone(model), X, borders), whole, PROBE)


def test_block_borders_matter():
    """They are counted in rows of the stream; another block size is another approximation."""
    X = normal(60)
    a, b = (model_of(3, block).fit(X).eigenvalues_ for block in (4, 30))
    assert np.abs(a - b).max() > 1e-4 * a[0]
    first = model_of(3, 4, 22).fit(X).eigenvalues_
    assert np.abs(a - first).max() > 1e-4 * a[0]


def test_rows_of_an_open_block_count():
    X = normal(26)
    model = model_of(3, 10).fit(X)
    closed = model_of(3, 10).fit(X[:20])
    assert model.n_samples_seen_ == 26
    assert np.abs(model.eigenvalues_ - closed.eigenvalues_).max() > 0.1
    # The open rows are there in full: an SVD of everything held.
    oracle = NaiveIKPCA(functions.rbf(GAMMA), 3).update(X[:10]).update(X[10:20])
    oracle.r = 99
    oracle.update(X[20:])
    assert_allclose(model.eigenvalues_, oracle.eigenvalues[:3], rtol=1e-9)


@pytest.mark.parametrize("center", [True, False])
def test_forgetting_is_exact_if_the_rank_holds_everything(center):
    X = normal(60)
    kernel = kernels.Polynomial(degree=2, gamma=0.5, coef0=1)
    model = model_of(10, 7, center=center, kernel=kernel, forgetting=0.93)
    row_by_row(model, X)
    w = decayed(np.ones(60), 0.93)
    batch = kernel_pca.batch_kpca(quadratic(X, X), 3, center=center, weights=w)
    assert_allclose(model.eigenvalues_, batch.eigenvalues, rtol=1e-9)


def test_integer_weights_are_repetition():
    X, w = normal(30), np.random.default_rng(0).integers(1, 4, 30)
    weighted = model_of(4, 5).fit(X, sample_weight=w)
    repeated = model_of(4, 5).fit(np.repeat(X, w, axis=0))
    assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-10)
    assert_allclose(weighted.transform(PROBE), repeated.transform(PROBE), atol=1e-9)
    assert weighted.n_samples_seen_ == 30


def test_real_weights():
    X, w = normal(40), np.random.default_rng(0).uniform(0.2, 0.9, 40)
    kernel = kernels.Polynomial(degree=2, gamma=0.5, coef0=1)
    model = model_of(10, 7, kernel=kernel).fit(X, sample_weight=w)
    batch = kernel_pca.batch_kpca(quadratic(X, X), 3, weights=w)
    assert_allclose(model.eigenvalues_, batch.eigenvalues, rtol=1e-9)


def test_more_components_than_rank():
    model = model_of(2, 5, n_components=4).fit(normal(40))
    assert model.n_components_ == 4
    assert (model.eigenvalues_[2:] == 0).all()
    assert np.isfinite(model.transform(PROBE)).all()


def test_rank_defaults_to_the_components():
    X = normal(40)
    named = OnlineKernelPCA(3, rule="incremental-svd", gamma=GAMMA, nu=0, max_atoms=None).fit(X)
    same = model_of(3, 20).fit(X)
    assert_same_model(named, same, PROBE, tol=0)


@pytest.mark.parametrize("n_components", [None, 0.9])
def test_a_rank_is_needed(n_components):
    model = OnlineKernelPCA(n_components, rule=rules.IncrementalSVD(block=5))
    with pytest.raises(ValueError, match="rank"):
        model.fit(normal(20))
    assert not hasattr(model, "atoms_")
    ranked = OnlineKernelPCA(n_components, rule=rules.IncrementalSVD(block=5, rank=6), gamma=0.1)
    assert 1 <= ranked.fit(normal(40)).n_components_ <= 6


@pytest.mark.parametrize("name", ["block", "rank", "first"])
@pytest.mark.parametrize("value", [0, -3, 1.5])
def test_refused(name, value):
    with pytest.raises(ValueError, match=f"IncrementalSVD: {name}"):
        rules.IncrementalSVD(**{name: value})


def test_rows_without_a_direction():
    """κ(x, x) = 0: they count in the mean."""
    X = np.vstack([np.zeros((5, 3)), normal(30) + 1])
    model = model_of(3, 4, kernel=kernels.Linear())
    nothing = stream(clone(model), X[:3], [1])
    assert not nothing.transform(PROBE).any()
    C = X - X.mean(axis=0)
    expected = np.linalg.eigvalsh(C.T @ C)[::-1]
    assert_allclose(row_by_row(clone(model), X).eigenvalues_, expected, rtol=1e-9)
    assert_allclose(clone(model).fit(X).eigenvalues_, expected, rtol=1e-9)


def test_pairs_that_tie_with_the_last_one_are_kept_until_rows_tell_them_apart():
    """On a square whose corners come equally often two singular values tie: which of them would be
    the second is for rounding to say, and with it all that comes after."""
    corners = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    X = np.vstack([np.tile(corners, (8, 1)), corners[:1].repeat(16, axis=0)])
    rule = rules.IncrementalSVD(block=8)
    model = OnlineKernelPCA(1, kernel=kernels.RBF(0.2), rule=rule)
    whole = clone(model).fit(X[:32])
    assert len(whole._model.learner.pairs) == 2
    whole.partial_fit(X[32:])
    alone = clone(model)
    for x in X:
        alone.partial_fit(x[None])
    assert len(whole._model.learner.pairs) == 1
    np.testing.assert_allclose(alone.eigenvalues_, whole.eigenvalues_, rtol=1e-12)
    np.testing.assert_allclose(alone.transform(X), whole.transform(X), atol=1e-12)


def test_where_everything_ties_not_everything_is_kept():
    rule, X = rules.IncrementalSVD(block=10), np.random.default_rng(0).normal(size=(100, 3))
    model = OnlineKernelPCA(2, gamma=1e3, center=False, max_atoms=None, rule=rule).fit(X)
    assert len(model._model.learner.pairs) == 4
