"""Eigenvalues of what kernels give: tied, with couplings far below rounding."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from sklearn.datasets import load_digits

from okpca import OnlineKernelPCA
from okpca._core import eigen
from okpca.kernels import RBF
from okpca.subspace import Subspace

UNSCALED = load_digits().data * 16  # 8-bit images as they come


@pytest.mark.long
def test_unscaled_images_are_learned():
    model = OnlineKernelPCA(center=False).fit(UNSCALED)
    assert_allclose(model.eigenvalues_, 1.0, rtol=1e-9)  # all rows are far apart
    assert np.isfinite(model.transform(UNSCALED[:50])).all()


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", ["rbf", "exponential"])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("max_atoms", [100, 200])
def test_unscaled_images_in_any_setting(kernel, center, max_atoms):
    X = UNSCALED[np.random.default_rng(0).permutation(len(UNSCALED))[:450]]
    model = OnlineKernelPCA(3, kernel=kernel, center=center, max_atoms=max_atoms)
    for start in range(0, len(X), 150):
        model.partial_fit(X[start : start + 150])
    assert np.isfinite(model.certificate().discarded_energy)


def coupled(n, coupling, seed=0):
    """Tied eigenvalues, and couplings of some size between them."""
    rng = np.random.default_rng(seed)
    couplings = np.triu(coupling * rng.normal(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.1), 1)
    return np.eye(n) + couplings + couplings.T


@pytest.mark.parametrize("coupling", [1e-322, 1e-310, 1e-300, 1e-160, 1e-30, 1e-10])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_leading_pairs(coupling, scale):
    A = scale * coupled(60, coupling)
    values, V = eigen.leading_pairs(A, 7)
    assert_allclose(values, eigh(A, driver="evd")[0][:-8:-1], rtol=1e-12)
    assert_allclose(V @ V.T, np.eye(7), atol=1e-12)
    assert_allclose(V @ A, values[:, None] * V, rtol=0, atol=1e-12 * scale)


def gives_up(A, driver=None, **subset):
    if driver is None:
        raise np.linalg.LinAlgError("Internal Error.")
    return eigh(A, driver=driver)


def finds_too_few(A, driver=None, **subset):
    """As LAPACK does on some processors, without a word."""
    values, U = eigh(A, driver=driver, **subset)
    return (values, U) if driver else (values[1:], U[:, 1:])


@pytest.mark.parametrize("solver", [gives_up, finds_too_few])
def test_a_solver_that_gives_up_is_replaced(monkeypatch, solver):
    A = coupled(20, 0.1)
    values, V = eigen.leading_pairs(A, 3)
    monkeypatch.setattr(eigen, "eigh", solver)
    again, U = eigen.leading_pairs(A, 3)
    assert_allclose(again, values, rtol=1e-12)
    assert_allclose(np.abs(np.sum(U * V, axis=1)), 1.0, rtol=1e-12)


def test_batch_subspace_of_unscaled_images():
    space = Subspace.batch(RBF(1 / 64), UNSCALED[:300], 3, center=False)
    assert np.isfinite(space.dual).all()
