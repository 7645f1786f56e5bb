"""What happens when the dictionary is full: the budget holds after every row, whoever keeps it."""

import signal

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import naive
import naive_living
from helpers import assert_same_model, normal, random_borders, stream
from okpca import OnlineKernelPCA, kernels, rules
from okpca import model as model_module
from okpca.dictionary import budget, encode
from okpca.model import Model

GAMMA = 0.5
BUDGETS = {
    "project": "project",
    "drop": "drop",
    "drop, eager": budget.Drop(alpha=0.2),
    "compress": "compress",
    "compress, at once": budget.Compress(patience=0.0),
    "compress, to nearly all": budget.Compress(fraction=0.95),
    "compress, to all": budget.Compress(fraction=1.0, patience=0.0),
}
RULES = ["exact", rules.IncrementalSVD(block=6, rank=4), "okha", "oo-kha", "on-kha", "oja"]


@pytest.fixture(autouse=True)
def no_endless_loop():
    """A full dictionary that cannot be relieved must not be asked for ever."""

    def expired(*_):
        raise AssertionError("still running after 20 s")

    before = signal.signal(signal.SIGALRM, expired)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


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


@pytest.mark.parametrize("on_full", ["compress", "drop", "project"])
@pytest.mark.parametrize("max_atoms", [1, 2, 7])
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


@pytest.mark.parametrize("kernel", [kernels.Polynomial(degree=2), kernels.Linear()])
def test_compress_with_unbounded_kernels(kernel):
    X = normal(80, 6) * 3
    model = OnlineKernelPCA(2, kernel=kernel, max_atoms=4, on_full="compress")
    for x in X:
        assert model.partial_fit(x[None]).n_atoms_ <= 4
    usable(model, X)


# -- drop -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1.0, 0.3, 2.0])
@pytest.mark.parametrize("max_atoms", [2, 5, 12])
@pytest.mark.parametrize("center", [True, False])
def test_drop_is_the_exchange_of_subkha(alpha, max_atoms, center):
    X = normal(70, 2, seed=3) * np.linspace(0.3, 2.5, 70)[:, None]  # news all the time
    oracle = naive_living.NaiveExchange(naive.rbf(GAMMA), 0.01, max_atoms, alpha)
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


@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_drop_with_moments_is_the_same_while_every_atom_carries_something(alpha):
    X = normal(60, 2, seed=3) * np.linspace(0.3, 2.5, 60)[:, None]
    oracle = naive_living.NaiveExchange(naive.rbf(GAMMA), 0.01, 8, alpha)
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
    oracle = naive_living.NaiveExchange(naive.rbf(GAMMA), 0.01, 8)
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
    held = np.square(model._model.learner.root()).sum()
    lost = model.certificate().discarded_energy
    assert np.sqrt(held) + np.sqrt(lost) >= np.sqrt(model._model.variance) * (1 - 1e-12)
    assert held <= model._model.variance * (1 + 1e-12)


# -- compress -------------------------------------------------------------------------------------


@pytest.fixture
def compressions(monkeypatch):
    """Rows seen at each compression."""
    seen = []
    plain = Model.compressed

    def counted(self, *args, **kwargs):
        seen.append(self.n_rows)
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(Model, "compressed", counted)
    return seen


def test_compressions_become_rare(compressions):
    """Each waits for 0.15 of all rows, for half of them once these are six times the budget, and
    never for more than 20 rows per atom."""
    X = normal(8000, 3)
    OnlineKernelPCA(2, gamma=2.0, nu=1e-3, max_atoms=16).fit(X)
    seen = np.array(compressions)
    waited = np.diff(seen)
    late = seen[1:] > 6 * 16
    assert np.sum(late) >= 3
    assert np.sum(~late) >= 5
    # News come with nearly every row: nobody waits much longer than that.
    assert_allclose(waited[late], np.minimum(0.5 * seen[1:][late], 20 * 16), rtol=0.05)
    assert waited[-1] < 0.3 * seen[-1]  # it has come to that
    assert (waited[~late] >= 0.15 * seen[1:][~late] - 1e-9).all()
    assert (waited[~late] <= 8 + 0.15 * seen[1:][~late]).all()


def test_patience(compressions):
    X = normal(90, 3)  # before the stream counts as settled
    OnlineKernelPCA(2, gamma=2.0, max_atoms=16, on_full=budget.Compress(patience=0.5)).fit(X)
    patient = len(compressions)
    compressions.clear()
    OnlineKernelPCA(2, gamma=2.0, max_atoms=16, on_full=budget.Compress(patience=0.0)).fit(X)
    assert 1 <= patient < 0.5 * len(compressions)


def test_forgetting_keeps_compressing(compressions):
    """All that counts weighs 1 / (1 − φ): compressions come at a constant rate."""
    X = normal(600, 3)
    OnlineKernelPCA(2, gamma=2.0, max_atoms=10, forgetting=0.98).fit(X)
    seen = np.array(compressions)
    first, last = (np.sum((seen > a) & (seen <= a + 200)) for a in (200, 400))
    assert first > 8
    assert abs(int(first) - int(last)) <= 0.3 * first


@pytest.mark.parametrize(("fraction", "after"), [(0.25, 5), (0.5, 10), (0.9, 18)])
def test_fraction(fraction, after):
    X = normal(30, 4)
    on_full = budget.Compress(fraction=fraction, patience=0.0)
    model = OnlineKernelPCA(2, gamma=1.0, nu=1e-6, max_atoms=20, on_full=on_full)
    sizes = [model.partial_fit(x[None]).n_atoms_ for x in X]
    assert sizes[19] == 20
    assert sizes[20] == after + 1


@pytest.mark.parametrize("on_full", [budget.Drop(alpha=0.5), budget.Compress(0, 0.4, 0.2)])
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


@pytest.mark.parametrize("on_full", ["compress", "drop"])
@pytest.mark.parametrize("forgetting", [1.0, 0.9])
@pytest.mark.parametrize("center", [True, False])
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


def test_a_budget_that_makes_no_room_encodes_little_in_vain(monkeypatch):
    encoded = []

    def watched(basis, X, *args):
        encoded.append(X.shape[0])
        return encode(basis, X, *args)

    monkeypatch.setattr(model_module, "encode", watched)
    X = normal(300, 3) * 3
    fitted = OnlineKernelPCA(2, gamma=1.0, max_atoms=20, on_full=budget.Compress(fraction=1.0))
    assert fitted.fit(X).n_atoms_ == 20
    assert sum(encoded) < 6 * len(X)
