"""Results: the same whatever the cut, there whole or not at all, where they were asked for."""

import io
import json
import os
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import typer
from numpy.testing import assert_array_equal
from pyarrow import parquet

from okpca.cli.exits import run
from okpca.cli.output import write

IDS = {
    "numbers": [2**62 + 1, None, 3, None, None, 6],
    "late": [None, None, None, None, 5, 6],
    "words": ["a", None, None, None, "e", "f"],
}


@pytest.mark.thorough
@pytest.mark.parametrize("cut", [1, 2, 3, 6])
@pytest.mark.parametrize("kind", IDS)
def test_ids_of_which_some_are_missing(okpca, model, cut, kind):
    x = np.load("x.npy")[:6]
    table = pa.table({**dict(zip("abc", x.T, strict=True)), "i": pa.array(IDS[kind])})
    parquet.write_table(table, "x.parquet")
    line = f"transform {model} x.parquet --id i --block-rows {cut}"
    assert okpca(f"{line} -o o.parquet").code == 0
    assert parquet.read_table("o.parquet")["id"].to_pylist() == IDS[kind]
    assert [json.loads(one)["id"] for one in okpca(f"{line} --json").out.splitlines()] == IDS[kind]
    out = [one.split(",")[1] for one in okpca(line).out.splitlines()[1:]]
    assert out == ["" if one is None else str(one) for one in IDS[kind]]


def test_times_of_frames(okpca, model, frame):
    """Which have nanoseconds."""
    times = ["2024-01-01 00:00:00.000000001", None, "2024-01-01 00:00:02"]
    frame[:3].assign(t=pd.to_datetime(times, format="ISO8601")).to_parquet("x.parquet")
    done = okpca(f"transform {model} x.parquet --time t --json")
    found = [json.loads(line)["time"] for line in done.out.splitlines()]
    assert found == [times[0], None, times[2] + ".000000000"]


@pytest.mark.thorough
def test_arrays_need_no_more_than_a_block(okpca, model):
    assert okpca(f"transform {model} x.csv -o whole.npy").code == 0
    assert okpca(f"transform {model} x.csv -o cut.npy --block-rows 7").code == 0
    found = np.load("cut.npy", mmap_mode="r")
    assert found.shape == (1500, 3)
    np.testing.assert_allclose(found, np.load("whole.npy"), atol=1e-12)
    parts = ({"row": np.arange(100_000), "x": np.full(100_000, float(i))} for i in range(50))
    tracemalloc.start()
    write("large.npy", False, parts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6  # of 40
    assert_array_equal(np.load("large.npy", mmap_mode="r")[::100_000, 0], np.arange(50.0))


def test_ids_of_several_kinds(okpca, model):
    with open("x.ndjson", "w") as file:
        for i in (1, "two"):
            file.write(json.dumps({"a": 1, "b": 2, "c": 3, "i": i}) + "\n")
    done = okpca(f"transform {model} x.ndjson --id i -o o.parquet")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert okpca(f"transform {model} x.ndjson --id i -o o.csv").code == 0
    assert not os.path.exists("o.parquet")


@pytest.mark.thorough
@pytest.mark.parametrize("end", ["csv", "npy", "parquet"])
def test_a_link_stays_a_link_and_all_is_on_the_disk(okpca, model, folder, monkeypatch, end):
    (folder / "elsewhere").mkdir()
    (folder / f"elsewhere/o.{end}").write_text("before")
    os.symlink(f"elsewhere/o.{end}", f"o.{end}")
    synced, fsync = [], os.fsync

    def noted(number):
        synced.append(os.readlink(f"/proc/self/fd/{number}"))
        fsync(number)

    if sys.platform == "linux":
        monkeypatch.setattr(os, "fsync", noted)
    assert okpca(f"transform {model} x.csv -o o.{end}").code == 0
    assert os.path.islink(f"o.{end}")
    assert (folder / f"elsewhere/o.{end}").stat().st_size > 1000
    assert os.listdir("elsewhere") == [f"o.{end}"]
    if sys.platform == "linux":
        assert any(".part" in name for name in synced)
        assert str(folder / "elsewhere") in synced


def test_what_is_no_file_is_not_replaced(okpca, model):
    os.mkfifo("o.csv")
    done = okpca(f"transform {model} x.csv -o o.csv")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert not os.path.isfile("o.csv")


def parts(interrupt):
    yield {"row": np.arange(3), "x": np.arange(3.0)}
    raise interrupt


def test_interrupted_it_says_what_is_there(folder, capsys, monkeypatch):
    def command(output):
        app = typer.Typer()
        app.command()(lambda: write(output, False, parts(KeyboardInterrupt())))
        return run(app, [])

    assert command("-") == 130
    out, err = capsys.readouterr()
    assert out.count("\n") == 4
    assert "stdout has the first rows alone" in err
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert command("o.csv") == 130
    assert not os.path.exists("o.csv")


def test_a_failure_is_no_broken_pipe(folder):
    app = typer.Typer()

    @app.command()
    def fails(code: int) -> None:
        raise SystemExit(code)

    assert run(app, ["1"]) == 1
    assert run(app, ["0"]) == 0


def test_shuffle_is_refused_wherever_it_is_said(okpca, folder):
    (folder / "c.toml").write_text("shuffle = true\nepochs = 2\n")
    for line in ("fit x.csv -o m.okpca --shuffle", "fit x.csv -o m.okpca --config c.toml"):
        done = okpca(line)
        assert done.code == 2
        assert "--shuffle" in done.err
    (folder / "c.toml").write_text("shuffle = false\n")
    assert okpca("fit x.csv -o m.okpca --config c.toml -q").code == 0
