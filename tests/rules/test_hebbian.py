"""The Hebbian rules against literal transcriptions of the papers' tables, row by row."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from helpers import cosines_over_epochs, normal, pairs, random_borders, stream
from okpca import OnlineKernelPCA, dictionary, rules, schedules
from okpca.rules.schedules import Constant, ExponentialDecay, SearchThenConverge
from oracles import functions, honeine, kernel_pca, souza_filho

pytestmark = pytest.mark.leaves

R = 3
ALGORITHMS = {
    "okha": (
        honeine.NaiveOKHA,
        {"deflation": 1, "schedule": SearchThenConverge(0.4, 200)},
        functions.search_then_converge(0.4, 200),
    ),
    "oo-kha": (
        souza_filho.NaiveOOKHA,
        {"deflation": 2, "schedule": ExponentialDecay(0.2, 0.999)},
        functions.exponential_decay(0.2, 0.999),
    ),
    "on-kha": (
        souza_filho.NaiveONKHA,
        {"deflation": 2, "normalize": True, "schedule": Constant(0.15)},
        functions.constant(0.15),
    ),
}
DICTIONARIES = {  # nu, gamma, max_atoms
    "nu=1e-3": (1e-3, 0.05, None),
    "nu=0.1": (0.1, 0.5, None),
    "nu=0.5": (0.5, 0.5, None),
    "full": (0.1, 0.5, 8),
}


def pair(algorithm, sizes, center):
    """The library's model and the oracle, with the same start."""
    oracle, settings, eta = ALGORITHMS[algorithm]
    nu, gamma, max_atoms = sizes
    init = np.random.default_rng(1).normal(scale=0.3, size=(R, 1))
    model = OnlineKernelPCA(
        R,
        gamma=gamma,
        nu=nu,
        max_atoms=max_atoms,
        on_full="project",
        center=center,
        rule=rules.Hebbian(**settings, init=init),
    )
    return model, oracle(functions.rbf(gamma), nu, eta, init.T, center=center, max_atoms=max_atoms)


def assert_same_functions(model, oracle, probe):
    """Compare values and norms: coefficients over nearly dependent atoms are not determined."""
    assert_allclose(model.transform(probe), oracle.project(probe), rtol=0, atol=1e-10)
    dual, K = model.dual_coef_, oracle.K
    assert_allclose(np.sqrt(np.diag(dual @ K @ dual.T)), oracle.norms(), rtol=0, atol=1e-10)


EVERY_PAIR = pytest.mark.parametrize(
    ("algorithm", "name", "center"), pairs(ALGORITHMS, DICTIONARIES, [False, True])
)


@pytest.mark.thorough
@EVERY_PAIR
def test_every_row_agrees_with_the_table(algorithm, name, center):
    X, probe = normal(120, 2, seed=2), normal(4, 2, seed=3)
    model, oracle = pair(algorithm, DICTIONARIES[name], center)
    for t, x in enumerate(X):
        model.partial_fit(x[None])
        oracle.step(x)
        assert model.n_atoms_ == oracle.m
        assert_allclose(model.transform(probe), oracle.project(probe), rtol=0, atol=1e-10)
        if t % 25 == 0 or t < 3:
            assert_same_functions(model, oracle, probe)
    assert_array_equal(model.atoms_, oracle.D)
    assert_allclose(model.dual_coef_, oracle.A.T, rtol=0, atol=1e-10 * np.linalg.cond(oracle.K))
    if center:
        mean = oracle.kappa(probe, oracle.D) @ oracle.bar_beta
        assert_allclose(model.kernel_(probe, model.atoms_) @ model.mean_, mean, atol=1e-10)


@EVERY_PAIR
def test_blocks_agree_with_the_table(algorithm, name, center):
    X, probe = normal(400, 2, seed=4), normal(10, 2, seed=5)
    model, oracle = pair(algorithm, DICTIONARIES[name], center)
    for piece in np.split(X, random_borders(400, seed=6, count=9)):
        if len(piece):
            model.partial_fit(piece)
            assert_same_functions(model, oracle.run(piece), probe)
    assert model.n_atoms_ == oracle.m < 60


@pytest.mark.parametrize("center", [False, True])
def test_one_component_is_honeines_table_2_whatever_the_deflation(center):
    X, probe = normal(120, 2), normal(9, 2, seed=1)
    eta = functions.constant(0.2)
    oracle = honeine.NaiveOKHA(functions.rbf(0.5), 0.1, eta, [[0.4]], center=center).run(X)
    for b in (0, 1, 2, 7.5):
        rule = rules.Hebbian(deflation=b, schedule=0.2, init=[[0.4]])
        model = OnlineKernelPCA(1, gamma=0.5, nu=0.1, center=center, rule=rule).fit(X)
        assert_allclose(model.transform(probe), oracle.project(probe), rtol=0, atol=1e-11)


