"""Kernel PCA of one half, tried on the other: scikit-learn's, where it says the same."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA

from helpers import normal
from okpca.estimator.guidance.components import FEW, ROWS_EACH, components_for
from okpca.estimator.guidance.held_out import halves

X = load_digits().data[:300] / 16
LEARNED, HELD = X[:160], X[160:]


@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0])
def test_against_batch_kernel_pca(gamma):
    seen = halves(gamma, LEARNED, HELD, 1.0, 1000)
    r = len(seen.learned)
    batch = KernelPCA(r, kernel="rbf", gamma=gamma).fit(LEARNED)
    assert_allclose(seen.learned, batch.eigenvalues_ / len(LEARNED))
    assert_allclose(seen.held, np.square(batch.transform(HELD)).mean(axis=0), rtol=1e-6)
    spectrum = KernelPCA(kernel="rbf", gamma=gamma).fit(LEARNED).eigenvalues_
    dimension = spectrum.sum() ** 2 / np.square(spectrum).sum()
    assert seen.dimension == pytest.approx(dimension)
    assert r == np.ceil(dimension)


def test_rows_that_were_learned_are_held():
    seen = halves(0.1, LEARNED, LEARNED, 1000, 1000)
    assert_allclose(seen.held, seen.learned)
    assert_allclose(seen.share()[-1], 1)


def test_sparse_rows_are_the_same():
    dense, csr = (
        halves(0.1, kind(LEARNED), kind(HELD), 2, 50) for kind in (np.asarray, sparse.csr_array)
    )
    assert_allclose(dense.held, csr.held)
    assert_allclose(dense.whole, csr.whole)


def test_the_most_is_kept_to():
    assert len(halves(1.0, LEARNED, HELD, 10, 7).learned) == 7
    assert len(halves(100.0, LEARNED, HELD, 10, 1000).learned) <= len(LEARNED) - 1


@pytest.mark.parametrize(("n", "most"), [(60, FEW), (20 * ROWS_EACH, 20)])
def test_as_many_components_as_the_rows_allow(n, most):
    """Of rows that have more to show: one for twenty of them, and some for any number."""
    rows = normal(n, 9)
    found = components_for(1.0, rows[::2], rows[1::2])
    assert found.value == most
    assert f"as many as {n} rows allow" in found.why
