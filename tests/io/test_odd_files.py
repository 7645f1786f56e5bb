"""The same answer for every format and every cut, whatever is in a file."""

import json
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pyarrow import parquet

from okpca.io import stream
from okpca.io.sources import csv_parser

SIZES = [1, 2, 100]


@pytest.fixture(params=[0, 32], autouse=True)
def _few(request, monkeypatch):
    """By pyarrow, or by Python."""
    monkeypatch.setattr(csv_parser, "FEW", request.param)


def read(*args, **more):
    source = stream(*args, **more)
    blocks = list(source)
    rows = [row for block in blocks for row in block.rows.tolist()]
    return rows, [int(i) for block in blocks for i in block.number], source


@pytest.mark.parametrize("rows", SIZES)
def test_whole_numbers_beyond_all_floats(tmp_path, rows):
    path = tmp_path / "x.ndjson"
    path.write_text(f'{{"a":1,"b":1{"0" * 400}}}\n{{"a":3,"b":4}}\n')
    with pytest.raises(ValueError, match=r"x.ndjson, line 1: column 'b' is 1000.*no finite number"):
        read(path, rows=rows)
    assert read(path, rows=rows, on_bad_row="skip")[:2] == ([[3, 4]], [1])


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("value", [[1, 2], [1], {"x": 1}, "word", True])
def test_values_of_json_that_are_no_numbers(tmp_path, rows, value):
    lines = [json.dumps({"a": value, "b": 2}), json.dumps({"a": 1, "b": 2})]
    (tmp_path / "x.ndjson").write_text("\n".join([*lines, lines[0]]))
    found, number, source = read(tmp_path, rows=rows, on_bad_row="skip")
    if value is True:
        assert found == [[1, 2]] * 3
        return
    assert (found, number, source.bad.count) == ([[1, 2]], [1], 2)


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64, "datetime64[ns]", "datetime64[D]"])
def test_arrays_that_are_not_of_numbers(tmp_path, dtype):
    np.save(tmp_path / "x.npy", np.array([[1, 2], [3, 4]]).astype(dtype))
    with pytest.raises(ValueError, match=r"x.npy, row 0: column '0' is .*no finite number"):
        read(tmp_path)


def test_archives(tmp_path):
    rows, path = np.ones((2, 3)), tmp_path / "x.npz"
    np.savez(path, a=rows, b=2 * rows)
    with pytest.raises(ValueError, match=r"x.npz: which of \['a', 'b'\] are the rows"):
        read(path)
    np.savez(path, a=rows, X=2 * rows)
    assert read(path)[0] == (2 * rows).tolist()
    np.savez(path, a=np.zeros(3), b=2 * rows)
    assert read(path)[0] == (2 * rows).tolist()
    np.savez(path, a=np.zeros(3))
    with pytest.raises(ValueError, match=r"none of .* has two dimensions"):
        read(path)


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"a,b\r1,2\r3,4\r", r"line 1: lines end with \\r alone"),
        (b"a" * 140_000 + b",b\n1,2\n", r"line 1: field larger than"),
        (b"\n\na,\xe9\n1,2\n", r"line 3: no UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), r"line 1: no UTF-8"),
    ],
)
def test_texts_that_cannot_be_read(tmp_path, rows, text, match):
    (tmp_path / "x.csv").write_bytes(text)
    with pytest.raises(ValueError, match=f"x.csv, {match}"):
        read(tmp_path, rows=rows)


@pytest.mark.parametrize("rows", SIZES)
def test_lines_that_are_empty(tmp_path, rows):
    (tmp_path / "x.csv").write_bytes(b"\r\n\na,b\n\n1,2\n\n\n3,x\n\n5,6\n\n")
    found, number, source = read(tmp_path, rows=rows, on_bad_row="skip")
    assert (found, number) == ([[1, 2], [5, 6]], [0, 2])
    assert source.bad.examples[0].endswith("x.csv, line 8: column 'b' is 'x', no finite number")
    (tmp_path / "x.csv").unlink()
    (tmp_path / "x.ndjson").write_bytes(b'\n{"a":1,"b":2}\n\n\n{"a":3,"b":"x"}\n{"a":5,"b":6}\n\n')
    found, number, source = read(tmp_path, rows=rows, on_bad_row="skip")
    assert (found, number) == ([[1, 2], [5, 6]], [0, 2])
    assert source.bad.examples[0].endswith("x.ndjson, line 5: column 'b' is 'x', no finite number")


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("last", ["1,2,3", "x,2", "3"])
def test_bad_rows_at_the_end_of_a_file_count(tmp_path, rows, last):
    (tmp_path / "1.csv").write_text(f"a,b\n1,2\n{last}\n")
    (tmp_path / "2.csv").write_text("a,b\n5,6\n")
    assert read(tmp_path, rows=rows, on_bad_row="skip")[:2] == ([[1, 2], [5, 6]], [0, 2])


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("end", ["csv", "ndjson"])
def test_a_file_of_bad_rows_before_a_good_one(tmp_path, rows, end):
    texts = {"csv": ["a,b\nx,1\ny,2\n", "a,b\n1,2\n"]}
    texts["ndjson"] = ['{"a":"x","b":1}\n{"a":"y","b":2}\n', '{"a":1,"b":2}\n']
    for i, text in enumerate(texts[end]):
        (tmp_path / f"{i}.{end}").write_text(text)
    assert read(tmp_path, rows=rows, on_bad_row="skip")[:2] == ([[1, 2]], [2])
    (tmp_path / f"1.{end}").unlink()
    with pytest.raises(ValueError, match=r"line \d: column 'a' is 'x'.*none of 2 rows is whole"):
        read(tmp_path, rows=rows, on_bad_row="skip")


