"""A file that grows, is moved away or is cut: every row once, in order."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from okpca.io import stream
from okpca.io.sources import follow


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Something that writes; whenever the reader would wait, the next thing happens."""

    class Log:
        path = tmp_path / "x.csv"
        time, rows, happenings = 1_000_000_000, 0, []

        def write(self, n, header=False, end="\n"):
            with open(self.path, "a") as file:
                file.write("a,b\n" if header else "")
                last = self.rows + n
                lines = [f"{i},{-i}" for i in range(self.rows, last)]
                file.write("\n".join(lines) + (end if lines else ""))
            self.rows = last
            self.tick()

        def tick(self):
            """Files of one moment have no order."""
            self.time += 1_000_000_000
            os.utime(self.path, ns=(self.time, self.time))

        def text(self, text):
            with open(self.path, "a") as file:
                file.write(text)
            self.tick()

        def move(self, name="x.csv.1"):
            os.replace(self.path, tmp_path / name)

        def copy_and_cut(self, name="x.csv.1"):
            shutil.copy(self.path, tmp_path / name)
            os.truncate(self.path, 0)

        def then(self, *happenings):
            self.happenings += happenings

        def read(self, position=None, **more):
            """All that comes until nothing happens any more."""
            source = stream(self.path, follow=True, position=position, **more)
            found = []
            with pytest.raises(Over):
                found.extend(source)
            return found

        def first(self, found):
            return np.concatenate([block.rows[:, 0] for block in found]).tolist()

    class Over(BaseException):
        pass

    log = Log()

    def happen(seconds):
        if not log.happenings:
            raise Over
        log.happenings.pop(0)()

    monkeypatch.setattr(follow.time, "sleep", happen)
    log.write(3, header=True)
    return log


def test_rows_that_are_appended(log):
    log.then(lambda: log.write(2), lambda: log.write(4, end=""), lambda: log.text("\n"))
    found = log.read()
    assert log.first(found) == list(range(9))
    assert_array_equal(np.concatenate([block.number for block in found]), np.arange(9))


def test_half_a_line_waits_for_its_end(log):
    log.then(lambda: log.text("3,-"), lambda: log.text("3"), lambda: log.text("4\n"))
    found = log.read()
    assert found[-1].rows.tolist() == [[3, -34]]
    assert len(found) == 2


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("name", ["x.csv.1", "x-20261116.csv", "x.csv.2026-11-16"])
def test_moved_away(log, header, name):
    log.then(
        lambda: log.move(name),
        lambda: None,
        lambda: log.write(0, header=header),
        lambda: log.write(5, header=not log.path.stat().st_size and header),
    )
    found = log.read()
    assert log.first(found) == list(range(8))
    assert_array_equal(np.concatenate([block.number for block in found]), np.arange(8))


def test_who_writes_may_go_on_for_a_while_in_what_was_moved(log, tmp_path):
    def late():
        log.path = tmp_path / "x.csv.1"
        log.write(2)
        log.path = tmp_path / "x.csv"

    log.then(log.move, late, lambda: open(log.path, "w").close(), late, lambda: log.write(2, True))
    assert log.first(log.read()) == list(range(9))


def test_moved_twice_while_nobody_looked(log, tmp_path):
    def twice():
        log.write(2)
        log.move("x.csv.1")
        log.write(3, header=True)
        os.replace(tmp_path / "x.csv.1", tmp_path / "x.csv.2")
        log.move("x.csv.1")
        log.write(1, header=True)

    (tmp_path / "x.csv.9").write_text("a,b\n99,99\n88,88\n")  # an old one
    os.utime(tmp_path / "x.csv.9", ns=(10, 10))
    log.then(twice)
    assert log.first(log.read()) == list(range(9))


@pytest.mark.parametrize("unread", [0, 4])
def test_cut_after_a_copy(log, unread):
    def cut():
        log.write(unread)
        log.copy_and_cut()
        log.write(2, header=True)

    log.then(lambda: log.text("3,-3\n4,"), lambda: log.text("-4\n"))
    log.then(lambda: setattr(log, "rows", 5), cut, lambda: log.write(1))
    assert log.first(log.read()) == list(range(8 + unread))


