"""Merge: what two models have learned from different rows, as if one had seen them all."""

import pickle
import sys
from copy import deepcopy
from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from helpers import (
    assert_columns_close,
    assert_orthonormal,
    gram_of,
    normal,
    up_to_sign,
    variance_of,
)
from okpca import OnlineKernelPCA, budget, dictionary, kernels, merge, rules
from oracles import functions, kernel_pca
from oracles.functions import decayed

PROBE = normal(15, 3, seed=9)
QUADRATIC = kernels.Polynomial(degree=2, gamma=0.5, coef0=1)  # ten dimensions in three columns


def plain(r=3, **more):
    return OnlineKernelPCA(r, **{"gamma": 1.0, "nu": 0, "max_atoms": None} | more)


def assert_equivalent(a, b, tol=1e-9, probe=PROBE):
    """The same functions, whatever the atoms."""
    assert a.n_samples_seen_ == b.n_samples_seen_
    assert_allclose(a.eigenvalues_, b.eigenvalues_, rtol=0, atol=tol * b.eigenvalues_[0])
    assert_allclose(a.explained_variance_, b.explained_variance_, rtol=tol * 10)
    assert_allclose(variance_of(a), variance_of(b), rtol=tol)
    mean = [m.kernel_(probe, m.atoms_) @ m.mean_ for m in (a, b)]
    assert_allclose(*mean, rtol=0, atol=tol * max(np.abs(mean[1]).max(), 1))
    expected = b.transform(probe)
    assert_columns_close(up_to_sign(a.transform(probe), expected), expected, 100 * tol)


@pytest.mark.parametrize("rule", ["exact", rules.IncrementalSVD(block=6, rank=80)])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_equals_one_pass(rule, center, weighted):
    X = np.array([1.0, 0.0, -0.5]) + normal(60)
    w = np.random.default_rng(0).uniform(0.1, 1.0, 60) if weighted else np.ones(60)
    model = plain(rule=rule, center=center)
    parts = [
        clone(model).fit(X[piece], sample_weight=w[piece])
        for piece in np.split(np.arange(60), [11, 40])
    ]
    merged = merge(parts)
    whole = clone(model).fit(X, sample_weight=w)
    assert_equivalent(merged, whole)
    assert_orthonormal(merged)
    batch = kernel_pca.batch_kpca(functions.rbf(1.0)(X, X), 3, center=center, weights=w)
    assert_allclose(merged.eigenvalues_, batch.eigenvalues, rtol=1e-9)


@pytest.mark.parametrize("center", [True, False])
def test_goes_on_learning(center):
    X = normal(90)
    model = plain(center=center)
    merged = merge([clone(model).fit(X[:30]), clone(model).fit(X[30:60])])
    for x in X[60:75]:
        merged.partial_fit(x[None])
    merged.partial_fit(X[75:])
    assert_equivalent(merged, clone(model).fit(X))


def test_in_place_and_new():
    X = normal(40)
    a, b = plain().fit(X[:25]), plain().fit(X[25:])
    before = [pickle.dumps(m) for m in (a, b)]
    new = merge([a, b])
    assert [pickle.dumps(m) for m in (a, b)] == before
    assert new is not a
    assert a.merge(b) is a
    assert pickle.dumps(b) == before[1]
    assert_equivalent(a, new, 1e-12)
    assert a.n_samples_seen_ == 40
    a.partial_fit(X)  # and growing on does not reach into the other
    assert pickle.dumps(b) == before[1]


def test_merging_one_or_none():
    model = plain().fit(normal(20))
    alone = merge(iter([model]))
    assert alone is not model
    assert_equivalent(alone, model, 1e-15)
    with pytest.raises(ValueError, match="at least one"):
        merge([])


def test_with_its_own_copy_doubles_the_weights():
    model = plain(nu=0.05).fit(normal(40))
    variance, eigenvalues, share = (
        variance_of(model),
        model.eigenvalues_,
        model.explained_variance_,
    )
    projected, atoms = model.transform(PROBE), model.atoms_
    model.merge(deepcopy(model))
    assert_allclose(model.eigenvalues_, 2 * eigenvalues, rtol=1e-10)
    assert_allclose(model.explained_variance_, share, rtol=1e-10)
    assert_allclose(variance_of(model), 2 * variance, rtol=1e-10)
    assert_allclose(model.atoms_, atoms, rtol=0)
    assert_allclose(model.transform(PROBE), projected, atol=1e-9)
    assert model.n_samples_seen_ == 80
    model.merge(model)
    assert_allclose(model.eigenvalues_, 4 * eigenvalues, rtol=1e-10)


