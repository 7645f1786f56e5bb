"""Times as text, and by the clock of the place they are from."""

import numpy as np
import pandas as pd
import pytest

from okpca._core.times import by_clock, told, told_alike


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (np.datetime64("2026-03-01T08:00:00"), "2026-03-01 08:00"),
        (np.datetime64("2026-03-01T08:00:01.500"), "2026-03-01 08:00:01.500"),
        (np.datetime64("2026-03-01"), "2026-03-01"),
        (np.datetime64("NaT"), None),
        (np.float64(2.5), "2.5"),
        (1700000000.125, "1700000000.125"),
        (np.float64("nan"), None),
        (np.float32(0.1), "0.1"),
        (0.1 + 0.2, "0.3"),
        (1e-20, "1e-20"),
        (pd.NaT, None),
        (pd.NA, None),
        (3, "3"),
        ("noon", "noon"),
        ("nan", "nan"),
        (True, "True"),
        (np.int64(2**62 + 1), "4611686018427387905"),
        (None, None),
    ],
)
def test_times_as_text(time, text):
    assert told(time) == text


@pytest.mark.parametrize(
    ("times", "texts"),
    [
        (np.array(["2024-01-01", "2024-01-02"], "datetime64[ns]"), ["2024-01-01", "2024-01-02"]),
        (
            np.array(["2024-01-01T00:00", "2024-01-01T05:00", "NaT"], "datetime64[ns]"),
            ["2024-01-01 00:00", "2024-01-01 05:00", None],
        ),
        (
            np.array(["2024-01-01T00:00", "2024-01-01T00:00:30"], "datetime64[s]"),
            ["2024-01-01 00:00:00", "2024-01-01 00:00:30"],
        ),
        ([0.0, 0.5, 1.0, np.nan], ["0.0", "0.5", "1.0", None]),
        ([0, 1.25], ["0.00", "1.25"]),
        ([0.0, 1.0], ["0", "1"]),
        ([1e-20, 0.5], ["1e-20", "0.5"]),
        ([-np.inf, 0.5], ["-inf", "0.5"]),
        (["08:00", "noon", None], ["08:00", "noon", None]),
        ([], []),
    ],
)
def test_times_beside_each_other_have_one_format(times, texts):
    assert told_alike(times) == texts


AUTUMN = pd.date_range("2024-10-26", periods=600, freq="15min", tz="Europe/Berlin")


@pytest.mark.parametrize("given", [pd.DatetimeIndex, pd.Series, pd.array])
def test_a_clock_that_is_put_back_is_left_for_utc(given):
    """At the end of summer time an hour comes twice."""
    shown, utc = by_clock(given(AUTUMN[:90])), by_clock(given(AUTUMN))
    assert told(shown[0]) == "2024-10-26"
    assert told(utc[0]) == "2024-10-25 22:00"
    assert (np.diff(shown) == np.timedelta64(15, "m")).all()
    assert (np.diff(utc) == np.timedelta64(15, "m")).all()


@pytest.mark.parametrize("times", [None, ["noon"], AUTUMN.tz_localize(None), np.arange(3)])
def test_times_without_a_zone_stay(times):
    assert by_clock(times) is times


def test_times_that_go_back_by_themselves_are_shown_by_the_clock():
    backwards = AUTUMN[:90][::-1]
    np.testing.assert_array_equal(by_clock(backwards), by_clock(AUTUMN[:90])[::-1])
