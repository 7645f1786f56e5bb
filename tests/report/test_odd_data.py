"""What may be given to a report, and what is said of the rest."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.preprocessing import StandardScaler

from okpca import OnlineKernelPCA, StreamPipeline
from okpca.io import Block, stream
from okpca.report import report

from .test_report import Words


@pytest.mark.parametrize("way", ["index", "times", "series"])
def test_times_where_the_clock_is_put_back(model, faulty, way):
    """However they are given: in UTC, which can be drawn."""
    times = pd.date_range("2024-10-26", periods=1000, freq="15min", tz="Europe/Berlin")
    if way == "index":
        made = report(model, pd.DataFrame(faulty, index=times))
    else:
        made = report(model, faulty, times=times if way == "times" else pd.Series(times))
    words = Words(made.html).text
    assert "2024-10-25 22:00 to 2024-11-05 07:45" in words
    assert "Rows are drawn by their number" not in words


@pytest.mark.parametrize("way", ["index", "times"])
def test_times_of_a_zone_are_those_of_its_clock(model, faulty, way):
    times = pd.date_range("2026-03-01", periods=1000, freq="h", tz="Europe/Berlin")
    if way == "index":
        made = report(model, pd.DataFrame(faulty, index=times))
    else:
        made = report(model, faulty, times=times)
    assert "2026-03-01 to 2026-04-11 16:00" in Words(made.html).text


def test_times_with_a_decimal_comma(model, faulty, tmp_path):
    table = pd.DataFrame(faulty, columns=list("abcd")).assign(when=np.arange(1000) / 2)
    table.to_csv(tmp_path / "rows.csv", sep=";", decimal=",", index=False)
    rows = stream(tmp_path / "rows.csv", delimiter=";", decimal=",", time="when")
    words = Words(report(model, rows).html).text
    assert "0 to 499.5" in words
    assert "Rows are drawn by their number" not in words


def test_times_that_are_missing_here_and_there_are_no_axis(model, faulty):
    words = Words(report(model, faulty, times=np.append(np.arange(999.0), np.nan)).html).text
    assert "their times are words, or are missing, or go back" in words


def test_every_step_of_a_pipeline_has_a_table(rows, faulty):
    """But for those that hand rows on as they are."""
    model = OnlineKernelPCA(3, max_atoms=40)
    inner = StreamPipeline([("again", StandardScaler()), ("none", None), ("kpca", model)])
    pipeline = StreamPipeline([("no", None), ("scale", StandardScaler()), ("inner", inner)])
    words = Words(report(pipeline.fit(rows[:400]), faulty[500:700]).html).text
    tables = words.partition("Parameters scale: StandardScaler")[2]
    assert "again: StandardScaler" in tables
    assert "kpca: OnlineKernelPCA" in tables
    assert "max_atoms 40 instead of" in tables
    assert "inner" not in tables


def test_a_pipeline_of_a_model_alone(model, faulty):
    pipeline = StreamPipeline([("no", "passthrough"), ("kpca", model)])
    alone, piped = report(model, faulty[550:700]), report(pipeline, faulty[550:700])
    assert piped.summary["incidents"] == alone.summary["incidents"]


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Index])
def test_columns_of_a_block_may_be_any_sequence(rows, faulty, kind):
    frame = pd.DataFrame(rows[:400], columns=list("abcd"))
    model = OnlineKernelPCA(3, max_atoms=40).fit(frame)

    def made(names):
        return report(model, [Block(faulty, kind(names), np.arange(1000), None, None, {})])

    assert made(list("abcd")).summary["incidents"][0]["columns"][0] == "c"
    with pytest.raises(ValueError, match=r"another order, 'b', 'a'.* columns=\['a', 'b'"):
        made(list("badc"))


@pytest.mark.parametrize("piped", [False, True])
def test_several_columns_may_have_one_name_where_none_was_learned(rows, faulty, piped):
    model = OnlineKernelPCA(3, max_atoms=40)
    if piped:
        model = StreamPipeline([("scale", StandardScaler()), ("kpca", model)])
    model.fit(rows[:400])
    named = report(model, pd.DataFrame(faulty, columns=list("abca")))
    plain = report(model, faulty)
    assert [one["row"] for one in named.summary["incidents"]] == [
        one["row"] for one in plain.summary["incidents"]
    ]
    model.fit(pd.DataFrame(rows[:400], columns=list("abcd")))
    with pytest.raises(ValueError, match=r"unique|names"):
        report(model, pd.DataFrame(faulty, columns=list("abca")))


@pytest.mark.parametrize(
    "data", [[1.0, 2.0, 3.0], np.zeros(4), np.zeros((2, 2, 4)), pd.Series([1.0])]
)
def test_data_that_is_no_rows_of_columns(model, data):
    with pytest.raises(ValueError, match=r"data has shape .*, \(n_samples, n_features\)"):
        report(model, data)


def test_an_array_without_rows(model, faulty):
    for data in (faulty[:0], pd.DataFrame(faulty[:0]), pl.DataFrame(faulty[:0])):
        with pytest.raises(ValueError, match="there is no row to report on: give"):
            report(model, data)
