"""A detector whose rows were learned in parts: limits hold for rows that nobody has learned."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from dask_tools import assert_same, ring
from okpca import KernelNoveltyDetector
from okpca.dask import fit
from okpca.dask.learning import Run

X = ring(4000)
DETECTOR = KernelNoveltyDetector(gamma=2.0, max_atoms=60, window=400, contamination=0.02)
QUICK = {"scheduler": "synchronous"}
PARTS = da.from_array(X, chunks=(500, 3))


@pytest.mark.thorough
def test_alarms_are_as_rare_as_promised():
    detector = fit(DETECTOR, PARTS, **QUICK)
    alarms = (detector.predict(ring(20_000, 9)) == -1).mean()
    assert 0.005 < alarms < 0.05
    assert (detector.predict([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]) == -1).all()


def test_all_rows_count_and_it_goes_on():
    detector = fit(DETECTOR, PARTS, **QUICK)
    assert detector.n_samples_seen_ == 4000
    learned = detector.estimator_.n_samples_seen_
    assert learned == 4000 - detector.n_alarms_
    assert len(detector._watch.window.pairs) <= 400
    assert detector.get_params() == DETECTOR.get_params()
    told = detector.monitor(np.vstack([ring(300, 5), np.zeros((5, 3))]))
    assert told.alarms[-5:].all()
    assert detector.n_samples_seen_ == 4305


@pytest.mark.thorough
def test_alarms_are_not_learned():
    rows = X.copy()
    rows[300:4000:500] = 9.0
    detector = fit(DETECTOR, da.from_array(rows, chunks=(500, 3)), **QUICK)
    assert detector.n_alarms_ >= 8
    assert detector.predict([[9.0, 9.0, 9.0]]) == [-1]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "given", [{"lags": 2, "gamma": 0.1}, {"ewma": 0.3}, {"gamma": "median", "scale": "auto"}]
)
def test_settings_about_time_and_first_rows(given):
    detector = fit(DETECTOR.__class__(**DETECTOR.get_params() | given), PARTS, **QUICK)
    assert detector.n_samples_seen_ == 4000
    assert np.isfinite(detector.offset_)
    assert (detector.predict(ring(3000, 9)) == -1).mean() < 0.08
    assert (detector.predict(np.full((6, 3), 3.0))[3:] == -1).all()


@pytest.mark.thorough
def test_whoever_computes():
    one, other = (fit(DETECTOR, PARTS, scheduler=name) for name in ("synchronous", "threads"))
    assert one.limits_ == other.limits_
    assert_same(one.estimator_, other.estimator_)


@pytest.mark.thorough
def test_names_of_columns():
    frame = pd.DataFrame(X, columns=list("abc"))
    detector = fit(DETECTOR, dd.from_pandas(frame, npartitions=4), **QUICK)
    assert list(detector.feature_names_in_) == list("abc")
    assert list(detector.contributions(frame[:3]).columns) == list("abc")


def test_too_few_rows_for_a_limit():
    with pytest.warns(UserWarning, match="the limit is infinite"):
        detector = fit(DETECTOR, [dask.delayed(ring(60, i)) for i in range(3)], **QUICK)
    assert detector.n_samples_seen_ == 180


def test_two_passes_are_refused():
    with pytest.raises(ValueError, match="not for detectors"):
        fit(DETECTOR, PARTS, passes=2)


@pytest.mark.parametrize("cuts", [[], [1, 2, 30], [95], [5, 50, 99]])
@pytest.mark.parametrize(("size", "left"), [(10, 10), (40, 25), (0, 0), (1000, 25)])
def test_the_last_rows_are_held_back(cuts, size, left):
    rows, run, given = np.arange(200.0).reshape(100, 2), Run(size), []
    for piece in np.split(rows, cuts):
        given += run.after(piece)
    given += run.ended()
    assert_array_equal(np.vstack([*given, *run.rows]), rows)
    assert sum(map(len, run.rows)) == left
