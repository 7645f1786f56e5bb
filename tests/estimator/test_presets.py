"""Every algorithm of the papers by its name: it is what it says, and it runs.

The step-by-step comparisons with the literal transcriptions are in the files named here.
"""

import inspect
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from helpers import assert_same_model, normal
from okpca import OnlineKernelPCA, budget, presets, rules
from okpca.dictionary import Coherence, Fixed, Novelty, Seeded
from okpca.model import components
from okpca.model.budget import Drop, ReducedSet, Slide
from okpca.model.surgery import drop
from okpca.rules.schedules import Constant, ExponentialDecay, Inverse, SearchThenConverge
from okpca.subspace import Subspace

X = normal(80, 2)
CALLS = {
    "ikpca": lambda: presets.ikpca(3),
    "ikpca_rs": lambda: presets.ikpca_rs(2, block=10, per_component=4),
    "iksvd": lambda: presets.iksvd(3),
    "kashima_apex": lambda: presets.kashima_apex(2),
    "kashima_oja": lambda: presets.kashima_oja(),
    "kashima_simultaneous": lambda: presets.kashima_simultaneous(2),
    "kha": lambda: presets.kha(X, 2, epochs=2),
    "okha": lambda: presets.okha(2),
    "okha_single": lambda: presets.okha_single(),
    "on_kha": lambda: presets.on_kha(3),
    "oo_kha": lambda: presets.oo_kha(3),
    "rkpca": lambda: presets.rkpca(2, burn_in=20),
    "subkha": lambda: presets.subkha(2, max_atoms=9),
    "tanaka": lambda: presets.tanaka(2),
}


def test_every_preset_is_tried():
    assert set(CALLS) == set(presets.__all__)
    public = {name for name, f in vars(presets).items() if inspect.isfunction(f)}
    assert {name for name in public if not name.startswith("_")} == set(presets.__all__)


def energy(model):
    """What the span of its components holds of the rows."""
    return np.square(Subspace.of(model).orthonormal().transform(X)).sum()


@pytest.mark.thorough
@pytest.mark.parametrize("name", presets.__all__)
def test_learns(name):
    """No span holds more than that of batch kernel PCA; the papers' come near within 80 rows."""
    model = CALLS[name]().set_params(random_state=0).fit(X)  # some begin at random
    batch = OnlineKernelPCA(model.n_components, center=model.center, nu=0, max_atoms=None)
    assert 0.7 < energy(model) / energy(batch.fit(X)) <= 1 + 1e-9


@pytest.mark.parametrize("name", presets.__all__)
def test_parameters_of_the_estimator_pass_through(name):
    points = (X,) if name == "kha" else ()
    model = getattr(presets, name)(*points, gamma=0.123, random_state=7)
    assert model.gamma == 0.123
    assert model.random_state == 7
    other = getattr(presets, name)(*points, center=True)
    assert other.center is True


def test_the_papers_settings():
    assert presets.okha().rule == rules.Hebbian(deflation=1, schedule=SearchThenConverge(0.5, 1e5))
    assert presets.okha().nu == 0.5
    decay = ExponentialDecay(0.05, 0.999995)
    assert presets.oo_kha().rule == rules.Hebbian(deflation=2, schedule=decay)
    assert presets.on_kha().rule == rules.Hebbian(deflation=2, normalize=True, schedule=decay)
    assert presets.subkha().on_full == Drop(alpha=1.0)
    assert presets.tanaka().dictionary == Coherence(0.742)
    assert presets.rkpca().rule.schedule == Inverse(1.0)
    assert presets.kashima_oja(eta=0.1).rule.schedule == Constant(0.1)
    assert presets.kashima_simultaneous(3, beta=1.5).rule.deflation == 1.5
    assert presets.ikpca_rs(6, per_component=10).max_atoms == 100
    assert presets.ikpca_rs(36).max_atoms == 400  # rows of Ω in V-C1, where they print 40
    assert presets.ikpca_rs(6).on_full == ReducedSet(per_component=10, every=30, first=70)
    rarely = presets.ikpca_rs(6, every_block=False, starts=2, iterations=9).on_full
    assert rarely == ReducedSet(per_component=10, starts=2, iterations=9)
    # Their r is what is kept, of which fewer components may be shown.
    assert presets.ikpca_rs(3, rank=6, block=30).max_atoms == 100
    assert presets.ikpca_rs(3, rank=6).on_full.rank == 6
    assert not presets.iksvd().center
    assert isinstance(presets.kha(X).dictionary, Fixed)