def test_files_without_rows(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n")
    (tmp_path / "2.csv").write_text("")
    (tmp_path / "3.csv").write_text("\n\n")
    (tmp_path / "4.ndjson").write_text("\n")
    parquet.write_table(
        pa.table({"a": pa.array([], pa.float64()), "b": []}), tmp_path / "5.parquet"
    )
    assert read(tmp_path)[:2] == ([], [])
    (tmp_path / "6.csv").write_text("a,b\n1,2\n")
    assert read(tmp_path)[:2] == ([[1, 2]], [0])
    np.save(tmp_path / "7.npy", np.empty((0, 3)))
    assert read(tmp_path)[:2] == ([[1, 2]], [0])


@pytest.mark.parametrize("rows", SIZES)
def test_a_byte_that_is_no_utf8_is_a_bad_row(tmp_path, rows):
    (tmp_path / "x.csv").write_bytes(b"a,b,note\n1,\xe9,x\n2,3,\xe9\n4,5,y\n")
    found, number, source = read(tmp_path, rows=rows, columns="a:b", on_bad_row="skip")
    assert (found, number) == ([[2, 3], [4, 5]], [1, 2])
    assert r"column 'b' is '\\xe9'" in source.bad.examples[0]
    with pytest.raises(ValueError, match="line 2"):
        read(tmp_path, rows=rows, columns="a:b")
    blocks = list(stream(tmp_path, rows=rows, columns="a", id="note"))
    assert [i for block in blocks for i in block.ids] == ["x", r"\xe9", "y"]


@pytest.mark.parametrize("rows", [2, 3, 6])
def test_whole_numbers_stay_whole_where_one_is_missing(tmp_path, rows):
    ids = [2**62 + 1, 2, None, 4, None, None]
    table = pa.table({"a": np.arange(6.0), "i": pa.array(ids), "s": ["x", None] * 3})
    parquet.write_table(table, tmp_path / "x.parquet")
    blocks = list(stream(tmp_path, columns="a", id="i", time="s", rows=rows))
    assert [i for block in blocks for i in block.ids.tolist()] == ids
    assert {block.ids.dtype.kind for block in blocks} == {"i"}
    assert [t for block in blocks for t in block.times] == ["x", None] * 3


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("more", [{}, {"columns": ["a", "b"], "keep_gaps": True}])
@pytest.mark.parametrize("first", ["{}", "[" * 100_000, "1" * 5000, "3", '"a"', "null", '{"a": 1'])
def test_lines_of_json_that_are_no_rows(tmp_path, rows, more, first):
    (tmp_path / "x.ndjson").write_text(first + '\n{"a":1,"b":2}\n')
    found, number, source = read(tmp_path, rows=rows, on_bad_row="skip", **more)
    assert (found, number, source.bad.count) == ([[1, 2]], [1], 1)
    with pytest.raises(ValueError, match=r"x.ndjson, line 1: .*on_bad_row='skip'"):
        read(tmp_path, rows=rows, **more)


def test_delimiters_within_quotes(tmp_path):
    (tmp_path / "x.csv").write_text('"a, of b, c";"b, too"\n1;2\n')
    assert read(tmp_path)[0] == [[1, 2]]


def test_notes_in_a_folder_are_no_rows(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    (tmp_path / "README.txt").write_text("Measured in May, by hand.\nOne day, it rained.\n")
    assert read(tmp_path)[0] == [[1, 2]]
    (tmp_path / "y.txt").write_text("a,b\n3,4\n")
    assert_array_equal(read(tmp_path / "y.txt")[0], [[3, 4]])


cells = st.sampled_from([1.5, -2.0, 3, None, "word", "1_0", 1e300])


@pytest.mark.thorough
@given(
    st.lists(st.tuples(cells, cells), min_size=1, max_size=9),
    st.sampled_from(["skip", "impute"]),
    st.booleans(),
    st.data(),
)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_formats_and_cuts_agree(tmp_path, rows, on_bad_row, keep_gaps, data):
    """Text and JSON of the same values, in blocks of any size, over one file or two."""
    cut = data.draw(st.integers(0, len(rows)))
    found = []
    for kind in ("csv", "ndjson"):
        for size in (1, data.draw(st.integers(2, 9))):
            for files in ([rows], [rows[:cut], rows[cut:]]):
                paths = [written(tmp_path / f"{i}.{kind}", of) for i, of in enumerate(files)]
                more = {"on_bad_row": on_bad_row, "keep_gaps": keep_gaps, "columns": ["a", "b"]}
                found.append(outcome(paths, rows=size, **more))
    assert all(repr(one) == repr(found[0]) for one in found), found


def written(path, rows):
    texts = [[("" if cell is None else str(cell)) for cell in row] for row in rows]
    if path.suffix == ".csv":
        path.write_text("a,b\n" + "".join(",".join(row) + "\n" for row in texts))
    else:
        path.write_text("".join(json.dumps({"b": b, "a": a}) + "\n" for a, b in rows))
    return path


def outcome(paths, **more):
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "no row has a value")
            rows, number, source = read(paths, **more)
    except ValueError as error:
        return "rows is whole" in str(error)
    return rows, number, source.bad.count, source.gappy.count
