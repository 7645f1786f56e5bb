"""Atoms, coordinates and policies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from helpers import normal, row_by_row
from okpca import OnlineKernelPCA
from okpca.dictionary import Basis, Coherence, Fixed, Novelty, encode, make, new_atoms
from okpca.kernels import RBF, Linear, Polynomial
from oracles import brute_force, functions

pytestmark = pytest.mark.leaves

POLICIES = [Novelty(0.3), Novelty(1e-2), Novelty(0.0), Coherence(0.5), Coherence(0.9)]
KERNELS = [RBF(0.5), RBF(6.0) * 5.0, Polynomial(2, 0.5, 1.0), Linear() + RBF(0.3)]


def grown(kernel, X, policy=Novelty(1e-2), room=None):  # noqa: B008  (a frozen value)
    return encode(Basis.empty(kernel, X.shape[1]), X, policy, room)


def distance(kernel, atoms, X):
    """Squared distance to the span, by least squares."""
    K, k = kernel(atoms), kernel(X, atoms)
    return kernel.diag(X) - (k.T * np.linalg.solve(K, k.T)).sum(axis=0)


# -------------------------------------------------------------------------------------------- basis


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_coordinates_reproduce_kernel_values(kernel):
    X, new = normal(150, 3), normal(40, 3, seed=1)
    basis = grown(kernel, X).basis
    top = kernel.diag(X).max()
    assert basis.m > 5
    L = basis.L
    assert_array_equal(L, np.tril(L))
    assert (np.diag(L) > 0).all()
    assert_allclose(L @ L.T, kernel(basis.atoms), rtol=0, atol=1e-12 * top)
    K = basis.kernel_values(new)
    assert_allclose(K, kernel(new, basis.atoms), rtol=0, atol=1e-13 * top)
    Z = basis.coordinates(K)
    assert_allclose(Z @ L.T, K, rtol=0, atol=1e-12 * top)
    residual = kernel.diag(new) - (Z**2).sum(axis=1)
    assert_allclose(residual, distance(kernel, basis.atoms, new), rtol=0, atol=1e-9 * top)
    one = np.vstack([basis.coordinates(K[[i]]) for i in range(len(K))])
    assert_allclose(one, Z, rtol=0, atol=1e-10 * np.sqrt(top))


def test_expansion_gives_the_function_back():
    kernel, new = RBF(0.5), normal(20, seed=1)
    basis = grown(kernel, normal(200)).basis
    assert basis.m > 64  # more than one block of the solver
    V = normal(4, basis.m, seed=2)
    alpha = basis.expansion(V)
    values = kernel(new, basis.atoms) @ alpha.T
    assert_allclose(values, basis.coordinates(basis.kernel_values(new)) @ V.T, atol=1e-9)
    assert_allclose(np.diag(alpha @ kernel(basis.atoms) @ alpha.T), (V**2).sum(axis=1), rtol=1e-9)


def test_growing_from_an_old_basis_leaves_newer_ones_intact():
    kernel = RBF(0.5)
    old = grown(kernel, normal(30)).basis
    atoms, L = old.atoms.copy(), old.L.copy()
    children = [
        encode(old, normal(40, seed=seed) * 2, Novelty(1e-2), None).basis for seed in range(1, 4)
    ]
    assert len({child.m for child in children} | {old.m}) > 1
    for seed, child in enumerate(children, start=1):
        alone = encode(Basis(kernel, atoms, L), normal(40, seed=seed) * 2, Novelty(1e-2), None)
        assert child.m > old.m
        assert_array_equal(child.atoms, alone.basis.atoms)
        assert_array_equal(child.L, alone.basis.L)
        assert_allclose(child.L @ child.L.T, kernel(child.atoms), atol=1e-12)
    assert_array_equal(old.atoms, atoms)
    assert_array_equal(old.L, L)


# ----------------------------------------------------------------------------------------- encoding


@pytest.mark.parametrize("room", [None, 0, 1, 10])
@pytest.mark.parametrize("policy", POLICIES, ids=repr)
@pytest.mark.parametrize("kernel", KERNELS[:3], ids=repr)
def test_a_block_equals_its_rows_one_by_one(kernel, policy, room):
    X = np.vstack([normal(90, 3), normal(20, 3)])  # the last ones come again
    block = grown(kernel, X, policy, room)
    basis, Z, residual = Basis.empty(kernel, 3), [], []
    for x in X:
        left = None if room is None else room - basis.m
        row = encode(basis, x[None], policy, left)
        basis = row.basis
        Z.append(row.Z[0])
        residual.append(row.residual[0])
    assert_array_equal(block.basis.atoms, basis.atoms)
    top = kernel.diag(X).max()
    assert_allclose(block.basis.L, basis.L, rtol=0, atol=1e-8 * np.sqrt(top))
    assert_allclose(block.residual, residual, rtol=0, atol=1e-11 * top)
    for i, z in enumerate(Z):
        assert_allclose(block.Z[i, : len(z)], z, rtol=0, atol=1e-8 * np.sqrt(top))
        assert not block.Z[i, len(z) :].any()  # it never saw the later atoms
    if room is not None:
        assert basis.m <= room


@pytest.mark.thorough
@given(
    seed=st.integers(0, 2**20),
    n=st.integers(1, 150),
    nu=st.floats(1e-4, 0.9),
    gamma=st.floats(0.05, 4),
    room=st.none() | st.integers(0, 30),
)
def test_residuals_are_distances_at_the_time_of_the_row(seed, n, nu, gamma, room):
    X, kernel = np.random.default_rng(seed).normal(size=(n, 2)), RBF(gamma)
    rows = grown(kernel, X, Novelty(nu), room)
    oracle = brute_force.NaiveExact(functions.rbf(gamma), nu, max_atoms=room).run(X)
    assert rows.basis.m == oracle.m
    assert_allclose(rows.residual, oracle.eps2, rtol=0, atol=1e-9)
    assert_allclose((rows.Z**2).sum(axis=1) + rows.residual, 1, atol=1e-9)


# ----------------------------------------------------------------------------------------- policies


@pytest.mark.parametrize("nu", [1e-3, 0.1, 0.6])
def test_novelty_leaves_nobody_far_outside(nu):
    X, kernel = normal(300, 2), RBF(0.7)
    model = OnlineKernelPCA(gamma=0.7, nu=nu, max_atoms=None).fit(X)
    far = distance(kernel, model.atoms_, X)
    assert (far < nu).all()
    atoms = model.atoms_
    for i in range(1, len(atoms)):
        assert distance(kernel, atoms[:i], atoms[[i]])[0] >= nu * (1 - 1e-9)


@pytest.mark.parametrize("limit", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("kernel", [RBF(0.5), Polynomial(2, 1.0, 0.3), RBF(0.5) * 9.0], ids=repr)
def test_coherence_is_respected_and_used(limit, kernel):
    X = normal(200, 3)
    model = row_by_row(
        OnlineKernelPCA(kernel=kernel, dictionary=Coherence(limit), max_atoms=None), X[:40]
    ).partial_fit(X[40:])
    atoms = model.atoms_

    def alike(A, B):
        return np.abs(kernel(A, B)) / np.sqrt(np.outer(kernel.diag(A), kernel.diag(B)))

    mutual = alike(atoms, atoms)
    np.fill_diagonal(mutual, 0)
    assert mutual.max() <= limit + 1e-12
    is_atom = (X[:, None] == atoms[None]).all(axis=2).any(axis=1)
    assert is_atom.sum() == len(atoms)
    others = X[~is_atom]
    independent = distance(kernel, atoms, others) > 1e-9 * kernel.diag(others)
    assert (alike(others[independent], atoms).max(axis=1) > limit).all()


def test_the_coherence_shorthand_is_lemma_3s_limit():
    assert make("coherence", 0.3) == Coherence(0.85)
    assert make("novelty", 0.3) == Novelty(0.3)
    policy = Coherence(0.85)
    assert make(policy, 0.3) is policy


@pytest.mark.parametrize("dictionary", ["novelty", "coherence"])
@pytest.mark.parametrize("size", [1, 33, 300])
def test_a_full_dictionary_projects_later_rows(dictionary, size):
    X = normal(300, 3)
    model = OnlineKernelPCA(
        gamma=0.5, dictionary=dictionary, nu=0.1, max_atoms=12, on_full="project", center=False
    )
    free = OnlineKernelPCA(gamma=0.5, dictionary=dictionary, nu=0.1, max_atoms=None, center=False)
    for start in range(0, 300, size):
        model.partial_fit(X[start : start + size])
        assert model.n_atoms_ <= 12
    assert_array_equal(model.atoms_, free.fit(X).atoms_[:12])
    assert free.n_atoms_ > 20
    # Every row is in the variance, whole: in the span or outside it.
    assert_allclose(model.eigenvalues_ / model.explained_variance_ratio_, 300, rtol=1e-10)


def test_fixed_drops_dependent_points_and_never_grows():
    points = normal(8, 3)
    crowd = np.vstack([points, points[:3], points[2:5] + 1e-13, points[:1]])
    model = OnlineKernelPCA(gamma=0.5, dictionary=Fixed(crowd)).fit(normal(60, 3, seed=1))
    assert model.n_atoms_ == 8
    nearest = np.abs(model.atoms_[:, None] - points).max(axis=2)
    assert_allclose(nearest.min(axis=0), 0, atol=1e-12)  # each of the eight, once
    linear = OnlineKernelPCA(kernel="linear", dictionary=Fixed(np.vstack([np.zeros(3), points])))
    assert linear.fit(points).n_atoms_ == 3


def test_fixed_is_kernel_pca_of_the_projections():
    """Against the explicit Nystroem map K_mm^-1/2 k."""
    points, X, new = normal(10, 3, seed=5), normal(120, 3), normal(9, 3, seed=1)
    model = OnlineKernelPCA(3, gamma=0.4, dictionary=Fixed(points)).fit(X)
    kappa = functions.rbf(0.4)
    values, U = np.linalg.eigh(kappa(points, points))
    feature = lambda A: kappa(A, points) @ U / np.sqrt(values)  # noqa: E731
    C = feature(X) - feature(X).mean(axis=0)
    spectrum, V = np.linalg.eigh(C.T @ C)
    assert_allclose(model.eigenvalues_, spectrum[::-1][:3], rtol=1e-9)
    wanted = (feature(new) - feature(X).mean(axis=0)) @ V[:, ::-1][:, :3]
    assert_allclose(np.abs(model.transform(new)), np.abs(wanted), atol=1e-9)


@pytest.mark.parametrize("order", [1, -1])
def test_a_fixed_dictionary_does_not_depend_on_the_order_of_its_points(order):
    points, X = normal(10, 3, seed=5), normal(50, 3)
    a = OnlineKernelPCA(2, dictionary=Fixed(points)).fit(X)
    b = OnlineKernelPCA(2, dictionary=Fixed(points[::order].tolist())).fit(X)
    assert_allclose(np.abs(b.transform(X)), np.abs(a.transform(X)), atol=1e-10)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (normal(4, 2), "2 columns, the rows have 3"),
        (np.zeros((4, 3)), "nothing to span"),
        (np.full((4, 3), np.nan), "NaN"),
    ],
)
def test_an_impossible_fixed_dictionary_is_refused(points, message):
    model = OnlineKernelPCA(kernel="linear", dictionary=Fixed(points))
    with pytest.raises(ValueError, match=message):
        model.fit(normal(5, 3))
    assert not hasattr(model, "n_atoms_")


@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan])
def test_impossible_thresholds_are_refused(bad):
    with pytest.raises(ValueError, match=r"nu of Novelty must lie in|Novelty: nu must be a non-n"):
        Novelty(bad)
    with pytest.raises(ValueError, match="limit of Coherence must lie in"):
        Coherence(bad)
    with pytest.raises(ValueError, match=r"dictionary must be one of .*'coherence', 'novelty'"):
        make("ald", 0.1)


@pytest.mark.parametrize("room", [None, 5, 64, 90])
def test_rows_that_join_together_join_as_one_by_one(monkeypatch, room):
    X, kernel = normal(150, 6) * 2, RBF(0.5)
    together = encode(Basis.empty(kernel, 6), X, Novelty(1e-2), room)
    monkeypatch.setattr(new_atoms, "_all_at_once", lambda *_: None)
    alone = encode(Basis.empty(kernel, 6), X, Novelty(1e-2), room)
    assert together.basis.m > 4
    assert_allclose(together.basis.atoms, alone.basis.atoms, rtol=0)
    assert_allclose(together.basis.L, alone.basis.L, atol=1e-12)
    assert_allclose(together.Z, alone.Z, atol=1e-12)
    assert_allclose(together.residual, alone.residual, atol=1e-12)


def test_no_room_for_more_atoms_than_there_may_be():
    X, kernel = normal(300, 6) * 2, RBF(0.5)
    few = encode(Basis.empty(kernel, 6), X[:70], Novelty(1e-2), 100).basis
    assert 50 < few.m < 100
    full = encode(few, X[70:], Novelty(1e-2), 100 - few.m).basis
    assert full.m == len(full.padded_L) == 100


@pytest.mark.parametrize("nu", [0.5, 3.0, 40.0])
def test_an_absolute_threshold(nu):
    """The papers' ε² ≥ ν, row by row, for a kernel whose norm is not one."""
    X, kernel = normal(60, 3), Polynomial(degree=2, gamma=1.0, coef0=1.0)
    atoms = X[:0]
    for x in X:
        residual = kernel.diag(x[None])[0]
        if len(atoms):
            k = kernel(atoms, x[None])[:, 0]
            residual -= k @ np.linalg.solve(kernel(atoms), k)
        if residual >= nu:
            atoms = np.vstack([atoms, x])
    policy = Novelty(nu, absolute=True)
    model = OnlineKernelPCA(2, kernel=kernel, dictionary=policy, max_atoms=None).fit(X)
    assert_array_equal(model.atoms_, atoms)


def test_a_row_at_the_threshold_joins():
    """ε² = ν to the digit: (11) has >, Table 2 has ≥."""
    rows = np.eye(4)
    model = OnlineKernelPCA(2, kernel="linear", dictionary=Novelty(1.0), center=False).fit(rows)
    assert_array_equal(model.atoms_, rows)


def test_refused_thresholds():
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\], got 2"):
        Novelty(2.0)
    with pytest.raises(ValueError, match="must be a non-negative finite number"):
        Novelty(-1.0, absolute=True)