# -- with loss ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"nu": 0.02, "max_atoms": None},
        {"nu": 1e-3, "max_atoms": 60, "on_full": "compress"},
        {"nu": 1e-3, "max_atoms": 60, "on_full": "drop"},
        {"nu": 1e-3, "max_atoms": 60, "on_full": "project"},
        {"nu": 1e-3, "max_atoms": 60, "on_full": budget.ReducedSet(per_component=5)},
        {"dictionary": dictionary.Coherence(0.9), "max_atoms": None},
        {"dictionary": dictionary.Fixed(normal(30, seed=3))},
    ],
    ids=["nu", "compress", "drop", "project", "reduced set", "coherence", "fixed"],
)
def test_any_order(more):
    """Associative and commutative up to what is lost."""
    X = normal(200) * [1.5, 1.0, 0.5]
    model = plain(2, gamma=0.15, **more)
    parts = [clone(model).fit(piece) for piece in np.split(X, [50, 90])]
    merged = [merge([parts[i] for i in order]) for order in permutations(range(3))]
    merged.append(merge([parts[0], merge(parts[1:])]))
    K = kernels.RBF(0.15)(X)
    exact = kernel_pca.batch_kpca(K, 2)
    for one in merged:
        assert one.n_samples_seen_ == 200
        if more.get("max_atoms"):
            assert one.n_atoms_ <= more["max_atoms"]
        assert_orthonormal(one)
        assert_allclose(one.eigenvalues_, exact.eigenvalues, rtol=0.05)
        inside = one.transform(X).var(axis=0).sum() * 200
        assert inside > 0.97 * exact.eigenvalues.sum()
        # Subspaces agree: the singular values of the cross Gram matrix are cosines.
        cross = one.dual_coef_ @ one.kernel_(one.atoms_, merged[0].atoms_) @ merged[0].dual_coef_.T
        assert np.linalg.svd(cross, compute_uv=False).min() > 0.99


@pytest.mark.parametrize("on_full", ["compress", "drop", "project"])
@pytest.mark.parametrize("max_atoms", [1, 3, 12])
def test_the_budget_holds(on_full, max_atoms):
    X = normal(80, 2) * 2
    model = plain(2, nu=0.01, max_atoms=max_atoms, on_full=on_full)
    a, b = clone(model).fit(X[:40]), clone(model).fit(X[40:])
    a.merge(b)
    assert a.n_atoms_ <= max_atoms
    assert np.isfinite(a.transform(X)).all()
    a.partial_fit(X)
    assert a.n_atoms_ <= max_atoms
    assert a.n_samples_seen_ == 160


@pytest.mark.parametrize(
    ("on_full", "left"), [("compress", 12), (budget.Compress(free=0.25), 9), ("drop", 12)]
)
def test_a_merged_dictionary_is_compressed_as_a_full_one_is(on_full, left):
    X = normal(60, 2) * 2
    model = plain(2, nu=0.01, max_atoms=12, on_full=on_full)
    assert clone(model).fit(X[:12]).merge(clone(model).fit(X[30:42])).n_atoms_ == left
    few = clone(model).fit(X[:5]).merge(clone(model).fit(X[30:35]))
    assert few.n_atoms_ == 10  # there is room for all of them


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_two_full_dictionaries_are_clustered_as_their_joint_one_is(center, form, monkeypatch):
    """Without the detour over it. What is lost adds up for each of them: a tighter bound."""
    X = [form((normal(150, seed=i) + i) * [1.5, 1.0, 0.5]) for i in range(2)]
    parts = [plain(2, gamma=0.3, nu=1e-3, max_atoms=25, center=center).fit(rows) for rows in X]
    straight = merge(parts)
    module = sys.modules["okpca.model.merge"]  # `okpca.model.merge` is the function
    assert module._clustered(*(part._model for part in parts)) is not None
    monkeypatch.setattr(module, "_clustered", lambda model, other: None)
    joint = merge(parts)
    assert straight.n_atoms_ == joint.n_atoms_ < 50
    assert_equivalent(straight, joint)
    bounds = [one.certificate().discarded_energy for one in (straight, joint)]
    assert bounds[0] <= bounds[1] * (1 + 1e-12)
    for one in (straight, joint):
        one.partial_fit(X[0])
    assert_equivalent(straight, joint, 1e-7)


