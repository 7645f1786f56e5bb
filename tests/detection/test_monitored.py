"""What `monitor` tells, as a data frame with the index of the rows."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from helpers import normal
from okpca import KernelNoveltyDetector
from okpca.detection.monitored import COLUMNS, concatenated

pd = pytest.importorskip("pandas")
NAMES = ["flow", "level", "heat"]
HOURS = pd.date_range("2024-03-01", periods=300, freq="h", name="time")
ROWS = pd.DataFrame(normal(300), columns=NAMES, index=HOURS)


def detector(**options):
    return KernelNoveltyDetector(3, gamma=0.3, warm_up=40, contamination=0.05, **options)


def test_the_index_of_a_frame_comes_back():
    seen = detector().monitor(ROWS)
    frame = seen.to_frame()
    assert frame.index.equals(HOURS)
    assert list(frame.columns) == list(COLUMNS)
    for name in COLUMNS:
        assert_array_equal(frame[name], getattr(seen, name))
    assert frame["alarms"].dtype == frame["learned"].dtype == frame["drift"].dtype == bool


def test_calls_are_joined_with_their_indices():
    model = detector()
    parts = [model.monitor(ROWS[:120]), model.monitor(ROWS[120:121]), model.monitor(ROWS[121:])]
    joined = concatenated(parts)
    assert joined.to_frame().index.equals(HOURS)
    whole = detector().monitor(ROWS)
    np.testing.assert_allclose(joined.score, whole.score, atol=1e-9)
    mixed = concatenated([*parts, detector().monitor(ROWS.to_numpy())])
    assert mixed.index is None  # not all rows have one


def test_rows_without_an_index_are_numbered():
    for rows in (ROWS.to_numpy(), ROWS.to_numpy().tolist()):
        assert list(detector().monitor(rows).to_frame().index) == list(range(300))


def test_polars_rows_have_no_index():
    pl = pytest.importorskip("polars")
    seen = detector().monitor(pl.DataFrame(ROWS.to_numpy(), schema=NAMES))
    assert seen.index is None
    assert len(seen.to_frame()) == 300


def test_pandas_is_missing(monkeypatch):
    seen = detector().monitor(ROWS.to_numpy())
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'okpca\[dataframe\]'"):
        seen.to_frame()


@pytest.mark.thorough
def test_an_array_that_is_used_again_does_not_reach_into_the_detector():
    one, two, row = detector(refresh=10), detector(refresh=10), np.empty((1, 3))
    for x in normal(300):
        row[:] = x
        seen = one.monitor(row)
        row[:] = seen.spe[:] = seen.t2[:] = 77.0
        two.monitor(x[None].copy())
    assert_array_equal(one._watch.window.packed().rows[0], two._watch.window.packed().rows[0])
    assert_array_equal(one._watch.level, two._watch.level)
    assert one.limits_ == two.limits_


def test_what_is_told_of_one_row_is_the_users_own():
    model = detector().fit(normal(300))
    row = np.zeros((1, 3))
    seen = model.monitor(row)
    seen.alarms[:], seen.learned[:] = True, False
    again = model.monitor(row)
    assert not again.alarms.any()
    assert again.learned.all()
