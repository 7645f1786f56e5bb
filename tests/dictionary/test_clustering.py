"""Atoms that follow the stream: one-pass clustering, against its slow twin and by what it keeps."""

import pickle
from copy import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import rbf_kernel

from helpers import assert_same_model, normal, noted_calls, pairs, random_borders, stream
from okpca import OnlineKernelPCA, budget, kernels, merge, weights
from okpca.model import components, shown, surgery
from okpca.model.budget import relieve
from okpca.model.surgery import welcome
from okpca.model.waiting_rows import rows_to_border
from oracles import clustering, functions

pytestmark = pytest.mark.leaves

GAMMA = 0.5


def plain_rbf(X, Y):
    return rbf_kernel(X, Y, gamma=GAMMA)


@pytest.mark.parametrize(
    ("settings", "kernel", "borders"),
    pairs(
        [(4, 0.25, 1.3), (8, None, 1.3), (12, 0.4, 0.3), (5, None, 1.0)],  # young for 160 rows
        ["rbf", "polynomial", "function"],
        ["single rows", "pieces"],
    ),
)
def test_step_by_step(kernel, settings, borders):
    max_atoms, free, thrift = settings
    X = normal(260, 3) * np.linspace(0.6, 2.5, 260)[:, None]  # news all the time
    kappas = {"rbf": functions.rbf(GAMMA), "function": functions.rbf(GAMMA)}
    kappas["polynomial"] = kernels.Polynomial(degree=4, gamma=1.0, coef0=1)
    given = {"rbf": kernels.RBF(GAMMA), "function": plain_rbf, "polynomial": kappas["polynomial"]}
    nu = 0.05
    if kernel == "polynomial":  # of unit norm, so that ν means the same to both
        X = X / np.linalg.norm(X, axis=1)[:, None]
        nu = 0.05 / float(kappas[kernel](X[:1])[0, 0])
    oracle = clustering.NaiveClusters(
        kappas[kernel], 0.05, max_atoms, free, thrift, averaged=kernel != "function"
    )
    model = OnlineKernelPCA(
        2, kernel=given[kernel], nu=nu, max_atoms=max_atoms, on_full=budget.Compress(free, thrift)
    )
    pieces = range(1, 260) if borders == "single rows" else [3, 40, 41, 97, 150, 233]
    for piece in np.split(X, pieces):
        for x in piece:
            oracle.step(x)
        model.partial_fit(piece)
        kept = model._model  # who looks sees those as atoms, too, that wait
        assert kept.basis.m == len(oracle.atoms)
        assert_allclose(kept.basis.atoms, oracle.atoms, rtol=0, atol=1e-9)
        assert_allclose(kept.clusters.weight, oracle.weight, rtol=1e-12)
        assert_allclose(kept.clusters.debt, oracle.debt, rtol=0, atol=1e-8)
        assert kept.clusters.price == pytest.approx(oracle.price, rel=1e-9)
    assert oracle.merges >= 3


