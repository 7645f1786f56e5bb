"""Kinds of input, and the life of a model: fitted again, cloned, copied, pickled."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits

from helpers import normal, pairs, row_by_row, stream
from okpca import OnlineKernelPCA


def digits(n=500):
    return load_digits().data[:n] / 16


# ----------------------------------------------------------------------------------- kinds of input


def test_float32_in_float32_out_with_float64_sums():
    X = digits(300).astype(np.float32)
    model = OnlineKernelPCA(4, gamma=0.05).fit(X[:200])
    model.partial_fit(X[200:])
    double = OnlineKernelPCA(4, gamma=0.05).fit(X[:200].astype(float))
    double.partial_fit(X[200:].astype(float))
    assert model.transform(X).dtype == np.float32
    assert model.transform(X[:1]).dtype == np.float32
    assert model.transform(X.astype(float)).dtype == np.float64
    assert model.eigenvalues_.dtype == model.dual_coef_.dtype == np.float64
    assert_allclose(model.eigenvalues_, double.eigenvalues_, rtol=1e-12)
    assert_array_equal(model.transform(X), double.transform(X.astype(float)).astype(np.float32))


@pytest.mark.parametrize("kind", ["C", "F", "strided", "list", "integers", "pandas", "polars"])
def test_any_table_gives_the_same_model(kind):
    X = np.random.default_rng(0).integers(0, 9, size=(80, 4)).astype(float)
    names = list("abcd")
    table = {
        "C": np.ascontiguousarray(X),
        "F": np.asfortranarray(X),
        "strided": np.repeat(X, 2, axis=1)[:, ::2],
        "list": X.tolist(),
        "integers": X.astype(int),
        "pandas": pd.DataFrame(X, columns=names),
        "polars": pl.DataFrame(X, schema=names),
    }[kind]
    model = OnlineKernelPCA(3, gamma=0.02).fit(table)
    for start in range(0, 80, 16):
        model.partial_fit(table[start : start + 16])
    plain = stream(OnlineKernelPCA(3, gamma=0.02).fit(X), X, range(16, 80, 16))
    assert_allclose(model.transform(table), plain.transform(X), rtol=0, atol=1e-12)
    if kind in ("pandas", "polars"):
        assert list(model.feature_names_in_) == names


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(library):
    X = pd.DataFrame(normal(40), columns=list("abc"), index=range(100, 140))
    model = OnlineKernelPCA(2).set_output(transform=library).fit(X)
    out = model.transform(X)
    names = ["onlinekernelpca0", "onlinekernelpca1"]
    assert type(out).__module__.startswith(library)
    assert list(out.columns) == names == list(model.get_feature_names_out())
    if library == "pandas":
        assert list(out.index) == list(X.index)
    one = model.partial_fit(X[:1]).transform(X[:1])
    assert list(one.columns) == names
    plain = OnlineKernelPCA(2).fit(X).partial_fit(X[:1])
    assert_allclose(one.to_numpy(), plain.transform(X[:1]), atol=1e-12)


@pytest.mark.parametrize(
    "params", [{"gamma": 0.05}, {"kernel": "linear"}, {"kernel": "poly"}, {"kernel": "cosine"}]
)
@pytest.mark.parametrize("nu", [0, 0.01])
def test_csr_equals_dense(params, nu):
    X = digits(220)
    dense = OnlineKernelPCA(4, nu=nu, max_atoms=None, **params)
    csr = clone(dense)
    for rows in np.split(np.arange(160), [1, 70, 71]):
        dense.partial_fit(X[rows])
        csr.partial_fit(sparse.csr_array(X[rows]))
    assert csr.n_samples_seen_ == 160
    assert_allclose(csr.eigenvalues_, dense.eigenvalues_, rtol=1e-9)
    wanted = dense.transform(X)
    assert_allclose(csr.transform(sparse.csr_array(X)), wanted, atol=1e-8)
    assert_allclose(csr.transform(X), wanted, atol=1e-8)


# ---------------------------------------------------------------------------------- life of a model


def test_fit_forgets_and_clone_knows_nothing():
    X = normal(60)
    model = OnlineKernelPCA(2, gamma=0.5).fit(normal(40, seed=3))
    again = OnlineKernelPCA(2, gamma=0.5).fit(X)
    assert_array_equal(model.fit(X).dual_coef_, again.dual_coef_)
    blank = clone(model)
    assert blank.get_params() == model.get_params()
    assert not hasattr(blank, "eigenvalues_")
    assert_array_equal(blank.fit_transform(X), model.transform(X))


RULES = ["exact", "okha", "oo-kha", "on-kha", "oja"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rule", "copied", "look"),
    pairs(
        RULES, [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy], [True, False]
    ),
)
def test_a_copy_continues_bit_for_bit(copied, rule, look):
    """With growth, single rows and blocks before and after."""
    X = normal(120)
    model = OnlineKernelPCA(2, gamma=0.5, nu=0.02, rule=rule, forgetting=0.99, random_state=0)
    stream(model, X[:30], [10, *range(20, 30)])
    if look:
        model.transform(X[:2])
    twin = copied(model)
    atoms = twin.n_atoms_
    for part in np.split(X[30:], [*range(1, 50), 70, 71]):
        model.partial_fit(part)
        twin.partial_fit(part)
        if look:
            assert_array_equal(twin.eigenvalues_, model.eigenvalues_)
    assert twin.n_atoms_ > atoms + 5
    for name in ("atoms_", "eigenvalues_", "dual_coef_", "mean_", "explained_variance_ratio_"):
        assert_array_equal(getattr(twin, name), getattr(model, name))
    assert_array_equal(twin.transform(X), model.transform(X))


@pytest.mark.thorough
@pytest.mark.parametrize("start", [1, 2, 3, 5, 9, 17])
def test_a_pickle_taken_early_continues_bit_for_bit(start):
    """Rows that wait for a matrix product, and room for atoms, must not show in the digits."""
    X = normal(70)
    model = row_by_row(OnlineKernelPCA(2, gamma=0.5, nu=0.02), X[:start])
    twin = pickle.loads(pickle.dumps(model))
    row_by_row(model, X[start:])
    row_by_row(twin, X[start:])
    assert_array_equal(twin.eigenvalues_, model.eigenvalues_)
    assert_array_equal(twin.transform(X), model.transform(X))


@pytest.mark.thorough
def test_copies_do_not_disturb_each_other():
    """Values share storage; growing one copy must not show in the other."""
    X = normal(200)
    model = OnlineKernelPCA(3, gamma=0.5, nu=0.05).fit(X[:20])
    twin = copy.copy(model)
    left, right = normal(80, seed=5), normal(80, seed=6)
    for a, b in zip(np.split(left, range(1, 40)), np.split(right, range(1, 40)), strict=True):
        model.partial_fit(a)
        twin.partial_fit(b)
    for got, rows in ((model, left), (twin, right)):
        wanted = OnlineKernelPCA(3, gamma=0.5, nu=0.05).fit(X[:20])
        stream(wanted, rows, range(1, 40))
        assert_array_equal(got.atoms_, wanted.atoms_)
        assert_array_equal(got.transform(X), wanted.transform(X))
