"""Forgetting: every row weighs φ times less with each that follows; the model goes with them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from helpers import assert_columns_close, normal, row_by_row, stream, up_to_sign
from okpca import OnlineKernelPCA, budget, kernels, rules
from oracles import functions, kernel_pca
from oracles.functions import decayed

EXACT_RULES = ["exact", rules.IncrementalSVD(block=7, rank=60)]
AVERAGING = ["exact", rules.IncrementalSVD(block=7, rank=6)]


@pytest.mark.parametrize("rule", EXACT_RULES)
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_brute_force(rule, center, weighted):
    """Batch kernel PCA with the weights w_i φ^(n−i)."""
    X, probe = normal(45, 3), normal(9, 3, seed=1)
    w = np.random.default_rng(0).uniform(0.1, 1.0, 45) if weighted else np.ones(45)
    kappa = functions.rbf(1.5)
    model = OnlineKernelPCA(
        3, gamma=1.5, nu=0, max_atoms=None, rule=rule, center=center, forgetting=0.9
    )
    for fed in (row_by_row, lambda m, X, w: m.fit(X, sample_weight=w)):
        fit = fed(clone(model), X, w)
        weights = decayed(w, 0.9)
        K = kappa(X, X)
        batch = kernel_pca.batch_kpca(K, 3, center=center, weights=weights)
        assert_allclose(fit.eigenvalues_, batch.eigenvalues, rtol=1e-9)
        assert_allclose(fit.explained_variance_, batch.eigenvalues / weights.sum(), rtol=1e-9)
        expected = kernel_pca.batch_kpca_project(
            kappa(probe, X), K, batch.dual_coef, center, weights
        )
        assert_columns_close(up_to_sign(fit.transform(probe), expected), expected, 1e-7)


def switching(n, seed=0):
    """Two worlds far apart: the rows of the second come after the n-th."""
    old = normal(n, 2, seed) * [1.0, 0.3]
    new = normal(n, 2, seed + 1) * [0.3, 1.0] + 8
    return old, new


def captured(model, X, r=2):
    """Share of the variance of X, about its own mean, in the model's components; exact is 1."""
    K = model.kernel_(X)
    exact = kernel_pca.batch_kpca(K, r).eigenvalues.sum()
    inside = model.kernel_(X, model.atoms_) @ model.dual_coef_.T
    return inside.var(axis=0).sum() * len(X) / exact


@pytest.mark.thorough
@pytest.mark.parametrize("on_full", ["compress", "drop", budget.Compress(0.2, 0.5)])
@pytest.mark.parametrize("rule", AVERAGING)
def test_follows_an_abrupt_change(rule, on_full):
    old, new = switching(250)
    settings = {"gamma": 0.5, "nu": 0.01, "max_atoms": 20, "rule": rule, "on_full": on_full}
    follows = OnlineKernelPCA(2, forgetting=0.97, **settings)
    stays = OnlineKernelPCA(2, **settings)
    for model in (follows, stays):
        model.partial_fit(old)
        assert captured(model, old) > 0.9
        assert captured(model, new) < 0.1
        model.partial_fit(new)
    assert captured(follows, new) > 0.9
    assert captured(follows, old) < 0.1
    # Between the two worlds lies its first component: it cannot spend both on the new one.
    assert captured(stays, new) < 0.8


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["oja", "on-kha"])
def test_hebbian_rules_follow_too(rule):
    """Only their mean forgets; the steps follow by themselves."""
    old, new = switching(300)
    model = OnlineKernelPCA(
        1, gamma=0.5, nu=0.01, max_atoms=30, on_full="drop", forgetting=0.97, random_state=0,
        rule=rules.Hebbian(normalize=rule == "on-kha", schedule=0.3),
    )  # fmt: skip
    model.partial_fit(old)
    before = captured(model, new, 1)
    model.partial_fit(new)
    assert captured(model, new, 1) > 0.5 > before


def in_old_world(model):
    return int((model.atoms_[:, 0] < 4).sum())


