"""Killed, stopped, resumed: the model is that of the run that nothing happened to."""

import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import okpca as library
from okpca.io import header

LINE = "fit big.npy --gamma 0.5 --max-atoms 60 --block-rows 500 --checkpoint c --every 1000rows"


@pytest.fixture
def big(folder, rows):
    rng = np.random.default_rng(1)
    np.save("big.npy", np.tile(rows, (20, 1)) + 0.1 * rng.normal(size=(20 * len(rows), 3)))


def started(line, **more):
    return subprocess.Popen(
        [sys.executable, "-m", "okpca", *line.split()], stderr=subprocess.PIPE, text=True, **more
    )


def when_there(process, path, then):
    """Send a signal some time after the first checkpoint: what is said on stderr then."""
    end = time.monotonic() + 60
    while not path.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    time.sleep(random.Random(len(str(path))).uniform(0, 0.05))
    process.send_signal(then)
    with process:
        process.wait(60)
        return process.stderr.read()


def test_killed_at_any_moment(big, okpca, folder):
    assert okpca(f"{LINE} -o whole.okpca").code == 0
    (folder / "c").unlink()
    chance, kills = random.Random(0), 0
    for _ in range(4):
        process = started(f"{LINE} -o m.okpca --resume")
        when_there(process, folder / "c", signal.SIGKILL)
        time.sleep(chance.uniform(0, 0.05))
        kills += process.returncode == -signal.SIGKILL
    assert kills
    assert okpca(f"{LINE} -o m.okpca --resume").code == 0
    assert (folder / "m.okpca").read_bytes() == (folder / "whole.okpca").read_bytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_with_a_checkpoint(big, okpca, folder, number):
    process = started(f"{LINE} -o m.okpca")
    said = when_there(process, folder / "c", number)
    assert process.returncode == 5
    assert "--resume" in said
    assert not (folder / "m.okpca").exists()
    assert okpca(f"{LINE} -o m.okpca --resume").code == 0
    assert okpca("fit big.npy --gamma 0.5 --max-atoms 60 --block-rows 500 -o whole.okpca").code == 0
    assert (folder / "m.okpca").read_bytes() == (folder / "whole.okpca").read_bytes()


def test_stopped_while_it_waits_for_a_pipe(folder):
    line = LINE.replace("big.npy", "- --format ndjson") + " -o m.okpca"
    process = started(line, stdin=subprocess.PIPE)
    process.stdin.write('{"a": 1.5, "b": 2}\n{"a": 2.5, "b": 1}\n' * 600)
    process.stdin.flush()
    when_there(process, folder / "c", signal.SIGTERM)
    assert process.returncode == 5
    assert header("c")["position"]["at"]["rows"] == header("c")["rows"] == 1000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_while_it_waits_for_the_end_of_a_line(folder, number):
    """Half a line is no row."""
    process = started(
        "fit - --gamma 0.5 -o m.okpca --checkpoint c --every 1rows", stdin=subprocess.PIPE
    )
    process.stdin.write("a,b\n" + "0.123456789,0.987654321\n0.3,0.2\n" * 150_000 + "0.7,0.")
    process.stdin.flush()
    said = when_there(process, folder / "c", number)
    assert (process.returncode, said.count("\n")) == (5, 1)
    assert header("c")["position"]["at"]["rows"] == header("c")["rows"] <= 300_000


def test_stopped_without_a_checkpoint(folder):
    process = started("fit - -o m.okpca", stdin=subprocess.PIPE)
    process.stdin.write("a,b\n1,2\n")
    process.stdin.flush()
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    with process:
        assert process.wait(60) == 130
        assert len(process.stderr.read().splitlines()) == 1


def test_resume_starts_afresh_without_a_checkpoint(big, okpca):
    assert okpca(f"{LINE} -o m.okpca --resume").code == 0
    assert library.load("m.okpca").n_samples_seen_ == 30000


def test_what_is_done_is_not_done_twice(okpca, model):
    line = f"update {model} x.csv --checkpoint c --resume"
    assert okpca(line).code == 0
    assert okpca(line).code == 0
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
