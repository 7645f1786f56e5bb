"""Reduced sets as Chin & Suter build them (IV-B, IV-C), against their equations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import assert_orthonormal, normal
from okpca import OnlineKernelPCA, budget, kernels, rules
from okpca._core import compiled
from okpca.dictionary import Basis
from okpca.dictionary.change_of_basis import transition
from okpca.dictionary.placement.reduced_set import Factor, reduced_set
from okpca.kernels.base import Trait
from okpca.model.surgery import reduce
from oracles import chin_suter, functions, kernel_pca, placement

GAMMA = 0.4
KAPPA = functions.rbf(GAMMA)
SEARCH = chin_suter.fixed_point(GAMMA)


def rng():
    return np.random.RandomState(0)


def components(n=40, r=3, seed=0):
    """Kernel PCA of n points: the points, unit components over them, the mean, eigenvalues."""
    X = normal(n, 2, seed)
    batch = kernel_pca.batch_kpca(KAPPA(X, X), r)
    return X, batch.dual_coef.T, np.full(n, 1 / n), batch.eigenvalues


def left_of(u, X, Y):
    """‖u − its best approximation over Y‖², u = Σ u_i φ(x_i)."""
    whole = u @ KAPPA(X, X) @ u
    return whole - placement.kept_energy(KAPPA, Y, X, u[None])


# -- the oracle, and the slip of the paper --------------------------------------------------------


def test_33_and_34_give_back_what_they_are_given():
    """A slip: O O' U~ = U~, for O spans U~. Only the norms change; nothing is orthogonalised."""
    X, duals, mean, _ = components()
    Y, coefficients = chin_suter.reduced_set(KAPPA, SEARCH, X, [*duals, mean], 2)
    sigma, gram = np.array(coefficients[:3]).T, KAPPA(Y, Y)
    pi = chin_suter.reorthogonalised(gram, sigma)
    norms = np.sqrt(np.diag(sigma.T @ gram @ sigma))
    points = normal(20, 2, seed=5)
    assert_allclose(KAPPA(points, Y) @ pi, KAPPA(points, Y) @ (sigma / norms), atol=1e-8)
    inner = pi.T @ gram @ pi
    assert_allclose(np.diag(inner), 1, rtol=1e-9)
    assert np.abs(inner - np.eye(3)).max() > 1e-3  # not orthogonal
    meant = chin_suter.orthonormalised(gram, sigma)
    assert_allclose(meant.T @ gram @ meant, np.eye(3), atol=1e-8)


def test_second_pass_cannot_be_worse():
    """(31), which the paper has without guarantee."""
    X, duals, mean, _ = components()
    Y, _ = chin_suter.reduced_set(KAPPA, SEARCH, X, [*duals, mean], 2)
    for k, u in enumerate(duals, 1):
        assert left_of(u, X, Y) <= left_of(u, X, Y[: 2 * k]) + 1e-10
    assert left_of(duals[0], X, Y) < left_of(duals[0], X, Y[:2]) - 1e-4


# -- the library ----------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    "kernel",
    [kernels.RBF(0.4), kernels.Polynomial(degree=3, gamma=0.5, coef0=1), kernels.Laplacian(0.4)],
)
def test_an_exact_pre_image_is_found(kernel):
    """u = c φ(x) lies along one image: one pre-image says all."""
    basis = Basis.of_points(kernel, normal(8, 2))
    for c in (2.0, -3.0):
        u = c * basis.L[[4]]  # coordinates of c φ(d_4)
        found = reduced_set(basis, u, 1, rng())
        assert found.m == 1
        kept = np.square(u @ transition(basis, found).T).sum()
        assert_allclose(kept, np.square(u).sum(), rtol=1e-8)


def test_a_pre_image_between_the_atoms_is_found():
    """u = projection of φ(y) on a dense dictionary: the fixed point is y, not an atom."""
    grid = np.stack(np.meshgrid(*[np.linspace(-1.5, 1.5, 6)] * 2), axis=-1).reshape(-1, 2)
    basis = Basis.of_points(kernels.RBF(0.4), grid)
    y = np.array([[0.17, -0.41]])
    u = basis.coordinates(basis.kernel_values(y))
    assert_allclose(reduced_set(basis, u, 1, rng()).atoms, y, atol=1e-3)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_coefficients_are_those_of_29(n):
    """(K^y)⁻¹ K^yx α, as it stands; with pre-images that coincide, the same function."""
    X, duals, _, _ = components()
    Y = np.vstack([normal(n, 2, seed=3)] * 2)
    factor = Factor(2 * n)
    for i in range(2 * n):
        factor.grow(KAPPA(Y[i : i + 1], Y[: i + 1])[0])
    found = factor.solved(KAPPA(Y, X) @ duals[0])
    literal = np.linalg.solve(KAPPA(Y[:n], Y[:n]), KAPPA(Y[:n], X) @ duals[0])
    assert_allclose(found[:n], literal, rtol=1e-8)
    assert_allclose(found[n:], 0)


