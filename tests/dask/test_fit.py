"""Partitions become models, and these one model: whatever the rows come in, whoever computes."""

import pickle

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone

import okpca
from dask_tools import assert_same, block, late, part_of, ring, tree
from okpca import OnlineKernelPCA, dictionary
from okpca.dask import fit
from okpca.dask.learning import Part, learned
from okpca.estimator import kept_by

X = ring(1200)
MODEL = OnlineKernelPCA(3, gamma=0.5, max_atoms=30)
QUICK = {"scheduler": "synchronous"}


def array(rows=X, size=300):
    return da.from_array(rows, chunks=(size, rows.shape[1]))


@pytest.fixture(scope="module")
def expected():
    return tree([part_of(MODEL, 4).partial_fit(part) for part in np.split(X, 4)])


def frames(folder):
    return dd.from_pandas(pd.DataFrame(X, columns=list("abc")), npartitions=4)


def npy_files(folder):
    for i, part in enumerate(np.split(X, 4)):
        np.save(folder / f"part-{i}.npy", part)
    return str(folder / "part-*.npy")


KINDS = {
    "array": lambda folder: array(),
    "columns cut": lambda folder: da.from_array(X, chunks=(300, 2)),
    "frame": frames,
    "delayed": lambda folder: [dask.delayed(part) for part in np.split(X, 4)],
    "files": npy_files,
    "paths": lambda folder: [npy_files(folder).replace("*", str(i)) for i in range(4)],
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_tree_of_the_partitions(kind, expected, tmp_path):
    before = pickle.dumps(MODEL)
    found = fit(MODEL, KINDS[kind](tmp_path), **QUICK)
    if kind == "frame":  # whose numbers lie in another order, which BLAS sums up in another
        assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=1e-9)
    else:
        assert_same(found, expected)
    assert pickle.dumps(MODEL) == before
    assert found.get_params() == MODEL.get_params()
    assert hasattr(found, "feature_names_in_") == (kind == "frame")
    assert kept_by(found).plan.budget == kept_by(clone(MODEL).fit(X)).plan.budget  # its own again
    found.partial_fit(pd.DataFrame(X, columns=list("abc")) if kind == "frame" else X)
    assert found.n_samples_seen_ == 2400


def test_columns_by_any_name():
    names = ["key", "chunks", "dtype"]
    frame = dd.from_pandas(pd.DataFrame(X, columns=names), npartitions=2)
    model = fit(MODEL, frame, **QUICK)
    assert list(model.feature_names_in_) == names
    assert okpca.dask.transform(model, frame).compute(**QUICK).shape == (1200, 3)


def test_any_function_as_a_kernel():
    model = OnlineKernelPCA(2, kernel=lambda X, Y: (1 + X @ Y.T) ** 2, max_atoms=20)
    assert fit(model, array(), **QUICK).n_samples_seen_ == len(X)


def test_sparse_blocks():
    rows = np.where(np.abs(X) > 0.3, X, 0.0)
    parts = [csr_array(part) for part in np.split(rows, 4)]
    found = fit(MODEL, [dask.delayed(part) for part in parts], **QUICK)
    assert_same_sparse(found, tree([part_of(MODEL, 4).partial_fit(part) for part in parts]))


def assert_same_sparse(a, b):
    assert_array_equal(a.atoms_.toarray(), b.atoms_.toarray())
    assert_array_equal(a.eigenvalues_, b.eigenvalues_)


@pytest.mark.thorough
@settings(max_examples=15)
@given(
    borders=st.lists(st.integers(0, 60), max_size=6), center=st.booleans(), passes=st.integers(1, 2)
)
def test_where_nothing_is_left_out_it_is_the_model_of_one_pass(borders, center, passes):
    rows = ring(60)
    model = OnlineKernelPCA(3, gamma=0.5, nu=0, max_atoms=None, center=center)
    parts = [dask.delayed(part) for part in np.split(rows, sorted(borders))]  # some are empty
    found = fit(model, parts, passes=passes, **QUICK)
    whole = clone(model).fit(rows)
    assert found.n_samples_seen_ == 60
    assert_allclose(found.eigenvalues_, whole.eigenvalues_, rtol=1e-8)
    assert_allclose(np.abs(found.transform(rows)), np.abs(whole.transform(rows)), atol=1e-7)


