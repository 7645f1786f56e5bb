"""One harness for every kernel: definiteness, symmetry, shapes, brute force, gradients, repr."""

from __future__ import annotations

import copy
import functools
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise

from okpca import kernels
from okpca.checks import check_kernel
from okpca.kernels import (
    RBF,
    Cosine,
    Function,
    Laplacian,
    Linear,
    Polynomial,
)
from oracles.formulas import EVERY, ROUGH, SMOOTH, SPARSE, D, brute, gradient, squared_dot


@pytest.mark.filterwarnings("ignore:Level value")
class TestEveryKernel:
    @EVERY
    def test_brute_force(self, kernel, X, Y):
        K = kernel(X, Y)
        assert K.shape == (9, 5)
        assert K.dtype == np.float64
        np.testing.assert_allclose(K, brute(kernel, X, Y), rtol=1e-12, atol=1e-13)

    @EVERY
    def test_symmetric_with_an_exact_diagonal(self, kernel, X):
        K = kernel(X)
        assert (K == K.T).all()
        assert (K.diagonal() == kernel.diag(X)).all()
        assert kernel.diag(X).shape == (9,)
        np.testing.assert_allclose(K, brute(kernel, X, X), rtol=1e-12, atol=1e-13)

    @EVERY
    def test_positive_definite(self, kernel, rng):
        values = np.linalg.eigvalsh(kernel(rng.normal(size=(40, D))))
        assert values[0] >= -1e-10 * values[-1]

    @EVERY
    def test_bind_is_call(self, kernel, X, Y):
        bound = kernel.bind(Y)
        np.testing.assert_allclose(bound(X), kernel(X, Y), rtol=1e-13, atol=1e-14)
        for i in range(len(X)):  # one row at a time
            np.testing.assert_allclose(bound(X[i : i + 1])[0], kernel(X, Y)[i], rtol=1e-12)

    @EVERY
    def test_float32_strides_and_lists(self, kernel, X, Y):
        single, other = X.astype(np.float32), Y.astype(np.float32)
        want = kernel(single.astype(np.float64), other.astype(np.float64))
        K = kernel(single, other)
        assert K.dtype == kernel.diag(single).dtype == np.float64
        np.testing.assert_allclose(K, want, rtol=1e-13, atol=1e-14)
        strided = np.repeat(np.asfortranarray(X), 2, axis=0)[::2]
        np.testing.assert_allclose(kernel(strided, Y[::-1]), kernel(X, Y)[:, ::-1], rtol=1e-12)
        np.testing.assert_allclose(kernel(X.tolist(), Y.tolist()), kernel(X, Y), rtol=1e-13)

    @SPARSE
    @pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_csr_is_dense(self, kernel, X, Y, form, dtype, monkeypatch):
        X = np.where(np.abs(X) < 0.5, 0, X).astype(dtype)
        S = form(X)
        close = functools.partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-13)
        close(kernel(S, Y), kernel(X, Y))
        close(kernel.bind(Y)(S), kernel(X, Y))
        close(kernel(S), kernel(X))
        thin = form(np.where(np.abs(Y) < 0.5, 0, Y).astype(dtype))
        for rows in (X, S):
            for full in (0.125, 2.0):  # CSR that is hardly sparse is multiplied as it is, or dense
                monkeypatch.setattr("okpca.kernels.rows.FULL", full)
                close(kernel(rows, thin), kernel(X, thin.toarray()))
                close(kernel.bind(thin.astype(np.float64))(rows), kernel(X, thin.toarray()))
        close(kernel(S), kernel(X))
        assert kernel(X[:0], thin).shape == (0, 5)
        assert kernel(S, thin[:0]).shape == (9, 0)
        close(kernel.diag(S), kernel.diag(X))
        if kernel.has_gradient:
            W = np.cos(np.arange(45.0)).reshape(9, 5)
            close(kernel.pullback(S, Y, W), kernel.pullback(X, Y, W))

    @SMOOTH
    def test_gradient_by_finite_differences(self, kernel, X, Y):
        h = 1e-5 * np.eye(D)
        want = np.stack([(kernel(X + e, Y) - kernel(X - e, Y)) / 2e-5 for e in h], axis=2)
        G = gradient(kernel, X, Y)
        assert G.shape == (9, 5, D)
        np.testing.assert_allclose(G, want, rtol=1e-6, atol=1e-7)

    @SMOOTH
    def test_pullback_contracts_the_gradient(self, kernel, X, Y, rng):
        W = rng.normal(size=(9, 5))
        want = np.einsum("ij,ijk->ik", W, gradient(kernel, X, Y))
        np.testing.assert_allclose(kernel.pullback(X, Y, W), want, rtol=1e-10, atol=1e-11)

    @SMOOTH
    def test_pullback_is_finite_at_the_atoms_and_at_zero(self, kernel, Y):
        Z = np.vstack([Y, np.zeros(D)])
        assert np.isfinite(kernel.pullback(Z, Z, np.ones((6, 6)))).all()

    @ROUGH
    def test_no_gradient_says_so(self, kernel, X, Y):
        with pytest.raises(NotImplementedError, match="has no gradient"):
            kernel.pullback(X, Y, np.ones((9, 5)))

    @EVERY
    def test_resolved_leaves_nothing_to_the_data(self, kernel, X, Y):
        fixed = kernel.resolved(D)
        assert "None" not in repr(fixed).replace("shape=None", "")
        assert fixed.resolved(D) == fixed
        if "shape=(" not in repr(kernel):
            assert fixed.resolved(2 * D + 2) == fixed
        np.testing.assert_allclose(fixed(X, Y), kernel(X, Y), rtol=1e-14)

    @EVERY
    def test_a_value(self, kernel):
        space = vars(kernels) | {"squared_dot": squared_dot}
        again = eval(repr(kernel), space)
        assert again == kernel
        assert hash(again) == hash(kernel)
        assert repr(again) == repr(kernel)
        assert pickle.loads(pickle.dumps(kernel)) == kernel
        assert copy.deepcopy(kernel) == kernel
        assert copy.copy(kernel) == kernel
        assert 3.0 * kernel != kernel

    @EVERY
    def test_the_shipped_check(self, kernel):
        check_kernel(kernel)

    @EVERY
    def test_empty_blocks(self, kernel, X, Y):
        assert kernel(X[:0], Y).shape == (0, 5)
        assert kernel.bind(Y)(X[:0]).shape == (0, 5)
        assert kernel.diag(X[:0]).shape == (0,)
        assert kernel(X, Y[:0]).shape == (9, 0)
        if kernel.has_gradient:
            np.testing.assert_array_equal(kernel.pullback(X, Y[:0], np.ones((9, 0))), 0.0 * X)


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        (RBF(), pairwise.rbf_kernel),
        (Laplacian(), pairwise.laplacian_kernel),
        (Polynomial(), pairwise.polynomial_kernel),
        (Polynomial(2, 0.1, 0.5), lambda X, Y: pairwise.polynomial_kernel(X, Y, 2, 0.1, 0.5)),
        (Linear(), pairwise.linear_kernel),
        (Cosine(), pairwise.cosine_similarity),
        (Function(pairwise.chi2_kernel), pairwise.chi2_kernel),
    ],
    ids=lambda value: getattr(value, "__name__", repr(value)),
)
def test_scikit_learn_agrees(kernel, theirs, X, Y):
    X, Y = np.abs(X), np.abs(Y)
    X[0] = 0
    np.testing.assert_allclose(kernel(X, Y), theirs(X, Y), rtol=1e-12)
    np.testing.assert_allclose(kernel(X), theirs(X, X), rtol=1e-12)