def in_order(n=400, classes=4, seed=0):
    """One cluster after another."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(classes, 6)) * 3
    return np.vstack([place + rng.normal(size=(n // classes, 6)) for place in places])


def captured(model, X, r=4):
    K = model.kernel_(X)
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    return model.transform(X).var(axis=0).sum() * len(X) / np.linalg.eigvalsh(K)[-r:].sum()


def test_short_streams_in_order_keep_what_shuffled_ones_do():
    """Most of what came may still wait when a stream of a few rows an atom ends: a look sees it."""
    X = in_order(160)
    shuffled = X[np.random.default_rng(1).permutation(len(X))]
    models = [OnlineKernelPCA(4, gamma=0.1, max_atoms=40).fit(rows) for rows in (X, shuffled)]
    assert models[0]._model.clusters.n_asking > 20
    kept = [captured(model, X) for model in models]
    assert min(kept) > 0.97
    assert kept[0] > kept[1] - 0.01
    assert [model.n_atoms_ for model in models] == [40, 40]


def test_what_is_shown_is_what_those_that_wait_would_make_of_it():
    model = OnlineKernelPCA(3, gamma=0.1, max_atoms=30).fit(in_order(120))
    kept = model._model
    before, waiting = kept.basis.atoms.copy(), kept.clusters.n_asking
    expected = relieve(welcome(kept))
    assert_allclose(model.atoms_, expected.basis.atoms, rtol=0, atol=0)
    assert_allclose(model.eigenvalues_, components(expected).scatter, rtol=1e-12)
    # It is only a look: the stream goes on as if there had been none.
    assert model._model.clusters.n_asking == waiting > 0
    assert_allclose(model._model.basis.atoms, before, rtol=0, atol=0)


def test_young_models_are_merged_as_they_are_shown():
    """Rows that wait in the parts are not lost on the way."""
    X = in_order(400)
    parts = [OnlineKernelPCA(4, gamma=0.1, max_atoms=40).fit(rows) for rows in np.split(X, 2)]
    assert min(part._model.clusters.n_asking for part in parts) > 20
    whole = OnlineKernelPCA(4, gamma=0.1, max_atoms=40).fit(X)
    both = merge(parts)
    assert captured(both, X) > captured(whole, X) - 0.01
    assert both._model.clusters.weight.sum() == pytest.approx(400)
    ratio = parts[0].explained_variance_ratio_.sum()
    parts[0].merge(OnlineKernelPCA(4, gamma=0.1, max_atoms=40).fit(X[:1]))
    assert parts[0].explained_variance_ratio_.sum() > ratio - 0.02


def test_compress_leaves_no_more_atoms_than_it_is_told():
    model = OnlineKernelPCA(4, gamma=0.1, max_atoms=40).fit(in_order(80))
    kept = model._model.basis.m
    assert kept < model.n_atoms_ == 40
    assert copy(model).compress(kept + 1).n_atoms_ == kept + 1
    assert copy(model).compress(40).n_atoms_ == 40  # as many as there are
    assert copy(model).compress(100).n_atoms_ == 40


def test_a_look_at_an_old_stream_lets_nobody_in():
    """Few wait then, and to let them in costs what a merge does."""
    model = OnlineKernelPCA(3, gamma=0.1, max_atoms=12).fit(in_order(1200))
    while not model._model.clusters.asking:
        model.partial_fit(np.random.default_rng(len(model.atoms_)).normal(size=(1, 6)) * 4)
    assert shown(model._model) is model._model


@pytest.mark.long
def test_what_comes_late_is_kept_as_well():
    X = in_order(1200)
    follows = OnlineKernelPCA(4, gamma=0.03, max_atoms=12).fit(X)
    stays = OnlineKernelPCA(4, gamma=0.03, max_atoms=12, on_full="project").fit(X)
    assert captured(follows, X) > 0.97
    assert captured(stays, X) < 0.8
    shuffled = X[np.random.default_rng(1).permutation(len(X))]
    again = OnlineKernelPCA(4, gamma=0.03, max_atoms=12).fit(shuffled)
    assert captured(follows, X) > captured(again, X) - 0.02


@pytest.mark.long
def test_digits_by_class():
    digits = load_digits()
    X = (digits.data / 16)[np.argsort(digits.target, kind="stable")]
    model = OnlineKernelPCA(10, gamma=0.05, max_atoms=50).fit(X)
    assert captured(model, X, r=10) > 0.95


@pytest.fixture
def merges(monkeypatch):
    """Rows seen at each merge."""
    return noted_calls(monkeypatch, budget.compress, "cluster")


def test_merges_become_rare(merges):
    OnlineKernelPCA(2, gamma=0.3, max_atoms=16).fit(normal(20_000, 4))
    late = np.sum(np.array(merges) > 10_000)
    assert 5 <= len(merges) - late <= 100
    assert late <= 10_000 / (20 * 16 / 2)


@pytest.mark.long
def test_in_a_young_stream_newcomers_wait_for_each_other(merges):
    X, model = normal(1000, 5), OnlineKernelPCA(2, gamma=0.1, max_atoms=40)
    young = clone(model).fit(X)
    assert young.n_atoms_ == 40  # nothing is left free
    assert 2 <= len(merges) <= 960 / 60 + 1
    waiting = [young.partial_fit(x[None])._model.clusters.n_asking for x in normal(300, 5, seed=1)]
    assert 30 < max(waiting) < 75
    forgets = clone(model).set_params(forgetting=0.999)
    for piece in np.split(X, 50):  # it has to follow: those that ask join at the next border
        assert forgets.partial_fit(piece)._model.clusters.n_asking < 10


def test_newcomers_of_a_model_that_forgets_do_not_wait_longer_than_it_remembers():
    asked = budget.Compress(max_atoms=60).crowd
    assert asked(10_000, 1.0) == pytest.approx(5)
    assert asked(10_000, 0.95) == pytest.approx(20 / 16)
    assert asked(10_000, 0.999) == pytest.approx(5)


def test_compress_takes_in_those_that_ask():
    model = OnlineKernelPCA(2, gamma=0.1, max_atoms=40).fit(normal(600, 5))
    for x in normal(300, 5, seed=1):
        if model._model.clusters.n_asking >= 10:
            break
        model.partial_fit(x[None])
    crowded = surgery.welcome(model._model)
    assert crowded.basis.m > 40
    expected = surgery.compress(crowded, 10, 2).basis.atoms
    assert_allclose(model.compress(10).atoms_, expected, rtol=0, atol=1e-12)


@pytest.mark.thorough
def test_thrift_makes_merges_rare(merges):
    X = normal(3000, 4)
    OnlineKernelPCA(2, gamma=0.3, max_atoms=16, on_full=budget.Compress(thrift=0.3)).fit(X)
    eager = len(merges)
    merges.clear()
    OnlineKernelPCA(2, gamma=0.3, max_atoms=16, on_full=budget.Compress(thrift=5.0)).fit(X)
    assert len(merges) < eager


@pytest.mark.parametrize(("free", "after"), [(0.25, 15), (0.5, 10), (0.04, 19)])
def test_free(free, after, merges):
    on_full = budget.Compress(free=free)
    model = OnlineKernelPCA(2, gamma=1.0, nu=1e-6, max_atoms=20, on_full=on_full)
    for x in normal(60, 4):
        before = len(merges)
        model.partial_fit(x[None])
        if len(merges) > before:
            assert after <= model.n_atoms_ <= 20
            break
    assert merges


@pytest.mark.parametrize("wrong", [{"free": 0.0}, {"free": 1.0}, {"free": -1}, {"thrift": -0.1}])
def test_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        budget.Compress(**wrong)


@pytest.mark.thorough
def test_an_atom_whose_rows_are_forgotten_goes_first():
    rng = np.random.default_rng(0)
    old, new = rng.normal(size=(300, 2)), rng.normal(size=(300, 2)) + 30
    model = OnlineKernelPCA(2, gamma=0.5, max_atoms=12, forgetting=0.97)
    model.partial_fit(old).partial_fit(new)
    assert (model.atoms_ > 15).all()
    remembers = OnlineKernelPCA(2, gamma=0.5, max_atoms=12).fit(np.vstack([old, new]))
    assert (remembers.atoms_ < 15).all(axis=1).any()


@pytest.mark.thorough
def test_robust_weights_decide_where_atoms_move():
    """An outlier moves no atom, and stands for nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2)) * [2.0, 0.3]
    far = np.arange(100, 600, 10)
    X[far] += [0.0, 40.0]
    model = OnlineKernelPCA(
        1, gamma=0.05, max_atoms=8, robust=weights.Exponential(20.0), burn_in=50, on_full="compress"
    ).fit(X)
    assert model._model.clusters.weight[model.atoms_[:, 1] > 20].sum() < 0.02 * 600


