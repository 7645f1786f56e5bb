"""Text in pieces of whole lines, and rows of which values are missing or are none."""

import gzip
import io
import os
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from okpca.io import stream
from okpca.io.sources import csv_parser
from okpca.io.sources import lines as module
from okpca.io.sources.lines import Lines

texts = st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=30)


@pytest.fixture(scope="module", autouse=True)
def _small():
    """A window that texts of a test can fill."""
    before = module.BYTES, module.WINDOW
    module.BYTES, module.WINDOW = 40, 100
    yield
    module.BYTES, module.WINDOW = before


def read(text, rows, wait=True, place=None):
    found = Lines(io.BufferedReader(io.BytesIO(text)), rows, wait)
    if place is not None:
        assert found.skip(place)
    return found, [(piece, found.place()) for piece in found.pieces()]


@pytest.mark.thorough
@given(texts, st.booleans(), st.integers(1, 8), st.booleans())
@settings(max_examples=60)
def test_pieces_are_the_text(parts, ended, rows, wait):
    text = b"\n".join(parts) + (b"\n" if ended and parts else b"")
    found, pieces = read(text, rows, wait)
    assert b"".join(piece for piece, _ in pieces) == text
    assert found.byte == len(text)
    assert found.line == len(text.splitlines(keepends=True)) if b"\r" not in text else True
    for piece, _ in pieces[:-1]:
        assert piece.endswith(b"\n")
    for piece, _ in pieces:
        assert piece.count(b"\n") <= rows
        assert len(piece) <= module.BYTES or piece.count(b"\n") <= 1


@given(texts, st.integers(1, 8), st.data())
@settings(max_examples=60)
def test_who_goes_on_from_a_place_gets_the_same_pieces(parts, rows, data):
    text = b"\n".join(parts) + b"\n"
    _, pieces = read(text, rows)
    k = data.draw(st.integers(0, len(pieces) - 1))
    assert read(text, rows, place=pieces[k][1])[1] == pieces[k + 1 :]
    changed = bytes([text[0] ^ 1]) + text[1:]
    assert not Lines(io.BufferedReader(io.BytesIO(changed)), rows, True).skip(pieces[k][1])


class Pipe(io.BytesIO):
    def seekable(self):
        return False


def test_a_pipe_is_read_up_to_the_place():
    text = b"".join(b"line %d\n" % i for i in range(200))
    _, pieces = read(text, 3)
    rest = Lines(Pipe(text), 3, True)
    rest.first()  # which reads more than it tells
    assert rest.skip(pieces[40][1])
    assert b"".join(rest.pieces()) == b"".join(piece for piece, _ in pieces[41:])


def test_lines_come_while_the_pipe_is_open(tmp_path):
    os.mkfifo(tmp_path / "p")
    told = []

    def write():
        with open(tmp_path / "p", "w") as file:
            for text in ("a,b\n1,2\n", "3,", "4\n5,6\n7"):
                file.write(text)
                file.flush()
                told.append(len(told))
                more.wait(10)
                more.clear()
            file.write(",8\n")

    more, writer = threading.Event(), threading.Thread(target=write)
    writer.start()
    rows = iter(stream(tmp_path / "p", format="csv", wait=False))
    assert_array_equal(next(rows).rows, [[1, 2]])
    assert len(told) < 2
    more.set()  # half a line
    while len(told) < 2:
        pass
    more.set()
    assert_array_equal(next(rows).rows, [[3, 4], [5, 6]])
    more.set()
    assert_array_equal(next(rows).rows, [[7, 8]])
    writer.join()


@pytest.mark.parametrize("packed", [False, True])
def test_a_text_that_changed_before_the_place_is_refused(tmp_path, packed):
    path = tmp_path / ("x.csv.gz" if packed else "x.csv")
    opened = gzip.open if packed else open
    rows = [f"{i},{i * i}\n" for i in range(300)]
    with opened(path, "wt") as file:
        file.writelines(["a,b\n", *rows])
    third = list(stream(path, rows=20))[2]
    found = np.concatenate([b.rows for b in stream(path, rows=20, position=third.position)])
    assert_array_equal(found[:, 0], np.arange(third.position["rows"], 300))
    with opened(path, "wt") as file:
        file.writelines(["a,b\n", *rows[1:]])
    with pytest.raises(ValueError, match=r"x.csv.*is not the text that was read before"):
        list(stream(path, rows=20, position=third.position))