def test_few_rows_of_many_columns_are_searched_in_their_span():
    """The same pre-images as with a kernel that does not say that coordinates do not matter."""
    X, targets = normal(9, 30), normal(2, 9, seed=4)
    plain = kernels.RBF(0.05)
    scaled = kernels.Standardized(plain, np.ones(30))
    assert Trait.ROTATED in plain.traits
    assert Trait.ROTATED not in scaled.traits
    found, literal = (
        reduced_set(Basis.of_distinct(kernel, X), targets, 2, rng()).atoms
        for kernel in (plain, scaled)
    )
    assert_allclose(found, literal, rtol=0, atol=1e-9)
    assert np.abs(found[:, None] - X).max(axis=2).min() > 1e-3  # it was searched


@pytest.mark.leaves
@pytest.mark.parametrize("n", [1, 6, 8])  # four rows at a time, and those that are left
def test_fixed_points_are_those_of_the_formula(n):
    X, dual, Y = normal(n, 3), normal(1, n, seed=1)[0], normal(2, 3, seed=2)
    literal = Y.copy()
    for k in range(2):
        for _ in range(5):
            w = dual * KAPPA(X, literal[[k]])[:, 0]
            literal[k] = w @ X / w.sum()
    values = np.empty((2, n))
    compiled.fixed_points(X, GAMMA, dual, Y, 5, 1e-12, 1e-14, values)
    assert_allclose(Y, literal, rtol=1e-9)
    assert_allclose(values, KAPPA(Y, X), rtol=1e-9)


@pytest.mark.leaves
def test_a_fixed_point_that_would_be_thrown_away_stays():
    """Weights that cancel, and weights of which nothing is left."""
    X, values = np.array([[-1.0], [1.0]]), np.empty((1, 2))
    for dual, y in ((np.array([1.0, -1.0]), 0.0), (np.array([1.0, 1.0]), 1e3)):
        Y = np.array([[y]])
        compiled.fixed_points(X, 1.0, dual, Y, 9, 1e-12, 1e-14, values)
        assert Y[0, 0] == y


@pytest.mark.parametrize("kernel", [kernels.RBF(0.4), 3.0 * kernels.RBF(0.4)])
def test_a_gaussian_says_its_own_rate(kernel):
    """The compiled search finds what the one by kernel values alone does."""
    basis = Basis.of_points(kernel, normal(12, 2))
    blind = Basis.of_points(kernels.Standardized(kernel, np.ones(2)), basis.atoms)
    targets = normal(2, basis.m, seed=4)
    found, literal = (reduced_set(b, targets, 2, rng()).atoms for b in (basis, blind))
    assert_allclose(found, literal, rtol=0, atol=1e-9)


def test_a_search_ends_where_it_is_level():
    """Rows of large numbers: next to an atom (errata, (27))."""
    moved = []
    for size in (1.0, 1e6):
        kernel = kernels.Polynomial(degree=2, gamma=size**-2)
        basis = Basis.of_points(kernel, size * normal(6, 3))
        found = reduced_set(basis, np.eye(6)[3:5], 1, rng()).atoms
        moved.append(np.abs(found[:, None] - basis.atoms).max(axis=2).min(axis=1) / size)
    assert moved[0].max() > 0.1
    assert moved[1].max() < 1e-3


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_as_good_as_the_paper(p, seed):
    X, duals, mean, _ = components(seed=seed)
    basis = Basis.of_points(kernels.RBF(GAMMA), X)
    targets = np.vstack([duals, mean / np.sqrt(mean @ KAPPA(X, X) @ mean)])
    coordinates = np.linalg.solve(basis.L, KAPPA(basis.atoms, X) @ targets.T).T
    found = reduced_set(basis, coordinates, p, rng())
    assert found.m <= 4 * p
    Y, _ = chin_suter.reduced_set(KAPPA, SEARCH, X, list(targets), p)
    mine = placement.kept_energy(KAPPA, found.atoms, X, targets)
    theirs = placement.kept_energy(KAPPA, Y, X, targets)
    assert mine >= 0.97 * theirs
    assert mine <= np.einsum("ij,jk,ik->", targets, KAPPA(X, X), targets) * (1 + 1e-9)