def test_weights_and_sums_add_when_models_merge():
    X = normal(400, 3)
    model = OnlineKernelPCA(2, gamma=0.3, max_atoms=30)
    parts = [clone(model).fit(X[i::4]) for i in range(4)]
    both = merge(parts)
    assert both.n_atoms_ <= 30
    clusters = both._model.clusters
    asking = sum(len(w) for part in parts for _, w in part._model.clusters.asking)
    assert clusters.weight.sum() == pytest.approx(400, abs=asking + 1e-9)
    means = clusters.means(both.atoms_)
    assert_allclose(clusters.weight @ means / clusters.weight.sum(), X.mean(axis=0), atol=0.1)


def test_merging_with_a_model_that_does_not_count():
    X = normal(200, 3)
    counting = OnlineKernelPCA(2, gamma=0.3, max_atoms=20).fit(X[:100])
    plain = OnlineKernelPCA(2, gamma=0.3, max_atoms=20, on_full="project").fit(X[100:])
    assert clone(counting).fit(X[:100]).merge(plain).n_atoms_ <= 20
    assert clone(plain).fit(X[100:]).merge(counting).n_atoms_ <= 20


def test_compress_hands_over_the_rows():
    X = normal(500, 3)
    model = OnlineKernelPCA(2, gamma=0.3, max_atoms=40).fit(X)
    waiting = model._model.clusters.n_asking
    assert model._model.clusters.weight.sum() == pytest.approx(len(X) - waiting)
    model.compress(10)
    assert model._model.clusters.weight.sum() == pytest.approx(len(X))
    assert len(model._model.clusters.weight) == model.n_atoms_ <= 10
    model.partial_fit(X)
    assert model.n_atoms_ <= 40