def test_cut_and_written_anew_to_more_than_was_there(log):
    def cut():
        log.copy_and_cut()
        log.write(50, header=True)

    log.then(cut)
    assert log.first(log.read()) == list(range(53))


def test_cut_without_a_copy_is_said(log):
    def cut():
        log.text("3,")  # half a line, which is lost
        os.truncate(log.path, 0)
        log.write(2, header=True)

    log.then(lambda: log.text("3,"), cut)
    with pytest.warns(UserWarning, match=r"x.csv was cut short.*is lost"):
        assert log.first(log.read()) == list(range(5))


def test_a_copy_is_no_generation(log, tmp_path):
    def copied():
        shutil.copy(log.path, tmp_path / "x.csv.2026-01-01")  # newer than what it is of
        log.move()
        log.write(2, header=True)

    log.then(copied)
    assert log.first(log.read()) == list(range(5))


@pytest.mark.parametrize("way", ["stay", "move", "move twice", "cut"])
def test_goes_on_from_a_position(log, tmp_path, way):
    log.then(lambda: log.write(2))
    found = log.read()
    log.write(2)
    if way == "cut":
        log.copy_and_cut()
    elif way != "stay":
        log.move("x.csv.1")
    if way == "move twice":
        log.write(3, header=True)
        os.replace(tmp_path / "x.csv.1", tmp_path / "x.csv.2")
        log.move("x.csv.1")
    log.write(1, header=way != "stay")
    rest = log.read(position=found[-1].position)
    assert log.first(rest) == list(range(5, log.rows))
    assert_array_equal(np.concatenate([block.number for block in rest]), np.arange(5, log.rows))


def test_goes_on_in_a_file_without_names(log):
    def moved():
        log.move()
        log.write(4)

    log.then(moved)
    found = log.read()
    log.write(2)
    assert log.first(log.read(position=found[-1].position)) == [7, 8]


def test_a_place_that_is_gone_is_said(log, tmp_path):
    position = log.read()[-1].position
    log.move("x.csv.1")
    (tmp_path / "x.csv.1").unlink()
    log.rows = 100
    log.write(3, header=True)
    with pytest.raises(ValueError, match=r"after line 4, is not found in .*x.csv: rows between"):
        log.read(position)


def test_json_and_columns_in_another_order(log, tmp_path):
    def another():
        log.move()
        log.text("b,a\n-3,3\n")

    log.then(another)
    assert log.first(log.read(columns=["a", "b"])) == [0, 1, 2, 3]
    log.path = tmp_path / "y.ndjson"
    log.text('{"a": 5}\n')
    log.then(lambda: log.text('{"a": 6}\n{"a"'), lambda: log.text(": 7}\n{}\n"))
    found = log.read(keep_gaps=True)
    assert_array_equal(log.first(found), [5, 6, 7, np.nan])
    log.text("{}\n")
    rest = log.read(position=found[-1].position, keep_gaps=True)
    assert_array_equal(log.first(rest), [np.nan])


def vanishing(monkeypatch, name):
    """A file that is there when it is looked at, and gone right after."""
    state_of = Path.stat

    def stat(self, **more):
        state = state_of(self, **more)
        if self.name == name:
            self.unlink()
        return state

    monkeypatch.setattr(Path, "stat", stat)


@pytest.mark.parametrize("way", ["move", "cut", "go on"])
def test_a_file_that_vanishes_once_it_is_listed(log, tmp_path, monkeypatch, way):
    def rotated():
        log.copy_and_cut() if way == "cut" else log.move()
        log.write(2, header=True)
        (tmp_path / "x.csv.2").write_text("a,b\n99,99\n88,88\n")  # the youngest of all
        os.utime(tmp_path / "x.csv.2", ns=(log.time + 1, log.time + 1))
        vanishing(monkeypatch, "x.csv.2")

    if way == "go on":
        position = log.read()[-1].position
        rotated()
        assert log.first(log.read(position)) == [3, 4]
    else:
        log.then(rotated)
        assert log.first(log.read()) == list(range(5))
    assert not (tmp_path / "x.csv.2").exists()


