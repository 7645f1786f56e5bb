"""The first rows as a batch, and dictionaries that are chosen from them."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

from helpers import assert_same_model, normal, random_borders, stream, up_to_sign
from okpca import OnlineKernelPCA, dictionary, kernels
from okpca.estimator.attributes import kept_by
from okpca.rules import Apex, Exact, Hebbian, IncrementalSVD
from okpca.subspace import principal_angles

RULES = [Exact(), IncrementalSVD(block=7, rank=5), Hebbian(schedule=0.1), Apex(schedule=0.1)]


def model(rule="exact", **params):
    return OnlineKernelPCA(2, **({"gamma": 0.5, "rule": rule, "burn_in": 20} | params))


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_warm_up_is_batch_kernel_pca(rule):
    X = normal(20)
    warm = model(rule, nu=0).fit(X)
    batch = OnlineKernelPCA(2, gamma=0.5, nu=0).fit(X)
    assert_allclose(warm.eigenvalues_, batch.eigenvalues_, rtol=1e-9)
    expected = batch.transform(X)  # signs: those of a warm-up are told by its first rows
    assert_allclose(up_to_sign(warm.transform(X), expected), expected, rtol=0, atol=1e-8)


def test_what_can_be_seen_before_it_ends():
    X = normal(12)
    warm = model(nu=0).partial_fit(X[:5])
    assert warm.n_samples_seen_ == 5
    assert warm.transform(X).shape == (12, 2)
    warm.partial_fit(X[5:])
    batch = OnlineKernelPCA(2, gamma=0.5, nu=0).fit(X)
    assert_allclose(warm.eigenvalues_, batch.eigenvalues_, rtol=1e-9)
    expected = batch.transform(X)
    assert_allclose(up_to_sign(warm.transform(X), expected), expected, rtol=0, atol=1e-9)


def test_looking_does_not_end_it():
    X, probe = normal(50), normal(4, seed=1)
    params = {"rule": Hebbian(schedule=0.1)}
    quiet, looked = model(**params), model(**params)
    for part in np.split(X, [3, 9, 26]):
        quiet.partial_fit(part)
        looked.partial_fit(part).transform(probe)
    assert_same_model(looked, quiet, probe)


def test_compress_ends_it():
    X = normal(15)
    warm = model().partial_fit(X)
    assert kept_by(warm).held is not None
    assert warm.compress(4).n_atoms_ == 4
    assert kept_by(warm).held is None
    assert warm.partial_fit(X).n_samples_seen_ == 30


def test_compress_that_is_refused_does_not():
    X, probe = normal(40), normal(5)
    asked, quiet = model().partial_fit(X[:15]), model().partial_fit(X[:15])
    with pytest.raises(ValueError, match="n_atoms"):
        asked.compress(0)
    assert_same_model(asked.partial_fit(X[15:]), quiet.partial_fit(X[15:]), probe)


@pytest.fixture(scope="module")
def truth():
    """Of 600 rows."""
    return OnlineKernelPCA(2, gamma=0.5, nu=1e-6).fit(normal(600, 2))


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_rule_goes_on_from_the_batch(rule, truth):
    """A steady stream: components of the batch are nearly those of all rows, and stay so."""
    X = normal(600, 2)
    warm = model(rule, burn_in=300, nu=1e-3)
    warm.rule = rule if isinstance(rule, Exact | IncrementalSVD) else type(rule)(schedule=0.002)
    warm.fit(X)
    assert principal_angles(warm, truth)[-1] < 0.2
    assert warm.n_samples_seen_ == 600


@pytest.mark.parametrize("policy", [dictionary.Sampled(6), dictionary.Clustered(6)], ids=repr)
@pytest.mark.parametrize("geometry", ["rkhs", "empirical"])
def test_chosen_dictionaries(policy, geometry):
    X, probe = normal(60), normal(4, seed=1)
    params = {"dictionary": policy, "geometry": geometry, "random_state": 3}
    whole = model(**params).fit(X)
    assert whole.n_atoms_ == 6
    for borders in (random_borders(60, 1), [19, 20, 21]):
        assert_same_model(stream(model(**params), X, borders), whole, probe)
    if isinstance(policy, dictionary.Sampled):
        assert all((X[:20] == atom).all(axis=1).any() for atom in whole.atoms_)
    else:
        assert not any((atom == X).all(axis=1).any() for atom in whole.atoms_)


def test_chosen_dictionaries_need_rows_to_choose_from():
    with pytest.raises(ValueError, match="burn_in must be at least 6, got 5"):
        model(dictionary=dictionary.Sampled(6), burn_in=5).fit(normal(10))


@pytest.mark.parametrize("n_atoms", [0, 1.5, 5.0, True, None, "5", np.inf])
@pytest.mark.parametrize("kind", [dictionary.Sampled, dictionary.Clustered])
def test_refused_sizes(kind, n_atoms):
    """At once, and not when the warm-up is over."""
    with pytest.raises(ValueError, match=f"{kind.__name__}: n_atoms must be an integer >= 1"):
        kind(n_atoms)


def test_a_refused_row_leaves_the_warm_up_as_it_was():
    X = normal(10)
    warm = model(kernel=kernels.Polynomial(degree=3), gamma=None).partial_fit(X[:5])
    bad = X[5:].copy()
    bad[2] = 1e200
    with pytest.raises(ValueError, match="row 2"):
        warm.partial_fit(bad)
    assert warm.n_samples_seen_ == 5
    warm.partial_fit(X[5:])
    again = clone(warm).fit(X)
    assert_same_model(warm, again, normal(4, seed=1))


def test_a_refused_row_behind_the_warm_up_is_named_by_its_place():
    X = normal(30)
    X[25, 0] = 1e200
    with pytest.raises(ValueError, match="row 25"):
        model(kernel=kernels.Polynomial(degree=3)).fit(X)


def odd(A, B):
    """Not positive definite."""
    return 1 - np.sqrt(((A[:, None] - B[None]) ** 2).sum(axis=-1))


def test_a_kernel_that_fails_at_the_end_of_the_warm_up():
    X = normal(30, 3)
    with pytest.raises(ValueError, match=r"the warm-up cannot be fitted: .* \[row \d+ of its 20"):
        model(kernel=odd, gamma=None).fit(X)
    by_row = stream(model(kernel=odd, gamma=None), X[:19], range(1, 19))
    with pytest.raises(ValueError, match="the warm-up cannot be fitted"):
        by_row.partial_fit(X[19:20])
    assert by_row.n_samples_seen_ == 19


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"geometry": "empirical"}, "needs a fixed dictionary"),
        ({"dictionary": dictionary.Fixed(np.ones((3, 7)))}, "7 columns"),
        ({"rule": IncrementalSVD(), "n_components": None}, "needs a rank"),
        (
            {"rule": IncrementalSVD(), "n_components": 0.9, "burn_in": 0, "gamma": "median"},
            "a rank",
        ),
        ({"rule": Hebbian(init=np.ones((2, 1)))}, "both say where"),
        ({"rule": "tanaka", "n_components": 30}, "weight"),
    ],
)
def test_what_cannot_work_is_refused_at_the_first_row(params, message):
    with pytest.raises(ValueError, match=message):
        OnlineKernelPCA(**({"n_components": 2, "burn_in": 20} | params)).partial_fit(normal(1))


@pytest.mark.long
def test_signs_stay_while_it_lasts():
    X = normal(60)
    warm = model(nu=0, burn_in=50)
    before = None
    for n, x in enumerate(X):
        warm.partial_fit(x[None])
        now = warm.transform(X)
        if n > 10:
            assert ((now * before).sum(axis=0) > 0).all()
        before = now


def test_a_row_without_weight_is_none():
    X = normal(30)
    warm = model().partial_fit(X[:1]).partial_fit(X[1:4], sample_weight=np.zeros(3))
    assert warm.n_samples_seen_ == 1


def test_pickling_in_mid_warm_up():
    X, probe = normal(40), normal(4, seed=1)
    warm = model().partial_fit(X[:7])
    copy = pickle.loads(pickle.dumps(warm))
    assert_same_model(copy.partial_fit(X[7:]), warm.partial_fit(X[7:]), probe, tol=0)


def test_sparse_rows():
    X = normal(40) * (normal(40, seed=2) > 0)
    dense = model().fit(X)
    thin = model().partial_fit(sparse.csr_matrix(X[:13])).partial_fit(sparse.csr_matrix(X[13:]))
    assert_allclose(thin.eigenvalues_, dense.eigenvalues_, rtol=1e-9)


def test_buffers_may_be_reused():
    X, probe = normal(20), normal(4, seed=1)
    buffer = X[:10].copy()
    warm = model().partial_fit(buffer)
    buffer[:] = X[10:]
    assert_same_model(warm.partial_fit(buffer), model().fit(X), probe)


def test_merging_ends_it():
    X = normal(30)
    a, b = model().partial_fit(X[:15]), model().partial_fit(X[15:])
    whole = OnlineKernelPCA(2, gamma=0.5).fit(X)
    assert_allclose(a.merge(b).eigenvalues_, whole.eigenvalues_, rtol=1e-2)


def test_epochs_are_passes():
    X, probe = normal(30), normal(4, seed=1)
    rule = Hebbian(schedule=0.1)
    twice = OnlineKernelPCA(2, gamma=0.5, rule=rule, epochs=2, random_state=0).fit(X)
    by_hand = OnlineKernelPCA(2, gamma=0.5, rule=rule, random_state=0).fit(X).partial_fit(X)
    assert_same_model(twice, by_hand, probe, tol=0)