@pytest.mark.thorough
@pytest.mark.parametrize("n_components", [2, 30])
def test_sparse_rows_keep_their_atoms(n_components):
    X = sparse.random(300, 50, density=0.1, random_state=np.random.RandomState(0), format="csr")
    model = OnlineKernelPCA(n_components, kernel="cosine", max_atoms=15).fit(X)
    rows = {tuple(x) for x in X.toarray()}
    assert {tuple(a) for a in model.atoms_} <= rows
    dense = OnlineKernelPCA(n_components, kernel="cosine", max_atoms=15).fit(X.toarray())
    assert not {tuple(a) for a in dense.atoms_} <= rows


@pytest.mark.long
@pytest.mark.parametrize(
    ("kernel", "forgetting"),
    [("rbf", 1.0), ("laplacian", 0.99), ("exponential", 1.0), ("poly", 0.99), ("cosine", 1.0)],
)
def test_any_slicing(kernel, forgetting):
    """Kernels with a cusp too: nothing is searched for in a stream."""
    X = in_order(600)
    X[::7] = np.round(X[::7])  # and rows that are often equally far
    model = OnlineKernelPCA(
        2, kernel=kernel, gamma=None if kernel == "cosine" else 0.1, max_atoms=13,
        forgetting=forgetting, nu=0.01,
    )  # fmt: skip
    whole = clone(model).fit(X)
    for borders in (random_borders(600, seed=2, count=11), range(1, 600)):
        assert_same_model(stream(clone(model), X, borders), whole, X[::50])


