"""Rows from every kind of file, where they were, and those that are none."""

import gzip
import io
import json
import os
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from pyarrow import feather, parquet

import okpca
from helpers import normal
from okpca.io import stream
from okpca.io.sources import binary
from okpca.io.sources.bad_rows import EXAMPLES

X = normal(500, 3, seed=1)
NAMES = ["a", "b", "c"]
FRAME = pd.DataFrame(X, columns=NAMES).assign(
    when=[f"2026-01-01T00:{i // 60:02d}:{i % 60:02d}" for i in range(500)], id=np.arange(500)
)


def write(folder, kind):
    path, table = folder / f"rows.{kind}", pa.Table.from_pandas(FRAME)
    if kind == "csv":
        FRAME.to_csv(path, index=False)
    elif kind == "tsv":
        FRAME.to_csv(path, index=False, sep="\t")
    elif kind == "csv.gz":
        FRAME.to_csv(path, index=False, sep=";")
    elif kind == "csv.zst":
        with pa.CompressedOutputStream(str(path), "zstd") as out:
            out.write(FRAME.to_csv(index=False).encode())
    elif kind == "parquet":
        parquet.write_table(table, path)
    elif kind == "arrow":
        feather.write_feather(table, path, compression="uncompressed")
    elif kind == "arrows":
        with pa.OSFile(str(path), "wb") as out, pa.ipc.new_stream(out, table.schema) as to:
            to.write_table(table, max_chunksize=60)
    elif kind == "ndjson":
        path.write_text("\n".join(json.dumps(row) for row in FRAME.to_dict("records")) + "\n\n")
    return path


