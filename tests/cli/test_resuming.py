"""Killed, stopped, resumed: the model is that of the run that nothing happened to."""

import signal
import subprocess
import time

import numpy as np
import pytest

import okpca as library
from okpca.io import header
from process_tools import started, stopped

LINE = "fit big.npy --gamma 0.5 --max-atoms 60 --block-rows 500 --checkpoint c --every 1000rows"
PIPED = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


@pytest.fixture
def big(folder, rows):
    rng = np.random.default_rng(1)
    np.save("big.npy", np.tile(rows, (10, 1)) + 0.1 * rng.normal(size=(10 * len(rows), 3)))


@pytest.fixture
def whole(big, okpca, folder):
    """What is left by a run that nothing happens to."""
    assert okpca("fit big.npy --gamma 0.5 --max-atoms 60 --block-rows 500 -o whole.okpca").code == 0
    return (folder / "whole.okpca").read_bytes()


def when_there(process, path, number):
    """Send a signal once there is a checkpoint, to one that waits for rows: what it says then."""
    end = time.monotonic() + 300
    while not path.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    assert path.exists()
    process.send_signal(number)
    with process:
        process.wait(300)
        return process.stderr.read()


@pytest.mark.long
def test_killed_at_any_moment(whole, okpca, folder):
    for seconds in (1e-4, 5e-3):
        done = stopped(f"{LINE} -o m.okpca --resume", signal.SIGKILL, 2, seconds)
        assert done.returncode == -signal.SIGKILL
        assert not (folder / "m.okpca").exists()
    assert 3000 < header("c")["rows"] < 15000
    assert okpca(f"{LINE} -o m.okpca --resume").code == 0
    assert (folder / "m.okpca").read_bytes() == whole


@pytest.mark.long
def test_stopped_with_a_checkpoint(whole, okpca, folder):
    done = stopped(f"{LINE} -o m.okpca", signal.SIGTERM, 3, 3e-3)
    assert done.returncode == 5
    assert "--resume" in done.stderr
    assert not (folder / "m.okpca").exists()
    assert okpca(f"{LINE} -o m.okpca --resume").code == 0
    assert (folder / "m.okpca").read_bytes() == whole


@pytest.mark.long
def test_stopped_while_it_waits_for_a_pipe(folder):
    line = LINE.replace("big.npy", "- --format ndjson") + " -o m.okpca"
    process = started(line, **PIPED)
    process.stdin.write('{"a": 1.5, "b": 2}\n{"a": 2.5, "b": 1}\n' * 600)
    process.stdin.flush()
    when_there(process, folder / "c", signal.SIGTERM)
    assert process.returncode == 5
    assert header("c")["position"]["at"]["rows"] == header("c")["rows"] == 1000


@pytest.mark.long
def test_stopped_while_it_waits_for_the_end_of_a_line(folder):
    """Half a line is no row."""
    process = started("fit - --gamma 0.5 -o m.okpca --checkpoint c --every 1rows", **PIPED)
    process.stdin.write("a,b\n" + "0.123456789,0.987654321\n0.3,0.2\n" * 150_000 + "0.7,0.")
    process.stdin.flush()
    said = when_there(process, folder / "c", signal.SIGINT)
    assert (process.returncode, said.count("\n")) == (5, 1)
    assert header("c")["position"]["at"]["rows"] == header("c")["rows"] <= 300_000


@pytest.mark.long
def test_stopped_without_a_checkpoint(folder):
    process = started("fit - -o m.okpca", **PIPED)
    process.stdin.write("a,b\n" + "1,2\n" * 100_000)  # more than a pipe holds: so it reads
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    with process:
        code, said = process.wait(300), process.stderr.read()
    assert (code, said.count("\n")) == (130, 1), said


@pytest.mark.thorough
def test_resume_starts_afresh_without_a_checkpoint(big, okpca):
    assert okpca(f"{LINE} -o m.okpca --resume").code == 0
    assert library.load("m.okpca").n_samples_seen_ == 15000


def test_what_is_done_is_not_done_twice(okpca, model):
    line = f"update {model} x.csv --checkpoint c --resume"
    assert okpca(line).code == 0
    assert okpca(line).code == 0
    assert library.load(model).n_samples_seen_ == 3000


@pytest.mark.thorough
def test_a_file_may_be_spelled_otherwise(okpca, model, folder):
    assert okpca(f"update {model} x.csv --checkpoint c --resume").code == 0
    for spelled in ("./x.csv", f"../{folder.name}/x.csv", str(folder / "x.csv")):
        assert okpca(f"update ./{model} {spelled} --checkpoint ./c --resume").code == 0
    assert library.load(model).n_samples_seen_ == 3000


def test_other_rows_by_the_same_name_are_new(okpca, model, rows):
    line = f"update {model} x.csv --checkpoint c --resume"
    assert okpca(line).code == 0
    np.savetxt("x.csv", rows[:700], delimiter=",", header="a,b,c", comments="")
    assert okpca(line).code == 0
    assert library.load(model).n_samples_seen_ == 3700


def test_a_checkpoint_of_another_run_is_refused(okpca):
    line = "fit x.npy --checkpoint c -o m.okpca --resume"
    assert okpca(f"{line} --gamma 0.5").code == 0
    done = okpca(f"{line} --gamma 0.6")
    assert done.code == 2
    assert "another run" in done.err


def test_a_bad_row_can_be_left_out_when_it_goes_on(okpca, folder):
    """As the message advises: what was learned before it is not lost."""
    lines = (folder / "x.csv").read_text().splitlines(keepends=True)
    (folder / "b.csv").write_text("".join([*lines[:1200], "1,oops,3\n", *lines[1200:]]))
    line = "fit b.csv --gamma 0.5 -o m.okpca --checkpoint c --every 400rows --block-rows 400"
    done = okpca(line)
    assert done.code == 3
    assert "--on-bad-row skip" in done.err
    assert okpca(f"{line} --resume --on-bad-row skip -q").code == 0
    assert header("m.okpca")["rows"] == 1500
