"""Recode: one map from the coordinates of one dictionary to those of another, for everything."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import normal
from okpca import OnlineKernelPCA, kernels, rules
from okpca.dictionary import Basis
from okpca.dictionary.change_of_basis import own_direction, own_directions, transition, without
from okpca.model import components, projected
from okpca.model.recode import recode
from okpca.model.surgery import drop, scatter_of_atoms
from oracles import brute_force, functions, kernel_pca

GAMMA = 0.4
KAPPA = functions.rbf(GAMMA)
RULES = ["exact", rules.IncrementalSVD(block=7, rank=4), "on-kha"]


def basis_of(points, kernel=None):
    return Basis.of_points(kernel or kernels.RBF(GAMMA), points)


def learned(rule="exact", center=True, forgetting=1.0, n=40, **more):
    model = OnlineKernelPCA(
        2,
        gamma=GAMMA,
        nu=0.02,
        rule=rule,
        center=center,
        forgetting=forgetting,
        random_state=0,
        **more,
    )
    return model.fit(normal(n, 2))._model


def function_values(model, coefficients, probe):
    """Values of functions given by coordinates, one row each."""
    return model.basis.expansion(np.atleast_2d(coefficients)) @ KAPPA(model.basis.atoms, probe)


def projected_on(Y, D, dual):
    """Coefficients over Y of the nearest functions to Σ dual_i φ(d_i): normal equations."""
    return np.linalg.solve(KAPPA(Y, Y), KAPPA(Y, D) @ dual.T).T


def test_P_projects_functions():
    old, new = basis_of(normal(9)), basis_of(normal(5, seed=1))
    P = transition(old, new)
    v = normal(4, 9, seed=2)
    nearest = projected_on(new.atoms, old.atoms, old.expansion(v))
    assert_allclose(new.expansion(v @ P.T), nearest, rtol=0, atol=1e-9 * np.abs(nearest).max())
    # The distance, in the norm of the RKHS, is what the coordinates say it is.
    both = np.vstack([old.atoms, new.atoms])
    difference = np.hstack([old.expansion(v), -nearest])
    squared = np.einsum("ij,jk,ik->i", difference, KAPPA(both, both), difference)
    said = np.square(v).sum(axis=1) - np.square(v @ P.T).sum(axis=1)
    assert_allclose(said, squared, rtol=1e-8)
    assert said.min() > 1e-3  # something is lost


@pytest.mark.parametrize("kernel", [kernels.RBF(0.3), kernels.Polynomial(degree=2, gamma=0.5)])
def test_same_span_loses_nothing(kernel):
    points = normal(6, 2)
    old, new = basis_of(points, kernel), basis_of(points[::-1].copy(), kernel)
    P = transition(old, new)
    assert not np.allclose(P, np.eye(old.m))  # other coordinates
    assert_allclose(P @ P.T, np.eye(new.m), atol=1e-8)
    assert_allclose(P.T @ P, np.eye(old.m), atol=1e-8)


def test_a_larger_dictionary_loses_nothing_and_empty_ones_are_allowed():
    old = basis_of(normal(4))
    new = basis_of(np.vstack([normal(3, seed=5), normal(4)]))
    P = transition(old, new)
    assert P.shape == (7, 4)
    assert_allclose(P.T @ P, np.eye(4), atol=1e-10)
    empty = Basis.empty(kernels.RBF(GAMMA), 3)
    assert transition(old, empty).shape == (0, 4)
    assert transition(empty, old).shape == (4, 0)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("center", [True, False])
def test_everything_moves_by_P(rule, center):
    model = learned(rule, center)
    new = basis_of(normal(5, 2, seed=7) * 1.3)
    P = transition(model.basis, new)
    after = recode(model, new, P)
    probe = normal(20, 2, seed=8)
    D, Y = model.basis.atoms, new.atoms
    for before_v, after_v in [
        (model.centre.mean, after.centre.mean),
        (model.learner.V if rule == "on-kha" else None, getattr(after.learner, "V", None)),
    ]:
        if before_v is None:
            continue
        dual = model.basis.expansion(np.atleast_2d(before_v))
        expected = projected_on(Y, D, dual) @ KAPPA(Y, probe)
        assert_allclose(function_values(after, after_v, probe), expected, atol=1e-9)
    if rule == "on-kha":
        assert_allclose(after.learner.power, model.learner.power, rtol=0)
        return
    S = model.learner.scatter()
    S_after = after.learner.scatter()
    assert_allclose(S_after, P @ S @ P.T, atol=1e-10 * np.trace(S))
    assert after.variance == model.variance  # it is of the rows, not of the atoms
    assert after.n_rows == model.n_rows


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("forgetting", [1.0, 0.9])
def test_components_are_those_of_the_projected_rows(center, forgetting):
    """Every stored row a_i becomes P a_i: kernel PCA of those by brute force."""
    X = normal(40, 2)
    model = learned("exact", center, forgetting)
    new = basis_of(normal(5, 2, seed=7))
    after = recode(model, new, transition(model.basis, new))
    held = brute_force.NaiveExact(KAPPA, 0.02, center=center, forgetting=forgetting).run(X)
    B = projected_on(new.atoms, held.D, held.B)
    w = held.effective_weights()
    gram = KAPPA(new.atoms, new.atoms)
    batch = kernel_pca.batch_kpca(B @ gram @ B.T, 2, center=center, weights=w)
    assert_allclose(components(after).scatter, batch.eigenvalues, rtol=1e-9)
    mean = w @ B / w.sum() @ gram if center else 0.0
    probe = normal(12, 2, seed=9)
    expected = (KAPPA(probe, new.atoms) - mean) @ (B.T @ batch.dual_coef)
    signs = np.sign((expected * projected(after, probe)).sum(axis=0))
    assert_allclose(projected(after, probe), signs * expected, atol=1e-9)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("forgetting", [1.0, 0.93])
def test_what_is_lost_covers_the_stored_rows(center, forgetting):
    """Σ w ‖a_i − P a_i‖² over the rows as they are held, and its worst direction."""
    X = np.array([1.0, 0.0]) + normal(40, 2)
    model = OnlineKernelPCA(2, gamma=GAMMA, nu=0, center=center, forgetting=forgetting)
    model = model.fit(X)._model
    new = basis_of(normal(3, 2, seed=7))
    after = recode(model, new, transition(model.basis, new))
    w = forgetting ** np.arange(39, -1, -1.0)
    K = KAPPA(X, X)
    H = KAPPA(X, new.atoms)
    gone = K - H @ np.linalg.solve(KAPPA(new.atoms, new.atoms), H.T)  # Gram matrix of a − P a
    root = np.sqrt(w)
    gone = root[:, None] * gone * root
    # All of it, the mean's part included: later rows move the mean, and what the old rows lost
    # along the old one then counts as scatter.
    assert after.loss.energy >= np.trace(gone) * (1 - 1e-6)
    assert after.loss.worst >= np.linalg.eigvalsh(gone)[-1] * (1 - 1e-6)
    assert after.loss.energy <= np.trace(gone) * 1.5
    assert after.loss.worst <= after.loss.energy


@pytest.mark.parametrize("kernel", [kernels.RBF(0.5), kernels.Polynomial(degree=2, gamma=0.5)])
def test_without_is_refactoring(kernel):
    points = normal(6, 2)
    basis = basis_of(points, kernel)
    for leaving in range(basis.m):
        less, P = without(basis, leaving)
        atoms = np.delete(basis.atoms, leaving, axis=0)
        assert_allclose(less.atoms, atoms, rtol=0)
        assert_allclose(less.L, np.linalg.cholesky(kernel(atoms)), atol=1e-9)
        assert_allclose(P, transition(basis, less), atol=1e-8)


def test_without_the_only_atom():
    less, P = without(basis_of(normal(1)), 0)
    assert less.m == 0
    assert P.shape == (0, 1)


def test_own_directions_are_what_only_one_atom_spans():
    basis = basis_of(normal(7))
    U = own_directions(basis)
    assert_allclose(np.linalg.norm(U, axis=1), 1, rtol=1e-12)
    assert_allclose([own_direction(basis, i) for i in range(7)], U, atol=1e-12)
    along = U @ basis.L.T  # ⟨u_i, φ(d_j)⟩
    assert_allclose(along - np.diag(np.diag(along)), 0, atol=1e-12)
    inverse = np.linalg.inv(KAPPA(basis.atoms, basis.atoms))
    assert_allclose(np.diag(along) ** 2, 1 / np.diag(inverse), rtol=1e-9)
    assert_allclose(basis.leave_one_out, 1 / np.diag(inverse), rtol=1e-9)


@pytest.mark.parametrize("rule", RULES[:2])
def test_dropping_an_atom_loses_what_its_parting_carries(rule):
    model = learned(rule, center=False)
    for leaving in (0, 3, model.basis.m - 1):
        after = drop(model, leaving)
        S = model.learner.scatter()
        S_after = after.learner.scatter()
        lost = np.trace(S) - np.trace(S_after)
        before = np.sqrt(model.loss.energy)
        assert_allclose((np.sqrt(after.loss.energy) - before) ** 2, lost, rtol=1e-6, atol=1e-12)
        assert_allclose(scatter_of_atoms(model)[leaving], lost, rtol=1e-6)


def test_losses_add_as_norms_do():
    model = learned(center=False)
    first = drop(model, 0)
    second = drop(first, 0)
    step = np.sqrt(scatter_of_atoms(first)[0])
    assert_allclose(np.sqrt(second.loss.worst), np.sqrt(first.loss.worst) + step, rtol=1e-9)
    assert second.loss.energy >= first.loss.energy


def test_signs_survive():
    """A component never flips when the dictionary changes."""
    X, probe = normal(80, 2), normal(30, 2, seed=1)
    model = OnlineKernelPCA(3, gamma=0.2, nu=1e-4).fit(X)
    before = model.transform(probe)
    after = model.compress(12).transform(probe)
    assert ((before * after).sum(axis=0) > 0).all()
