"""CCIPCA, adaptive gains, AdaOja and history PCA: their transcriptions row by row, and what
each is for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from helpers import every_other, normal, random_borders
from okpca import OnlineKernelPCA, rules
from okpca.rules.schedules import Constant, SearchThenConverge
from oracles import functions, later

pytestmark = pytest.mark.leaves

R = 3
DICTIONARIES = {  # nu, gamma, max_atoms
    "nu=1e-3": (1e-3, 0.05, None),
    "nu=0.1": (0.1, 0.5, None),
    "full": (0.1, 0.5, 8),
    "two atoms": (0.1, 0.5, 2),
}
INIT = np.random.default_rng(1).normal(scale=0.3, size=(R, 1))


def gains(kappa, nu, meta, **options):
    eta = functions.search_then_converge(0.3, 50)
    return later.NaiveGains(kappa, nu, eta, INIT.T, 40, meta, 0.9, **options)


STEEP = {"schedule": SearchThenConverge(0.3, 50), "window": 40, "memory": 0.9, "init": INIT}
ALGORITHMS = {
    "ccipca": (rules.CCIPCA(amnesic=2.0), lambda *a, **k: later.NaiveCCIPCA(*a, R, 2.0, **k)),
    "ccipca l=0": (rules.CCIPCA(amnesic=0.0), lambda *a, **k: later.NaiveCCIPCA(*a, R, 0.0, **k)),
    "ada-oja": (rules.AdaOja(block=7), lambda *a, **k: later.NaiveAdaOja(*a, R, 7, **k)),
    "ada-oja by rows": (rules.AdaOja(block=1), lambda *a, **k: later.NaiveAdaOja(*a, R, 1, **k)),
    "history": (rules.History(block=7), lambda *a, **k: later.NaiveHistory(*a, R, 7, **k)),
    "history thrice": (
        rules.History(block=5, iterations=3),
        lambda *a, **k: later.NaiveHistory(*a, R, 5, iterations=3, **k),
    ),
    "kha-et": (rules.Gains(**STEEP), lambda *a, **k: gains(*a, 0.0, **k)),
    "kha-smd": (rules.Gains(meta=0.5, **STEEP), lambda *a, **k: gains(*a, 0.5, **k)),
}


def pair(algorithm, sizes, center):
    rule, oracle = ALGORITHMS[algorithm]
    nu, gamma, max_atoms = sizes
    options = {"center": center, "max_atoms": max_atoms}
    model = OnlineKernelPCA(R, gamma=gamma, nu=nu, on_full="project", rule=rule, **options)
    return model, oracle(functions.rbf(gamma), nu, **options)


# Every algorithm with two of the dictionaries, one of them centred; every dictionary both ways.
CASES = [
    (*both, (i + i // 4) % 2 == 1) for i, both in enumerate(every_other(ALGORITHMS, DICTIONARIES))
]


@pytest.mark.thorough
@pytest.mark.parametrize(("algorithm", "name", "center"), CASES)
def test_every_row_agrees_with_the_transcription(algorithm, name, center):
    X, probe = normal(100, 2, seed=2), normal(4, 2, seed=3)
    model, oracle = pair(algorithm, DICTIONARIES[name], center)
    tol = 1e-7 if name == "nu=1e-3" else 1e-9  # the inverse of that Gram matrix costs digits
    for x in X:
        model.partial_fit(x[None])
        oracle.step(x)
        assert model.n_atoms_ == oracle.m
        assert_allclose(model.transform(probe), oracle.project(probe), rtol=0, atol=tol)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_blocks_agree_with_the_transcription(algorithm):
    X, probe = normal(300, 2, seed=4), normal(10, 2, seed=5)
    model, oracle = pair(algorithm, DICTIONARIES["nu=0.1"], True)
    for piece in np.split(X, random_borders(300, seed=6, count=9)):
        if len(piece):
            model.partial_fit(piece)
            slow = oracle.run(piece).project(probe)
            assert_allclose(model.transform(probe), slow, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n", [1 + 7 * 20, 100])
def test_variances_are_those_of_the_transcription(n):
    """After whole blocks (the first row takes no step), and with rows that wait."""
    X = normal(n, 2)
    ccipca, slow = pair("ccipca", DICTIONARIES["nu=0.1"], False)
    assert_allclose(ccipca.fit(X).explained_variance_, slow.run(X).norms(), rtol=1e-9)
    history, slow = pair("history", DICTIONARIES["nu=0.1"], False)
    slow.run(X)
    rows = [np.append(row, np.zeros(slow.m - len(row))) for row in slow.rows]
    waiting = [sum(slow.dot(row, a) ** 2 for row in rows) for a in slow.A.T]
    expected = (slow.lam * slow.n + waiting) / n
    assert_allclose(history.fit(X).explained_variance_, expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["ccipca", "ada-oja", "history"])
def test_forgetting_follows_a_change(name):
    sizes, R = np.sqrt([4.0, 1.0, 0.2]), np.linalg.qr(normal(3, 3, seed=11))[0]
    X = normal(3000, 3) * sizes
    for forgetting, follows in ((0.99, True), (1.0, False)):
        model = OnlineKernelPCA(
            1, kernel="linear", center=False, nu=1e-9, rule=name, forgetting=forgetting
        )
        model.fit(X[:2500]).partial_fit(X[2500:] @ R)
        found = (model.dual_coef_ @ model.atoms_)[0]
        assert (abs(found @ R[0]) > 0.97) == follows


def test_gains_make_late_components_fast():
    """What the reciprocal of the eigenvalue is for."""
    X = normal(1500, 6, seed=3) * np.sqrt([1.0, 0.3, 0.1, 0.03, 0.01, 0.001])
    X /= np.sqrt(np.square(X).sum(axis=1).mean())

    def cosine(rule):
        model = OnlineKernelPCA(
            4, kernel="linear", center=False, nu=1e-9, rule=rule, random_state=0
        )
        for _ in range(3):
            model.partial_fit(X)
        return np.abs(np.diag(model.dual_coef_ @ model.atoms_))[3]

    schedule = SearchThenConverge(0.1, 1000)
    plain = cosine(rules.Hebbian(deflation=1, schedule=schedule))
    fast = cosine(rules.Gains(schedule=schedule))
    assert fast > 0.9 > 0.5 > plain


def test_smd_lengthens_steps_that_are_too_short():
    X = normal(2000, 4, seed=3) * np.sqrt([1.0, 0.5, 0.2, 0.1])
    short = rules.Gains(schedule=Constant(1e-4), meta=0.5)
    model = OnlineKernelPCA(2, kernel="linear", center=False, nu=1e-9, rule=short, random_state=0)
    model.fit(X)
    assert model._model.learner.numbers[0].min() > 0


def test_components_in_excess_are_zero():
    X = normal(200, 2) @ normal(2, 5, seed=1)
    for name in ("ada-oja", "history"):
        model = OnlineKernelPCA(4, kernel="linear", nu=1e-6, center=False, rule=name).fit(X)
        assert not model.transform(X)[:, 2:].any()
        assert not model.explained_variance_[2:].any()
    # Components of CCIPCA are not orthogonal before they are found, and leave a rest.
    model = OnlineKernelPCA(4, kernel="linear", nu=1e-6, center=False, rule="ccipca").fit(X)
    assert model.explained_variance_[2:].max() < 1e-3 * model.explained_variance_[0]


def test_components_that_leave_with_their_atoms_begin_again():
    """Rows far apart, so that components are along atoms. Each row that comes takes one of them
    away, and another must not begin with the variance of all rows."""
    X = 5.0 * normal(120, 4)
    settings = {"kernel": "laplacian", "gamma": 2.0, "max_atoms": 8, "on_full": "drop"}
    model = OnlineKernelPCA(3, rule="ccipca", center=False, **settings).fit(X)
    assert model.eigenvalues_.sum() < len(X) / 2  # of as many as there are rows, nearly all alike
    learner = model._model.learner
    left = learner.recoded(np.eye(8) - np.outer(learner.V[1], learner.V[1]) * (1 - 1e-5))
    assert not left.V[1].any()
    assert left.level[1] == 0.0
    assert_allclose(np.linalg.norm(left.V[[0, 2]], axis=1), 1.0)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (rules.CCIPCA, {"amnesic": -1}, "CCIPCA: amnesic must be a non-negative"),
        (rules.CCIPCA, {"amnesic": None}, "CCIPCA: amnesic must be a non-negative"),
        (rules.Gains, {"window": 0}, "Gains: window must be an integer >= 1"),
        (rules.Gains, {"meta": -0.1}, "Gains: meta must be a non-negative"),
        (rules.Gains, {"memory": 1.5}, "memory of Gains must be in"),
        (rules.Gains, {"init": "zeros"}, "init of Gains must be"),
        (rules.AdaOja, {"block": 0}, "AdaOja: block must be an integer >= 1"),
        (rules.AdaOja, {"b0": 0}, "AdaOja: b0 must be a positive"),
        (rules.History, {"block": 5.0}, "History: block must be an integer >= 1"),
        (rules.History, {"iterations": 0}, "History: iterations must be an integer >= 1"),
    ],
)
def test_impossible_parameters_are_refused(kind, options, message):
    with pytest.raises(ValueError, match=message):
        kind(**options)


def test_strings_are_shorthand():
    X = normal(80)
    for name, rule in {
        "ccipca": rules.CCIPCA(),
        "kha-et": rules.Gains(),
        "kha-smd": rules.Gains(meta=0.05),
        "ada-oja": rules.AdaOja(),
        "history": rules.History(),
    }.items():
        short, long = (OnlineKernelPCA(3, rule=r, random_state=4).fit(X) for r in (name, rule))
        assert_array_equal(short.dual_coef_, long.dual_coef_)
