"""A save is done or it has not happened, and the file before is kept."""

import itertools
import os
import signal
import stat
import subprocess
import sys
import threading

import pytest

import okpca
from file_tools import X, kpca
from okpca import ModelFileError
from okpca._core.version import __version__
from okpca.io import atomic_write, header, previous


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


@pytest.mark.skipif(os.name != "posix", reason="a folder cannot be opened here")
def test_on_the_disk_before_it_has_its_name_and_the_name_too(path, monkeypatch):
    """Or a machine that stops leaves a name without its content."""
    done, fsync, replace = [], os.fsync, os.replace

    def synced(handle):
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def moved(source, target):
        done.append(os.path.basename(target))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", moved)
    kpca().fit(X[:50]).save(path)
    assert done == ["file", "m.okpca~", "m.okpca", "folder"]


NEW = [b"a new one, " * 10_000, b"in two pieces"]
CHILD = """
import os, runpy, signal, sys

file, path, left = sys.argv[1], sys.argv[2], int(sys.argv[3])
write, sync = runpy.run_path(file)["write"], os.fsync

def step():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def parts():
    for part in NEW:
        yield part
        step()

def fsync(handle):
    step()
    sync(handle)

os.fsync = fsync
sys.addaudithook(lambda event, _: event in ("open", "os.link", "os.rename", "os.remove") and step())
write(path, parts())
""".replace("NEW", repr(NEW))


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="no SIGKILL here")
def test_killed_at_any_step(tmp_path):
    """Never a torn file, and what was left over is cleared by the next one."""
    path = tmp_path / "m"
    for step in itertools.count(1):
        for old in (b"older", b"old"):
            atomic_write.write(path, [old])
        command = [sys.executable, "-I", "-S", "-c", CHILD, atomic_write.__file__, path, str(step)]
        code = subprocess.run(command, check=False).returncode
        if code == 0:
            break
        assert code == -signal.SIGKILL
        assert path.read_bytes() in (b"old", b"".join(NEW))
        assert previous(path).read_bytes() in (b"older", b"old")
        atomic_write.write(path, [b"the next"])
        assert sorted(os.listdir(tmp_path)) == ["m", "m~"]
    assert path.read_bytes() == b"".join(NEW)
    assert step > 8


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
    gone = atomic_write._beside(path, 12345)
    gone.write_bytes(b"")
    kpca().save(path)
    assert not gone.exists()


def test_writers_that_live_are_left_alone(path):
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    theirs = atomic_write._beside(path, thread.ident)
    theirs.write_bytes(b"")
    kpca().save(path)
    assert theirs.exists()
    done.set()
    thread.join()
    kpca().save(path)
    assert not theirs.exists()
