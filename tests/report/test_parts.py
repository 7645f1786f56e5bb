"""Bins, samples, times and markup: the parts that bound a report, and that escape."""

from dataclasses import replace
from html import unescape
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from okpca._core.times import told
from okpca.report import bins as module
from okpca.report import drift, words
from okpca.report.bins import Binned, Bins
from okpca.report.drift import Track
from okpca.report.markup import Html, table, tag, text
from okpca.report.reservoir import Reservoir
from okpca.report.subject import Subject
from okpca.report.times import axis, concatenated, parsed

from .conftest import process


def single(scores, alarms=None):
    """Rows as bins of one."""
    n = len(scores)
    alarms = np.zeros(n, dtype=np.int64) if alarms is None else alarms
    number = np.arange(n)
    rows = np.isfinite(scores[:, 0]).astype(np.int64)
    own = scores.copy(), number, number, number, number, number
    return Bins(number, rows, scores, alarms, number, *own)


@pytest.mark.thorough
@given(st.integers(1, 400), st.lists(st.integers(1, 90), max_size=8), st.integers(0, 9))
def test_bins_are_those_of_all_rows_at_once(n, cuts, seed):
    """However the rows are cut into blocks, and how often the width doubled on the way."""
    rng = np.random.default_rng(seed)
    scores, alarms = rng.normal(size=(n, 2)), rng.integers(0, 2, n)
    scores[rng.random(n) < 0.1] = -np.inf
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST", 16)
        binned, whole = Binned(1), single(scores, alarms)
        borders = sorted({0, n, *(c for c in np.cumsum(cuts) if c < n)})
        for start, end in pairwise(borders):
            part = single(scores[start:end], alarms[start:end])
            place = np.arange(start, end)
            own = {"number": place, "at": place, "id": place, "time": place}
            binned.add(replace(part, **own, first=place, since=place))
        found, width = binned.bins, binned.width
    assert len(found) == -(-n // width) <= 16
    assert width == 1 or n > 8 * width  # no wider than it must be
    for j, start in enumerate(range(0, n, width)):
        block = slice(start, start + width)
        np.testing.assert_array_equal(found.high[j], whole.high[block].max(axis=0))
        assert found.alarms[j] == alarms[block].sum()
        assert found.rows[j] == whole.rows[block].sum()
        assert (found.start[j], found.time[j]) == (start, start)
        worst = start + scores[block, 1].argmax()
        assert found.number[j] == found.at[j] == worst
        np.testing.assert_array_equal(found.worst[j], scores[worst])
        first = start + alarms[block].argmax()
        assert found.first[j] == found.since[j] == first


@pytest.mark.thorough
def test_a_sample_is_fair_and_in_order():
    counts = np.zeros(200)
    for seed in range(400):
        kept, place = Reservoir(20, seed), np.arange(200)
        for start in range(0, 200, 45):
            part = place[start : start + 45]
            rows = np.column_stack([part, 2 * part]).astype(float)
            kept.add(rows, part % 2 == 0, part, part)
        sample = kept.sample()
        assert len(sample) == 20
        assert (np.diff(sample.place) > 0).all()
        np.testing.assert_array_equal(sample.rows[:, 1], 2 * sample.place)
        np.testing.assert_array_equal(sample.times, sample.place)
        np.testing.assert_array_equal(sample.alarms, sample.place % 2 == 0)
        counts[sample.place] += 1
    # 40 of each are expected, with a standard deviation of 6
    assert counts.min() > 10
    assert counts.max() < 75
    assert abs(counts[:20].mean() - 40) < 6
    assert abs(counts[-20:].mean() - 40) < 6


def test_times_are_drawn_if_they_go_forward():
    day = np.array(["2026-03-01", "2026-03-02", "2026-03-03"])
    assert axis(parsed(day, 3)).dtype.kind == "M"
    assert axis(parsed(day[::-1], 3)) is None
    zones = np.array(["2026-03-01T08:00Z", "2026-03-01T10:00+01:00"], dtype=object)
    np.testing.assert_array_equal(np.diff(axis(parsed(zones, 2))), np.timedelta64(1, "h"))
    assert axis(parsed(np.array(["a", "b", "c"]), 3)) is None
    assert axis(parsed(None, 3)) is None
    np.testing.assert_array_equal(axis(parsed(np.array([1.0, 1.0, 2.5]), 3)), [1.0, 1.0, 2.5])
    assert axis(parsed(np.array([2.0, 2.0]), 2)) is None
    assert axis(parsed(np.array(["0.5", "inf", "inf"]), 3)) is None


@pytest.mark.parametrize(
    ("texts", "kind", "first"),
    [
        (["0.0", "0.1"], "f", "0"),
        (["2000", "2999"], "i", "2000"),
        (["2024", "2025"], "i", "2024"),  # years, perhaps
        (["1700000000.123", "1700000000.25"], "f", "1700000000.123"),
        (["1700000000123456789", "1700000000123456790"], "i", "1700000000123456789"),
        (["2024-01", "2024-02"], "M", "2024-01-01"),
        (["2024-01-01T00:00:01", "2024-01-02"], "M", "2024-01-01 00:00:01"),
        (["1_000", "2_000"], "O", "1_000"),
        (["", "0.1"], "f", None),
        (["", "2024-01-01"], "M", None),
        (["", "NA"], "O", ""),
    ],
)
def test_text_is_numbers_or_times_or_words(texts, kind, first):
    """As in files that know it, whose columns are not text."""
    found = parsed(np.array(texts, dtype=object), 2)
    assert found.dtype.kind == kind
    assert told(found[0]) == first
    gaps = "" in texts
    assert (axis(found) is None) == (gaps or kind == "O")


@pytest.mark.parametrize("kind", ["S", "U", "O"])
def test_text_of_any_type(kind):
    np.testing.assert_array_equal(parsed(np.array(["0.5", "1.5"]).astype(kind), 2), [0.5, 1.5])
    days = parsed(np.array(["2024-01-01", "2024-01-02"]).astype(kind), 2)
    assert told(days[1]) == "2024-01-02"


def test_bytes_that_are_no_text_are_words():
    assert parsed(np.array([b"\xff", b"noon"]), 2)[1] == "noon"


def test_numbers_with_a_decimal_comma():
    texts = np.array(["0,5", "1", "1,5"], dtype=object)
    np.testing.assert_array_equal(parsed(texts, 3, ","), [0.5, 1.0, 1.5])
    assert parsed(texts, 3).dtype.kind == "O"
    thousands = np.array(["1.234", "1,5"], dtype=object)
    assert parsed(thousands, 2, ",").dtype.kind == "O"


def test_numbers_followed_by_dates_are_words():
    """Of a later block: they have no type in common."""
    parts = [parsed(np.array(texts), 2) for texts in (["2023", "2024"], ["2024-05", "2024-06"])]
    found = concatenated(parts)
    assert len(found) == 4
    assert axis(found) is None


HOSTILE = '<img src=x onerror="alert(1)">&\'</style></script>'


def test_text_is_escaped_wherever_it_stands():
    for made in (text(HOSTILE), tag("p", HOSTILE), tag("p", title=HOSTILE), table([HOSTILE], [])):
        assert "<img" not in made
        assert "</s" not in made
        assert '"alert' not in made
    assert tag("p", Html("<b>bold</b>"), None, " & thin") == "<p><b>bold</b> &amp; thin</p>"
    assert tag("meta", charset="utf-8", name=None) == '<meta charset="utf-8">'


@given(st.text())
def test_markup_gives_the_text_back(value):
    assert unescape(text(value)) == value
    assert not set("<>\"'") & set(text(value))


def test_looks_at_drift_are_thinned_and_none_is_lost(monkeypatch, model):
    rows = process(12_000, seed=4)
    rows[7000:, 1] += 0.5
    place = np.arange(len(rows))
    everything, few = Track(Subject.of(model).chart), Track(Subject.of(model).chart)
    everything.add(rows, place, place)
    monkeypatch.setattr(drift, "LOOKS", 10)
    few.add(rows, place, place)
    assert len(everything.looks) > 30
    assert len(few.looks) <= 10
    assert (np.diff([look.row for look in few.looks]) > 0).all()
    assert set(few.looks) <= set(everything.looks)
    assert few.found == everything.found
    assert 7000 < few.found.since < 9000


def test_numbers_that_are_compared_can_be_told_apart():
    assert words.apart(101325.0, 100934.0) == ("101325", "100934")
    assert words.apart(348.12, 348.07) == ("348.12", "348.07")
    assert words.apart(0.0031, 0.0029) == ("0.0031", "0.0029")
    assert words.apart(2.0, 2.0) == ("2", "2")
    assert words.number(-1.5e9) == "−1.5e+09"
    assert words.number(0.0) == "0"