# -- what a paper names can be given, and nothing that is given is ignored ------------------------

STARTS = normal(3, 2, seed=9)
SETTINGS = {  # of the rule: they cannot stand beside rule=
    "ikpca": {"block": 7, "rank": 8, "first": 9},
    "ikpca_rs": {"block": 7, "rank": 8},
    "iksvd": {"block": 7, "rank": 8, "first": 9},
    "kashima_apex": {"eta": 0.3, "schedule": 0.3, "init": "random", "rows_per_component": 9},
    "kashima_oja": {"eta": 0.3, "schedule": 0.3, "init": "random"},
    "kashima_simultaneous": {"eta": 0.3, "schedule": 0.3, "init": "random", "beta": 1.5},
    "kha": {"eta0": 0.3, "tau": 99.0, "schedule": 0.3, "init": "unit"},
    "okha": {"eta0": 0.3, "tau": 99.0, "schedule": 0.3, "init": "unit"},
    "okha_single": {"eta0": 0.3, "tau": 99.0, "schedule": 0.3, "init": "unit"},
    "on_kha": {"eta0": 0.3, "gamma_eta": 0.9, "schedule": 0.3, "init": "unit"},
    "oo_kha": {"eta0": 0.3, "gamma_eta": 0.9, "schedule": 0.3, "init": "unit"},
    "rkpca": {"eta0": 0.3, "schedule": 0.3, "init": "unit"},
    "subkha": {"eta0": 0.3, "gamma_eta": 0.9, "schedule": 0.3, "init": "unit"},
    "tanaka": {"beta": 0.9, "first_weight": 0.8, "weight_step": 0.01, "init": "unit"},
}
CASES = [(name, setting) for name, settings in SETTINGS.items() for setting in settings]
STEPS = ("eta", "eta0", "tau", "gamma_eta")


def called(name, **more):
    return getattr(presets, name)(*((X,) if name == "kha" else ()), **more)


@pytest.mark.parametrize(("name", "setting"), CASES)
def test_a_setting_reaches_the_rule(name, setting):
    value = SETTINGS[name][setting]
    rule, usual = called(name, **{setting: value}).rule, called(name).rule
    assert rule != usual
    field = {"beta": "beta" if name == "tanaka" else "deflation"}.get(setting, setting)
    if setting in STEPS:
        of = {"eta": "eta0", "gamma_eta": "gamma"}.get(setting, setting)
        assert getattr(rule.schedule, of) == value
        assert type(rule.schedule) is type(usual.schedule)
    else:
        assert getattr(rule, field) == value


@pytest.mark.parametrize(("name", "setting"), CASES)
def test_a_setting_beside_a_rule_is_refused(name, setting):
    own = rules.Exact()
    with pytest.raises(TypeError, match=r"rule=.* would be ignored"):
        called(name, rule=own, **{setting: SETTINGS[name][setting]})
    if name != "ikpca_rs":
        assert called(name, rule=own).rule is own


@pytest.mark.parametrize(("name", "setting"), [case for case in CASES if case[1] in STEPS])
def test_two_words_on_the_steps_are_refused(name, setting):
    with pytest.raises(TypeError, match="both say how large the steps are"):
        called(name, schedule=0.1, **{setting: SETTINGS[name][setting]})


@pytest.mark.parametrize(
    ("name", "r"), [("kashima_oja", 1), ("kashima_apex", 3), ("kashima_simultaneous", 3)]
)
def test_components_start_at_points_of_their_own(name, r):
    size = {} if r == 1 else {"n_components": r}
    model = called(name, start_points=STARTS[:r], gamma=0.5, **size)
    assert isinstance(model.dictionary, Seeded)
    assert model.dictionary.nu == 0
    assert model.rule.init == "atoms"
    model.set_params(rule=replace(model.rule, schedule=1e-300)).fit(X[:20])  # steps of nothing
    np.testing.assert_allclose(model.transform(X), model.kernel_(X, STARTS[:r]), atol=1e-12)
    for other in ({"init": "random"}, {"dictionary": Fixed(X)}, {"rule": rules.Exact()}):
        with pytest.raises(TypeError, match=r"start_points and .* both say where"):
            called(name, start_points=STARTS[:r], **other)


