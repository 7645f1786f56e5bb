"""A detector and rows that lack values: as many results as rows, and no cut matters."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from helpers import normal, random_borders, refused
from okpca import KernelNoveltyDetector
from okpca.detection.monitored import COLUMNS

WHOLE = normal(400, 2, seed=1) @ normal(2, 4, seed=2) + 0.1 * normal(400, 4)
X = np.where(np.random.default_rng(0).random(WHOLE.shape) < 0.05, np.nan, WHOLE)
X[[5, 300]] = np.nan
X[350:353] = [[9.0, -9, np.nan, 9], [9, np.nan, -9, 9], [np.nan, 9, 9, -9]]
GAPS = np.isnan(X).any(axis=1)
EMPTY = np.isnan(X).all(axis=1)
BOTH = pytest.mark.parametrize("missing", ["skip", "impute"])
TIMES = pytest.mark.parametrize(
    "times", [{}, {"lags": 1, "ewma": 0.5}, {"accept_after": 3}], ids=str
)


def detector(missing, **more):
    params = {"contamination": 0.05, "missing": missing, "scale": "standard"} | more
    return KernelNoveltyDetector(**params)


@pytest.mark.thorough
@BOTH
@TIMES
def test_the_cuts_do_not_matter(missing, times):
    one, other = detector(missing, **times), detector(missing, **times)
    whole = one.monitor(X)
    parts = [other.monitor(rows) for rows in np.split(X, random_borders(len(X), 3)) if len(rows)]
    for name in COLUMNS:
        pieces = np.concatenate([getattr(part, name) for part in parts])
        assert_allclose(pieces, getattr(whole, name), atol=1e-9)
    assert one.n_samples_skipped_ == other.n_samples_skipped_
    assert one.n_values_imputed_ == other.n_values_imputed_
    assert_allclose(one.score_samples(X), other.score_samples(X), atol=1e-9)


def test_skipped_rows_have_no_score_and_no_alarm():
    fitted = detector("skip")
    seen = fitted.monitor(X)
    assert len(seen.score) == len(X)
    for name in ("spe", "t2", "score", "limit"):
        assert np.isnan(getattr(seen, name)[GAPS]).all()
    assert np.isfinite(seen.score[150:][~GAPS[150:]]).all()
    assert not seen.alarms[GAPS].any()
    assert not seen.learned[GAPS].any()
    assert fitted.n_samples_skipped_ == GAPS.sum()
    assert fitted.n_samples_seen_ == (~GAPS).sum()
    assert (np.isnan(fitted.score_samples(X)) == GAPS).all()
    assert (fitted.predict(X)[GAPS] == 1).all()
    shares = fitted.contributions(X)
    assert (np.isnan(shares).all(axis=1) == GAPS).all()


@TIMES
def test_skipped_rows_have_not_come(times):
    seen, there = detector("skip", **times).monitor(X), detector("raise", **times).monitor(X[~GAPS])
    for name in COLUMNS:
        assert_allclose(getattr(seen, name)[~GAPS], getattr(there, name), atol=1e-12)


def test_imputed_rows_are_scored_and_alarms():
    fitted = detector("impute")
    seen = fitted.monitor(X)
    assert (np.isnan(seen.score[101:]) == EMPTY[101:]).all()
    assert seen.alarms[350:353].all()  # far out in the columns that they have
    assert fitted.n_samples_skipped_ == 2
    assert fitted.n_values_imputed_ == np.isnan(X).sum() - 2 * 4
    assert (fitted.predict(X[350:353]) == -1).all()
    assert np.isfinite(fitted.contributions(X[~EMPTY])).all()
    quiet = seen.alarms[100:350][GAPS[100:350]].mean()
    assert quiet < 0.2  # gaps alone are no alarms


@BOTH
def test_looking_changes_nothing(missing):
    fitted = detector(missing).fit(X)
    before = pickle.dumps(fitted)
    fitted.predict(X), fitted.contributions(X[:20])
    assert pickle.dumps(fitted) == before


def test_refused():
    fitted = detector("raise").fit(WHOLE)
    for method in ("partial_fit", "monitor", "predict", "contributions"):
        text = refused(fitted, r"row \d+ has no value in column \d", X, method)
        assert "missing='skip'" in text
    for missing in ("skip", "impute"):
        bad = np.r_[X[:4], [[0, 0, np.inf, 0]]]
        fitted = detector(missing).fit(WHOLE)
        for method in ("partial_fit", "predict"):
            refused(fitted, r"infinity(?s:.*)row 4 ", bad, method)
        refused(fitted, "every row lacks values", np.full((2, 4), np.nan), "fit")


@BOTH
def test_nothing_but_gaps_at_first(missing):
    fresh = detector(missing)
    seen = fresh.monitor(np.full((3, 4), np.nan))
    assert np.isnan(seen.score).all()
    with pytest.raises(NotFittedError):
        fresh.predict(WHOLE)
    fresh.partial_fit(X)
    assert fresh.n_samples_skipped_ == 3 + (GAPS if missing == "skip" else EMPTY).sum()


@BOTH
def test_tags(missing):
    assert detector(missing).__sklearn_tags__().input_tags.allow_nan
    assert not KernelNoveltyDetector().__sklearn_tags__().input_tags.allow_nan


@pytest.mark.thorough
def test_a_row_with_a_gap_that_comes_alone():
    """Not at a border, where rows are looked at one by one; also as the last of a block."""
    rows = normal(1030, 4)
    rows[[1024, 1027], 1] = np.nan
    whole = KernelNoveltyDetector(gamma=0.3, missing="impute").fit(rows[:1025])
    for row in rows[1025:]:
        whole.partial_fit(row[None])
    assert whole.n_samples_seen_ == 1030
    assert whole.n_values_imputed_ == 2
