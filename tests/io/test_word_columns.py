"""Columns that are no numbers, and numbers that are written otherwise."""

import gzip

import numpy as np
import pytest

from okpca.io import stream
from okpca.io.sources import csv_parser

SIZES = [1, 7, 1000]


@pytest.fixture(params=[0, 32], autouse=True)
def _few(request, monkeypatch):
    """By pyarrow, or by Python."""
    monkeypatch.setattr(csv_parser, "FEW", request.param)


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows_of(path, **more):
    return [row for block in stream(path, **more) for row in block.rows.tolist()]


@pytest.mark.parametrize("on_bad_row", ["raise", "skip", "impute"])
@pytest.mark.parametrize("rows", SIZES)
def test_a_column_of_words_is_refused_by_name(tmp_path, rows, on_bad_row):
    lines = [f"{i},{i if i % 50 == 49 else 'pump'},{i % 3}" for i in range(150)]
    path = write(tmp_path / "x.csv", ["a,which one,b", *lines])
    with pytest.raises(ValueError, match=r"line 2: column 'which one' is 'pump', no") as refused:
        rows_of(path, rows=rows, on_bad_row=on_bad_row)
    if rows > 1 or on_bad_row != "raise":
        assert "id='which one'" in str(refused.value)
    assert rows_of(path, rows=rows, id="which one")[3] == [3, 0]


@pytest.mark.parametrize("on_bad_row", ["raise", "skip", "impute"])
def test_in_a_short_file_too(tmp_path, on_bad_row):
    path = write(tmp_path / "x.csv", ["a,b", *(f"{i},on" for i in range(5))])
    with pytest.raises(ValueError, match=r"line 2: column 'b' is 'on'.*5 of the first 5"):
        rows_of(path, on_bad_row=on_bad_row)


def test_some_words_are_bad_rows(tmp_path):
    lines = [f"{i},{'off' if i < 50 else i}" for i in range(150)]
    path = write(tmp_path / "x.csv", ["a,b", *lines])
    assert len(rows_of(path, on_bad_row="skip")) == 100
    late = write(tmp_path / "y.csv", ["a,b", *(f"{i},{i if i < 100 else 'x'}" for i in range(400))])
    assert len(rows_of(late, on_bad_row="skip")) == 100
    first = next(iter(stream(late, rows=100, on_bad_row="skip")))
    late.write_text(late.read_text() + "1,2\n")  # that it had numbers is known
    assert rows_of(late, position=first.position, on_bad_row="skip") == [[1, 2]]


def test_times_are_for_time(tmp_path):
    path = write(tmp_path / "x.csv", ["when,b", *(f"2026-01-0{i},{i}" for i in range(1, 8))])
    with pytest.raises(ValueError, match="time='when'"):
        rows_of(path)


COMMAS = ["a;b", "3,14;-2,5e1", "1;,5", "NA;7"]


@pytest.mark.parametrize("header", [True, False])
def test_decimal_commas(tmp_path, header):
    expected = [[3.14, -25.0], [1.0, 0.5], [np.nan, 7.0]]
    path = write(tmp_path / "x.csv", COMMAS if header else COMMAS[1:])
    found = rows_of(path, decimal=",", header=header, keep_gaps=True)
    np.testing.assert_array_equal(found, expected)
    packed = tmp_path / "y.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    found = rows_of(packed, decimal=",", header=header, delimiter=";", keep_gaps=True)
    np.testing.assert_array_equal(found, expected)


def test_points_are_no_commas(tmp_path):
    """1.234 may be a thousand."""
    path = write(tmp_path / "x.csv", [*COMMAS[:3], "1.234;5", "2,5;word"])
    found = stream(path, decimal=",", on_bad_row="skip")
    np.testing.assert_array_equal(np.vstack([b.rows for b in found]), [[3.14, -25], [1, 0.5]])
    assert [example.split(": ")[1] for example in found.bad.examples] == [
        "column 'a' is '1.234', no finite number",
        "column 'b' is 'word', no finite number",
    ]


@pytest.mark.parametrize("header", [True, False])
def test_a_decimal_comma_is_recognised(tmp_path, header):
    lines = ["a;b", *(f"{i},5;{i}" for i in range(9))]
    path = write(tmp_path / "x.csv", lines if header else lines[1:])
    with pytest.raises(ValueError, match=r"'0,5'.*decimal comma.* say decimal=','"):
        rows_of(path, header=header)
    with pytest.raises(ValueError, match=r"'0,5'.*of a decimal comma say decimal=','"):
        rows_of(path, header=header, rows=1)


@pytest.mark.parametrize("given", [{"decimal": ";"}, {"decimal": ",", "delimiter": ","}])
def test_wrong_points(tmp_path, given):
    with pytest.raises(ValueError, match="decimal must be"):
        stream(write(tmp_path / "x.csv", COMMAS), **given)


def test_numbers_that_follow_a_header_once(tmp_path):
    """A file that goes on without names, its numbers having commas."""
    path = write(tmp_path / "x.csv", ["a;b", "1,5;2", "2,5;3"])
    source = iter(stream(path, decimal=",", follow=True, rows=1))
    assert next(source).rows.tolist() == [[1.5, 2.0]]
    assert next(source).rows.tolist() == [[2.5, 3.0]]
    path.rename(tmp_path / "x.csv.1")
    write(path, ["3,5;4"])
    assert next(source).rows.tolist() == [[3.5, 4.0]]


@pytest.mark.parametrize("rows", SIZES)
def test_line_breaks_within_quotes(tmp_path, rows):
    """Where a row is cut by the end of a block that is said, and nothing is learned of its half."""
    path = write(tmp_path / "x.csv", ["a,note,b", *(f'{i},"one\ntwo",{i}' for i in range(50))])
    if rows == 1000:
        assert rows_of(path, id="note", rows=rows)[7] == [7, 7]
    else:
        with pytest.raises(ValueError, match=r"fields, not 3, and a quote is open"):
            rows_of(path, id="note", rows=rows)
    path = write(tmp_path / "y.csv", ['a,"b', 'c",d', "1,2,3"])
    with pytest.raises(ValueError, match=r"y.csv, line 1: a quote is open at its end"):
        rows_of(path)
    path = write(tmp_path / "z.csv", ['a,5" pipe', "1,2"])
    assert rows_of(path) == [[1, 2]]