def test_forward_reuse():
    """The same function twice: the second time everything the first left is worked on."""
    X, duals, _, _ = components()
    basis = Basis.of_points(kernels.RBF(GAMMA), X)
    u = np.linalg.solve(basis.L, KAPPA(basis.atoms, X) @ duals[:1].T).T
    twice = reduced_set(basis, np.vstack([u, u]), 2, rng())
    once = reduced_set(basis, u, 2, rng())
    assert twice.m == 4
    assert left_of(duals[0], X, twice.atoms) < 0.7 * left_of(duals[0], X, once.atoms)


def test_more_pre_images_keep_more():
    X, duals, _, _ = components()
    basis = Basis.of_points(kernels.RBF(GAMMA), X)
    u = np.linalg.solve(basis.L, KAPPA(basis.atoms, X) @ duals.T).T
    left = [left_of(duals[2], X, reduced_set(basis, u, p, rng()).atoms) for p in (1, 2, 4)]
    assert left[0] > left[1] > left[2]
    assert left[2] < 0.1


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", [kernels.RBF(0.4), kernels.Polynomial(degree=3, gamma=0.5)])
def test_deterministic(kernel):
    X = normal(14, 2)
    on_full = budget.ReducedSet(per_component=2)
    a, b = (
        OnlineKernelPCA(2, kernel=kernel, nu=1e-6, max_atoms=8, on_full=on_full).fit(X)
        for _ in range(2)
    )
    assert not np.isin(a.atoms_, X).all()  # there were reduced sets
    assert_allclose(a.atoms_, b.atoms_, rtol=0, atol=0)


def literal_ikpca_rs(X, r, p, i):
    """Table I."""
    oracle = chin_suter.NaiveIKPCA(KAPPA, r)
    first = (r + 1) * p
    oracle.update(X[:first])
    for start in range(first, len(X), i):
        oracle.update(X[start : start + i]).compress(SEARCH, p)
    return oracle


@pytest.mark.slow
@pytest.mark.parametrize("every", [None, 10])
def test_ikpca_rs(every):
    """The library's way of it keeps at least as much of the true variance as Table I, literally."""
    X = normal(80, 2) * [1.5, 1.0]
    r, p, i = 3, 5, 10
    rule = rules.IncrementalSVD(block=i, rank=r, first=(r + 1) * p)
    model = OnlineKernelPCA(
        r,
        gamma=GAMMA,
        nu=1e-6,
        rule=rule,
        max_atoms=(r + 1) * p + i,
        on_full=budget.ReducedSet(per_component=p, every=every),
    ).fit(X)
    assert model.n_atoms_ <= (r + 1) * p + (0 if every else i)
    assert_orthonormal(model)
    K = KAPPA(X, X)
    exact = kernel_pca.batch_kpca(K, r).eigenvalues.sum()
    oracle = literal_ikpca_rs(X, r, p, i)
    Kc = K - K.mean(axis=0) - K.mean(axis=1, keepdims=True) + K.mean()
    # Of a basis that need not be orthonormal: the variance inside its span.
    C = KAPPA(X, oracle.a) @ oracle.alpha
    C -= C.mean(axis=0)
    inner = oracle.alpha.T @ KAPPA(oracle.a, oracle.a) @ oracle.alpha
    theirs = np.trace(np.linalg.solve(inner, C.T @ C))
    mine = model.transform(X).var(axis=0).sum() * len(X)
    assert np.trace(Kc) > exact >= max(mine, theirs)
    assert mine >= 0.98 * theirs
    assert mine >= 0.95 * exact


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", [kernels.Laplacian(0.4), kernels.RBF(0.2) + kernels.Linear()])
def test_other_kernels(kernel):
    X = normal(40, 2)
    on_full = budget.ReducedSet(per_component=3)
    model = OnlineKernelPCA(2, kernel=kernel, nu=1e-3, max_atoms=16, on_full=on_full).fit(X)
    assert model.n_atoms_ <= 16
    exact = kernel_pca.batch_kpca(kernel(X), 2).eigenvalues.sum()
    assert model.transform(X).var(axis=0).sum() * 40 > 0.8 * exact
    assert_orthonormal(model)


def test_a_kernel_without_gradient_uses_atoms():
    basis = Basis.of_points(kernels.Function(KAPPA), normal(12, 2))
    found = reduced_set(basis, normal(2, 12, seed=3), 2, rng())
    assert {tuple(a) for a in found.atoms} <= {tuple(a) for a in basis.atoms}
    assert found.m >= 3


@pytest.mark.parametrize("center", [True, False])
def test_uncentred_models_have_no_mean_to_keep(center):
    X = normal(50, 2)
    on_full = budget.ReducedSet(per_component=2)
    model = OnlineKernelPCA(2, gamma=GAMMA, max_atoms=12, on_full=on_full, center=center).fit(X)
    small = reduce(model._model, 2)
    assert small.basis.m == (6 if center else 4)
