"""Widths and scales that the first rows of a stream say, and then stay."""

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

from helpers import (
    assert_same_model,
    every_other,
    normal,
    random_borders,
    row_by_row,
    stream,
    up_to_sign,
)
from okpca import OnlineKernelPCA, dictionary, kernels, weights
from okpca._core.numerics import FIRST_ROWS
from okpca.rules import Hebbian
from oracles import first_rows as oracle

N = FIRST_ROWS
X = normal(N + 100, 4) * [1, 2, 5, 30] + [0, 3, -40, 100]
PROBE = X[::17] + 0.1
SETTINGS = {
    "median": {"gamma": "median"},
    "scale": {"gamma": "scale"},
    "standard": {"gamma": "median", "scale": "standard"},
    "robust": {"scale": "robust"},
    "laplacian": {"kernel": "laplacian", "gamma": "median", "scale": "standard"},
    "exponential": {"kernel": "exponential", "gamma": "median"},
    "poly": {"kernel": "poly", "gamma": "scale", "degree": 2, "scale": "standard"},
    "linear": {"kernel": "linear", "scale": "standard"},
    "wavelet": {"kernel": "wavelet", "gamma": "median", "kernel_params": {"kernel": "rbf"}},
    "sum": {"kernel": kernels.RBF("median") + 0.1 * kernels.RBF("scale"), "scale": "robust"},
    "on-kha": {"gamma": "median", "rule": Hebbian(schedule=0.1, normalize=True)},
    "full": {"gamma": "median", "scale": "standard", "max_atoms": 20},
    "forgetting": {"gamma": "median", "scale": "standard", "forgetting": 0.98},
    "robust weights": {"gamma": "median", "robust": weights.Exponential(2.0)},
}
EVERY = pytest.mark.parametrize("name", SETTINGS)


def model(name="median", **more):
    return OnlineKernelPCA(3, **{"nu": 1e-2, "random_state": 0} | SETTINGS[name] | more)


def same_to_rounding(one, other):
    for ours, theirs in (
        (one.transform(PROBE), other.transform(PROBE)),
        (one.eigenvalues_, other.eigenvalues_),
        (one.atoms_, other.atoms_),
    ):
        assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max(initial=0))


@EVERY
def test_the_same_as_if_it_had_been_known(name):
    fitted = model(name).fit(X)
    known = model(name, kernel=fitted.kernel_, scale=None, gamma=None, kernel_params=None).fit(X)
    same_to_rounding(fitted, known)


@pytest.mark.parametrize("word", ["scale", "median"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_the_same_as_its_gamma(word, kernel):
    fitted = OnlineKernelPCA(2, kernel=kernel, gamma=word).fit(X / 30)
    same_to_rounding(fitted, OnlineKernelPCA(2, kernel=kernel, gamma=fitted.gamma_).fit(X / 30))
    power = 1 if kernel == "laplacian" else 2
    want = {
        "scale": (oracle.gamma_scale(X[:N] / 30) / 4 ** (2 - power)) ** (power / 2),
        "median": oracle.gamma_median(X[:N] / 30, power=power),
    }[word]
    assert_allclose(fitted.gamma_, want, rtol=1e-12)


@pytest.mark.thorough
@EVERY
def test_the_cuts_do_not_matter(name):
    whole = model(name).fit(X)
    for borders in (random_borders(len(X), 1), [N - 1, N, N + 1], [1, 5, 150]):
        again = stream(model(name), X, borders)
        assert again.kernel_ == whole.kernel_
        assert_same_model(again, whole, PROBE)


def test_row_by_row():
    assert_same_model(row_by_row(model("standard"), X), model("standard").fit(X), PROBE)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "n"), every_other(SETTINGS, [1, 2, N - 1, 30]))
def test_before_they_are_all_there_one_sees_the_model_of_the_rows_so_far(name, n):
    so_far = model(name).partial_fit(X[:n])
    kernel = so_far.kernel_
    assert not kernel.needs_rows
    known = model(name, kernel=kernel, scale=None, gamma=None, kernel_params=None).fit(X[:n])
    same_to_rounding(so_far, known)
    assert so_far.n_samples_seen_ == n
    assert so_far.partial_fit(X[n:]).kernel_ == model(name).fit(X).kernel_ != kernel