def test_kashimas_deflation_is_in_between():
    """Any b, against the update written out on explicit vectors (linear kernel)."""
    X, b, eta = normal(60, 4) * 0.5, 1.4, 0.1
    init = np.array([[0.5], [-0.3], [0.2]])
    rule = rules.Hebbian(deflation=b, schedule=eta, init=init)
    model = OnlineKernelPCA(3, kernel="linear", nu=1e-9, center=False, rule=rule).fit(X)
    W = init * X[0]
    for x in X[1:]:
        y = W @ x
        W = np.array(
            [
                W[j] + eta * y[j] * (x - y[j] * W[j] - b * sum(y[i] * W[i] for i in range(j)))
                for j in range(3)
            ]
        )
    assert_allclose(model.dual_coef_ @ model.atoms_, W, rtol=0, atol=1e-12)


# --------------------------------------------------------------------------------------- shorthands


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("okha", rules.Hebbian(deflation=1, schedule=SearchThenConverge())),
        ("oo-kha", rules.Hebbian(deflation=2, schedule=ExponentialDecay())),
        ("on-kha", rules.Hebbian(deflation=2, normalize=True, schedule=ExponentialDecay())),
        ("oja", rules.Hebbian(deflation=2, schedule=Constant())),
    ],
)
def test_strings_are_shorthand(name, rule):
    X = normal(80)
    shorthand = OnlineKernelPCA(3, gamma=0.5, rule=name, random_state=4).fit(X)
    written = OnlineKernelPCA(3, gamma=0.5, rule=rule, random_state=4).fit(X)
    assert_array_equal(shorthand.dual_coef_, written.dual_coef_)
    others = set(rules.NAMES) - {name}
    for other in others:  # and each its own
        model = OnlineKernelPCA(3, gamma=0.5, rule=other, random_state=4).fit(X)
        assert np.abs(model.dual_coef_ - written.dual_coef_).max() > 1e-6


@pytest.mark.parametrize("n_components", [None, 0.9])
def test_the_number_of_components_must_be_known(n_components):
    with pytest.raises(ValueError, match="rule='exact'"):
        OnlineKernelPCA(n_components, rule="okha").fit(normal(10))


# -------------------------------------------------------------------------------------------- start


def test_the_first_atom_starts_and_takes_no_step():
    x = normal(1)
    model = OnlineKernelPCA(2, rule="okha", random_state=0).fit(x)
    start = np.random.RandomState(np.random.RandomState(0).randint(2**31)).normal(
        scale=0.1, size=(2, 1)
    )
    assert_allclose(model.dual_coef_, start)
    again = OnlineKernelPCA(2, rule="okha", random_state=1).fit(x)
    assert np.abs(again.dual_coef_ - start).min() > 1e-4


def test_starts_over_a_fixed_dictionary():
    atoms, X = normal(6, seed=9), normal(1)
    fixed = dictionary.Fixed(atoms)
    still = 1e-300  # a step that changes nothing: what is left is the start

    def start(init, r=4):
        rule = rules.Hebbian(schedule=still, init=init)
        model = OnlineKernelPCA(r, gamma=0.5, rule=rule, dictionary=fixed, random_state=0)
        return model.fit(X).dual_coef_

    first, everywhere = start("first-atom"), start("random")
    assert (np.abs(first[:, 0]) > 1e-3).all()
    assert_allclose(first[:, 1:], 0, atol=1e-14)
    assert (np.abs(everywhere) > 1e-4).all()
    many = start("random", r=400)
    assert many.std() == pytest.approx(0.1, rel=0.05)
    assert abs(many.mean()) < 0.01
    given = np.arange(24.0).reshape(4, 6)
    assert_allclose(start(given), given, atol=1e-10)


def test_every_row_is_a_step_with_a_fixed_dictionary():
    """KHA of Kim, Franz & Schoelkopf: all atoms from the start, the first row learns too."""
    atoms, X, eta = normal(6, seed=9), normal(50), 0.3
    init = np.random.default_rng(2).normal(scale=0.3, size=(2, 6))
    rule = rules.Hebbian(deflation=1, schedule=eta, init=init)
    model = OnlineKernelPCA(
        2, gamma=0.5, rule=rule, dictionary=dictionary.Fixed(atoms), center=False
    ).fit(X)
    K, A = model.kernel_(model.atoms_), init.T
    for x in X:
        k = model.kernel_(model.atoms_, x[None])[:, 0]
        y = A.T @ k
        A = A + eta * (np.outer(np.linalg.solve(K, k), y) - A @ np.triu(np.outer(y, y)))
    assert_allclose(model.dual_coef_, A.T, rtol=0, atol=1e-10)


