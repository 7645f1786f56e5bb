"""What happens when the dictionary is full: the budget holds after every row, whoever keeps it."""

import signal

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from helpers import assert_same_model, every_other, normal, pairs, random_borders, stream
from okpca import OnlineKernelPCA, budget, kernels, rules
from oracles import functions, souza_filho

GAMMA = 0.5
BUDGETS = {
    "project": "project",
    "drop": "drop",
    "drop, eager": budget.Drop(alpha=0.2),
    "compress": "compress",
    "compress, whoever comes": budget.Compress(thrift=0.0),
    "compress, to half": budget.Compress(free=0.5),
}
RULES = ["exact", rules.IncrementalSVD(block=6, rank=4), "okha", "oo-kha", "on-kha", "oja"]


@pytest.fixture(autouse=True)
def no_endless_loop():
    """A full dictionary that cannot be relieved must not be asked for ever."""

    def expired(*_):
        raise AssertionError("still running after 20 s of the processor")

    before = signal.signal(signal.SIGVTALRM, expired)
    signal.setitimer(signal.ITIMER_VIRTUAL, 20)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def plain_rbf(X, Y):
    return rbf_kernel(X, Y, gamma=GAMMA)


def usable(model, X):
    assert np.isfinite(model.transform(X)).all()
    assert np.isfinite(model.eigenvalues_).all()
    assert (model.eigenvalues_ >= 0).all()
    assert np.isfinite(model.mean_).all()
    assert model.explained_variance_ratio_.sum() <= 1 + 1e-9


@pytest.mark.parametrize("max_atoms", [1, 2, 3, 9])
@pytest.mark.parametrize("on_full", BUDGETS)
def test_honoured_after_every_row(on_full, max_atoms):
    X = normal(40, 2) * 2
    model = OnlineKernelPCA(2, gamma=GAMMA, max_atoms=max_atoms, on_full=BUDGETS[on_full])
    sizes = [model.partial_fit(x[None]).n_atoms_ for x in X]
    assert max(sizes) == max_atoms
    assert min(sizes) >= 1
    usable(model, X)
    whole = clone(model).fit(X)
    assert_same_model(model, whole, normal(5, 2, seed=1))


@pytest.mark.parametrize("max_atoms", [1, 4])
@pytest.mark.parametrize("on_full", BUDGETS)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_with_every_budget(rule, on_full, max_atoms):
    X = normal(30, 3)
    model = OnlineKernelPCA(
        2, gamma=GAMMA, rule=rule, max_atoms=max_atoms, on_full=BUDGETS[on_full], random_state=0
    )
    stream(model, X, [5, 6, 20])
    assert 1 <= model.n_atoms_ <= max_atoms
    assert model.n_samples_seen_ == 30
    usable(model, X)


@pytest.mark.thorough
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_with_reduced_sets(rule):
    X = normal(25, 2) * 1.5
    on_full = budget.ReducedSet(per_component=2)
    model = OnlineKernelPCA(2, gamma=GAMMA, rule=rule, max_atoms=9, on_full=on_full, random_state=0)
    sizes = [model.partial_fit(x[None]).n_atoms_ for x in X]
    assert max(sizes) == 9
    assert (np.diff(sizes) < 0).any()
    usable(model, X)


@pytest.mark.parametrize(("r", "per_component", "max_atoms"), [(2, 10, 30), (1, 1, 2), (3, 2, 3)])
def test_reduced_sets_need_room(r, per_component, max_atoms):
    on_full = budget.ReducedSet(per_component=per_component)
    model = OnlineKernelPCA(r, gamma=GAMMA, max_atoms=max_atoms, on_full=on_full)
    with pytest.raises(ValueError, match=f"max_atoms >= {(r + 1) * per_component + 1}"):
        model.partial_fit(normal(60, 2))
    assert not hasattr(model, "atoms_")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("on_full", "max_atoms"), every_other(["compress", "drop", "project"], [1, 2, 7])
)
def test_kernels_without_a_gradient(on_full, max_atoms):
    X = normal(50, 2) * 1.5
    model = OnlineKernelPCA(2, kernel=plain_rbf, max_atoms=max_atoms, on_full=on_full)
    rows = {tuple(x) for x in X}
    for x in X:
        model.partial_fit(x[None])
        assert model.n_atoms_ <= max_atoms
        assert {tuple(a) for a in model.atoms_} <= rows  # a subset: nothing moves
    usable(model, X)
    assert_same_model(model, clone(model).fit(X), normal(5, 2, seed=1))


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", [kernels.Polynomial(degree=2), kernels.Linear()])
def test_compress_with_unbounded_kernels(kernel):
    X = normal(80, 6) * 3
    model = OnlineKernelPCA(2, kernel=kernel, max_atoms=4, on_full="compress")
    for x in X:
        assert model.partial_fit(x[None]).n_atoms_ <= 4
    usable(model, X)


