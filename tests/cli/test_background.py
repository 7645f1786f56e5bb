"""Rows do not wait for checkpoints, and nothing of them is lost."""

import gc
import json
import threading

import numpy as np
import pytest

import okpca as library
from okpca.cli import checkpoints, sources
from okpca.cli.background import BackgroundWork, unhurried
from okpca.cli.exits import USAGE, Refused
from okpca.detection.alarm_contributions import blamed

LINE = "monitor x.csv --gamma 2 --window 500 --block-rows 50 -o alarms --checkpoint kept -q"


def test_one_at_a_time_and_errors_are_raised_when_waited_for():
    go, done = threading.Event(), []
    aside = BackgroundWork()
    aside.begin(lambda: (go.wait(), done.append(1)))
    assert done == []
    go.set()
    aside.begin(lambda: done.append(2))
    aside.settle()
    assert done == [1, 2]
    aside.begin(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        aside.settle()
    aside.settle()  # told once


@pytest.mark.thorough
def test_what_is_there_is_not_searched():
    with unhurried() as stays:
        before = gc.get_freeze_count()
        kept = [[] for _ in range(10)]
        stays()
        assert gc.get_freeze_count() >= before + len(kept)
    assert gc.get_freeze_count() == 0


@pytest.mark.thorough
def test_rows_go_on_while_a_checkpoint_is_written(okpca, monkeypatch):
    """Each is of the rows there were when it was begun, however late it is written."""
    seen, save, begin = [], sources.save, checkpoints.Checkpoints.begin_to_save
    go = threading.Event()

    def late(model, path, columns, named, place):
        if threading.current_thread() is not threading.main_thread():
            go.wait()
            seen.append((model.n_samples_seen_, place["at"]["rows"]))
        save(model, path, columns, named, place)

    def begun(self, work, place, first):
        go.set()  # the one before, since this one waits for it
        begin(self, work, place, first)
        go.clear()

    monkeypatch.setattr(sources, "save", late)
    monkeypatch.setattr(checkpoints.Checkpoints, "begin_to_save", begun)
    monkeypatch.setattr(BackgroundWork, "settle", _released(BackgroundWork.settle, go))
    assert okpca(f"{LINE} --every 400rows").code == 0
    assert seen == [(400, 400), (800, 800), (1200, 1200)]
    assert library.io.header("kept")["position"]["at"]["rows"] == 1500


def _released(settle, go):
    def settled(self):
        go.set()
        settle(self)

    return settled


@pytest.mark.thorough
def test_a_disk_that_is_full_ends_it(okpca, monkeypatch):
    def full(*args):
        if threading.current_thread() is not threading.main_thread():
            raise Refused(USAGE, "kept: no space left.")

    monkeypatch.setattr(sources, "save", full)
    done = okpca(f"{LINE} --every 400rows")
    assert (done.code, done.err) == (USAGE, "okpca: kept: no space left.\n")


@pytest.mark.thorough
@pytest.mark.parametrize(("lags", "gamma"), [(0, 0.5), (2, 0.15)])
def test_blame_is_by_what_judged(rows, lags, gamma):
    detector = library.KernelNoveltyDetector(gamma=gamma, lags=lags, window=500).fit(rows)
    strange = rows[-3:] + np.array([0, 0, 4.0])
    shares = blamed(detector, strange)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares.argmax(axis=1) == 2).all()
    np.testing.assert_allclose(shares, detector.contributions(strange), atol=0.05)


@pytest.mark.thorough
def test_alarms_say_what_contributions_say(okpca, folder, rows):
    rows[-20:, 2] += 4.0
    np.savetxt("x.csv", rows, delimiter=",", header="a,b,c", comments="")
    assert okpca("monitor x.csv --gamma 2 --window 500 -o alarms -q").code == 0
    told = [json.loads(line) for line in (folder / "alarms").read_text().splitlines()]
    assert all(next(iter(one["columns"])) == "c" for one in told if one["row"] >= 1480)
