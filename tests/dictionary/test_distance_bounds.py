"""What the distance criterion promises holds for the dictionaries it builds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from helpers import normal
from okpca import OnlineKernelPCA
from okpca.dictionary import coherence_bound, eigenvalue_bounds, least_distance
from okpca.kernels import RBF, Cosine

KERNELS = [RBF(gamma=0.5), Cosine()]


@pytest.mark.parametrize("nu", [1e-3, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("printed", [False, True])
def test_of_a_dictionary(kernel, nu, printed):
    model = OnlineKernelPCA(2, kernel=kernel, nu=nu, max_atoms=None).fit(normal(300, 3))
    K = kernel(model.atoms_)
    m = len(K)
    off = K[~np.eye(m, dtype=bool)]
    assert np.abs(off).max() <= coherence_bound(nu, printed=printed) + 1e-12
    low, high = eigenvalue_bounds(m, nu, printed=printed)
    assert low - 1e-9 <= np.linalg.eigvalsh(K)[0]
    assert np.linalg.eigvalsh(K)[-1] <= high + 1e-9


def test_the_atoms_of_an_rbf_kernel_are_apart():
    sigma, nu = 0.7, 0.3
    model = OnlineKernelPCA(2, sigma=sigma, nu=nu, max_atoms=None).fit(normal(300, 2))
    D = model.atoms_
    apart = np.linalg.norm(D[:, None] - D, axis=2)[~np.eye(len(D), dtype=bool)].min()
    assert apart >= least_distance(nu, sigma)
    assert apart >= least_distance(nu, sigma, printed=True)
    assert_allclose(least_distance(nu, sigma, printed=True), sigma * np.sqrt(-2 * np.log(0.85)))


@given(nu=st.floats(0, 1), n_atoms=st.integers(1, 50))
def test_ours_is_never_weaker(nu, n_atoms):
    assert coherence_bound(nu) <= coherence_bound(nu, printed=True)
    low, high = eigenvalue_bounds(n_atoms, nu)
    printed_low, printed_high = eigenvalue_bounds(n_atoms, nu, printed=True)
    assert printed_low <= low <= 1 <= high <= printed_high


def test_orthogonal_atoms_reach_the_bounds():
    assert eigenvalue_bounds(7, 1.0) == (1.0, 1.0)
    assert coherence_bound(1.0) == 0.0
    assert least_distance(1.0, 2.0) == np.inf


def test_it_is_the_criterion_and_not_theorem_4_that_keeps_the_gram_matrix_regular():
    """Honeine's 5.3 calls K non-singular "as stated in Theorem 4": its bound is negative there."""
    nu = 0.55
    assert eigenvalue_bounds(90, nu, printed=True)[0] < 0
    assert eigenvalue_bounds(3, nu, printed=True)[0] < 0
    model = OnlineKernelPCA(2, gamma=0.5, nu=nu, max_atoms=None).fit(normal(300, 4))
    K = model.kernel_(model.atoms_)
    distances = np.diag(np.linalg.cholesky(K)) ** 2  # ε² of each atom to those before it
    assert distances.min() >= nu - 1e-12


def test_refused():
    with pytest.raises(ValueError, match=r"nu must lie in \[0, 1\], got 2"):
        coherence_bound(2.0)
    for bad in (None, np.nan, -0.1):
        with pytest.raises(ValueError, match="nu must be a non-negative finite number"):
            coherence_bound(bad)
    for bad in (0, 2.5, None):
        with pytest.raises(ValueError, match="n_atoms must be an integer >= 1"):
            eigenvalue_bounds(bad, 0.1)
    for bad in (-1.0, np.nan, None):
        with pytest.raises(ValueError, match="sigma must be a positive finite number"):
            least_distance(0.1, bad)


def test_without_a_threshold_atoms_may_be_as_near_as_they_like():
    assert str(least_distance(0.0, 1.0)) == "0.0"  # and not −0
