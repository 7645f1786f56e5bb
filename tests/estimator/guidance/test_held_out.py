"""Kernel PCA of one half, tried on the other: scikit-learn's, where it says the same."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.stats import entropy
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA

from helpers import normal
from okpca.estimator.guidance.components import FEW, ROWS_EACH, components_for
from okpca.estimator.guidance.held_out import halves

X = load_digits().data[:300] / 16
LEARNED, HELD = X[:160], X[160:]


@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0])
def test_against_batch_kernel_pca(gamma):
    seen = halves(gamma, LEARNED, HELD)
    r = len(seen.learned)
    batch = KernelPCA(r, kernel="rbf", gamma=gamma).fit(LEARNED)
    assert_allclose(seen.learned, batch.eigenvalues_ / len(LEARNED))
    assert_allclose(seen.held, np.square(batch.transform(HELD)).mean(axis=0), rtol=1e-6)
    p = batch.eigenvalues_ / batch.eigenvalues_.sum()
    assert seen.dimension == pytest.approx(np.exp(entropy(p)))


def test_alike_components_are_counted():
    """Rows at right angles: n of them have n − 1 components, all alike."""
    seen = halves(100.0, 10 * np.eye(12), 10 * np.eye(12))
    assert seen.dimension == pytest.approx(11)


def test_rows_that_were_learned_are_held():
    seen = halves(0.1, LEARNED, LEARNED)
    assert_allclose(seen.held, seen.learned)
    assert_allclose(seen.share()[-1], 1)


def test_sparse_rows_are_the_same():
    dense, csr = (halves(0.1, kind(LEARNED), kind(HELD)) for kind in (np.asarray, sparse.csr_array))
    assert_allclose(dense.held, csr.held)
    assert_allclose(dense.whole, csr.whole)


def test_rounding_is_no_component():
    line = np.linspace(0, 1, 40)[:, None]
    assert len(halves(1e-3, line, line).learned) < 8
    assert len(halves(100.0, LEARNED, HELD).learned) <= len(LEARNED) - 1


@pytest.mark.parametrize(("n", "most"), [(60, FEW), (20 * ROWS_EACH, 20)])
def test_as_many_components_as_the_rows_allow(n, most):
    """Of rows that have more to show: one for ten of them, and some for any number."""
    rows = normal(n, 9)
    found = components_for(1.0, rows[::2], rows[1::2])
    assert found.value == most
    assert f"as many as {n} rows allow" in found.why


def test_as_many_components_as_the_effective_dimension():
    rows = normal(600, 3)
    found = components_for(0.3, rows[::2], rows[1::2])
    dimension = halves(0.3, rows[::2], rows[1::2]).dimension
    assert FEW < found.value == np.ceil(dimension) < 600 // ROWS_EACH
    assert f"the effective dimension ({dimension:.1f})" in found.why


def test_few_components_whatever_the_dimension():
    line = normal(200, 1)
    found = components_for(0.1, line[::2], line[1::2])
    assert halves(0.1, line[::2], line[1::2]).dimension < 3
    assert found.value == FEW
    assert found.why.startswith("no fewer, though the effective dimension is ")


def test_no_more_components_than_there_are():
    points = np.repeat(normal(3, 2), 20, axis=0)
    found = components_for(1.0, points[::2], points[1::2])
    assert found.value == 2
    assert found.why.startswith("all that there are: they hold 100 %")
