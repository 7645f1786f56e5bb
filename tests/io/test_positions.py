"""Files that come, go, grow and change between two runs: no row twice, none lost."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from okpca.io import stream
from okpca.io.sources import positions


def write(path, rows, more=""):
    text = "a,b\n" + "".join(f"{i},{-i}\n" for i in rows) + more
    if path.suffix == ".gz":
        with gzip.open(path, "wt") as file:
            file.write(text)
    elif path.suffix == ".npy":
        np.save(path, np.column_stack([rows, np.negative(rows)]).astype(float))
    else:
        path.write_text(text)


def read(source, position=None, stop=None, **more):
    """The rows up to a block, and the position after it, as a file has it."""
    found, blocks = [], stream(source, position=position, rows=3, **more)
    at = position
    for n, block in enumerate(blocks):
        if n == stop:
            break
        found += block.rows[:, 0].astype(int).tolist()
        at = block.position
    else:
        at = blocks.position
    return found, json.loads(json.dumps(at))


@pytest.mark.parametrize("end", ["csv", "csv.gz"])
def test_a_file_that_arrives_before_those_that_were_read(tmp_path, end):
    write(tmp_path / f"b.{end}", range(10, 20))
    write(tmp_path / f"c.{end}", range(20, 26))
    first, position = read(tmp_path, stop=5)
    assert first == list(range(10, 23))
    write(tmp_path / f"a.{end}", range(4))
    rest, _ = read(tmp_path, position)
    assert rest == [*range(4), *range(23, 26)]


@pytest.mark.parametrize("end", ["csv", "csv.gz", "npy"])
def test_files_that_were_read_may_go(tmp_path, end):
    for name, start in (("a", 0), ("b", 10), ("c", 20)):
        write(tmp_path / f"{name}.{end}", range(start, start + 5))
    first, position = read(tmp_path, stop=3)
    (tmp_path / f"a.{end}").unlink()
    rest, _ = read(tmp_path, position)
    assert [*first, *rest] == [*range(5), *range(10, 15), *range(20, 25)]
    (tmp_path / f"b.{end}").unlink()
    with pytest.raises(ValueError, match=rf"the position is in .*b.{end}, which is not among"):
        read(tmp_path, position)


def test_texts_that_grow(tmp_path):
    write(tmp_path / "a.csv", range(5))
    write(tmp_path / "b.csv", range(10, 15))
    _, position = read(tmp_path)
    assert read(tmp_path, position)[0] == []
    for name, row in (("a", 5), ("b", 15)):
        with open(tmp_path / f"{name}.csv", "a") as file:
            file.write(f"{row},0\n")
    rest, position = read(tmp_path, position)
    assert rest == [5, 15]
    assert read(tmp_path, position)[0] == []


def test_half_a_line_that_was_taken_for_a_row(tmp_path):
    write(tmp_path / "a.csv", range(5), "5,-")
    _, position = read(tmp_path, on_bad_row="skip")
    write(tmp_path / "a.csv", range(7))
    with pytest.raises(ValueError, match=r"line 7 was read before its end was there"):
        read(tmp_path, position)
    write(tmp_path / "a.csv", range(5), "5,-\n6,-6\n")
    assert read(tmp_path, position)[0] == [6]


@pytest.mark.parametrize("end", ["csv", "csv.gz", "npy"])
def test_files_that_changed_are_refused(tmp_path, end):
    write(tmp_path / f"a.{end}", range(5))
    write(tmp_path / f"b.{end}", range(10, 15))
    _, position = read(tmp_path, stop=3)
    write(tmp_path / f"a.{end}", range(1, 6))
    with pytest.raises(ValueError, match=rf"a.{end}.*(has changed|not the text)"):
        read(tmp_path, position)


def test_a_position_is_about_files_not_about_how_they_are_spelled(tmp_path, monkeypatch):
    write(tmp_path / "a.csv", range(5))
    write(tmp_path / "b.csv", range(10, 15))
    monkeypatch.chdir(tmp_path)
    _, position = read(["a.csv", "b.csv"], stop=3)
    assert read([tmp_path / "a.csv", tmp_path / "b.csv"], position)[0] == [13, 14]
    (tmp_path / "d").mkdir()
    monkeypatch.chdir(tmp_path / "d")
    assert read(["../a.csv", "../b.csv"], position)[0] == [13, 14]


@pytest.mark.thorough
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 8), min_size=1),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 8)),
    st.integers(0, 12),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_row_once(tmp_path, before, more, stop):
    for path in tmp_path.iterdir():
        path.unlink()
    rows = {name: [100 * ord(name) + i for i in range(n)] for name, n in before.items()}
    for name, of in rows.items():
        write(tmp_path / f"{name}.csv", of)
    first, position = read(tmp_path, stop=stop)
    for name, n in more.items():
        had = rows.get(name, [])
        rows[name] = [*had, *(100 * ord(name) + len(had) + i for i in range(n))]
        write(tmp_path / f"{name}.csv", rows[name])
    rest, _ = read(tmp_path, position)
    assert sorted([*first, *rest]) == sorted(row for of in rows.values() for row in of)


@pytest.mark.parametrize("end", ["csv", "npy", "csv.gz"])
def test_who_iterates_again_goes_on(tmp_path, end):
    write(tmp_path / f"a.{end}", range(5))
    blocks = stream(tmp_path, rows=2)
    first = next(iter(blocks))
    rest = list(blocks)
    assert [row for block in (first, *rest) for row in block.rows[:, 0]] == [0, 1, 2, 3, 4]
    assert [i for block in (first, *rest) for i in block.number] == [0, 1, 2, 3, 4]
    assert list(blocks) == []


@pytest.mark.thorough
@pytest.mark.parametrize("end", ["csv", "npy"])
def test_many_files_are_sealed(tmp_path, monkeypatch, end):
    """A position does not grow with their number."""
    monkeypatch.setattr(positions, "MOST", 3)
    rows = list(range(60))
    if end == "csv":
        (tmp_path / "15-empty.csv").write_text("a,b\n")
    for i in range(10, 40):
        write(tmp_path / f"{i}.{end}", rows[2 * i - 20 : 2 * i - 18])
    whole, end_of_all = read(tmp_path)
    assert whole == rows
    assert len(end_of_all["done"]) <= 3
    assert read(tmp_path, end_of_all)[0] == []
    for stop in (1, 4, 5, 17, 29):
        first, position = read(tmp_path, stop=stop)
        assert [*first, *read(tmp_path, position)[0]] == rows
        assert len(position["done"]) <= 3
    write(tmp_path / f"40.{end}", [99])
    assert read(tmp_path, end_of_all)[0] == [99]
    assert read(tmp_path, position)[0] == [*rows[58:], 99]  # one that comes after is read
    write(tmp_path / f"09.{end}", [98])
    with pytest.raises(ValueError, match="there is a new one before them"):
        read(tmp_path, position)
    (tmp_path / f"09.{end}").unlink()
    write(tmp_path / f"12.{end}", [97])
    with pytest.raises(ValueError, match="has gone or changed"):
        read(tmp_path, position)


@pytest.mark.parametrize("end", ["npy", "csv.gz"])
def test_a_file_that_is_replaced_while_it_is_read(tmp_path, end):
    """Its mark is of what was read, not of what is there when that is over."""
    write(tmp_path / f"a.{end}", range(5))
    source = stream(tmp_path, rows=3)
    blocks = iter(source)
    next(blocks)
    (tmp_path / "other").mkdir()
    write(tmp_path / "other" / f"a.{end}", range(10, 20))
    (tmp_path / "other" / f"a.{end}").replace(tmp_path / f"a.{end}")
    (tmp_path / "other").rmdir()
    assert next(blocks).rows[:, 0].tolist() == [3, 4]
    assert list(blocks) == []
    with pytest.raises(ValueError, match="has changed since it was read"):
        read(tmp_path, source.position)
