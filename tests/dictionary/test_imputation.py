"""Missing values from atoms: beside a literal twin, at the edges, and better than means."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from helpers import normal
from okpca.dictionary import imputation as module
from okpca.dictionary.imputation import MOST, Donors, completed
from oracles import imputation as oracle


def curved(n, seed=0):
    """Rows on a curved sheet in five columns of unlike scales, and the same with gaps."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    X = np.column_stack([a, b, a * b, a**2 - b, a + 0.3 * b]) + 0.05 * rng.normal(size=(n, 5))
    X = X * [1, 10, 0.1, 3, 1000] + [0, 5, -7, 100, 0]
    gaps = rng.random(X.shape) < 0.2
    gaps[gaps.all(axis=1), 0] = False
    return X, np.where(gaps, np.nan, X)


@pytest.mark.thorough
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 6, 40])
def test_is_the_literal_twin(n, weighted):
    points, weight = curved(n)[0], np.ones(n)
    if weighted:
        weight = np.random.default_rng(1).uniform(0.1, 3.0, size=n)
    X = curved(30, seed=2)[1]
    donors = Donors(points, weight)
    assert donors.ridge == pytest.approx(oracle.best_ridge(points, weight))
    assert_allclose(donors.filled(X), oracle.filled(X, points, weight), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("most", [3, 4, 30])  # fewer than columns, more than columns
def test_only_the_nearest_count(most, monkeypatch):
    monkeypatch.setattr(module, "MOST", most)
    points, X = curved(31)[0], curved(20, seed=3)[1]
    donors = Donors(points, np.ones(31))
    want = oracle.filled(X, points, np.ones(31), most, donors.ridge)
    assert_allclose(donors.filled(X), want, rtol=1e-8, atol=1e-8)


def test_nothing_jumps_when_two_donors_change_places(monkeypatch):
    """The last that counts and the first that does not are equally near: either way is the same."""
    monkeypatch.setattr(module, "MOST", 2)
    points = np.array([[0.0, 0.0], [1.0, 5.0], [-1.0, -7.0], [8.0, 1.0]])
    donors, by = Donors(points, np.ones(4)), 1e-9
    low, high = (donors.filled(np.array([[x, np.nan]]))[0, 1] for x in (-by, by))
    assert_allclose(low, high, atol=1e-7)


@pytest.mark.thorough
def test_completed_is_the_literal_twin():
    X, weight = curved(25)[1], np.random.default_rng(1).uniform(0.5, 2.0, size=25)
    X[4:7, 2] = np.nan
    assert_allclose(completed(X, weight), oracle.completed(X, weight), rtol=1e-8, atol=1e-8)


def test_values_that_are_there_stay():
    X, spoilt = curved(300)
    there = ~np.isnan(spoilt)
    for filled in (completed(spoilt, np.ones(300)), Donors(X, np.ones(300)).filled(spoilt)):
        assert (filled[there] == spoilt[there]).all()
        assert np.isfinite(filled).all()
        off = np.square((filled - X) / X.std(axis=0))[~there].mean()
        assert off < 0.2  # of the variance
    assert completed(X, np.ones(300)) is X


def test_units_do_not_matter():
    X, spoilt = curved(60)
    units, shift = np.array([1e6, 1e-6, 3.0, 1e-3, 1.0]), np.array([1e3, 0, -5, 0, 1])
    here = Donors(X, np.ones(60)).filled(spoilt)
    there = Donors(X * units + shift, np.ones(60)).filled(spoilt * units + shift)
    assert_allclose((there - shift) / units, here, rtol=1e-6)


@pytest.mark.parametrize("size", [1e-150, 1e150, 1e300])
def test_of_any_size(size):
    X, spoilt = curved(60)
    assert_allclose(
        Donors(X * size, np.ones(60)).filled(spoilt * size) / size,
        Donors(X, np.ones(60)).filled(spoilt),
        rtol=1e-6,
    )


def test_a_row_without_values_is_the_mean():
    X, weight = normal(50, 4), np.arange(1.0, 51.0)
    filled = Donors(X, weight).filled(np.full((1, 4), np.nan))
    assert_allclose(filled[0], np.average(X, axis=0, weights=weight), atol=1e-12)


def test_without_donors():
    X = np.array([[1.0, np.nan], [np.nan, np.nan]])
    assert (Donors(np.empty((0, 2)), np.empty(0)).filled(X) == [[1, 0], [0, 0]]).all()
    assert (completed(X[:1], np.ones(1)) == [[1, 0]]).all()


def test_constant_and_unseen_columns():
    X = np.column_stack([normal(40, 2), np.full(40, 7.0), np.full(40, np.nan)])
    X[3, 2] = X[5, 0] = np.nan
    filled = completed(X, np.ones(40))
    assert filled[3, 2] == pytest.approx(7.0)
    assert (filled[:, 3] == 0).all()


def test_more_donors_alike_than_count():
    points = np.repeat([[1.0, 2.0], [3.0, 8.0]], MOST + 5, axis=0)
    filled = Donors(points, np.ones(len(points))).filled(np.array([[1.0, np.nan]]))
    assert filled[0, 1] == pytest.approx(2.0)


def test_csr_donors_and_those_too_wide():
    X, spoilt = curved(40)
    there = Donors(sparse.csr_array(X), np.ones(40)).filled(spoilt)
    assert_allclose(there, Donors(X, np.ones(40)).filled(spoilt), rtol=1e-9)
    wide = Donors(sparse.csr_array((40, 10**7)), np.ones(40))
    with pytest.raises(ValueError, match="missing='skip'"):
        wide._unit  # noqa: B018


def test_a_look_leaves_no_trace_in_the_pickle():
    donors = Donors(normal(20), np.ones(20))
    before = pickle.dumps(donors)
    donors.filled(np.array([[np.nan, 0.0, 0.0]]))
    assert pickle.dumps(donors) == before