@pytest.mark.parametrize("init", [np.ones((2, 2)), np.ones((3, 1)), np.ones(2)])
def test_a_start_of_the_wrong_shape_is_refused(init):
    model = OnlineKernelPCA(2, rule=rules.Hebbian(init=init))
    with pytest.raises(ValueError, match=r"call for \(2, 1\)"):
        model.fit(normal(5))
    assert not hasattr(model, "n_atoms_")


# -------------------------------------------------------------------------------------- convergence


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("name", [*ALGORITHMS, "oja"])
def test_converges_to_kernel_pca_over_epochs(name, center):
    X = normal(30, 2) * [2, 0.7]  # a clear gap after the second eigenvalue
    settings = ALGORITHMS[name][1] if name != "oja" else {"deflation": 2}
    settings = settings | {"schedule": SearchThenConverge(0.3, 300)}
    rule = rules.Hebbian(**settings, init=[[0.3], [-0.2]])
    model = OnlineKernelPCA(2, gamma=0.3, nu=1e-3, center=center, rule=rule)
    batch = kernel_pca.batch_kpca(functions.rbf(0.3)(X, X), 2, center)
    cosine = cosines_over_epochs(model, X, batch.projections, (1, 9, 70))
    assert cosine[0] < cosine[-1]
    assert cosine[-1] > 0.999
    dual = model.dual_coef_
    assert_allclose(dual @ model.kernel_(model.atoms_) @ dual.T, np.eye(2), atol=0.05)
    # The variance is that of the outputs as they came; late in a stream it is the eigenvalue.
    assert_allclose(model.explained_variance_, batch.eigenvalues / 30, rtol=0.1)


def test_normalised_components_have_norm_one_after_every_row():
    X = normal(60)
    model = OnlineKernelPCA(3, gamma=0.5, rule="on-kha", random_state=0).partial_fit(X[:1])
    for x in X[1:]:
        model.partial_fit(x[None])
        dual = model.dual_coef_
        norms = np.diag(dual @ model.kernel_(model.atoms_) @ dual.T)
        assert_allclose(norms, 1, rtol=1e-10)


# --------------------------------------------------------------------------------------- divergence


@pytest.mark.parametrize("weight", [None, 3.0])
@pytest.mark.parametrize("size", [1, 40, 1500])
def test_divergence_is_refused_and_changes_nothing(size, weight):
    X = normal(60, 4) * 0.3
    rule = rules.Hebbian(deflation=1, schedule=0.5)
    model = OnlineKernelPCA(2, kernel="linear", rule=rule, random_state=0).fit(X)
    scores, before = model.transform(X), pickle.dumps(model)
    wild = normal(size, 4, seed=1) * 1e80
    sample_weight = None if weight is None else [weight] * size
    with pytest.raises(ValueError, match="diverges: lower the step size"):  # noqa: PT012
        for _ in range(20):  # one row alone may not be enough
            model.partial_fit(wild, sample_weight=sample_weight)
            scores, before = model.transform(X), pickle.dumps(model)
    assert pickle.dumps(model) == before
    assert_array_equal(model.transform(X), scores)
    fresh = clone(model)
    with pytest.raises(ValueError, match="diverges"):
        stream(fresh, normal(600, 4, seed=1) * 1e80)
    assert not hasattr(fresh, "n_atoms_")


def test_the_model_goes_on_after_a_divergence():
    X = normal(120, 4) * 0.3
    rule = rules.Hebbian(deflation=1, schedule=schedules.Constant(0.5))
    model = OnlineKernelPCA(2, kernel="linear", rule=rule, random_state=0).fit(X[:60])
    twin = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="diverges"):
        model.partial_fit(normal(50, 4, seed=1) * 1e80)
    assert_array_equal(
        model.partial_fit(X[60:]).transform(X), twin.partial_fit(X[60:]).transform(X)
    )


@pytest.mark.parametrize("r", [1, 2, 4])
def test_a_step_of_on_kha_is_gram_schmidt_to_first_order(r):
    """Souza Filho & Diniz (11)-(17) against (22): by O(η²), so halving η quarters it."""
    rng = np.random.default_rng(3)
    W = np.linalg.qr(rng.normal(size=(6, r)))[0]
    x = rng.normal(size=6)
    off = []
    for eta in (1e-3, 5e-4, 2.5e-4):
        model = OnlineKernelPCA(
            r,
            kernel="linear",
            center=False,
            dictionary=dictionary.Fixed(np.eye(6)),
            rule=rules.Hebbian(deflation=2, normalize=True, schedule=eta, init=W.T),
        ).partial_fit(x[None])
        off.append(np.abs(model.dual_coef_.T - souza_filho.cgso_step(W, x, eta)).max())
    if r == 1:  # the same formula
        assert max(off) < 1e-15
    else:
        assert_allclose(off[:-1] / np.array(off[1:]), 4, rtol=0.05)
        assert off[0] < 20 * 1e-3**2