# -- drop -----------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("alpha", "max_atoms", "center"), pairs([1.0, 0.3, 2.0], [2, 5, 12], [True, False])
)
def test_drop_is_the_exchange_of_subkha(alpha, max_atoms, center):
    X = normal(70, 2, seed=3) * np.linspace(0.3, 2.5, 70)[:, None]  # news all the time
    oracle = souza_filho.NaiveExchange(functions.rbf(GAMMA), 0.01, max_atoms, alpha)
    model = OnlineKernelPCA(
        1,
        gamma=GAMMA,
        nu=0.01,
        max_atoms=max_atoms,
        on_full=budget.Drop(alpha=alpha),
        center=center,
        rule="oja",  # keeps no moments: only distances decide
        random_state=0,
    )
    for x in X:
        oracle.step(x)
        model.partial_fit(x[None])
        assert_allclose(model.atoms_, oracle.atoms, rtol=0, atol=0)
    assert oracle.exchanges >= 1
    whole = clone(model).fit(X)
    assert_allclose(whole.atoms_, oracle.atoms, rtol=0, atol=0)


@pytest.mark.thorough
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_drop_with_moments_is_the_same_while_every_atom_carries_something(alpha):
    X = normal(60, 2, seed=3) * np.linspace(0.3, 2.5, 60)[:, None]
    oracle = souza_filho.NaiveExchange(functions.rbf(GAMMA), 0.01, 8, alpha)
    model = OnlineKernelPCA(
        2, gamma=GAMMA, nu=0.01, max_atoms=8, on_full=budget.Drop(alpha=alpha), center=False
    )
    for x in X:
        oracle.step(x)
        model.partial_fit(x[None])
        assert_allclose(model.atoms_, oracle.atoms, rtol=0, atol=0)
    assert oracle.exchanges >= 2


@pytest.mark.parametrize("center", [True, False])
def test_drop_does_not_depend_on_how_long_the_stream_is(center):
    """The same distances decide after many rows as after few: a newcomer that has had no time to
    carry much must not be taken for one whose rows are forgotten. (Nothing is forgotten here.)"""
    X = np.vstack([normal(40, 2) * 0.7, normal(30, 2, seed=5) * 2.5])
    w = np.r_[np.full(40, 1e4), np.ones(30)]  # as if the early rows had come ten thousand times
    oracle = souza_filho.NaiveExchange(functions.rbf(GAMMA), 0.01, 8)
    model = OnlineKernelPCA(2, gamma=GAMMA, nu=0.01, max_atoms=8, on_full="drop", center=center)
    for x in X:
        oracle.step(x)
    model.fit(X, sample_weight=w)
    assert oracle.exchanges >= 2
    assert_allclose(model.atoms_, oracle.atoms, rtol=0, atol=0)


def test_an_exchange_costs_only_what_the_atom_carried():
    X = normal(60, 2) * 2
    model = OnlineKernelPCA(2, gamma=GAMMA, max_atoms=10, on_full="drop", center=False).fit(X)
    # trace of S, plus everything known to be lost at most, cover the whole variance
    held = np.trace(model._model.learner.scatter())
    lost = model.certificate().discarded_energy
    assert np.sqrt(held) + np.sqrt(lost) >= np.sqrt(model._model.variance) * (1 - 1e-12)
    assert held <= model._model.variance * (1 + 1e-12)


@pytest.mark.parametrize("on_full", [budget.Drop(alpha=0.5), budget.Compress(0.4, 0.2)])
def test_objects_pass_through(on_full):
    model = OnlineKernelPCA(2, gamma=GAMMA, max_atoms=6, on_full=on_full)
    assert clone(model).get_params()["on_full"] == on_full
    model.fit(normal(50, 2) * 2)
    assert model.n_atoms_ <= 6
    used = model._model.plan.budget
    assert type(used) is type(on_full)
    assert used.max_atoms == 6
    for name in set(used.__dataclass_fields__) - {"max_atoms"}:
        assert getattr(used, name) == getattr(on_full, name)


def test_one_of_several_streams_is_thriftier():
    own = budget.Compress(thrift=2.0, max_atoms=9)
    assert own.of_parts(1) == own
    two, many = own.of_parts(2), own.of_parts(64)
    assert (two.thrift, many.thrift) == (6.0, 6.0)
    young, late = (lambda b: b.aim(9, 100, 1.0)[1]), (lambda b: b.aim(9, 10_000, 1.0)[1])
    assert_allclose([young(two) / young(own), young(many) / young(own)], [3.0, 5.0])
    assert_allclose([late(two) / late(own), late(many) / late(own)], [3.0, 3.0])
    assert budget.Drop().of_parts(2) == budget.Drop()
    with pytest.raises(ValueError, match="early of Compress must be > 0"):
        budget.Compress(early=0.0)


