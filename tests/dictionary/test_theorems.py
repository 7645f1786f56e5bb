"""Honeine's Lemma 3 and Theorems 4 and 5, and Weyl's bound, on the library's own dictionaries."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from okpca import OnlineKernelPCA, kernels
from oracles import functions, kernel_pca

CASES = {
    "seed": st.integers(0, 2**20),
    "n": st.integers(2, 90),
    "d": st.integers(1, 4),
    "gamma": st.floats(0.02, 5.0),
    "nu": st.floats(1e-4, 0.9),
    "pieces": st.integers(1, 6),
}


def fitted(seed, n, d, gamma, nu, pieces, **params):
    X = np.random.default_rng(seed).normal(size=(n, d))
    model = OnlineKernelPCA(None, gamma=gamma, nu=nu, max_atoms=None, **{"center": False} | params)
    for piece in np.array_split(X, pieces):
        if len(piece):
            model.partial_fit(piece)
    return X, model


@given(**CASES)
def test_lemma_3_a_novelty_dictionary_is_coherent(seed, n, d, gamma, nu, pieces):
    """|κ(d_i, d_j)| ≤ 1 − ν/2 for unit-norm kernels."""
    _, model = fitted(seed, n, d, gamma, nu, pieces)
    K = functions.rbf(gamma)(model.atoms_, model.atoms_)
    np.fill_diagonal(K, 0)
    assert np.abs(K).max() <= 1 - nu / 2 + 1e-12


@pytest.mark.thorough
@given(**CASES)
def test_theorem_4_eigenvalues_of_the_gram_matrix(seed, n, d, gamma, nu, pieces):
    """1 − (m−1) c ≤ eigenvalue ≤ 1 + (m−1) c with c the coherence, of either policy."""
    for dictionary in ("novelty", "coherence"):
        _, model = fitted(seed, n, d, gamma, nu, pieces, dictionary=dictionary)
        m, c = model.n_atoms_, 1 - nu / 2
        spectrum = np.linalg.eigvalsh(functions.rbf(gamma)(model.atoms_, model.atoms_))
        assert spectrum.min() >= 1 - (m - 1) * c - 1e-10
        assert spectrum.max() <= 1 + (m - 1) * c + 1e-10


@pytest.mark.thorough
@given(**CASES)
def test_theorem_5_every_eigenfunction_is_near_the_span(seed, n, d, gamma, nu, pieces):
    """‖(I − P_m) ψ_r‖² ≤ ν / λ_r, λ_r of C = K / n, ψ_r the batch eigenfunctions."""
    X, model = fitted(seed, n, d, gamma, nu, pieces)
    kappa = functions.rbf(gamma)
    batch = kernel_pca.batch_kpca(kappa(X, X), center=False)
    lam = batch.eigenvalues / n
    real = lam > 1e-9 * lam[0]
    lam, dual = lam[real], batch.dual_coef[:, real]
    k = kappa(model.atoms_, X) @ dual
    distance = 1 - (k * np.linalg.solve(kappa(model.atoms_, model.atoms_), k)).sum(axis=0)
    assert (distance <= nu / lam + 1e-7).all()


@pytest.mark.thorough
@given(**CASES)
def test_the_exact_model_is_near_batch_kernel_pca(seed, n, d, gamma, nu, pieces):
    """Uncentred: nothing is lost from the trace, and √λ_j moves by at most √E (Weyl, Mirsky)."""
    X, model = fitted(seed, n, d, gamma, nu, pieces)
    batch = kernel_pca.batch_kpca(functions.rbf(gamma)(X, X), center=False)
    r = model.n_components_
    total = float(model.eigenvalues_[0] / model.explained_variance_ratio_[0])
    assert_allclose(total, n, rtol=1e-9)
    energy = total - model.eigenvalues_.sum()
    assert energy >= -1e-9 * n
    assert energy <= (n - model.n_atoms_) * nu * (1 + 1e-9) + 1e-9 * n  # who is left out is near
    shift = np.sqrt(np.maximum(batch.eigenvalues[:r], 0)) - np.sqrt(model.eigenvalues_)
    assert np.abs(shift).max() <= np.sqrt(max(energy, 0)) + 1e-6
    # The residuals are orthogonal to the span of their time only, so Σλ may not grow but λ_1 can.
    assert model.eigenvalues_.sum() <= batch.eigenvalues.sum() + 1e-9 * n


@pytest.mark.thorough
@given(**CASES)
def test_leading_component_against_the_batch_eigenfunction(seed, n, d, gamma, nu, pieces):
    """Wedin: sin θ between the model's first component and batch's is at most √E / gap."""
    X, model = fitted(seed, n, d, gamma, nu, pieces)
    kappa = functions.rbf(gamma)
    batch = kernel_pca.batch_kpca(kappa(X, X), 2, center=False)
    cosine = abs(model.dual_coef_[0] @ kappa(model.atoms_, X) @ batch.dual_coef[:, 0])
    energy = max(n - model.eigenvalues_.sum(), 0.0)
    gap = np.sqrt(model.eigenvalues_[0]) - np.sqrt(max(batch.eigenvalues[1], 0.0))
    assume(gap > 1e-3 * np.sqrt(n))
    sine = np.sqrt(max(1 - cosine**2, 0.0))
    assert sine <= np.sqrt(2 * energy) / gap + 1e-5


@pytest.mark.thorough
@given(**CASES)
def test_novelty_is_relative_to_the_norm(seed, n, d, gamma, nu, pieces):
    """Scaling the kernel changes no decision, and the bound of Theorem 5 with it."""
    X, model = fitted(seed, n, d, gamma, nu, pieces)
    scaled = OnlineKernelPCA(None, kernel=37.0 * kernels.RBF(gamma), nu=nu, max_atoms=None)
    assert_allclose(scaled.fit(X).atoms_, model.atoms_, rtol=0, atol=0)