def test_a_pickle_goes_on_as_if_nothing_had_been():
    X = in_order(600)
    model = OnlineKernelPCA(2, gamma=0.1, max_atoms=13)
    there = stream(clone(model), X[:321], range(300, 321))
    back = pickle.loads(pickle.dumps(there))
    assert len(pickle.dumps(back)) < 40_000
    for each in (there, back):
        stream(each, X[321:], [5, 6])
    assert_allclose(there.atoms_, back.atoms_, rtol=0, atol=1e-12)
    assert_allclose(there.transform(X), back.transform(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("forgetting", [1.0, 0.999, 0.9])
def test_borders_do_not_depend_on_where_one_asks(forgetting):
    borders = {n for n in range(1, 5000) if rows_to_border(n - 1, 40, forgetting) == 1}
    for n in range(0, 4000, 37):
        assert n + rows_to_border(n, 40, forgetting) == min(b for b in borders if b > n)
    gaps = np.diff(sorted(borders))
    assert gaps.max() <= 4999 / 32


def test_the_number_of_components_does_not_change_the_atoms():
    X = normal(800, 5)
    few, many = (OnlineKernelPCA(r, gamma=0.1, max_atoms=40).fit(X) for r in (2, 30))
    assert_allclose(few.atoms_, many.atoms_, rtol=0, atol=0)


@pytest.mark.thorough
def test_a_recoding_in_mid_window_takes_nothing_twice():
    """Rows that ask to join have been learned over atoms that may be gone when their time comes."""
    X = in_order(800)
    model = OnlineKernelPCA(3, gamma=0.05, max_atoms=40, nu=1e-3)
    for i, piece in enumerate(np.split(X, range(97, 800, 53))):
        model.partial_fit(piece)
        if i % 3 == 1:
            model.compress(15)
        S = model._model.learner.scatter()
        assert np.linalg.eigvalsh(S).min() > -1e-9 * np.trace(S)
        assert model.explained_variance_ratio_.sum() <= 1 + 1e-9


@pytest.mark.parametrize("nu", [1e-3, 1e-9])
@pytest.mark.parametrize("forgetting", [1.0, 0.99])
def test_newcomers_bring_what_they_lost(nu, forgetting):
    """A row that joins counts as it is: nothing of it is lost."""
    X = in_order(300)
    model = OnlineKernelPCA(3, gamma=0.05, max_atoms=40, nu=nu, forgetting=forgetting).fit(X)
    S, centre = model._model.learner.scatter(), model._model.centre
    moment = np.trace(S) + centre.weight * centre.mean @ centre.mean
    energy = (forgetting ** np.arange(299, -1, -1)).sum()
    lost = model.certificate().discarded_energy
    assert moment <= energy * (1 + 1e-9)
    assert np.sqrt(moment) + np.sqrt(lost) >= np.sqrt(energy) * (1 - 1e-9)
    assert np.linalg.eigvalsh(S).min() > -1e-9 * np.trace(S)


@pytest.mark.parametrize("kernel", ["linear", "cosine"])
@pytest.mark.parametrize("max_atoms", [1, 2])
def test_a_mean_at_the_origin_is_no_atom(kernel, max_atoms):
    X = np.vstack([sign * np.eye(3)[i] for i in range(3) for sign in (1, -1)] * 2)
    model = OnlineKernelPCA(1, kernel=kernel, max_atoms=max_atoms).fit(X)
    assert model.n_atoms_ == max_atoms
    assert (np.linalg.norm(model.atoms_, axis=1) > 0).all()


def test_dense_and_sparse_rows_may_ask_together():
    X = normal(900, 6)
    model = OnlineKernelPCA(2, gamma=0.5, max_atoms=64).fit(X[:400])
    for i, piece in enumerate(np.split(X[400:], range(8, 500, 8))):
        model.partial_fit(piece if i % 2 else sparse.csr_array(piece))
    assert model.n_samples_seen_ == 900


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rule", "forgetting", "robust"),
    pairs(["exact", "okha"], [1.0, 0.99], [None, weights.Exponential(20.0)]),
)
def test_every_row_counts_for_an_atom_or_asks(rule, forgetting, robust):
    X = in_order(700)
    w = np.random.default_rng(3).integers(1, 4, size=700).astype(float)
    model = OnlineKernelPCA(
        2, gamma=0.05, max_atoms=30, rule=rule, forgetting=forgetting, robust=robust, random_state=0
    )
    for piece, v in zip(np.split(X, [100, 333]), np.split(w, [100, 333]), strict=True):
        model.partial_fit(piece, sample_weight=v)
        clusters = model._model.clusters
        asking = sum(v.sum() for _, v in clusters.asking)
        assert clusters.weight.sum() + asking == pytest.approx(model._model.centre.weight)
    model.compress(10)
    assert model._model.clusters.weight.sum() == pytest.approx(model._model.centre.weight)


@pytest.mark.long
def test_the_price_of_merged_models_is_that_of_one():
    X = normal(8000, 4)
    model = OnlineKernelPCA(2, gamma=0.3, max_atoms=40)
    merged = merge([clone(model).fit(part) for part in np.split(X, 8)])
    one = clone(model).fit(X)
    assert merged._model.clusters.price < 3 * one._model.clusters.price
    assert merged._model.clusters.weight.sum() == pytest.approx(8000)


def test_storage_is_that_of_the_budget():
    model = OnlineKernelPCA(2, gamma=0.5, max_atoms=100).fit(normal(3000, 4))
    assert len(model._model.basis.padded_L) <= 101 + 25