def test_atoms_that_are_not_novel_do_not_join():
    X = normal(60, 2) * 0.5
    model = plain(2, gamma=0.3, nu=0.05)
    a, b = clone(model).fit(X[:30]), clone(model).fit(X[30:])
    merged = merge([a, b])
    assert merged.n_atoms_ < a.n_atoms_ + b.n_atoms_
    assert_allclose(merged.atoms_[: a.n_atoms_], a.atoms_, rtol=0)
    assert np.linalg.eigvalsh(gram_of(merged))[0] > 1e-6


@pytest.mark.parametrize("center", [True, False])
def test_with_forgetting(center):
    """Weights stay as they are: each part has forgotten by itself; rows to come fade both."""
    X = normal(50)
    w = np.r_[decayed(np.ones(30), 0.9), decayed(np.ones(20), 0.9)]
    model = plain(center=center, forgetting=0.9)
    merged = merge([clone(model).fit(X[:30]), clone(model).fit(X[30:])])
    kappa = functions.rbf(1.0)
    batch = kernel_pca.batch_kpca(kappa(X, X), 3, center=center, weights=w)
    assert_allclose(merged.eigenvalues_, batch.eigenvalues, rtol=1e-9)
    more = normal(10, seed=5)
    merged.partial_fit(more)
    X, w = np.vstack([X, more]), np.r_[w * 0.9**10, decayed(np.ones(10), 0.9)]
    batch = kernel_pca.batch_kpca(kappa(X, X), 3, center=center, weights=w)
    assert_allclose(merged.eigenvalues_, batch.eigenvalues, rtol=1e-9)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("cuts", [(24, 48), (27, 50), (3, 5), (59, 61)])
def test_incremental_svd_with_open_blocks(center, cuts):
    """Rows that wait for their block to fill are not lost, on either side."""
    X = normal(70)
    rule = rules.IncrementalSVD(block=12, rank=10)
    model = plain(3, kernel=QUADRATIC, rule=rule, center=center)
    parts = [clone(model).fit(piece) for piece in np.split(X, cuts)]
    merged = merge(parts)
    assert_equivalent(merged, clone(model).fit(X), 1e-8)
    merged.partial_fit(X)
    assert_equivalent(merged, clone(model).fit(np.vstack([X, X])), 1e-8)


def test_incremental_svd_counts_what_it_truncates():
    X = normal(70)
    model = plain(2, rule=rules.IncrementalSVD(block=10, rank=3))
    merged = merge([clone(model).fit(X[:35]), clone(model).fit(X[35:])])
    lam = kernel_pca.batch_kpca(functions.rbf(1.0)(X, X), 2).eigenvalues
    c = merged.certificate()
    assert (c.eigenvalue_lower <= lam + 1e-9).all()
    assert (lam <= c.eigenvalue_upper + 1e-9).all()
    assert (merged.eigenvalues_ < lam).all()


# -- nothing to merge -----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["exact", rules.IncrementalSVD(block=4, rank=3)])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("order", ["nothing last", "nothing first", "only nothing"])
def test_rows_without_a_direction(order, center, rule):
    """κ(x, x) = 0: no atom, no coordinates, but a weight and a place in the mean."""
    X, zero = normal(20) + 1, np.zeros((5, 3))
    pieces = {
        "nothing last": [X, zero],
        "nothing first": [zero, X],
        "only nothing": [zero, zero[:2]],
    }[order]
    model = plain(kernel="linear", center=center, rule=rule)
    merged = merge([clone(model).fit(piece) for piece in pieces])
    whole = clone(model).fit(np.vstack(pieces))
    if order == "only nothing":
        assert merged.n_atoms_ == 0
        assert merged.n_samples_seen_ == 7
        merged.partial_fit(X)
        assert_equivalent(merged, whole.partial_fit(X))
        return
    assert_equivalent(merged, whole)
    merged.partial_fit(X[:3])
    assert_equivalent(merged, whole.partial_fit(X[:3]))


# -- refusals -------------------------------------------------------------------------------------


