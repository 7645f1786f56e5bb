"""A model is a value: neither what was derived from another, nor the caller's arrays, are in it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from helpers import normal
from okpca import OnlineKernelPCA
from okpca._core.cached import once
from okpca._core.errors import RowError
from okpca.dictionary import Fixed
from okpca.model import components, projected


def test_weights_may_be_used_again():
    X, weight = normal(60, 2), np.ones(40)
    models = []
    for later in (1.0, np.linspace(1, 1000, 40)):
        weight[:] = 1.0
        model = OnlineKernelPCA(2, gamma=0.5, max_atoms=8).partial_fit(X[:40], sample_weight=weight)
        weight[:] = later
        models.append(model.partial_fit(X[40:]))
    assert_array_equal(models[0].eigenvalues_, models[1].eigenvalues_)
    assert_array_equal(models[0].atoms_, models[1].atoms_)


def test_fixed_points_may_be_used_again():
    rows = csr_array(np.abs(normal(30, 3)))
    points = csr_array(np.abs(normal(5, 3)))
    model = OnlineKernelPCA(1, kernel="linear", dictionary=Fixed(points), geometry="empirical").fit(
        rows
    )
    before = model.transform(rows)
    points.data[:] = 7.0
    assert_array_equal(pickle.loads(pickle.dumps(model)).transform(rows), before)


def test_nothing_derived_is_copied_on():
    model = OnlineKernelPCA(2).fit(normal(20))._model
    shown, text = components(model), repr(model)
    other = replace(model, learner=None)
    assert not components(other).scatter.any()
    assert components(model) is shown
    assert repr(model) == text


def test_two_functions_of_one_name_are_two():
    model = OnlineKernelPCA(2).fit(normal(20))._model
    components(model)
    assert once(_named_components())(model) == "another"


def _named_components():
    def components(model):
        return "another"

    components.__qualname__ = "components"
    return components


def test_rows_held_back_are_not_looked_at():
    model = OnlineKernelPCA(2, burn_in=50).partial_fit(normal(20))._model
    with pytest.raises(AssertionError, match="held back"):
        projected(model, normal(3))


def test_an_error_about_a_row_travels():
    error = pickle.loads(pickle.dumps(RowError("what", 3)))
    assert (error.what, error.row) == ("what", 3)


def test_transform_needs_one_copy_of_its_answer():
    import tracemalloc

    X = normal(20_000, 2)
    model = OnlineKernelPCA(20, gamma=0.5, max_atoms=30).fit(X[:500])
    model.transform(X)
    tracemalloc.start()
    answer = model.transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.6 * answer.nbytes