KINDS = ["csv", "tsv", "csv.gz", "csv.zst", "parquet", "arrow", "arrows", "ndjson"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file(tmp_path, kind):
    blocks = list(stream(write(tmp_path, kind), id="id", time="when", rows=70))
    assert_array_equal(np.concatenate([block.rows for block in blocks]), X)
    assert_array_equal(np.concatenate([block.number for block in blocks]), np.arange(500))
    assert [int(i) for block in blocks for i in block.ids] == list(range(500))
    assert [str(t) for block in blocks for t in block.times] == list(FRAME["when"])
    assert blocks[0].columns == NAMES


@pytest.mark.parametrize("kind", ["npy", "npz"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_arrays(tmp_path, kind, dtype):
    path, rows = tmp_path / f"rows.{kind}", (100 * X).astype(dtype)
    np.save(path, rows) if kind == "npy" else np.savez(path, y=np.zeros(500), data=rows)
    blocks = list(stream(path, rows=128, columns=["2", "0:1"]))
    assert [len(block.rows) for block in blocks] == [128, 128, 128, 116]
    assert_array_equal(np.concatenate([block.rows for block in blocks]), rows[:, [2, 0, 1]])


def test_wide_arrays_come_in_smaller_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("okpca.io.sources.binary.AT_A_TIME", 3 * 100)
    np.save(tmp_path / "rows.npy", X)
    blocks = list(stream(tmp_path / "rows.npy"))
    assert [len(block.rows) for block in blocks] == [100] * 5
    assert_array_equal(np.concatenate([block.rows for block in blocks]), X)


def test_numbers_that_are_text(tmp_path):
    """They are no matrix, and taken column by column."""
    np.save(tmp_path / "rows.npy", X[:20].astype("U"))
    (block,) = stream(tmp_path / "rows.npy")
    assert_array_equal(block.rows, X[:20])


def test_columns(tmp_path):
    path = write(tmp_path, "csv")
    assert next(iter(stream(path, columns="b:c"))).columns == ["b", "c"]
    assert next(iter(stream(path, columns=["c", ":b"]))).columns == ["c", "a", "b"]
    with pytest.raises(ValueError, match=r"no column 'z', but 'a', 'b', 'c', 'when', 'id'"):
        list(stream(path, columns=["a", "z"]))
    with pytest.raises(ValueError, match=r"column 'when' is '2026.*by time='when'"):
        list(stream(path, on_bad_row="skip"))


@pytest.mark.parametrize(
    ("text", "decimal"),
    [("1,2\n3,4\n5,7\n", "."), ("1.5,-2e3\n3,4\n", "."), ("1,5;2,5\n3;4\n", ",")],
)
def test_a_first_line_of_numbers_may_be_a_row(tmp_path, text, decimal):
    (tmp_path / "rows.csv").write_text(text)
    with pytest.warns(UserWarning, match=r"rows\.csv: the first line .* '1.* header=False") as said:
        (block,) = stream(tmp_path / "rows.csv", decimal=decimal)
    assert len(said) == 1
    assert len(block.rows) == text.count("\n") - 1
    for given in ({"header": False}, {"columns": block.columns}):
        list(stream(tmp_path / "rows.csv", decimal=decimal, **given))


@pytest.mark.parametrize("head", ["0,1", "0,1,2", ",0,1", "a,1", "nan,2"])
def test_names_that_may_be_numbers(tmp_path, head):
    names = head.split(",")
    (tmp_path / "rows.csv").write_text(f"{head}\n{','.join('7' for _ in names)}\n")
    (block,) = stream(tmp_path / "rows.csv")
    assert block.columns == names


def test_without_a_header(tmp_path):
    np.savetxt(tmp_path / "rows.txt", X, delimiter="|", fmt="%.17g")
    (block,) = stream(tmp_path / "rows.txt", header=False)
    assert_array_equal(block.rows, X)
    assert block.columns == ["0", "1", "2"]


def test_folders_and_patterns(tmp_path):
    for i, part in enumerate(np.array_split(np.arange(500), 4)):
        (tmp_path / f"day={i}").mkdir()
        FRAME[NAMES].iloc[part].to_parquet(tmp_path / f"day={i}" / "part.parquet")
    (tmp_path / "_SUCCESS").write_text("")
    for source in (tmp_path, str(tmp_path / "*" / "*.parquet"), sorted(tmp_path.glob("day=*"))):
        blocks = list(stream(source))
        assert_array_equal(np.concatenate([block.rows for block in blocks]), X)
        assert_array_equal(np.concatenate([block.number for block in blocks]), np.arange(500))
    with pytest.raises(FileNotFoundError, match="no such file"):
        stream(tmp_path / "*.csv")


def test_standard_input(monkeypatch):
    raw = io.BytesIO(FRAME[NAMES].to_csv(index=False).encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))
    assert_array_equal(np.concatenate([block.rows for block in stream("-")]), X)
    assert not sys.stdin.buffer.closed


@pytest.mark.parametrize("kind", ["arrow", "arrows"])
@pytest.mark.parametrize("way", ["gz", "standard input", "pipe"])
def test_arrow_that_cannot_be_looked_at_from_its_end(tmp_path, monkeypatch, kind, way):
    path = write(tmp_path, kind)
    data, source = path.read_bytes(), "-"
    raw = io.BufferedReader(io.BytesIO(data))
    if way == "gz":
        source = tmp_path / "rows.arrow.gz"
        source.write_bytes(gzip.compress(data))
    elif way == "standard input":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
    else:
        source = tmp_path / "pipe"
        os.mkfifo(source)
        threading.Thread(target=source.write_bytes, args=[data], daemon=True).start()
    blocks = list(stream(source, format="arrow", columns="a:c", rows=70))
    assert_array_equal(np.concatenate([block.rows for block in blocks]), X)
    assert max(len(block.rows) for block in blocks) <= 70
    assert raw.tell() == (len(data) if way == "standard input" else 0)  # to the end, and not closed


def test_arrow_on_a_disk_is_read_once(tmp_path, monkeypatch):
    """Its batches lie in memory as they lie there: the bytes are only looked at."""
    read, opened = [], binary.opened

    @contextmanager
    def counted(file):
        with opened(file) as raw:
            yield raw
            read.append(raw.tell())

    monkeypatch.setattr(binary, "opened", counted)
    (block,) = stream(write(tmp_path, "arrow"), columns="a:c")
    assert_array_equal(block.rows, X)
    assert read == [0]


BAD = "a,b\n1,2\n3,x\n5\n7,8\n9,\n11,inf\n13,14,15\n 17 ,18\n"


def test_bad_rows_are_left_out_and_told(tmp_path):
    (tmp_path / "bad.csv").write_text(BAD)
    source = stream(tmp_path / "bad.csv", on_bad_row="skip")
    (block,) = source
    assert_array_equal(block.rows, [[1, 2], [7, 8], [17, 18]])
    assert_array_equal(block.number, [0, 3, 7])
    assert source.bad.count == 5
    told = "\n".join(sorted(source.bad.examples))
    for line, what in ((3, "'b' is 'x'"), (4, "1 fields, not 2"), (6, "'b' is missing")):
        assert f"bad.csv, line {line}: " in told
        assert what in told


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a,b\n1,2\n3,x\n", r"bad.csv, line 3: column 'b' is 'x', no finite number"),
        ("a,b\n1,2\n3\n", r"bad.csv, line 3: 1 fields, not 2"),
        ("a,b\n1,2\n3,\n", r"bad.csv, line 3: column 'b' is missing"),
    ],
)
def test_bad_rows_raise(tmp_path, text, match):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(ValueError, match=match):
        list(stream(tmp_path / "bad.csv"))