GAPPY = "a,b,c\n1,2,3\n\n4,,6\nNA,8,nan\n7,much,9\n10,11,inf\n12,13\n"


def test_gaps_come_as_nan(tmp_path):
    (tmp_path / "x.csv").write_text(GAPPY)
    source = stream(tmp_path / "x.csv", on_bad_row="skip", keep_gaps=True)
    rows = np.concatenate([block.rows for block in source])
    assert_array_equal(rows, [[1, 2, 3], [4, np.nan, 6], [np.nan, 8, np.nan]])
    assert source.gappy.count == 2
    assert "x.csv, line 4: column 'b' is missing" in source.gappy.examples[0]
    assert source.bad.count == 3
    assert sorted(text.split("line ")[1][0] for text in source.bad.examples) == list("678")


def test_what_is_no_number_can_be_a_gap_too(tmp_path):
    (tmp_path / "x.csv").write_text(GAPPY)
    source = stream(tmp_path / "x.csv", on_bad_row="impute")
    rows = np.concatenate([block.rows for block in source])
    nan = np.nan
    expected = [[1, 2, 3], [4, nan, 6], [nan, 8, nan], [7, nan, 9], [10, 11, nan]]
    assert_array_equal(rows, expected)
    assert (source.gappy.count, source.bad.count) == (4, 1)  # a row that lacks a field has no place
    assert any("'much', no finite number" in text for text in source.gappy.examples)


def test_gaps_of_json(tmp_path):
    (tmp_path / "x.ndjson").write_text('{"a": 1, "b": null}\n{"b": 2}\n{"a": "x", "b": 3}\n')
    source = stream(tmp_path / "x.ndjson", on_bad_row="skip", keep_gaps=True)
    rows = np.concatenate([block.rows for block in source])
    assert_array_equal(rows, [[1, np.nan], [np.nan, 2]])
    assert (source.gappy.count, source.bad.count) == (2, 1)


def test_several_columns_written_as_one(tmp_path):
    (tmp_path / "x.csv").write_text(GAPPY)
    with pytest.raises(ValueError, match=r"one by one: columns=\['a', 'b'\]"):
        list(stream(tmp_path / "x.csv", columns="a,b"))


def test_a_mark_of_editors(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"\xef\xbb\xbfa,b,b\n1,2,3\n")
    assert_array_equal(next(iter(stream(tmp_path / "x.csv", columns="a"))).rows, [[1]])
    (tmp_path / "y.csv").write_bytes(b"\xef\xbb\xbf1,2\n3,4\n")
    assert_array_equal(next(iter(stream(tmp_path / "y.csv", header=False))).rows, [[1, 2], [3, 4]])


cells = st.sampled_from(
    ["1", " 2.5 ", "-3e-2", "", "NA", "nan", "inf", "much", "1_0", '"4"', '"5,6"', "0.1", "1e400"]
)


@pytest.mark.thorough
@given(st.lists(st.lists(cells, min_size=2, max_size=4), min_size=1, max_size=12))
@settings(max_examples=80, deadline=None)
def test_few_lines_are_read_as_many_are(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("few") / "x.csv"
    path.write_text("a,b,c\n1,2,3\n" + "".join(",".join(row) + "\n" for row in rows))
    found = []
    for few in (0, 32):
        csv_parser.FEW = few
        source = stream(path, on_bad_row="skip", keep_gaps=True, rows=100)
        blocks = np.concatenate([block.rows for block in source])
        lines = sorted(text.split(": ")[0] for text in source.bad.examples)
        found.append((blocks, source.bad.count, source.gappy.count, lines))
    assert_array_equal(found[0][0], found[1][0])
    assert found[0][1:] == found[1][1:]
