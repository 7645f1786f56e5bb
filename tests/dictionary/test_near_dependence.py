"""Smooth kernels on few columns: atoms nearly depend on each other, and rounding must not decide.

Eigenvalues to 1e-8 of the energy Σ κ(x, x), certificates to 1e-9 of it, however the rows come.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from helpers import every_other, normal, random_borders, stream
from okpca import OnlineKernelPCA, kernels, merge, presets, rules, schedules
from okpca.dictionary import Basis, Coherence, Novelty, encode
from okpca.dictionary.change_of_basis import transition
from oracles import functions, kashima

SLICES = {"tens": 10, "whole": 200, "rows": 1}


def drifting(seed=1, n=200):
    return normal(n, 2, seed) + np.linspace(0, 5, n)[:, None]


def truth(K, r, center=True):
    if center:
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    return np.maximum(np.linalg.eigvalsh(K)[::-1][:r], 0.0)


def assert_batch(model, X, close=1e-8):
    K = model.kernel_(X)
    energy, wanted = np.trace(K), truth(K, model.n_components_, model.center)
    assert_allclose(model.eigenvalues_, wanted, rtol=0, atol=close * energy)
    certificate = model.certificate()
    assert (certificate.eigenvalue_lower <= wanted + 1e-9 * energy).all()
    assert (certificate.eigenvalue_upper >= wanted - 1e-9 * energy).all()
    assert certificate.discarded_energy < 1e-6 * energy


def cut(X, step, **settings):
    model = OnlineKernelPCA(5, max_atoms=None, **settings)
    return stream(model, X, range(step, len(X), step))


@pytest.mark.thorough
@pytest.mark.parametrize(("seed", "step"), every_other([1, 2, 3], SLICES.values()))
def test_a_cloud_that_drifts(seed, step):
    X = drifting(seed)
    assert_batch(cut(X, step, gamma=0.3, nu=0), X)


@pytest.mark.thorough
@pytest.mark.parametrize("step", SLICES.values(), ids=SLICES)
def test_one_column(step):
    X = normal(300, 1) * 0.6
    assert_batch(cut(X, step, gamma=2, nu=0), X)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "nu"), [(1, 1e-12), (2, 1e-8)])
def test_certificates_of_a_small_nu(seed, nu):
    for X, gamma in ((drifting(seed), 0.3), (normal(300, 1, seed) * 0.6, 2.0)):
        for step in SLICES.values():
            assert_batch(cut(X, step, gamma=gamma, nu=nu), X, close=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "kernel",
    [
        kernels.RBF(0.01),
        kernels.Polynomial(degree=5, gamma=0.5, coef0=1),
        kernels.RBF(0.1) + kernels.Polynomial(degree=3, gamma=0.5, coef0=1),
    ],
    ids=repr,
)
@pytest.mark.parametrize("center", [True, False])
def test_other_smooth_kernels(kernel, center):
    X = drifting(4, 120)
    for step in (10, 120, 1):
        assert_batch(cut(X, step, kernel=kernel, nu=0, center=center), X)


def test_near_copies():
    X = normal(100, 2, seed=5)
    X = np.vstack([X, X + 1e-7 * normal(100, 2, seed=6)])
    for step in SLICES.values():
        assert_batch(cut(X, step, gamma=3.0, nu=0), X)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [1, 2])
def test_kashimas_outputs(seed):
    """His sums over all past rows need no inverse: the outputs of every step are theirs."""
    X = drifting(seed)
    oracle = kashima.FirstComponent(functions.rbf(0.3), 0.3, X[0])
    wanted = np.array([oracle.step(x) for x in X[1:]]).reshape(-1, 1)
    rule = rules.Hebbian(schedule=schedules.Constant(0.3), init="unit")
    model = OnlineKernelPCA(1, gamma=0.3, rule=rule, nu=0, max_atoms=None, center=False)
    model.partial_fit(X[:1])
    found = []
    for x in X[1:]:
        found.append(model.transform(x[None])[0])
        model.partial_fit(x[None])
    assert_allclose(found, wanted, rtol=0, atol=1e-7)
    assert model.certificate().discarded_energy < 1e-6 * len(X)


@pytest.mark.thorough
@pytest.mark.parametrize("preset", [presets.ikpca, presets.iksvd])
def test_chin_and_suters_eigenvalues(preset):
    X = drifting()
    model = stream(preset(4, block=20, rank=60, gamma=0.3), X, range(10, 200, 10))
    wanted = truth(model.kernel_(X), 4, model.center)
    assert_allclose(model.eigenvalues_, wanted, rtol=0, atol=1e-8 * len(X))


@pytest.mark.thorough
def test_merged_parts():
    X = drifting()
    parts = [cut(part, 10, gamma=0.3, nu=0) for part in np.array_split(X, 4)]
    assert_batch(merge(parts), X)


@pytest.mark.thorough
def test_merging_within_a_budget():
    X = drifting()
    settings = {"gamma": 0.3, "nu": 0, "max_atoms": 60, "on_full": "project"}
    parts = [OnlineKernelPCA(3, **settings).fit(part) for part in np.array_split(X, 2)]
    merged = merge(parts)
    assert merged.n_atoms_ <= 60
    wanted, certificate = truth(merged.kernel_(X), 3), merged.certificate()
    assert (certificate.eigenvalue_lower <= wanted).all()
    assert (certificate.eigenvalue_upper >= wanted).all()
    assert_allclose(merged.eigenvalues_, wanted, rtol=0.02)


@pytest.mark.thorough
@pytest.mark.parametrize("policy", [Novelty(0), Novelty(1e-8), Coherence(0.9999)], ids=repr)
@pytest.mark.parametrize("room", [None, 20])
def test_no_image_is_longer_than_its_row(policy, room):
    X, basis, done = drifting(), Basis.empty(kernels.RBF(0.3), 2), 0
    while done < len(X):
        left = None if room is None else max(room - basis.m, 0)
        rows = encode(basis, X[done : done + 10], policy, left)
        assert (np.square(rows.Z).sum(axis=1) <= rows.norm * (1 + 1e-12)).all()
        assert (rows.uncertain >= rows.residual).all()
        basis, done = rows.basis, done + len(rows.Z)


@pytest.mark.thorough
@pytest.mark.parametrize("gamma", [0.3, 0.01])
def test_a_map_between_dictionaries_never_lengthens(gamma):
    kernel = kernels.RBF(gamma)
    bases = [Basis.empty(kernel, 2) for _ in range(2)]
    for i, seed in enumerate((1, 2)):  # in their own order, far from the most independent one
        X = drifting(seed, 120)
        for x in X:
            bases[i] = encode(bases[i], x[None], Coherence(1 - 1e-6), None).basis
        assert bases[i].delicate
    for old, new in (bases, bases[::-1]):
        P = transition(old, new)
        assert np.linalg.norm(P, 2) <= 1 + 1e-12
        # and it maps what the new atoms span: an old atom keeps its part in them
        part = new.coordinates(kernel(old.atoms, new.atoms))
        assert_allclose(old.L @ P.T, part, rtol=0, atol=1e-6)


SMALL = [
    ("project", 8, 88),
    ("project", 7, 22),
    ("project", 30, 59),
    ("slide", 8, 19),
    ("slide", 38, 9),
    ("drop", 12, 3),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("which", "nu"), every_other(SMALL, [0, 1e-12]), ids=str)
def test_a_full_dictionary_of_nearly_dependent_atoms_for_any_slicing(which, nu):
    """Which rows are atoms, and their last digits, decide what a row far away is: both must follow
    from the stream alone."""
    on_full, max_atoms, seed = which
    rng = np.random.default_rng(seed)
    d = 1 + seed % 2
    X = 2 * rng.normal(size=(160, d)) + np.linspace(0, 4, 160)[:, None]
    settings = {"gamma": 0.02, "nu": nu, "max_atoms": max_atoms, "on_full": on_full}
    whole = OnlineKernelPCA(3, **settings).fit(X)
    for borders in (range(1, 160), random_borders(160, seed=seed)):
        cut = stream(OnlineKernelPCA(3, **settings), X, borders)
        assert_array_equal(cut.atoms_, whole.atoms_)
        top = whole.eigenvalues_[0]
        assert_allclose(cut.eigenvalues_, whole.eigenvalues_, rtol=0, atol=1e-9 * top)


@pytest.mark.thorough
def test_a_copy_of_an_atom_is_none_whatever_the_kernel_rounds():
    """Far from the origin squared distances are good to 1e-14, and no more is what ν = 0 asks."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        X = rng.normal(size=(6, 2)) * 4.0
        X = X[rng.integers(6, size=40)]
        model = OnlineKernelPCA(2, gamma=0.55, nu=0.0).fit(X)
        assert model.n_atoms_ <= len(np.unique(X, axis=0))
