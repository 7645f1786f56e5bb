"""Rows in, alarms out: at once, with the column to blame, and each of them once."""

import json
import os
import select
import signal
import subprocess
import time

import numpy as np
import pytest

import okpca as library
from okpca.detection import KernelNoveltyDetector
from okpca.io import header as header_of
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
                found += os.read(process.stdout.fileno(), 2**16)  # `readline` might keep some
        process.stdin.close()
        assert b'"row": 1200' in found
        assert process.wait(300) == 0


def wait_until(true, process):
    end = time.monotonic() + 60
    while not true() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


@pytest.mark.long
def test_a_file_is_followed_through_rotation_and_a_stop(okpca, folder, faulty):
    """Alarms of rows 1200 and 1201, once each: before, in and after what was moved away."""
    lines = (folder / "y.csv").read_bytes().splitlines(keepends=True)
    header, lines = lines[0], lines[1:]
    log, alarms = folder / "log.csv", folder / "alarms"
    log.write_bytes(header + b"".join(lines[:1201]))
    line = "monitor log.csv --follow --gamma 2 --window 500 -o alarms --checkpoint c --every 1rows"

    def rows():
        return [one["row"] for one in told(alarms.read_text())] if alarms.exists() else []

    with started(line) as process:
        wait_until(lambda: 1200 in rows(), process)
        log.rename(folder / "log.csv.1")
        log.write_bytes(header + lines[1201][:9])  # a line waits for its end
        time.sleep(0.1)
        assert 1201 not in rows()
        with open(log, "ab") as file:
            file.write(lines[1201][9:])
        wait_until(lambda: 1201 in rows(), process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 5
    before = rows()
    with open(log, "ab") as file:
        file.write(b"".join(lines[1202:1300]))
    log.rename(folder / "log.csv.1")
    later = [b"0,0,9\n"] * 3
    log.write_bytes(header + b"".join(lines[1300:] + later))
    with started(f"{line} --resume") as process:
        wait_until(lambda: 1502 in rows(), process)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 5
    assert rows()[: len(before)] == before
    assert len(set(rows())) == len(rows())
    assert header_of("c")["rows"] == 1503
    # And when the place is gone, it is said.
    (folder / "log.csv.1").unlink()
    log.write_text("a,b,c\n1,2,3\n")
    done = okpca(f"{line} --resume")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "is not found in log.csv" in done.err
    assert "--resume" in done.err


@pytest.mark.long
def test_saved_when_it_is_stopped(folder, faulty):
    with started("monitor y.csv --follow --gamma 2 -o alarms --save d.okpca") as process:
        wait_until(lambda: (folder / "alarms").exists() and told_any(folder / "alarms"), process)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 5
    assert library.load("d.okpca").n_samples_seen_ == 1500


def told_any(path):
    return bool(path.read_text().endswith("\n"))


@pytest.mark.thorough
def test_who_is_to_blame_by_rows_before_the_block(okpca, folder, faulty):
    """With lags, a row is judged with those before it, in whatever block they came."""
    line = "monitor y.csv --gamma 2 --window 500 --lags 2 -o alarms --block-rows"
    assert okpca(f"{line} 1500").code == 0
    whole = {one["row"]: one for one in told((folder / "alarms").read_text())}
    assert okpca(f"{line} 1201").code == 0  # row 1201 is the first of a block
    cut = {one["row"]: one for one in told((folder / "alarms").read_text())}
    assert cut.keys() == whole.keys()
    assert next(iter(cut[1201]["columns"])) == next(iter(whole[1201]["columns"])) == "c"


def test_blame_goes_by_the_lags_of_the_fit(okpca, folder, rows):
    """Parameters that are set later have no part in it."""
    rows[1000, 2] += 3.0
    np.save("y.npy", rows[600:1100])
    detector = KernelNoveltyDetector(gamma=0.1, lags=2, max_atoms=60).fit(rows[:600])
    found = []
    for lags in (2, 0):
        detector.set_params(lags=lags).save("l.okpca")
        done = okpca("monitor y.npy --start l.okpca -q")
        assert done.code == 0
        found.append(told(done.out))
    assert len(found[0]) > 1
    assert found[1] == found[0]


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


@pytest.mark.thorough
def test_blame_with_lags_does_not_depend_on_blocks(okpca, folder):
    """A fault of column a raises the scores of rows after it, too; rows left out are no past."""
    x = np.random.default_rng(0).normal(size=(300, 3))
    x[290] = [8.0, 0.0, 0.0]
    x[291:294] = 0.0
    x = np.insert(x, [100, 291, 291, 292], np.nan, axis=0)
    np.savetxt("l.csv", x, delimiter=",", header="a,b,c", comments="")
    line = "monitor l.csv --lags 2 --warm-up 60 --gamma 0.1 --missing skip --block-rows"
    whole, cut, one = (told(okpca(f"{line} {n} -q").out) for n in (1000, 7, 1))
    after = [found for found in whole if found["row"] > 290]
    assert after
    assert all(next(iter(found["columns"])) == "a" for found in after)
    for other in (cut, one):
        assert [found["row"] for found in other] == [found["row"] for found in whole]
        for mine, theirs in zip(other, whole, strict=True):
            assert mine["columns"] == pytest.approx(theirs["columns"], abs=2e-3)
