"""Dicts become rows: features get columns, lack in some rows, appear and go."""

import copy
import pickle
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from okpca.river.columns import Columns, in_order

AB = Columns.of_first(["b", "a"], 3, 0.0)


def test_the_order_of_a_dict_does_not_matter():
    assert AB.names == ("a", "b")
    assert_array_equal(AB.taking({"b": 2, "a": 1})[1], [[1, 2, 0]])
    assert_array_equal(AB.taking({"a": 1, "b": 2})[1], [[1, 2, 0]])


def test_names_need_not_be_comparable():
    assert in_order([("x", 1), 2, "b", 10, "a", None]) == (None, 10, 2, "a", "b", ("x", 1))


def test_what_is_absent():
    assert_array_equal(AB.taking({"b": 2})[1], [[0, 2, 0]])
    assert_array_equal(Columns(("a", "b"), 2, np.nan).taking({"b": 2})[1], [[np.nan, 2]])


def test_a_feature_that_appears_gets_the_next_column_while_there_is_room():
    columns, row = AB.taking({"b": 2, "z": 5, "y": 4})
    assert columns.names == ("a", "b", "y")
    assert_array_equal(row, [[0, 2, 4]])
    assert AB.names == ("a", "b")
    again, row = columns.taking({"a": 1, "b": 2, "z": 3})
    assert again is columns
    assert_array_equal(row, [[1, 2, 0]])


def test_there_may_be_less_room_than_features():
    columns = Columns.of_first("cab", 2, 0.0)
    assert columns.names == ("a", "b")
    assert_array_equal(columns.taking({"a": 1, "b": 2, "c": 3})[1], [[1, 2]])


def test_tables():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert_array_equal(AB.rows(["b", "q"], values), [[0, 1, 0], [0, 3, 0]])


def test_numbers_of_all_kinds():
    x = {"a": Decimal("0.5"), "b": np.float32(2)}
    assert_array_equal(AB.taking(x)[1], [[0.5, 2, 0]])
    assert_array_equal(AB.taking({"a": True, "b": None})[1], [[1, np.nan, 0]])


@pytest.mark.parametrize(
    ("x", "says"),
    [
        ({"a": None, "b": "red"}, r"feature 'b' is 'red', which is no number.*SelectType"),
        ({"b": "red"}, r"feature 'b' is 'red'"),
        ({"a": [1, 2], "b": 0}, r"feature 'a' is \[1, 2\]"),
    ],
)
def test_what_is_no_number_is_named(x, says):
    with pytest.raises(ValueError, match=says):
        AB.taking(x)


def test_what_is_not_finite_is_named():
    assert "feature 'b' is -inf" in str(AB.blamed({"a": None, "b": -np.inf}))
    assert "feature 'a' is nan. missing='skip'" in str(AB.blamed({"a": np.nan, "b": 1}))
    gappy = Columns(("a", "b"), 2, np.nan)
    assert "feature 'a' is not there. missing='skip'" in str(gappy.blamed({"b": 1}))


def test_copies():
    AB.taking({"a": 1, "b": 2})
    for other in (copy.deepcopy(AB), pickle.loads(pickle.dumps(AB))):
        assert_array_equal(other.taking({"a": 1, "b": 2})[1], [[1, 2, 0]])
    assert pickle.dumps(AB) == pickle.dumps(Columns(("a", "b"), 3, 0.0))


@pytest.mark.thorough
@given(st.lists(st.dictionaries(st.sampled_from("abcdef"), st.floats(-9, 9)), min_size=1))
def test_a_stream_of_dicts_is_a_table_with_zeros(stream):
    columns = Columns.of_first(stream[0], 6, 0.0)
    rows = []
    for x in stream:
        columns, row = columns.taking(x)
        rows.append(row[0])
    for x, row in zip(stream, rows, strict=True):
        told = dict(zip(columns.names, row, strict=False))
        assert {name: told.get(name, 0.0) for name in "abcdef"} == {
            name: x.get(name, 0.0) for name in "abcdef"
        }
