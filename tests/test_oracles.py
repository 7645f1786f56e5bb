"""The oracles themselves: checked against theory, explicit linear algebra and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import KernelPCA

from helpers import normal, up_to_sign
from oracles import brute_force, functions, honeine, kernel_pca, souza_filho

HEBBIAN = [honeine.NaiveOKHA, souza_filho.NaiveOOKHA, souza_filho.NaiveONKHA]


def start(r, seed=1):
    return np.random.default_rng(seed).normal(scale=0.1, size=(1, r))


# ------------------------------------------------------------------------------------ schedules


def test_schedules():
    assert functions.constant(0.3)(7) == 0.3
    assert functions.inverse_time(0.3)(3) == pytest.approx(0.1)
    assert functions.search_then_converge(0.3, 10)(20) == pytest.approx(0.1)
    eta = functions.exponential_decay(0.05, 0.9)
    assert eta(0) == 0.05
    assert eta(8) == pytest.approx(0.9 * eta(7))


# ------------------------------------------------------------------------------- batch kernel PCA


@pytest.mark.parametrize("kind", ["rbf", "linear"])
def test_batch_equals_sklearn(kind):
    X, new, r = normal(40, 4), normal(15, 4, seed=9), 4
    kappa = functions.rbf(0.2) if kind == "rbf" else functions.linear
    K = kappa(X, X)
    batch = kernel_pca.batch_kpca(K, r)
    peer = KernelPCA(r, kernel=kind, gamma=0.2, eigen_solver="dense").fit(X)
    assert_allclose(batch.eigenvalues, peer.eigenvalues_, rtol=1e-10)
    train = peer.transform(X)
    assert_allclose(up_to_sign(batch.projections, train), train, atol=1e-10)
    projected = kernel_pca.batch_kpca_project(kappa(new, X), K, batch.dual_coef)
    wanted = peer.transform(new)
    assert_allclose(up_to_sign(projected, wanted), wanted, atol=1e-10)


@pytest.mark.parametrize("center", [True, False])
def test_batch_weights_are_repetition_and_norms_are_one(center):
    X, new, r = normal(25), normal(7, seed=9), 5
    kappa, w = functions.rbf(0.4), np.random.default_rng(2).integers(0, 4, size=25)
    K, R = kappa(X, X), np.repeat(X, w, axis=0)
    weighted = kernel_pca.batch_kpca(K, r, center, weights=w)
    repeated = kernel_pca.batch_kpca(kappa(R, R), r, center)
    assert_allclose(weighted.eigenvalues, repeated.eigenvalues, rtol=1e-10)
    assert kernel_pca.batch_kpca(K, None, center, w).eigenvalues.min() > -1e-12
    a = kernel_pca.batch_kpca_project(kappa(new, X), K, weighted.dual_coef, center, w)
    b = kernel_pca.batch_kpca_project(kappa(new, R), kappa(R, R), repeated.dual_coef, center)
    assert_allclose(up_to_sign(a, b), b, atol=1e-10)
    assert_allclose(weighted.dual_coef.T @ K @ weighted.dual_coef, np.eye(r), atol=1e-10)
    if center:
        assert_allclose(weighted.dual_coef.sum(axis=0), 0, atol=1e-10)


# ------------------------------------------------------------------------- Hebbian: the dictionary


@pytest.mark.parametrize("algorithm", HEBBIAN)
def test_recursive_inverse_and_gram_matrix(algorithm):
    X, kappa = normal(150), functions.rbf(0.5)
    model = algorithm(kappa, 1e-2, functions.constant(0.05), start(2))
    for x in X:
        model.step(x)
        assert model.D.shape == (model.m, 3)
        assert model.A.shape == (model.m, 2)
        assert model.bar_beta.shape == (model.m,)
    assert 10 < model.m < 150
    assert_allclose(model.K, kappa(model.D, model.D), atol=1e-14)
    assert_allclose(model.Kinv, np.linalg.inv(model.K), atol=1e-8)


@pytest.mark.parametrize("algorithm", HEBBIAN)
def test_hebbian_and_exact_dictionaries_agree(algorithm):
    X, kappa = normal(120), functions.rbf(0.5)
    for max_atoms in (None, 9):
        model = algorithm(
            kappa, 0.1, functions.constant(0.05), start(1), center=True, max_atoms=max_atoms
        ).run(X)
        exact = brute_force.NaiveExact(kappa, 0.1, max_atoms=max_atoms).run(X)
        assert_allclose(model.D, exact.D)
        assert_allclose(model.bar_beta, exact.B.mean(axis=0), atol=1e-12)
    assert model.m == 9


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_novelty_is_relative_to_the_norm_of_the_row(scale):
    X, kappa, eta = normal(80), functions.rbf(0.5), functions.constant(0.0)
    D = brute_force.NaiveExact(kappa, 0.1).run(X).D
    assert_allclose(brute_force.NaiveExact(lambda X, Y: scale * kappa(X, Y), 0.1).run(X).D, D)
    okha = honeine.NaiveOKHA(lambda X, Y: scale * kappa(X, Y), 0.1, eta, start(1)).run(X)
    assert_allclose(okha.D, D)


# ------------------------------------------------------------------------------ Hebbian: the rules


def test_one_component_okha_is_oo_kha():
    X, eta = normal(60), functions.search_then_converge(0.2, 20)
    a = honeine.NaiveOKHA(functions.rbf(0.5), 0.1, eta, start(1))
    b = souza_filho.NaiveOOKHA(functions.rbf(0.5), 0.1, eta, start(1))
    for x in X:
        a.step(x)
        b.step(x)
        assert_allclose(a.A, b.A, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("algorithm", HEBBIAN)
@pytest.mark.parametrize("center", [True, False])
def test_first_components_do_not_see_later_ones(algorithm, center):
    X, eta, A1 = normal(60), functions.constant(0.1), start(4)
    many = algorithm(functions.rbf(0.5), 0.1, eta, A1, center=center).run(X)
    few = algorithm(functions.rbf(0.5), 0.1, eta, A1[:, :2], center=center).run(X)
    assert_allclose(many.A[:, :2], few.A, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("center", [True, False])
def test_on_kha_is_oo_kha_normalised_at_every_row(center):
    X, eta, A1 = normal(60), functions.exponential_decay(0.3, 0.99), start(3)
    on = souza_filho.NaiveONKHA(functions.rbf(0.5), 0.1, eta, A1, center=center)
    oo = souza_filho.NaiveOOKHA(functions.rbf(0.5), 0.1, eta, A1, center=center)
    on.step(X[0])
    oo.step(X[0])
    assert_allclose(on.A, A1)
    for x in X[1:]:
        on.step(x)
        oo.step(x)
        oo.A = oo.A / oo.norms()
        assert_allclose(on.A, oo.A, rtol=1e-10, atol=1e-12)
        assert_allclose(on.norms(), 1, rtol=1e-12)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("algorithm", HEBBIAN)
def test_linear_kernel_gives_the_linear_rule(algorithm, center):
    """The same rule on explicit vectors: GHA ([SF] (1)-(4)), SGA and ON-GHA ([SF] (23)-(26))."""
    X, r = normal(50, 4) + 0.5, 3
    A1, eta = start(r), functions.constant(0.02)
    model = algorithm(functions.linear, 1e-8, eta, A1, center=center)
    model.step(X[0])
    w, mean = [a * X[0] for a in A1[0]], X[0]
    for t, x in enumerate(X[1:], start=2):
        mean = mean + (x - mean) / t
        v = x - mean if center else x
        y = [w_j @ v for w_j in w]
        new = []
        for j in range(r):
            d = sum((y[i] * w[i] for i in range(j)), np.zeros(4))
            w_j = w[j] + eta(t) * y[j] * (v - y[j] * w[j] - d)
            if algorithm is not honeine.NaiveOKHA:
                w_j = w_j - eta(t) * y[j] * d
            new.append(w_j / np.linalg.norm(w_j) if algorithm is souza_filho.NaiveONKHA else w_j)
        w = new
        assert_allclose(model.step(x), y, atol=1e-10)
        assert_allclose(model.D.T @ model.A, np.transpose(w), atol=1e-10)
    assert model.m == 4
    wanted = (X - mean if center else X) @ np.transpose(w)
    assert_allclose(model.project(X), wanted, atol=1e-10)


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", HEBBIAN)
def test_hebbian_converges_to_kernel_pca(algorithm):
    X = normal(30, 2) * [2, 0.7]  # a clear gap after the second eigenvalue: 0.239, 0.153, 0.063
    rows = np.tile(X, (60, 1))
    kappa, eta = functions.rbf(0.3), functions.search_then_converge(0.3, 300)
    model = algorithm(kappa, 1e-3, eta, [[0.3, -0.2]], center=True).run(rows)
    batch = kernel_pca.batch_kpca(kappa(X, X), 2)
    y = model.project(X)
    for j in range(2):
        b = batch.projections[:, j]
        assert abs(y[:, j] @ b) / np.linalg.norm(y[:, j]) / np.linalg.norm(b) > 0.999
    assert_allclose(model.norms(), 1, atol=0.01)


# --------------------------------------------------------------------------------- the exact rule


@pytest.mark.parametrize("center", [True, False])
def test_exact_with_tiny_nu_is_batch_kernel_pca(center):
    X, new, r = normal(50), normal(12, seed=9), 6
    kappa, w = functions.rbf(0.5), np.random.default_rng(3).uniform(0.5, 2, size=50)
    exact = brute_force.NaiveExact(kappa, 1e-11, center=center).run(X, w)
    K = kappa(X, X)
    batch = kernel_pca.batch_kpca(K, r, center, weights=w)
    moments = exact.moments(r)
    assert_allclose(moments.eigenvalues, batch.eigenvalues, rtol=1e-8)
    assert moments.residual_energy < 1e-8
    assert moments.total_weight == pytest.approx(w.sum())
    assert_allclose(moments.dual_coef.T @ exact.K @ moments.dual_coef, np.eye(r), atol=1e-8)
    wanted = kernel_pca.batch_kpca_project(kappa(new, X), K, batch.dual_coef, center, w)
    assert_allclose(up_to_sign(exact.project(new, r), wanted), wanted, atol=1e-7)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("max_atoms", [None, 3])
def test_exact_with_linear_kernel_is_weighted_pca_of_projections(center, max_atoms):
    X, phi = normal(40, 5) + 0.3, 0.9
    w = np.random.default_rng(4).integers(0, 3, size=40).astype(float)
    exact = brute_force.NaiveExact(
        functions.linear, 1e-8, center=center, forgetting=phi, max_atoms=max_atoms
    ).run(X, w)
    X, w = X[w > 0], w[w > 0]
    m = 5 if max_atoms is None else max_atoms
    Q = np.linalg.qr(X[:m].T)[0]
    P = X @ Q @ Q.T
    w = w * phi ** np.arange(len(w) - 1, -1, -1)
    Pc = P - np.average(P, axis=0, weights=w) if center else P
    values = np.linalg.eigvalsh((w[:, None] * Pc).T @ Pc)[::-1][:m]
    # A row that came before the dictionary was complete was an atom, so P is its projection too.
    moments = exact.moments()
    assert exact.m == m
    assert_allclose(moments.eigenvalues, values, rtol=1e-9)
    assert_allclose(moments.residual_energy, w @ ((X - P) ** 2).sum(axis=1), atol=1e-9)
    assert_allclose(
        ((w[:, None] * exact.project(X)) * exact.project(X)).sum(axis=0), values, rtol=1e-9
    )


def test_exact_integer_weights_are_repetition_and_zero_is_nothing():
    X, w = normal(40), np.random.default_rng(5).integers(0, 3, size=40)
    a = brute_force.NaiveExact(functions.rbf(0.5), 0.05).run(X, w)
    b = brute_force.NaiveExact(functions.rbf(0.5), 0.05).run(np.repeat(X, w, axis=0))
    assert_allclose(a.D, b.D)
    assert_allclose(a.moments().eigenvalues, b.moments().eigenvalues, atol=1e-12)
    assert a.moments().residual_energy == pytest.approx(b.moments().residual_energy)


@pytest.mark.parametrize("floor", [1e-10, 1e-13])
def test_exact_holds_where_the_gram_matrix_is_singular(floor):
    X, kappa = normal(120, 2), functions.rbf(0.05)
    X = np.vstack([X, X[:5], X[:5] + 1e-8])
    exact = brute_force.NaiveExact(kappa, 0.0, floor=floor).run(X)
    batch = kernel_pca.batch_kpca(kappa(X, X), 6)
    assert exact.m < 120
    assert_allclose(exact.moments(6).eigenvalues, batch.eigenvalues, rtol=1e-6)
    projected = exact.project(X, 6)
    assert_allclose(up_to_sign(projected, batch.projections), batch.projections, atol=1e-5)


def test_exact_ignores_dependent_and_null_rows():
    X = np.vstack([normal(6, 2), np.zeros((1, 2)), normal(6, 2)])
    exact = brute_force.NaiveExact(functions.linear, 0.0).run(X)
    assert exact.m == 2
    assert len(exact.betas) == 13


def test_coherence_dictionary():
    X, kappa, c = normal(150), functions.rbf(0.5), 0.6
    exact = brute_force.NaiveExact(kappa, coherence=c).run(X)
    off = np.abs(exact.K - np.eye(exact.m))
    assert off.max() <= c
    assert (np.abs(kappa(X, exact.D)).max(axis=1) > c).all()  # everyone left out has a neighbour
    scaled = brute_force.NaiveExact(lambda X, Y: 7 * kappa(X, Y), coherence=c).run(X)
    assert_allclose(scaled.D, exact.D)


# ------------------------------------------------------------------ Honeine's theorems, as they are


@pytest.mark.parametrize("nu", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_honeine_lemma_3_and_theorems_4_and_5(nu, seed):
    X = normal(100, seed=seed)
    kappa = functions.rbf(0.5)
    exact = brute_force.NaiveExact(kappa, nu).run(X)
    K_m, m, n = exact.K, exact.m, len(X)
    c = 1 - nu / 2
    assert 1 < m < n
    # Lemma 3: the dictionary is (1 - nu/2)-coherent
    assert np.abs(K_m - np.eye(m)).max() <= c
    # Theorem 4: eigenvalues of its Gram matrix
    spectrum = np.linalg.eigvalsh(K_m)
    assert spectrum.min() >= 1 - (m - 1) * c
    assert spectrum.max() <= 1 + (m - 1) * c
    # Theorem 5: ||(I - P_m) psi_r||^2 <= nu / lambda_r, lambda_r of C = K / n, ||psi_r|| = 1 by (3)
    batch = kernel_pca.batch_kpca(kappa(X, X), 30, center=False)
    lam = batch.eigenvalues / n
    assert_allclose((batch.dual_coef**2).sum(axis=0), 1 / (n * lam), rtol=1e-9)
    k = kappa(exact.D, X) @ batch.dual_coef
    error = 1 - (k * np.linalg.solve(K_m, k)).sum(axis=0)
    assert (error <= nu / lam + 1e-12).all()