@pytest.mark.parametrize("way", ["move", "cut", "go on"])
def test_a_file_that_may_not_be_read_is_left_out(log, tmp_path, monkeypatch, way):
    """Which is said: what was written may be in it."""
    opened = os.open

    def refusing(name, flags, *more):
        if str(name) == str(tmp_path / "x.csv.2"):
            raise PermissionError(13, "Permission denied", str(name))
        return opened(name, flags, *more)

    def rotated():
        log.copy_and_cut() if way == "cut" else log.move()
        log.write(2, header=True)
        (tmp_path / "x.csv.2").write_text("a,b\n99,99\n88,88\n")  # the youngest of all
        os.utime(tmp_path / "x.csv.2", ns=(log.time + 1, log.time + 1))
        monkeypatch.setattr(follow.os, "open", refusing)

    position = log.read()[-1].position
    if way == "go on":
        rotated()
    else:
        log.then(rotated)
    with pytest.warns(UserWarning, match=r"x\.csv\.2 may not be read and is left out"):
        found = log.read(position if way == "go on" else None)
    assert log.first(found) == ([3, 4] if way == "go on" else list(range(5)))


def test_the_file_itself_must_be_readable(log, monkeypatch):
    def refusing(name, flags, *more):
        raise PermissionError(13, "Permission denied", str(name))

    monkeypatch.setattr(follow.os, "open", refusing)
    with pytest.raises(PermissionError):
        log.read()


def test_a_successor_that_is_moved_before_it_is_opened(log, monkeypatch):
    opened, moved = os.open, []

    def moving(name, flags, *more):
        if name == str(log.path) and log.rows == 5 and not moved:
            moved.append(name)
            log.move("x.csv.2")
        return opened(name, flags, *more)

    def another():
        log.move()
        log.write(2, header=True)

    log.then(another, lambda: log.write(2, header=True))
    monkeypatch.setattr(follow.os, "open", moving)
    assert log.first(log.read()) == list(range(7))
    assert moved


@pytest.mark.parametrize(
    "way", ["in a file", "waiting for another", "at the end of one", "looking", "looking for home"]
)
def test_whoever_stops_leaves_no_file_open(log, tmp_path, monkeypatch, way):
    files, begin, close = [], follow.Growing.__init__, follow.Growing.close

    def begun(self, *more, **options):
        begin(self, *more, **options)
        files.append(self)

    def closed(self):
        close(self)
        files.remove(self)

    def twice_moved():
        for name in ("x.csv.2", "x.csv.1"):
            log.move(name)
            log.write(2, header=True)

    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(follow.Growing, "__init__", begun)
    monkeypatch.setattr(follow.Growing, "close", closed)
    if way == "in a file":
        blocks = iter(stream(log.path, follow=True))
        next(blocks)
        assert files
        blocks.close()
    elif way == "waiting for another":
        position = log.read()[-1].position
        twice_moved()
        log.path.unlink()
        assert log.read(position) == []
    elif way == "at the end of one":
        log.then(log.move)
        log.read()
    else:
        position = log.read()[-1].position if way == "looking for home" else None
        log.then(twice_moved)
        look = "before" if position else "holds_all_of"
        monkeypatch.setattr(follow.Growing, look, interrupted)
        with pytest.raises(KeyboardInterrupt):
            list(stream(log.path, follow=True, position=position))
    assert files == []


def test_bad_rows_are_told_by_their_line_in_the_file_they_are_in(log):
    def moved():
        log.move()
        log.text("a,b\n3,-3\nx,1\n")

    log.then(moved)
    with pytest.raises(ValueError, match=r"x.csv, line 3: column 'a' is 'x'"):
        for _ in stream(log.path, follow=True):
            pass


@pytest.mark.parametrize("name", ["x.csv.gz", "-", "x.parquet"])
def test_what_cannot_be_followed(name):
    with pytest.raises(ValueError, match="only a file of lines"):
        stream(name, follow=True)