@pytest.mark.thorough
def test_threads_that_are_done_in_any_order(expected):
    parts = [late(part, wait) for part, wait in zip(np.split(X, 4), (0.2, 0, 0.1, 0), strict=True)]
    assert_same(fit(MODEL, parts, scheduler="threads"), expected)


@pytest.mark.long
def test_processes(expected):
    assert_same(fit(MODEL, array(), scheduler="processes"), expected)


@pytest.mark.thorough
def test_one_partition_and_odd_numbers():
    assert_same(fit(MODEL, block(1), **QUICK), clone(MODEL).fit(ring(400, 1)))
    parts = [part_of(MODEL, 5).partial_fit(ring(400, i)) for i in range(5)]
    assert_same(fit(MODEL, [block(i) for i in range(5)], **QUICK), tree(parts))


# -- two passes -----------------------------------------------------------------------------------


def test_two_passes_are_one_over_the_atoms_of_all():
    once, twice = (fit(MODEL, array(), passes=n, **QUICK) for n in (1, 2))
    fixed = OnlineKernelPCA(3, gamma=0.5, dictionary=dictionary.Fixed(once.atoms_)).fit(X)
    assert_allclose(twice.eigenvalues_, fixed.eigenvalues_, rtol=1e-10)
    assert_allclose(np.abs(twice.transform(X)), np.abs(fixed.transform(X)), atol=1e-9)
    assert_allclose(
        twice.certificate().discarded_energy, fixed.certificate().discarded_energy, rtol=1e-9
    )
    assert twice.certificate().discarded_energy < once.certificate().discarded_energy
    assert twice.n_samples_seen_ == len(X)
    assert {tuple(atom) for atom in twice.atoms_} == {tuple(atom) for atom in once.atoms_}


def test_after_two_passes_the_dictionary_lives_on():
    model = fit(MODEL, array(), passes=2, **QUICK)
    model.partial_fit(ring(600, 1) + 4.0)
    assert model.n_atoms_ <= 30
    assert (model.atoms_ > 2.5).any()  # some have moved to where the rows are now
    whole = clone(MODEL).fit(np.vstack([X, ring(600, 1) + 4.0]))
    assert model.explained_variance_ratio_.sum() > 0.98 * whole.explained_variance_ratio_.sum()


# -- what the first rows decide -------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("given", [{"gamma": "median"}, {"gamma": "scale", "scale": "standard"}])
@pytest.mark.parametrize("empty", [0, 2])
def test_the_kernel_is_that_of_the_stream(given, empty):
    rows = X * [1.0, 20.0, 1.0]
    model = OnlineKernelPCA(3, max_atoms=30, **given)
    parts = [rows[:0]] * empty + np.split(rows, 4)
    found = fit(model, [dask.delayed(part) for part in parts], **QUICK)
    assert found.kernel_ == clone(model).fit(rows).kernel_
    assert found.get_params()["gamma"] == given["gamma"]


def test_a_dictionary_chosen_from_the_first_rows():
    model = OnlineKernelPCA(
        3, gamma=0.5, dictionary=dictionary.Sampled(20), burn_in=100, random_state=0
    )
    found, whole = fit(model, array(), **QUICK), clone(model).fit(X)
    assert {tuple(atom) for atom in found.atoms_} == {tuple(atom) for atom in whole.atoms_}
    assert_allclose(found.eigenvalues_, whole.eigenvalues_, rtol=1e-9)


@pytest.mark.thorough
def test_a_warm_up_ends_with_its_partition():
    model = clone(MODEL).set_params(burn_in=500)
    assert fit(model, array(), **QUICK).n_samples_seen_ == 1200
    assert fit(model, block(0), **QUICK).n_samples_seen_ == 400


def test_rows_left_out_are_counted():
    rows = X.copy()
    rows[::100, 1] = np.nan
    found = fit(clone(MODEL).set_params(missing="skip"), array(rows), passes=2, **QUICK)
    assert (found.n_samples_seen_, found.n_samples_skipped_) == (1188, 12)


def test_what_does_not_suit_the_rows_is_said():
    """Once, of the whole."""
    rows = np.random.default_rng(0).normal(size=(900, 3))
    with pytest.warns(okpca.KernelWarning, match="30 atoms hold") as told:
        fit(OnlineKernelPCA(3, gamma=10, max_atoms=30), array(rows), **QUICK)
    assert len(told) == 1
    assert told[0].filename == __file__