def test_looking_changes_nothing():
    quiet, looked = model("robust"), model("robust")
    for rows in np.split(X, [7, 80, N - 1, N + 3]):
        quiet.partial_fit(rows)
        looked.partial_fit(rows)
        before = pickle.dumps(looked)
        looked.transform(PROBE), looked.gamma_, looked.eigenvalues_, looked.certificate()
        assert pickle.dumps(looked) == before
    assert_same_model(looked, quiet, PROBE)


def test_later_rows_change_it_no_more():
    fitted = model("standard").fit(X[:N])
    kernel = fitted.kernel_
    assert fitted.partial_fit(1000 * X).kernel_ == kernel


@pytest.mark.parametrize("name", ["median", "robust", "full", "on-kha"])
def test_pickled_in_the_middle(name):
    first = model(name).partial_fit(X[: N - 50])
    second = pickle.loads(pickle.dumps(first))
    first.partial_fit(X[N - 50 :])
    second.partial_fit(X[N - 50 :])
    np.testing.assert_array_equal(first.transform(PROBE), second.transform(PROBE))


@pytest.mark.parametrize("name", ["median", "robust", "poly"])
def test_a_refused_call_changes_nothing(name):
    fitted = model(name).partial_fit(X[:100])
    before = pickle.dumps(fitted)
    for rows in (np.full((1, 4), np.nan), np.vstack([X[100:], np.full((1, 4), np.inf)])):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            fitted.partial_fit(rows)
        now = pickle.loads(pickle.dumps(fitted))
        assert now.n_samples_seen_ == 100
    assert_same_model(fitted, pickle.loads(before), PROBE)
    assert_same_model(fitted.partial_fit(X[100:]), model(name).fit(X), PROBE)


def test_a_row_too_large_is_named_at_once():
    fitted = OnlineKernelPCA(kernel="poly", gamma="median").partial_fit(X[:100])
    rows = X[100:].copy()
    rows[7] = 1e200
    with pytest.raises(ValueError, match="row 7"):
        fitted.partial_fit(rows)
    assert fitted.n_samples_seen_ == 100


def test_an_interrupted_call():
    def stop(estimator, row):
        if estimator.n_samples_seen_ == 150:
            raise KeyboardInterrupt

    fitted = model("standard")
    with pytest.raises(KeyboardInterrupt):
        fitted.partial_fit(X, callback=stop)
    assert fitted.n_samples_seen_ == 150
    assert_same_model(fitted.partial_fit(X[150:]), model("standard").fit(X), PROBE)


# -- with a warm-up -------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["median", "robust", "on-kha", "robust weights", "laplacian"])
def test_a_warm_up_says_it(name):
    whole = model(name, burn_in=60).fit(X)
    kernel = whole.kernel_
    known = model(name, kernel=kernel, scale=None, gamma=None, burn_in=60).fit(X)
    same_to_rounding(whole, known)
    assert kernel == model(name).partial_fit(X[:60]).kernel_
    for borders in ([59, 60, 61], [1, 30]):
        assert_same_model(stream(model(name, burn_in=60), X, borders), whole, PROBE)
    before = model(name, burn_in=60).partial_fit(X[:45])
    known = model(name, kernel=before.kernel_, scale=None, gamma=None, burn_in=60)
    same_to_rounding(before, known.partial_fit(X[:45]))


@pytest.mark.parametrize("policy", [dictionary.Sampled(10), dictionary.Fixed(X[::20])])
def test_dictionaries_given_or_chosen(policy):
    burn_in = 60 if isinstance(policy, dictionary.Sampled) else 0
    params = {"dictionary": policy, "burn_in": burn_in}
    whole = model("standard", **params).fit(X)
    assert all((atom == X).all(axis=1).any() for atom in whole.atoms_)
    again = stream(model("standard", **params), X, [3, 60, N])
    assert_same_model(again, whole, PROBE)


def test_a_wrong_dictionary_is_refused_at_once():
    with pytest.raises(ValueError, match="has 2 columns, the rows have 4"):
        model(dictionary=dictionary.Fixed(np.ones((3, 2)))).partial_fit(X[:1])


