"""Only the order of the rows matters, not the calls they come in: the same model to 1e-9."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone

from helpers import (
    assert_same_model,
    normal,
    pairs,
    random_borders,
    row_by_row,
    stream,
    up_to_sign,
)
from okpca import OnlineKernelPCA, dictionary, rules, schedules

RULES = ["exact", "okha", "oo-kha", "on-kha", "oja"]
POLICIES = {
    "nu=0": {"nu": 0, "gamma": 3.0, "max_atoms": None},
    "nu=1e-3": {"nu": 1e-3, "gamma": 0.1},
    "nu=0.1": {"nu": 0.1},
    "nu=0.5": {"nu": 0.5},
    "full": {"nu": 0.01, "max_atoms": 11, "on_full": "project"},
    "drop": {"nu": 0.01, "max_atoms": 11, "on_full": "drop"},
    "compress": {"nu": 0.01, "max_atoms": 11, "on_full": "compress"},
    "coherence": {"dictionary": dictionary.Coherence(0.6)},
    "coherence, full": {
        "dictionary": "coherence",
        "nu": 0.3,
        "max_atoms": 7,
        "on_full": "project",
    },
    "fixed": {"dictionary": dictionary.Fixed(normal(14, seed=99))},
}
SETTINGS = {
    "centred": (True, 1.0, None),
    "uncentred, forgetting": (False, 0.97, None),
    "centred, forgetting, weighted": (True, 0.95, "real"),
    "uncentred, weighted": (False, 1.0, "integer"),
}


def weights(kind, n, seed=0):
    """Some of them zero, but not the first: a model cannot start from nothing."""
    rng = np.random.default_rng(seed)
    if kind is None:
        return None
    w = rng.uniform(0.1, 2.7, size=n) if kind == "real" else rng.integers(1, 4, size=n) * 1.0
    w[1:][rng.random(n - 1) < 0.15] = 0.0
    return w


def new_model(rule, policy, setting, **params):
    center, forgetting, _ = SETTINGS[setting]
    common = {"gamma": 0.5, "random_state": 3} | POLICIES[policy]
    common |= {"n_components": 2} | params
    return OnlineKernelPCA(rule=rule, center=center, forgetting=forgetting, **common)


@pytest.mark.parametrize(("rule", "policy", "setting"), pairs(RULES, POLICIES, SETTINGS))
def test_whole_cut_and_row_by_row(rule, policy, setting):
    X, probe = normal(90) * [2, 1, 0.5], normal(10, seed=1)
    w = weights(SETTINGS[setting][2], 90)
    whole = stream(new_model(rule, policy, setting), X, (), w)
    for borders in (sorted({*random_borders(90, seed=1, count=7), 1, 64, 65}), range(1, 90)):
        cut = stream(new_model(rule, policy, setting), X, borders, w)
        assert_same_model(cut, whole, probe)
    if policy not in ("fixed", "nu=0"):
        assert 4 < whole.n_atoms_ < 80  # it grew in the middle of blocks


@pytest.mark.thorough
@given(
    rule=st.sampled_from(RULES),
    policy=st.sampled_from(sorted(POLICIES)),
    setting=st.sampled_from(sorted(SETTINGS)),
    n=st.integers(1, 70),
    borders=st.lists(st.integers(0, 70), max_size=12),
    repeats=st.booleans(),
    seed=st.integers(0, 2**16),
)
@example("exact", "nu=0.1", "centred", 1, [], False, 0)
@example("on-kha", "nu=0.1", "centred", 2, [1], False, 0)
@example("exact", "coherence", "centred", 40, [0, 1, 1, 39], True, 0)
def test_any_slicing(rule, policy, setting, n, borders, repeats, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [2, 1, 0.5]
    if repeats:  # rows that come again, also next to each other
        X = X[np.sort(rng.integers(0, n, size=n))]
    w = weights(SETTINGS[setting][2], n, seed)
    whole = stream(new_model(rule, policy, setting), X, (), w)
    cut = stream(new_model(rule, policy, setting), X, sorted(min(b, n) for b in borders), w)
    probe = rng.normal(size=(5, 3))
    assert cut.n_samples_seen_ == whole.n_samples_seen_
    assert_allclose(cut.atoms_, whole.atoms_, rtol=0, atol=0 if policy != "compress" else 1e-9)
    if rule == "exact":
        # Two equal eigenvalues leave their eigenvectors free: compare what is determined.
        three = stream(new_model(rule, policy, setting, n_components=3), X, (), w).eigenvalues_
        assert_allclose(cut.eigenvalues_, three[:2], rtol=0, atol=1e-9 * three[0])
        assume((three[:2] - three[1:] > 1e-5 * three[0]).all())
    assert_same_model(cut, whole, probe)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rule", "forgetting"), [(rule, 1.0) for rule in RULES] + [("exact", 0.999), ("on-kha", 0.999)]
)
def test_more_rows_than_an_internal_block_holds(rule, forgetting):
    X, probe = normal(1500, 2, seed=4), normal(20, 2, seed=5)
    X[:1100] *= 0.5  # news in the second internal block too
    model = OnlineKernelPCA(3, gamma=0.5, nu=0.02, rule=rule, forgetting=forgetting, random_state=0)
    whole = clone(model).partial_fit(X)
    assert clone(model).partial_fit(X[:1100]).n_atoms_ < whole.n_atoms_
    assert_same_model(clone(model).fit(X), whole, probe, tol=0)
    assert_same_model(stream(clone(model), X, [1, 1023, 1024, 1025]), whole, probe)
    assert_same_model(stream(clone(model), X, random_borders(1500, seed=6)), whole, probe)
    if rule == "exact":
        assert_same_model(row_by_row(clone(model), X), whole, probe)


@pytest.mark.parametrize(("rule", "center", "weighted"), pairs(RULES, [True, False], [True, False]))
def test_rows_without_a_direction_come_first(rule, center, weighted):
    """κ(x, x) = 0: they are rows of the stream, but cannot be atoms or start a rule."""
    X = np.vstack([np.zeros((5, 4)), normal(25, 4) * [0.8, 0.5, 0.3, 0.2], np.zeros((3, 4))])
    X[12] = 0
    w = np.random.default_rng(1).uniform(0.5, 2.5, size=33) if weighted else None
    model = OnlineKernelPCA(2, kernel="linear", nu=0.01, rule=rule, center=center, random_state=0)
    whole = stream(clone(model), X, (), w)
    probe = normal(6, 4, seed=3)
    assert whole.n_samples_seen_ == 33
    assert whole.n_atoms_ <= 4
    for borders in ([1], [2, 5], [5], [6], [3, 7, 12, 13], range(1, 33)):
        assert_same_model(stream(clone(model), X, borders, w), whole, probe)
    start = stream(clone(model), X[:5], [2], None if w is None else w[:5])
    assert start.n_atoms_ == 0
    assert not start.transform(probe).any()
    assert start.transform(probe).shape == (6, 2)


@pytest.mark.parametrize("rule", RULES)
def test_rows_without_a_direction_come_first_and_weights_are_robust(rule):
    """A row is judged by those before it, so a block is learned row by row: nothing must begin with
    a row that has no direction, though atoms of later ones are known."""
    X = np.vstack([np.zeros((3, 2)), normal(20, 2)])
    model = OnlineKernelPCA(2, kernel="cosine", robust="logistic", rule=rule, random_state=0)
    whole = stream(clone(model), X, ())
    for borders in ([1], [3], [4], range(1, 23)):
        assert_same_model(stream(clone(model), X, borders), whole, normal(6, 2, seed=3))


@pytest.mark.parametrize("rule", ["exact", "ccipca"])
def test_heavy_rows_without_a_direction_come_first(rule):
    """Nor where a row counts for so many that its steps are taken in parts."""
    X, weight = np.vstack([np.zeros((3, 2)), normal(5, 2)]), np.full(8, 3000.0)
    model = OnlineKernelPCA(2, kernel="cosine", rule=rule, random_state=0)
    whole = stream(clone(model), X, (), weight)
    assert_same_model(stream(clone(model), X, range(1, 8), weight), whole, normal(6, 2, seed=3))


@pytest.mark.parametrize("lost", ["forgetting", "drop"])
def test_blocks_of_a_rule_begin_with_its_first_atom(lost):
    """Where a recoding or forgetting makes the borders of its blocks tell."""
    X = np.vstack([np.zeros((2, 4)), normal(29, 4)])
    rule = rules.IncrementalSVD(block=9)
    how = {"forgetting": 0.9} if lost == "forgetting" else {}
    model = OnlineKernelPCA(
        1, kernel="linear", max_atoms=3, on_full="drop", nu=1e-4, rule=rule, random_state=0, **how
    )
    whole = stream(clone(model), X, ())
    for borders in ([1], [2], [5, 12], range(1, 31)):
        assert_same_model(stream(clone(model), X, borders), whole, normal(6, 4, seed=3))


def test_rows_without_a_direction_count_in_the_mean():
    """The same, against plain PCA."""
    X = np.vstack([np.zeros((5, 3)), normal(20) + 1])
    model = row_by_row(OnlineKernelPCA(3, kernel="linear", nu=0, max_atoms=None), X)
    C = X - X.mean(axis=0)
    assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(C.T @ C)[::-1], rtol=1e-10)


@pytest.mark.parametrize("policy", ["nu=1e-3", "coherence", "full"])
def test_looking_in_between_changes_nothing_but_signs(policy):
    X, probe = normal(120), normal(10, seed=1)
    looked = new_model("exact", policy, "centred")
    for piece in np.split(X, random_borders(119, seed=7, count=8) + 1):
        if len(piece):
            looked.partial_fit(piece).transform(probe)
    whole = new_model("exact", policy, "centred").fit(X)
    assert_allclose(looked.eigenvalues_, whole.eigenvalues_, rtol=1e-10)
    assert_allclose(np.abs(looked.transform(probe)), np.abs(whole.transform(probe)), atol=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("gamma", [0.5, 0.05, 0.005])
def test_numerical_rank_for_any_slicing(gamma):
    """At the numerical rank rounding chooses the atoms; what they say may change by 1e-7 of the
    energy only."""
    X, probe = normal(150, 2), normal(20, 2, seed=1)
    model = OnlineKernelPCA(4, gamma=gamma, nu=0, max_atoms=None)
    whole = clone(model).fit(X)
    assert whole.n_atoms_ < 150
    for borders in (random_borders(150, seed=8), range(1, 150)):
        cut = stream(clone(model), X, borders)
        assert_allclose(cut.eigenvalues_, whole.eigenvalues_, rtol=1e-6, atol=1e-7 * 150)
        expected = whole.transform(probe)
        # Coefficients over nearly dependent atoms are rounding: so is the sign they give at birth.
        assert_allclose(up_to_sign(cut.transform(probe), expected), expected, atol=1e-5)


def test_a_schedule_counts_rows_not_calls():
    X, probe = normal(80), normal(5, seed=1)
    rule = rules.Hebbian(deflation=1, schedule=schedules.Inverse(2.0))
    model = OnlineKernelPCA(2, gamma=0.5, rule=rule, random_state=1)
    whole = clone(model).fit(X)
    assert_same_model(stream(clone(model), X, [3, 40]), whole, probe)
    restarted = stream(clone(model), np.vstack([X[40:], X[:40]]))
    assert np.abs(restarted.transform(probe) - whole.transform(probe)).max() > 1e-3


@pytest.mark.thorough
@pytest.mark.parametrize("weight", [1.1, 2.3, 7.7, 12.1])
def test_when_to_compress_does_not_depend_on_the_last_digit(weight):
    """Twice the weight of the last time is a tie, which sums in another order would break."""
    X, probe = normal(200, 3) * 3, normal(5, 3, seed=1)
    model = OnlineKernelPCA(2, gamma=0.5, max_atoms=12, random_state=0)
    w = np.full(200, weight)
    whole = clone(model).fit(X, sample_weight=w)
    cut = clone(model)
    for i in range(200):
        cut.partial_fit(X[i : i + 1], sample_weight=w[i : i + 1])
    assert_same_model(cut, whole, probe)
