"""Rows in, alarms out: at once, with the column to blame, and each of them once."""

import json
import select
import signal
import subprocess
import time

import numpy as np
import pytest

import okpca as library
from okpca.detection import KernelNoveltyDetector
from process_tools import started, stopped

LINE = (
    "monitor y.npy --gamma 2 --window 500 -o alarms --checkpoint c --every 500rows --save d.okpca"
)


@pytest.fixture
def faulty(folder, rows):
    """A fault of column c at rows 1200 and 1201, then the process drifts."""
    found = rows.copy()
    found[1200:1202, 2] += 3.0
    np.savetxt("y.csv", found, delimiter=",", header="a,b,c", comments="")
    drifting = np.tile(rows, (12, 1))
    drifting += 0.03 * np.random.default_rng(0).normal(size=drifting.shape)
    drifting[1200:1202, 2] += 3.0
    drifting[9000:, 0] += np.linspace(0, 0.8, len(drifting) - 9000)
    np.save("y.npy", drifting)
    return found


def told(text):
    return [json.loads(line) for line in text.splitlines()]


def test_alarms_are_those_of_the_library(okpca, faulty):
    done = okpca("monitor y.csv --gamma 2 --window 500 --id a --columns a:c")
    found = told(done.out)
    seen = KernelNoveltyDetector(gamma=2, window=500, random_state=0).monitor(faulty)
    assert [one["row"] for one in found] == np.flatnonzero(seen.alarms).tolist()
    np.testing.assert_allclose([one["score"] for one in found], seen.score[seen.alarms])
    fault = next(one for one in found if one["row"] == 1200)
    assert fault["kind"] == "alarm"
    assert next(iter(fault["columns"])) == "c"
    assert float(fault["id"]) == faulty[1200, 0]


@pytest.mark.long
def test_drift_is_announced_once(okpca, folder, faulty):
    assert okpca("monitor y.npy --gamma 2 --window 500 -o alarms --block-rows 700").code == 0
    drifts = [one for one in told((folder / "alarms").read_text()) if one["kind"] == "drift"]
    assert len(drifts) == 1
    assert drifts[0]["row"] > 9000
    assert drifts[0]["value"] > drifts[0]["limit"]


@pytest.mark.long
def test_goes_on_from_a_detector(okpca, detector, faulty, rows):
    assert okpca(f"monitor y.csv --start {detector} --save e.okpca").code == 0
    assert library.load("e.okpca").n_samples_seen_ == 2 * len(rows)


@pytest.mark.long
def test_an_alarm_of_a_pipe_comes_while_it_is_open(folder, faulty):
    with open("y.csv", "rb") as file:
        lines = file.read().splitlines(keepends=True)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with started("monitor - --gamma 2 --window 500", **pipes) as process:
        process.stdin.write(b"".join(lines[:1202]))  # the header, and up to row 1200
        process.stdin.flush()
        found, end = b"", time.monotonic() + 300
        while b'"row": 1200' not in found and time.monotonic() < end:
            if select.select([process.stdout], [], [], 1)[0]:
                found += process.stdout.readline()
        process.stdin.close()
        assert b'"row": 1200' in found
        assert process.wait(300) == 0


@pytest.mark.long
def test_killed_at_any_moment(okpca, folder, faulty):
    assert okpca(f"{LINE} --block-rows 300").code == 0
    alarms, model = (folder / "alarms").read_bytes(), (folder / "d.okpca").read_bytes()
    for name in ("alarms", "d.okpca", "c", "c~"):
        (folder / name).unlink()
    for seconds in (1e-4, 2e-2):
        done = stopped(f"{LINE} --block-rows 300 --resume", signal.SIGKILL, 5, seconds)
        assert done.returncode == -signal.SIGKILL
    assert okpca(f"{LINE} --block-rows 300 --resume").code == 0
    assert (folder / "alarms").read_bytes() == alarms
    assert (folder / "d.okpca").read_bytes() == model


@pytest.mark.long
def test_the_output_is_cut_back_to_the_checkpoint(okpca, folder, faulty):
    assert okpca(LINE).code == 0
    alarms = (folder / "alarms").read_bytes()
    (folder / "alarms").write_bytes(alarms + b'{"row": 99999}\n{"ro')
    assert okpca(f"{LINE} --resume").code == 0
    assert (folder / "alarms").read_bytes() == alarms
    (folder / "alarms").write_bytes(b"")
    assert okpca(f"{LINE} --resume").code == 2