def test_of_many_bad_rows_some_are_told(tmp_path):
    (tmp_path / "bad.csv").write_text("a\n" + 5 * "1\n" + 20 * "x\n")
    source = stream(tmp_path / "bad.csv", on_bad_row="skip")
    assert sum(len(block.rows) for block in source) == 5
    assert source.bad.count == 20
    assert len(source.bad.examples) == EXAMPLES


def test_bad_lines_of_json(tmp_path):
    (tmp_path / "bad.ndjson").write_text('{"a": 1}\n{"a": \n3\n{"b": 2}\n{"a": 5}\n')
    source = stream(tmp_path / "bad.ndjson", columns="a", on_bad_row="skip")
    assert_array_equal(np.concatenate([block.rows for block in source])[:, 0], [1, 5])
    assert source.bad.count == 3
    with pytest.raises(ValueError, match="line 2"):
        list(stream(tmp_path / "bad.ndjson"))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["csv", "parquet", "ndjson"])
def test_goes_on_from_any_position(tmp_path, kind):
    path = write(tmp_path, kind)
    sources = [path, path]
    whole = list(stream(sources, id="id", columns=NAMES, rows=90))
    for block in whole:
        rest = list(stream(sources, id="id", columns=NAMES, rows=90, position=block.position))
        done = block.position["rows"]
        found = np.concatenate([b.rows for b in rest]) if rest else np.empty((0, 3))
        assert_array_equal(found, np.concatenate([X, X])[done:])
    for wrong in (
        {"file": 5, "row": 0, "rows": 0},
        {"rows": -1},
        "x",
        3,
        {},
        {"rows": 1, "mark": 2},
    ):
        with pytest.raises(ValueError, match="is no position in 2 files"):
            stream(sources, position=wrong)


def test_a_position_within_a_block(tmp_path):
    path = write(tmp_path, "parquet")
    first = next(iter(stream(path, columns=NAMES, rows=123)))
    rest = list(stream(path, columns=NAMES, rows=100, position=first.position))
    assert_array_equal(np.concatenate([b.rows for b in rest]), X[123:])
    assert rest[0].number[0] == 123


def test_model_and_position_in_one_file(tmp_path):
    path, file = write(tmp_path, "parquet"), tmp_path / "m.okpca"
    whole = okpca.OnlineKernelPCA(2, gamma=0.2, max_atoms=30)
    for i, block in enumerate(stream(path, columns=NAMES, rows=100)):
        whole.partial_fit(block.rows)
        if i == 1:
            whole.save(file, position=block.position)
    other = okpca.load(file)
    for block in stream(path, columns=NAMES, rows=100, position=okpca.io.header(file)["position"]):
        other.partial_fit(block.rows)
    assert_array_equal(other.transform(X), whole.transform(X))


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"on_bad_row": "mend"}, "on_bad_row must be"),
        ({"follow": True, "format": "parquet"}, "only a file of lines"),
        ({"rows": 0}, "rows must be at least 1"),
        ({"rows": 2.5}, "rows must be at least 1"),
        ({"delimiter": ";;"}, "delimiter must be one character"),
        ({"format": "xls"}, "format must be one of"),
    ],
)
def test_wrong_settings(tmp_path, more, match):
    with pytest.raises(ValueError, match=match):
        stream(write(tmp_path, "csv"), **more)


def test_unknown_kinds_and_broken_files(tmp_path):
    (tmp_path / "rows.dat").write_text("1,2")
    with pytest.raises(ValueError, match=r"rows.dat: what is in it\?"):
        stream(tmp_path / "rows.dat")
    for name in ("x.parquet", "x.arrow", "x.npy", "x.csv.gz"):
        (tmp_path / name).write_bytes(b"no such thing")
        with pytest.raises(ValueError, match=name):
            list(stream(tmp_path / name))
    with gzip.open(tmp_path / "empty.csv.gz", "wb"):
        pass
    assert list(stream(tmp_path / "empty.csv.gz")) == []
