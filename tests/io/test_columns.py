"""Columns are those of the first row, by name, whatever comes after and however it is cut."""

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
from okpca.io.sources.numbers import chosen

SIZES = [1, 2, 10]


def rows_of(*args, **more):
    blocks = list(stream(*args, **more))
    assert all(block.columns == blocks[0].columns for block in blocks)
    return np.concatenate([block.rows for block in blocks]).tolist(), blocks[0].columns


@pytest.mark.parametrize("rows", SIZES)
def test_keys_in_any_order(tmp_path, rows):
    path = tmp_path / "x.ndjson"
    path.write_text('{"a":1,"b":2}\n{"a":3,"b":4}\n{"b":6,"a":5}\n{"b":8,"a":7}\n')
    assert rows_of(path, rows=rows) == ([[1, 2], [3, 4], [5, 6], [7, 8]], ["a", "b"])


@pytest.mark.parametrize("kind", ["csv", "parquet", "ndjson"])
def test_files_whose_columns_are_in_another_order(tmp_path, kind):
    for i, names in enumerate((["a", "b", "c"], ["c", "b", "a"])):
        of = dict(zip(names, [1.0, 2.0, 3.0] if i == 0 else [30.0, 20.0, 10.0], strict=True))
        path = tmp_path / f"{i}.{kind}"
        if kind == "csv":
            path.write_text(",".join(of) + "\n" + ",".join(map(str, of.values())) + "\n")
        elif kind == "parquet":
            parquet.write_table(pa.table({name: [value] for name, value in of.items()}), path)
        else:
            path.write_text(json.dumps(of) + "\n")
    assert rows_of(tmp_path, columns=None) == ([[1, 2, 3], [10, 20, 30]], ["a", "b", "c"])
    assert rows_of(tmp_path, columns="b:c")[0] == [[2, 3], [20, 30]]  # of the first
    first = next(iter(stream(tmp_path)))
    rest = list(stream(tmp_path, position=json.loads(json.dumps(first.position))))
    assert [block.rows.tolist() for block in rest] == [[[10, 20, 30]]]


def test_a_column_that_is_gone_is_named(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,c\n1,2\n")
    with pytest.raises(ValueError, match=r"2.csv: there is no column 'b' \(which was there before"):
        list(stream(tmp_path))


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_a_column_that_comes_late_is_not_taken_and_that_is_said(tmp_path, rows, kind):
    if kind == "csv":
        (tmp_path / "1.csv").write_text("a,b\n1,2\n")
        (tmp_path / "2.csv").write_text("c,b,a\n9,4,3\n")
    else:
        (tmp_path / "1.ndjson").write_text('{"a":1,"b":2}\n{"c":9,"b":4,"a":3}\n')
    with pytest.warns(UserWarning, match="'c' not there at first, and not taken") as told:
        assert rows_of(tmp_path, rows=rows)[0] == [[1, 2], [3, 4]]
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rows_of(tmp_path, rows=rows, columns=["a", "b"])[0] == [[1, 2], [3, 4]]


@pytest.mark.parametrize("rows", SIZES)
def test_keys_that_rows_leave_out(tmp_path, rows):
    (tmp_path / "x.ndjson").write_text('{"a":1}\n{"b":2}\n{"a":3,"b":4}\n')
    found, _ = rows_of(tmp_path, rows=rows, columns=["a", "b"], on_bad_row="skip")
    assert found == [[3, 4]]
    found, _ = rows_of(tmp_path, rows=rows, columns=["a", "b"], keep_gaps=True)
    assert_array_equal(found, [[1, np.nan], [np.nan, 2], [3, 4]])


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("columns", [None, "a", ["b:a"], "a:b"])
def test_a_name_that_two_columns_have_is_refused(tmp_path, rows, columns):
    (tmp_path / "x.csv").write_text("a,a,b\n1,2,3\n4,5,6\n")
    with pytest.raises(ValueError, match=r"x.csv: 2 columns have the name 'a'"):
        list(stream(tmp_path / "x.csv", rows=rows, columns=columns))
    assert rows_of(tmp_path / "x.csv", rows=rows, columns="b")[0] == [[3], [6]]
    with pytest.raises(ValueError, match="2 columns have the name 'a'"):
        list(stream(tmp_path / "x.csv", rows=rows, columns="b", id="a"))


def test_rows_in_the_place_of_names(tmp_path):
    (tmp_path / "x.csv").write_text("1,1,3\n4,5,6\n")
    with pytest.raises(ValueError, match="header=False"):
        list(stream(tmp_path / "x.csv"))


def test_doubled_names_of_a_binary_file_and_of_the_next_file(tmp_path):
    doubled = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    parquet.write_table(doubled, tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="2 columns have the name 'a'"):
        list(stream(tmp_path / "x.parquet"))
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,b,b\n1,2,3\n")
    with pytest.raises(ValueError, match=r"2.csv: 2 columns have the name 'b'"):
        list(stream([tmp_path / "1.csv", tmp_path / "2.csv"]))


def test_choices_that_make_no_sense(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="column 'a' is chosen twice"):
        list(stream(tmp_path / "x.csv", columns=["a:b", "a"]))
    with pytest.raises(ValueError, match="no column is left"):
        list(stream(tmp_path / "x.csv", id="a", time="b"))


class Counted(str):
    """How often is it compared?"""

    asked = 0

    def __eq__(self, other):
        Counted.asked += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_many_columns_are_not_looked_for_one_by_one():
    names = [Counted(f"g{i}") for i in range(2000)]
    Counted.asked = 0
    assert chosen(names, [str(name) for name in names[::-1]], ["g5"]) == names[::-1]
    assert Counted.asked < 20 * len(names)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_many_columns(tmp_path, kind):
    names, path = [f"g{i}" for i in range(1500)], tmp_path / f"x.{kind}"
    if kind == "csv":
        path.write_text(",".join(names) + "\n" + ",".join(map(str, range(1500))) + "\n")
    else:
        parquet.write_table(pa.table({name: [i] for i, name in enumerate(names)}), path)
    (block,) = stream(path, columns=names[::-1])
    assert_array_equal(block.rows, [np.arange(1500)[::-1]])


@pytest.mark.thorough
@given(st.lists(st.permutations(["a", "b", "c"]), min_size=1, max_size=12), st.integers(1, 5))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_order_of_keys_matters(tmp_path, orders, rows):
    value = {"a": 0.0, "b": 100.0, "c": 200.0}
    texts = [json.dumps({name: value[name] + i for name in of}) for i, of in enumerate(orders)]
    (tmp_path / "x.ndjson").write_text("\n".join(texts))
    found, columns = rows_of(tmp_path / "x.ndjson", rows=rows)
    assert columns == orders[0]
    assert found == [[value[name] + i for name in orders[0]] for i in range(len(orders))]


def test_a_name_that_no_row_has(tmp_path):
    """Any row of JSON may lack a value, so a wrong name shows at the end alone."""
    (tmp_path / "x.ndjson").write_text('{"a":1}\n{"a":2}\n')
    with pytest.raises(ValueError, match=r"column 'z' is missing.*choose other columns="):
        rows_of(tmp_path, columns=["a", "z"])
    with pytest.raises(ValueError, match=r"column 'z' is missing.*none of 2 rows is whole"):
        rows_of(tmp_path, columns=["a", "z"], on_bad_row="skip")
    with pytest.warns(UserWarning, match="no row has a value of 'z'"):
        rows_of(tmp_path, columns=["a", "z"], keep_gaps=True, rows=1)
