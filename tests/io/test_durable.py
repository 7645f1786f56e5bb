"""A save is done or it has not happened, and the file before is kept."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import okpca
from file_tools import X, kpca
from okpca import ModelFileError
from okpca._core.version import __version__
from okpca.io import durable, header, previous


@pytest.fixture
def path(tmp_path):
    kpca().fit(X).save(tmp_path / "m.okpca")
    return tmp_path / "m.okpca"


def refused(path, match):
    with pytest.raises(ModelFileError, match=match):
        okpca.load(path)


def test_header(path):
    kpca().fit(X[:100]).save(path, position={"file": "x.csv", "row": 100})
    told = header(path)
    assert (told["format"], told["class"], told["rows"]) == (1, "OnlineKernelPCA", 100)
    assert told["position"] == {"file": "x.csv", "row": 100}
    assert told["versions"]["okpca"] == __version__


def test_the_one_before_is_kept(path):
    first = path.read_bytes()
    kpca().fit(X[:50]).save(path)
    assert previous(path).read_bytes() == first
    path.write_bytes(b"torn")
    refused(path, "; the one saved before it is kept as .*m.okpca~")
    assert okpca.load(previous(path)).n_samples_seen_ == len(X)
    path.unlink()
    refused(path, "the one saved before it is kept")
    assert sorted(os.listdir(path.parent)) == ["m.okpca~"]


def test_a_save_that_fails_leaves_all_as_it_was(path, monkeypatch):
    first = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        kpca().fit(X[:50]).save(path)
    assert path.read_bytes() == first
    assert os.listdir(path.parent) == ["m.okpca"]


def test_where_there_are_no_hard_links(path, monkeypatch):
    def none(*_):
        raise PermissionError(1, "not permitted")

    monkeypatch.setattr(os, "link", none)
    first = path.read_bytes()
    kpca().fit(X[:50]).save(path)
    assert previous(path).read_bytes() == first
    assert okpca.load(path).n_samples_seen_ == 50


def test_no_such_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        kpca().save(tmp_path / "none" / "m.okpca")


def test_a_link_stays_a_link(path):
    link = path.with_name("link.okpca")
    link.symlink_to(path)
    kpca().fit(X[:50]).save(link)
    assert link.is_symlink()
    assert previous(link) == previous(path)
    assert okpca.load(path).n_samples_seen_ == 50


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_killed_while_it_saves(path):
    """Never a torn file, and what was left over is cleared by the next one."""
    rng, models = np.random.default_rng(0), [kpca().fit(X[:n]) for n in (100, 150, 200)]
    models[0].save(path)
    for _ in range(15):
        child = os.fork()
        if child == 0:
            try:
                while True:
                    for model in models:
                        model.save(path)
            finally:
                os._exit(1)
        time.sleep(rng.uniform(0.01, 0.15))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        for file in (path, previous(path)):
            assert okpca.load(file).n_samples_seen_ in (100, 150, 200, len(X))
    models[0].save(path)
    assert sorted(os.listdir(path.parent)) == ["m.okpca", "m.okpca~"]


def test_nothing_is_left_of_a_save_after_one_killed_half_way(path):
    """Killed once the old file has both names: a move from one to the other does nothing."""
    kpca().fit(X[:100]).save(path)
    previous(path).unlink()
    os.link(path, previous(path))
    kpca().fit(X[:150]).save(path)
    assert sorted(os.listdir(path.parent)) == ["m.okpca", "m.okpca~"]
    assert [okpca.load(p).n_samples_seen_ for p in (path, previous(path))] == [150, 100]


def test_a_folder_is_not_moved_out_of_the_way(path):
    folder = path.with_name("results")
    folder.mkdir()
    with pytest.raises(FileExistsError, match="is no file"):
        kpca().save(folder)
    assert folder.is_dir()
    assert not previous(folder).exists()


def test_a_process_of_the_same_number_has_left_something(path):
    """As in containers, where all are number one."""
    gone = durable._beside(path, 12345)
    gone.write_bytes(b"")
    kpca().save(path)
    assert not gone.exists()


def test_writers_that_live_are_left_alone(path):
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    theirs = durable._beside(path, thread.ident)
    theirs.write_bytes(b"")
    kpca().save(path)
    assert theirs.exists()
    done.set()
    thread.join()
    kpca().save(path)
    assert not theirs.exists()