def test_a_budgets_own_fields_come_first():
    assert budget.Drop(0.2) == budget.Drop(alpha=0.2)
    assert budget.Compress(0.9, 2.0) == budget.Compress(free=0.9, thrift=2.0)
    assert budget.ReducedSet(3, 2) == budget.ReducedSet(per_component=3, rank=2)
    for kind in (budget.Project, budget.Slide):  # they have none
        with pytest.raises(TypeError, match="positional argument"):
            kind(0.2)
    for kind in (budget.Drop, budget.Compress, budget.ReducedSet):
        assert kind().max_atoms is None
        with pytest.raises(TypeError, match="positional argument"):
            kind(1, 1, 1)


@pytest.mark.parametrize("wrong", [(0,), (0.2,), (True,), (2, 0), (2, 1.5), (None,)])
def test_a_reduced_set_is_counted_in_whole_points(wrong):
    with pytest.raises(ValueError, match=r"ReducedSet: .* must be an integer >= 1, got"):
        budget.ReducedSet(*wrong)


def test_two_budgets_at_once_are_refused():
    """One of them would have to be ignored."""
    X = normal(30, 2)
    on_full = budget.Drop(max_atoms=5)
    with pytest.raises(ValueError, match=r"another budget than max_atoms=9: give max_atoms to the"):
        OnlineKernelPCA(2, max_atoms=9, on_full=on_full).fit(X)
    same = OnlineKernelPCA(2, max_atoms=5, on_full=on_full).fit(X)
    assert_same_model(same, OnlineKernelPCA(2, max_atoms=5, on_full="drop").fit(X), X, tol=0)


def test_alpha_matters():
    X = normal(80, 2) * 2
    eager, calm = (
        OnlineKernelPCA(2, gamma=GAMMA, max_atoms=6, on_full=budget.Drop(alpha=a)).fit(X)
        for a in (0.1, 50.0)
    )
    assert_allclose(calm.atoms_, OnlineKernelPCA(2, gamma=GAMMA, max_atoms=6).fit(X[:6]).atoms_)
    assert not np.isin(eager.atoms_, calm.atoms_).all()


def test_names_are_refused():
    with pytest.raises(ValueError, match="on_full"):
        OnlineKernelPCA(max_atoms=3, on_full="burn").fit(normal(9))
    with pytest.raises(ValueError, match="on_full"):
        budget.make("burn", 3)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("on_full", "forgetting", "center"), pairs(["compress", "drop"], [1.0, 0.9], [True, False])
)
def test_any_slicing_when_the_stream_changes(on_full, forgetting, center):
    """An atom may run out of energy in the middle of a block."""
    X = np.vstack([normal(50, 2), normal(80, 2, seed=1) + 6, normal(40, 2, seed=2) * 3])
    model = OnlineKernelPCA(
        2, gamma=0.3, nu=0.01, max_atoms=12, on_full=on_full, forgetting=forgetting, center=center
    )
    if on_full == "compress":
        X = X[:110]  # it takes longer
    whole, probe = clone(model).fit(X), X[::10]
    for borders in (random_borders(len(X), seed=1, count=9), range(1, len(X))):
        assert_same_model(stream(clone(model), X, borders), whole, probe)


@pytest.mark.parametrize("on_full", ["compress", "drop", "project"])
def test_weights(on_full):
    """A weight of two is the row twice, under a budget too."""
    X = normal(60, 2) * 1.5
    w = np.random.default_rng(0).integers(1, 4, size=60)
    model = OnlineKernelPCA(2, gamma=GAMMA, max_atoms=7, on_full=on_full)
    weighted = clone(model).fit(X, sample_weight=w)
    repeated = clone(model).fit(np.repeat(X, w, axis=0))
    if on_full == "compress":  # when it is due is counted before the row, not between its parts
        assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=0.1)
        return
    assert_allclose(weighted.atoms_, repeated.atoms_, rtol=0)
    assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-9)


def test_as_many_components_as_the_budget_has_atoms():
    """When atoms merge there are fewer of them than components for a while."""
    X = normal(400, 12)
    model = OnlineKernelPCA(99, gamma=0.05, max_atoms=100).fit(X)
    assert model.n_atoms_ <= 100
    assert model.transform(X[:2]).shape == (2, 99)
    assert_allclose(model.eigenvalues_.sum(), model.explained_variance_.sum() * len(X))
    pieces = stream(OnlineKernelPCA(99, gamma=0.05, max_atoms=100), X, range(37, 400, 37))
    assert_same_model(pieces, model, X[::20])