ABSOLUTE = Novelty(0.01, absolute=True)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("kashima_oja", {"memory": 30, "max_atoms": 50}, "max_atoms= brings .* memory="),
        ("kashima_apex", {"memory": 30, "on_full": "drop"}, "memory= is that of the last rows"),
        ("kashima_oja", {"memory": 0}, "memory must be an integer >= 1, got 0"),
        ("kashima_apex", {"start_points": STARTS}, "one for each component, 2, got 3"),
        ("kashima_apex", {"start_points": STARTS[:2], "memory": 1}, "too small for 2 start_points"),
        ("kashima_apex", {"start_points": STARTS[:2], "burn_in": 9}, "both say where"),
        ("okha", {"init": "random", "burn_in": 20}, "burn_in= brings .* init="),
        ("okha", {"nu": 0.9, "dictionary": ABSOLUTE}, "dictionary= brings .* nu="),
        ("on_kha", {"nu": 0.9, "dictionary": ABSOLUTE}, "dictionary= brings .* nu="),
        ("tanaka", {"nu": 0.9}, "nu=0.9 would be ignored: .* coherence"),
        ("kha", {"nu": 0.9}, "nu=0.9 would be ignored: .* stay"),
        ("kha", {"max_atoms": 5}, "max_atoms=5 would be ignored"),
        ("kha", {"on_full": "drop"}, "on_full='drop' would be ignored"),
        ("ikpca_rs", {"dictionary": Fixed(X)}, "builds its own library"),
        ("ikpca_rs", {"rule": "exact"}, "rule='exact' would be ignored"),
        ("ikpca_rs", {"per_component": None}, "per_component must be an integer >= 1"),
        ("ikpca", {"n_components": 6, "rank": 3}, "keeps fewer than n_components=6"),
    ],
)
def test_nothing_that_is_given_is_ignored(name, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        called(name, **options)


def test_what_is_given_as_it_is_anyway_is_not_refused():
    presets.kha(X, nu=1e-3, max_atoms=None, on_full="compress")
    presets.kashima_apex(start_points=STARTS[:2], burn_in=0, memory=9, on_full="slide")
    assert presets.ikpca(None, rank=10).fit(X).n_components_ == 10


def test_a_word_for_the_dictionary_leaves_its_threshold_to_nu():
    assert presets.tanaka(dictionary="novelty", nu=0.1).nu == 0.1
    assert presets.okha(dictionary="coherence").nu == 0.5
    assert presets.okha(nu=0.1, dictionary="coherence").nu == 0.1
    assert presets.okha(dictionary=ABSOLUTE).dictionary is ABSOLUTE


@pytest.mark.parametrize("option", [{"start_mean": np.zeros(10)}, {"shared_steps": True}])
def test_how_a_mean_moves_that_is_not_taken_off(option):
    model = presets.rkpca(2, center=False, dictionary=Fixed(X[:10]), **option)
    with pytest.raises(ValueError, match="says how the mean moves, and center=False has none"):
        model.fit(X)


def visited(model, rows):
    """The rows that a fit visits, in its order."""
    seen = []
    model.fit(rows, callback=lambda _, x: seen.append(x[0]))
    return np.array(seen)


def test_every_sweep_has_an_order_of_its_own():
    model = presets.kha(X[:25], 2, epochs=3, shuffle=True, gamma=0.5, random_state=3)
    seen = visited(model, X[:25])
    sweeps = np.split(seen, 3)
    for sweep in sweeps:
        np.testing.assert_array_equal(np.sort(sweep, axis=0), np.sort(X[:25], axis=0))
    assert not any((a == b).all() for a, b in combinations([X[:25], *sweeps], 2))
    one_by_one = presets.kha(X[:25], 2, gamma=0.5, random_state=3)
    for x in seen:
        one_by_one.partial_fit(x[None])
    assert_same_model(model, one_by_one, X[:5])
    np.testing.assert_array_equal(visited(clone(model), X[:25]), seen)
    assert (visited(clone(model).set_params(random_state=4), X[:25]) != seen).any()


def test_shuffled_rows_keep_their_numbers_and_weights():
    model = OnlineKernelPCA(2, gamma=0.5, shuffle=True, random_state=3)
    bad = X.copy()
    bad[17, 1] = np.inf
    with pytest.raises(ValueError, match=r"row 17 in fit"):
        model.fit(bad)
    gappy, weight = X.copy(), np.arange(len(X)) % 3 / 2
    gappy[31, 0] = np.nan
    shuffled = OnlineKernelPCA(2, gamma=0.5, shuffle=True, missing="skip").fit(gappy, None, weight)
    plain = OnlineKernelPCA(2, gamma=0.5, missing="skip").fit(gappy, None, weight)
    assert shuffled.n_samples_skipped_ == plain.n_samples_skipped_ == 1
    np.testing.assert_allclose(shuffled.eigenvalues_, plain.eigenvalues_, rtol=1e-2)


@pytest.mark.thorough
def test_bounded_memory_keeps_the_last_rows():
    model = presets.kashima_simultaneous(2, memory=7, gamma=1.0)
    for x in X:
        model.partial_fit(x[None])
    np.testing.assert_array_equal(model.atoms_, X[-7:])
    assert_same_model(model, presets.kashima_simultaneous(2, memory=7, gamma=1.0).fit(X), X[:5])


def test_the_oldest_atom_is_projected_on_the_others():
    """w loses only what the remaining rows do not span (a least-squares problem, from scratch)."""
    model = presets.kashima_oja(memory=5, gamma=1.0, random_state=0)
    assert isinstance(budget.make(model.on_full, 5), Slide)
    model.fit(X[:5])
    before, atoms = model.dual_coef_, model.atoms_
    relieved = drop(model._model, 0)
    gram = model.kernel_(atoms)
    best = np.linalg.solve(gram[1:, 1:], gram[1:] @ before.T).T
    np.testing.assert_allclose(components(relieved).dual, best, rtol=1e-8)


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda: presets.kha(3), ValueError, r"must be a table.*got 3: .*kha\(points, n_comp"),
        (lambda: presets.kha([1.0, 2.0]), ValueError, r"got an array of shape \(2,\)"),
        (lambda: presets.kha(X, dictionary="novelty"), TypeError, "points are the dictionary"),
        (lambda: presets.okha(kernal="rbf"), TypeError, "'kernal'.*did you mean 'kernel'"),
        (lambda: presets.okha(eta=1.0), TypeError, "'eta' is a .*did you mean 'eta0'"),
        (lambda: presets.kashima_oja(eta0=1.0), TypeError, "'eta0' is a .*did you mean 'eta'"),
        (lambda: presets.tanaka(schedule=1.0), TypeError, r"nor of OnlineKernelPCA\.$"),
        (lambda: presets.okha(eta0=1.0, rule="okha"), TypeError, "so step sizes would be ignored"),
        (
            lambda: presets.subkha(alpha=2.0, on_full="drop"),
            TypeError,
            "so alpha= would be ignored: .*leave out on_full='drop'",
        ),
        (
            lambda: presets.tanaka(coherence=0.5, dictionary="novelty"),
            TypeError,
            "so coherence= would be ignored",
        ),
        (lambda: presets.ikpca_rs(3, on_full="drop"), TypeError, "for another one take ikpca"),
        (lambda: presets.okha(0), ValueError, "'n_components' parameter"),
        (lambda: presets.on_kha(nu=7), ValueError, "'nu' parameter"),
        (lambda: presets.rkpca(robust=3), ValueError, "'robust' parameter"),
        (lambda: presets.rkpca(start_mean="a"), ValueError, "start_mean must be numbers.*'a'"),
        (lambda: presets.okha(schedule="fast"), ValueError, "schedule must be a number or.*'fast'"),
        (lambda: presets.okha_single(n_components=2), TypeError, "alone: for more take okha"),
        (lambda: presets.okha_single(2), TypeError, "alone: for more take okha"),
        (lambda: presets.kashima_oja(3), TypeError, "for more take kashima_apex"),
        (lambda: presets.kashima_oja(n_components=2), TypeError, "for more take kashima_apex"),
        (lambda: presets.kashima_apex(start_points=3), ValueError, "start_points.*got 3"),
        (lambda: presets.ikpca_rs(None), ValueError, "ikpca_rs: n_components must be an"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(call, kind, says):
    with pytest.raises(kind, match=says):
        call()


def test_points_may_be_sparse():
    points = sparse.csr_array(X)
    assert presets.kha(points, 2, epochs=1).fit(points).n_atoms_ > 2