@pytest.mark.thorough
@pytest.mark.parametrize("rule", AVERAGING)
@pytest.mark.parametrize("center", [True, False])
def test_atoms_without_energy_leave_first(rule, center):
    old, new = switching(300)
    model = OnlineKernelPCA(
        2,
        gamma=0.5,
        nu=0.05,
        max_atoms=12,
        on_full="drop",
        forgetting=0.9,
        rule=rule,
        center=center,
    )
    model.partial_fit(old)
    assert in_old_world(model) == 12
    row_by_row(model, new)
    assert in_old_world(model) == 0
    # Without forgetting nobody has to go but for a farther newcomer.
    stays = clone(model).set_params(forgetting=1.0)
    stream(stays, np.vstack([old, new]))
    assert in_old_world(stays) > 0


def test_no_atom_leaves_before_those_without_energy():
    """While any atom of the old world is left and its energy is gone, no new one is dropped."""
    old, new = switching(200)
    model = OnlineKernelPCA(
        2, gamma=0.5, nu=0.05, max_atoms=12, on_full="drop", forgetting=0.8, center=False
    )
    model.partial_fit(old)
    row_by_row(model, np.repeat(new[:1], 60, axis=0))  # 0.8^60 = 1.5e-6: all of the old is gone
    assert 0 < in_old_world(model) < 11  # those that carry nothing leave by themselves
    kept = {tuple(a) for a in model.atoms_ if a[0] > 4}
    for x in new[1:]:
        model.partial_fit(x[None])
        now = {tuple(a) for a in model.atoms_ if a[0] > 4}
        assert kept <= now
        if in_old_world(model) == 0:
            break
        kept = now
    assert in_old_world(model) == 0


def test_rotating_subspace():
    """A plane of ℝ⁶ that turns: the linear kernel, the truth known at every row."""
    n, rng = 1200, np.random.default_rng(0)
    angle = np.linspace(0, np.pi / 2, n)
    coordinates = rng.normal(size=(n, 2)) * [2.0, 1.0]
    X = 0.01 * rng.normal(size=(n, 6))
    X[:, 0] += coordinates[:, 0] * np.cos(angle)
    X[:, 2] += coordinates[:, 0] * np.sin(angle)
    X[:, 1] += coordinates[:, 1]
    truth = np.zeros((2, 6))
    truth[0, [0, 2]] = np.cos(angle[-1]), np.sin(angle[-1])
    truth[1, 1] = 1

    def distance(forgetting):
        model = OnlineKernelPCA(
            2, kernel=kernels.Linear(), nu=0, center=False, forgetting=forgetting
        ).fit(X)
        V = model.dual_coef_ @ model.atoms_
        return np.linalg.norm(truth.T @ truth - V.T @ V, 2)

    assert distance(0.97) < 0.12
    assert distance(1.0) > 0.4


@pytest.mark.thorough
def test_the_budget_is_kept_for_ever_while_the_world_moves():
    X = normal(400, 2) * 0.3 + np.linspace(0, 40, 400)[:, None]
    model = OnlineKernelPCA(2, gamma=1.0, nu=0.01, max_atoms=10, forgetting=0.95)
    sizes = [model.partial_fit(piece).n_atoms_ for piece in np.split(X, 40)]
    assert max(sizes) <= 10
    assert model.atoms_.mean() > 35
    unbounded = clone(model).set_params(max_atoms=None).fit(X)
    assert unbounded.n_atoms_ > 100
    assert captured(model, X[-20:]) > 0.9 * captured(unbounded, X[-20:])


@pytest.mark.parametrize("forgetting", [5e-324, 1e-320, 1e-308, 1e-290, 1e-100])
@pytest.mark.parametrize("rule", ["exact", "on-kha", "incremental-svd"])
def test_hardly_any_memory(rule, forgetting):
    model = OnlineKernelPCA(2, gamma=0.2, rule=rule, forgetting=forgetting, random_state=0)
    model.fit(normal(50, 4))
    assert np.isfinite(model.transform(normal(5, 4))).all()
    assert np.isfinite(model.explained_variance_).all()