def test_unfitted():
    model = plain().fit(normal(10))
    before = pickle.dumps(model)
    with pytest.raises(NotFittedError):
        model.merge(plain())
    with pytest.raises(NotFittedError):
        plain().merge(model)
    assert pickle.dumps(model) == before


def named(names):
    import pandas as pd

    return pd.DataFrame(normal(12), columns=names)


@pytest.mark.parametrize(
    ("mine", "theirs", "message"),
    [
        (plain(), plain(gamma=2.0), "kernel"),
        (plain(), plain(kernel="linear"), "kernel"),
        (plain(kernel="poly", degree=2), plain(kernel="poly", degree=3), "kernel"),
        (plain(), plain(center=False), "center"),
        (plain(), plain(rule="incremental-svd"), "rule"),
        (
            plain(rule=rules.IncrementalSVD(block=4)),
            plain(rule=rules.IncrementalSVD(block=5)),
            "rule",
        ),
        (plain(rule="on-kha"), plain(rule="on-kha"), "keeps no moments"),
        (plain(rule="oja"), plain(rule="okha"), "rule"),
        (
            plain(rule=rules.Hebbian(init=np.ones((3, 1)))),
            plain(rule=rules.Hebbian(init=np.ones((3, 1)))),
            "rule",
        ),
    ],
)
def test_refused(mine, theirs, message):
    mine, theirs = clone(mine).fit(normal(12)), clone(theirs).fit(normal(12, seed=1))
    before = [pickle.dumps(m) for m in (mine, theirs)]
    for a, b in ((mine, theirs), (theirs, mine)):
        with pytest.raises(ValueError, match=f"merge models.*{message}|{message}.*merge"):
            a.merge(b)
        with pytest.raises(ValueError, match=message):
            merge([a, b])
    assert [pickle.dumps(m) for m in (mine, theirs)] == before


def test_refused_widths():
    # The same gamma: with gamma=None the kernels would differ already.
    mine, theirs = plain().fit(normal(12, 3)), plain().fit(normal(12, 2))
    before = [pickle.dumps(m) for m in (mine, theirs)]
    with pytest.raises(ValueError, match="number of columns: 3 and 2"):
        mine.merge(theirs)
    assert [pickle.dumps(m) for m in (mine, theirs)] == before


@pytest.mark.parametrize("other", [["a", "b", "d"], ["b", "a", "c"], None])
def test_refused_names(other):
    mine = plain().fit(named(["a", "b", "c"]))
    theirs = plain().fit(normal(12) if other is None else named(other))
    before = [pickle.dumps(m) for m in (mine, theirs)]
    for a, b in ((mine, theirs), (theirs, mine)):
        with pytest.raises(ValueError, match="differ in feature names"):
            a.merge(b)
    assert [pickle.dumps(m) for m in (mine, theirs)] == before
    assert mine.merge(plain().fit(named(["a", "b", "c"]))).n_samples_seen_ == 24


@pytest.mark.parametrize("other", [None, 3, "model", {"a": 1}])
def test_refused_strangers(other):
    mine = plain().fit(normal(12))
    before = pickle.dumps(mine)
    with pytest.raises((TypeError, ValueError)):
        mine.merge(other)
    assert pickle.dumps(mine) == before


def test_what_is_no_model():
    with pytest.raises(TypeError, match="merge takes models"):
        merge([OnlineKernelPCA().fit(normal(10)), 3])
    with pytest.raises(TypeError, match="merge takes models"):
        merge([3])


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_over_one_dictionary_moments_simply_add(form):
    """Nothing is carried from one to the other, so nothing is lost on the way."""
    X, points = normal(80), normal(15, seed=1)
    model = plain(dictionary=dictionary.Fixed(form(points)))
    a, b = clone(model).fit(form(X[:30])), clone(model).fit(form(X[30:]))
    merged = merge([a, b])
    assert merged.n_atoms_ == a.n_atoms_ == 15
    assert_allclose(
        merged.certificate().discarded_energy,
        a.certificate().discarded_energy + b.certificate().discarded_energy,
        rtol=1e-14,
    )
    whole = clone(model).fit(form(X))
    assert_allclose(merged.eigenvalues_, whole.eigenvalues_, rtol=1e-12)
    other = clone(model).set_params(dictionary=dictionary.Fixed(form(points[::-1] + 0.1)))
    assert merge([a, clone(other).fit(form(X[30:]))]).n_samples_seen_ == 80
