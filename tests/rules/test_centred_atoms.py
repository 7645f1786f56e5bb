"""Honeine's κᶜ as printed: components over centred atoms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from helpers import normal, random_borders, stream
from okpca import presets, rules
from okpca.rules.schedules import SearchThenConverge
from oracles import functions, honeine

R, GAMMA = 3, 0.5
KAPPA = functions.rbf(GAMMA)
PROBE = normal(5, 2, seed=3)
START = np.random.default_rng(1).normal(scale=0.3, size=(R, 1))


def model(**more):
    settings = {"gamma": GAMMA, "init": START, "eta0": 0.4, "tau": 200, "centred_atoms": True}
    return presets.okha(R, **settings | more)


def literal(nu):
    eta = functions.search_then_converge(0.4, 200)
    return honeine.NaiveKappaC(KAPPA, nu, eta, START.T, center=True)


@pytest.mark.thorough
@pytest.mark.parametrize("nu", [1e-2, 0.1, 0.5])
def test_every_row_agrees_with_the_text(nu):
    mine, oracle = model(nu=nu), literal(nu)
    for x in normal(100, 2, seed=2):
        mine.partial_fit(x[None])
        oracle.step(x)
        assert_allclose(mine.transform(PROBE), oracle.project(PROBE), rtol=0, atol=1e-9)
    assert mine.n_atoms_ == oracle.m
    assert_allclose(mine.dual_coef_, oracle.functions().T, atol=1e-9 * np.linalg.cond(oracle.K))


def test_the_cuts_do_not_matter():
    X, oracle = normal(300, 2, seed=2), literal(0.1)
    oracle.run(X)
    for borders in ((), random_borders(300)):
        mine = stream(model(nu=0.1), X, borders)
        assert_allclose(mine.transform(PROBE), oracle.project(PROBE), rtol=0, atol=1e-9)


def test_without_centring_it_is_okha():
    X = normal(150, 2, seed=2)
    plain, printed = (
        model(nu=0.1, center=False, centred_atoms=asked).fit(X) for asked in (False, True)
    )
    assert_allclose(printed.transform(PROBE), plain.transform(PROBE), rtol=0, atol=1e-12)


def test_it_is_not_ours():
    X = normal(150, 2, seed=2)
    ours, printed = (model(nu=0.1, centred_atoms=asked).fit(X) for asked in (False, True))
    assert np.abs(ours.transform(PROBE) - printed.transform(PROBE)).max() > 0.01


def test_kappa_c_and_22_cannot_both_hold():
    """(22) adds μ to (A y)ᵀκ(·), as if A were coefficients over φ(d). Over φ(d) − μ, as κᶜ has it,
    the projection is (A y)ᵀκ(·) + (1 − 1ᵀA y) μ; the two differ by (1ᵀA y) μ, and only the second
    is a point of the model's subspace."""
    oracle = literal(0.1).run(normal(200, 2, seed=2))
    A, b, K = oracle.A, oracle.bar_beta, oracle.K
    for y in oracle.project(PROBE):
        printed = A @ y + b
        meant = oracle.functions() @ y + b
        off = printed - meant
        assert_allclose(off, A.sum(axis=0) @ y * b, rtol=0, atol=1e-9)
        assert np.sqrt(off @ K @ off) > 0.01 * np.sqrt(meant @ K @ meant)
        span = np.linalg.cholesky(K).T @ oracle.functions()
        Q = np.linalg.qr(span)[0]

        def outside(dual, Q=Q):
            z = np.linalg.cholesky(K).T @ (dual - b)
            return np.linalg.norm(z - Q @ (Q.T @ z))

        assert outside(meant) < 1e-9
        assert outside(printed) > 1e-3


def test_beta_is_not_the_centred_row():
    """Over centred atoms β stands for Pφ(x) − (1ᵀβ) μ: φ(x) − μ only where the entries of β add up
    to 1, as they do for an atom."""
    oracle = literal(0.5).run(normal(200, 2, seed=2))
    beta = np.linalg.solve(oracle.K, KAPPA(oracle.D, PROBE)).sum(axis=0)
    assert np.abs(beta - 1).max() > 0.05
    at_atoms = np.linalg.solve(oracle.K, KAPPA(oracle.D, oracle.D)).sum(axis=0)
    assert_allclose(at_atoms, 1, atol=1e-9)


def test_atoms_may_change():
    """Functions are carried over as they are, the part along the mean too."""
    mine = model(nu=0.1).fit(normal(200, 2, seed=2))
    before = mine.transform(PROBE)
    smaller = mine.compress(mine.n_atoms_ - 1)
    assert np.abs(smaller.transform(PROBE) - before).max() < 0.1 * np.abs(before).max()
    smaller.partial_fit(normal(20, 2, seed=4))
    assert np.isfinite(smaller.transform(PROBE)).all()


def test_a_rule_beside_it_is_refused():
    with pytest.raises(TypeError, match="centred_atoms"):
        presets.okha(2, rule="okha", centred_atoms=True)


def test_the_preset_has_the_papers_steps():
    assert model().rule.schedule == SearchThenConverge(0.4, 200)
    single = presets.okha_single(centred_atoms=True)
    assert isinstance(single.rule, rules.CentredAtoms)
    assert single.n_components == 1
    assert_array_equal(model().rule.init, START)