# -- weights --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["median", "scale", "standard", "robust", "laplacian"])
def test_whole_weights_are_repetition(name):
    weight = np.random.default_rng(0).integers(0, 3, 90)
    weighted = model(name).fit(X[:90], sample_weight=weight)
    assert weighted.n_samples_seen_ == np.count_nonzero(weight)
    repeated = model(name).fit(np.repeat(X[:90], weight, axis=0))
    assert_allclose(weighted.gamma_, repeated.gamma_, rtol=1e-12)
    want = repeated.transform(PROBE)  # signs are told by rows, however heavy
    assert_allclose(up_to_sign(weighted.transform(PROBE), want), want, atol=1e-9)


def test_a_weight_of_too_many_steps_is_refused_at_once():
    fitted = model("on-kha").partial_fit(X[:20])
    weight = np.ones(30)
    weight[4] = 1e6
    with pytest.raises(ValueError, match=r"row 4.*1e\+06|1e\+06.*row 4"):
        fitted.partial_fit(X[:30], sample_weight=weight)
    assert fitted.n_samples_seen_ == 20


# -- CSR rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["median", "scale", "standard", "robust", "laplacian"])
def test_csr_rows(name):
    thin = np.where(np.abs(normal(N + 50, 4)) < 0.7, 0.0, X[: N + 50])
    csr = stream(model(name), sparse.csr_array(thin), [20, N - 1])
    dense = model(name).fit(thin)
    assert_allclose(csr.gamma_, dense.gamma_, rtol=1e-12)
    assert_allclose(csr.transform(sparse.csr_array(PROBE)), dense.transform(PROBE), atol=1e-9)
    assert sparse.issparse(csr.atoms_)
    if name in ("standard", "robust"):
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            dense.partial_fit(sparse.csr_array(thin))


# -- merging, compressing -------------------------------------------------------------------------


def test_models_of_other_widths_do_not_merge():
    for name in ("median", "robust"):
        one, other = model(name).fit(X[:150]), model(name).fit(X[150:])
        with pytest.raises(ValueError, match=r"gamma=first.gamma_ or, .* kernel=first.kernel_"):
            one.merge(other)
        told = clone(other).set_params(kernel=one.kernel_, scale=None, gamma=None).fit(X[150:])
        merged = one.merge(told)
        assert merged.n_samples_seen_ == len(X)
        assert merged.partial_fit(X[:5]).n_samples_seen_ == len(X) + 5


def test_the_message_says_what_differs_however_many_columns():
    rows = [normal(20, 300, seed) for seed in (0, 1)]
    for part in rows:
        part[:, :20] = 1.0  # so that a long list of scales begins alike
    wide = [OnlineKernelPCA(scale="standard").fit(part) for part in rows]
    with pytest.raises(ValueError, match=r"scale of column 20 and of 279 more \(") as refused:
        wide[0].merge(wide[1])
    assert "gamma (" not in str(refused.value)
    assert len(str(refused.value)) < 500
    for other in (OnlineKernelPCA(gamma=1.0), OnlineKernelPCA(kernel="linear", scale="standard")):
        with pytest.raises(ValueError, match="different kernel") as refused:
            wide[0].merge(other.fit(rows[1]))
        assert len(str(refused.value)) < 500


def test_merging_and_compressing_end_the_wait():
    fitted = model("standard").partial_fit(X[:50])
    kernel = fitted.kernel_
    assert fitted.compress(10).partial_fit(X).kernel_ == kernel
    assert fitted.n_samples_seen_ == 50 + len(X)


@pytest.mark.parametrize(
    "params", [{"gamma": "median"}, {"scale": "standard"}, {"missing": "impute"}], ids=str
)
def test_components_that_start_at_atoms(params):
    """Of which there are none before the width is known."""
    X = normal(40)
    policy = dictionary.Seeded(X[:3])
    model = OnlineKernelPCA(3, rule=Hebbian(init="atoms"), dictionary=policy, **params)
    assert np.isfinite(model.fit(X).eigenvalues_).all()


def test_functions_are_told_apart_too():
    """What a partial has is not among its attributes."""

    def damped(X, Y, rate, note):
        return np.exp(-rate * np.square(X[:, None] - Y[None]).sum(axis=-1))

    X, note = normal(20), "long " * 40
    one, other = (
        OnlineKernelPCA(kernel=kernels.Function(partial(damped, rate=rate, note=note))).fit(X)
        for rate in (0.1, 0.2)
    )
    with pytest.raises(ValueError, match=r"differ in f \(functools.partial"):
        one.merge(other)