def test_bad_rows_of_files(tmp_path):
    for i in range(3):
        np.savetxt(tmp_path / f"{i}.csv", ring(50, i), delimiter=",", header="a,b,c", comments="")
    with (tmp_path / "1.csv").open("a") as file:
        file.write("1,2\n")
    parts = okpca.dask.files(tmp_path, on_bad_row="skip", columns=["a", "b"])
    with pytest.warns(UserWarning, match=r"1 bad rows left out, the first: .*1.csv"):
        found = fit(MODEL, parts, **QUICK)
    assert (found.n_samples_seen_, found.n_features_in_) == (150, 2)


# -- refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "passes", "what"),
    [
        ({"rule": "okha"}, 1, "keeps no moments"),
        ({"forgetting": 0.9}, 1, "no common clock"),
        ({"geometry": "empirical"}, 1, "empirical geometry"),
        ({"epochs": 2}, 1, "epochs=2"),
        ({"shuffle": True}, 1, "shuffle=True"),
        ({"robust": "auto"}, 2, "robust=None"),
        ({"missing": "impute"}, 2, "missing="),
        ({"max_atoms": -1}, 1, "max_atoms"),
        ({}, 3, "passes must be 1 or 2"),
    ],
)
def test_what_cannot_be_learned_in_parts(given, passes, what):
    def never():
        raise AssertionError("nothing is read")

    with pytest.raises(ValueError, match=what):
        fit(clone(MODEL).set_params(**given), [dask.delayed(never)()], passes=passes, **QUICK)


@pytest.mark.parametrize("rows", [X, [X], [], 3, da.ones(5), "-"], ids=lambda rows: str(type(rows)))
def test_what_has_no_partitions(rows):
    word = isinstance(rows, str)
    kind, what = (ValueError, "standard input") if word else (TypeError, "must be a dask")
    with pytest.raises(kind, match=what):
        fit(MODEL, rows, **QUICK)


def test_other_estimators():
    with pytest.raises(TypeError, match="StreamPipeline"):
        fit(okpca.StreamPipeline([("model", MODEL)]), array(), **QUICK)


def test_no_rows_at_all():
    with pytest.raises(ValueError, match="no row"):
        fit(MODEL, [dask.delayed(X[:0]), dask.delayed(X[:0])], **QUICK)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["array", "delayed", "files"])
@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_streams_go_on_from_partition_to_partition(kind, scheduler, tmp_path):
    a, b, c, d = np.split(X, 4)
    halves = [
        part_of(MODEL, 2).partial_fit(a).partial_fit(b),
        part_of(MODEL, 2).partial_fit(c).partial_fit(d),
    ]
    rows = KINDS[kind](tmp_path)
    assert_same(fit(MODEL, rows, streams=2, scheduler=scheduler), tree(halves))
    whole = clone(MODEL).partial_fit(a).partial_fit(b).partial_fit(c).partial_fit(d)
    assert_same(fit(MODEL, rows, streams=1, scheduler=scheduler), whole)
    assert_same(fit(MODEL, rows, streams=9, **QUICK), fit(MODEL, rows, **QUICK))


def test_streams_of_unequal_length_and_a_second_pass():
    parts = [dask.delayed(part) for part in np.split(X, [0, 100, 500, 500])]  # some are empty
    first, second = part_of(MODEL, 2), part_of(MODEL, 2)
    halves = [first.partial_fit(X[:100]), second.partial_fit(X[100:500]).partial_fit(X[500:])]
    assert_same(fit(MODEL, parts, streams=2, **QUICK), tree(halves))
    twice = fit(MODEL, parts, streams=2, passes=2, **QUICK)
    fixed = clone(MODEL).set_params(dictionary=dictionary.Fixed(twice.atoms_)).fit(X)
    assert_allclose(twice.eigenvalues_, fixed.eigenvalues_, rtol=1e-9)


def test_a_task_of_a_stream_leaves_what_it_goes_on_from():
    first = learned(Part(estimator=MODEL), X[:600], "first", None)
    before = pickle.dumps(first.estimator)
    once, again = (learned(first, X[600:], "second", 0) for _ in range(2))
    assert pickle.dumps(first.estimator) == before
    assert_same(once.estimator, again.estimator)
    assert (once.first, once.last) == ("first", "second")


@pytest.mark.parametrize("streams", [0, -1, 1.5, True, "2"])
def test_streams_that_are_no_number(streams):
    with pytest.raises(ValueError, match="streams must be an integer >= 1"):
        fit(MODEL, array(), streams=streams, **QUICK)
