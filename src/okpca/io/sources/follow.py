"""A file that grows, and that is moved away or cut to nothing when it is large.

Its *generations* are read one after the other, each to its end. That a generation has ended is
certain when its successor has a first byte: until then whoever writes may still write to it.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any

from okpca.io.sources.files import STDIN, is_packed
from okpca.io.sources.lines import PRINTED, printed

PAUSE = 0.02  # seconds from one look for more to the next
OVERLAP = 64  # bytes before the end of what was read: are they still the same?
ROTATED = re.compile(r"[-._]\d[-._:T\d]*")
"""What is added to a file's name, or put before its ending, when it is moved away."""


def refuse_unfollowable(file: str, kind: str) -> None:
    if not hasattr(os, "pread"):
        raise ValueError(f"{file}: files cannot be followed on {os.name}.")
    if file == STDIN or is_packed(file) or kind not in ("csv", "ndjson"):
        raise ValueError(f"{file}: only a file of lines, CSV or NDJSON and not packed, can grow.")


class Growing:
    """One generation of the file `path`. If it is `live` whoever reads waits for more, until there
    is a successor; `torn` says that its end is lost."""

    def __init__(self, path: str, name: str, live: bool) -> None:
        self._path, self.live, self.torn = path, live, False
        self._file = os.open(name, os.O_RDONLY)
        self._offset, self._last = 0, b""

    def close(self) -> None:
        os.close(self._file)

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int) -> None:
        self._offset, self._last = offset, b""

    def stat(self) -> os.stat_result:
        return os.fstat(self._file)

    def read(self, n: int) -> bytes:
        """What is there, up to so many bytes."""
        data = os.pread(self._file, n, self._offset)
        self._took(data)
        return data

    def read1(self, n: int) -> bytes:
        """Some bytes as soon as there are any; none if this generation has ended."""
        while True:
            before = len(self._last)
            data = os.pread(self._file, before + n, self._offset - before)
            if data[:before] != self._last:
                if not self._goes_on_in_a_copy():
                    return b""
                continue
            if len(data) > before:
                self._took(data[before:])
                return data[before:]
            if not self.live:
                return b""
            if self._has_successor():
                self.live = False  # and what was written until now is read
                continue
            time.sleep(PAUSE)

    def before(self, offset: int, n: int) -> bytes | None:
        """The last n bytes before an offset; None if there are fewer."""
        found = os.pread(self._file, min(n, offset), max(offset - n, 0))
        return found if len(found) == min(n, offset) else None

    def holds_all_of(self, other: Growing) -> bool:
        """Is this a copy of the other, or of more?"""
        size = other.stat().st_size
        tail = os.pread(other._file, PRINTED, max(size - PRINTED, 0))
        if tail.count(b"\n") < 2:  # a line of names says nothing
            return False
        return os.pread(self._file, PRINTED, max(size - PRINTED, 0))[: len(tail)] == tail

    def _took(self, data: bytes) -> None:
        self._offset += len(data)
        self._last = (self._last + data)[-OVERLAP:]

    def _has_successor(self) -> bool:
        try:
            now = os.stat(self._path)
        except FileNotFoundError:  # moved away, and nothing there yet
            return False
        return not os.path.samestat(now, self.stat()) and now.st_size > 0

    def _goes_on_in_a_copy(self) -> bool:
        """The file was cut: does another one have what was in it?"""
        self.live = False

        def has_it(copy: Growing) -> bool:
            return copy.before(self._offset, len(self._last)) == self._last

        for name in reversed(rotated(self._path)):
            copy = _opened(self._path, name, has_it)
            if copy is not None:
                with closing(copy):
                    os.dup2(copy._file, self._file)
                return True
        self.torn = True
        warnings.warn(
            f"{self._path} was cut short, and there is no copy of what was in it: what had been "
            f"written after byte {self._offset} is lost.",
            stacklevel=2,
        )
        return False


def generations(path: str, place: dict[str, Any] | None) -> Generator[Growing, None, None]:
    """From a place on, or from the beginning of the file as it is now."""
    files = [Growing(path, path, live=True) if place is None else _home(path, place)]
    try:
        if not files[0].live:
            files += _successors(path, files[0])
        while True:
            yield files[0]
            if len(files) == 1:
                files += _successors(path, files[0])
            files.pop(0).close()
    finally:
        for file in files:
            file.close()


def _opened(
    path: str, name: str, wanted: Callable[[Growing], bool] = lambda file: True
) -> Growing | None:
    """A generation of the file `path`; None if it is not wanted, has vanished since it was listed,
    or was moved to where it may not be read."""
    try:
        file = Growing(path, name, live=name == path)
    except FileNotFoundError:
        return None
    except PermissionError:
        if name == path:
            raise
        warnings.warn(
            f"{name} may not be read and is left out: what was written to {path} before may be "
            "in it.",
            stacklevel=2,
        )
        return None
    with ExitStack() as unwanted:
        unwanted.callback(file.close)
        if wanted(file):
            unwanted.pop_all()
            return file
    return None


def _home(path: str, place: dict[str, Any]) -> Growing:
    """The file that has the place: its text before it is the same."""

    def has_it(file: Growing) -> bool:
        tail = file.before(place["byte"], PRINTED)
        return tail is not None and printed(tail) == place["print"]

    looked = []
    for name in _newest_first(path):
        looked.append(name)
        file = _opened(path, name, has_it)
        if file is not None:
            return file
    raise ValueError(
        f"{path}: the place to go on from, after line {place['line']}, is not found in "
        f"{', '.join(looked)}: rows between may be lost. If it was packed, unpack it; or begin "
        "anew, without position= (at the prompt: without --resume)."
    )


def _newest_first(path: str) -> Iterator[str]:
    """The others are listed when the file itself has been opened: it may be moved before."""
    yield path
    yield from reversed(rotated(path))


def _successors(path: str, before: Growing) -> list[Growing]:
    """The generations after one, opened at once: they may be moved at any moment. The last is the
    file itself; what it was moved to while it was waited for comes before it."""
    with ExitStack() as opened:
        found = _younger(path, [before], opened)
        while (last := _opened(path, path)) is None:
            time.sleep(PAUSE)
        opened.callback(last.close)
        found.append(last)
        found[-1:-1] = _younger(path, [before, *found], opened)
        opened.pop_all()
    return found


def _younger(path: str, known: list[Growing], opened: ExitStack) -> list[Growing]:
    """Files that were moved away after the first of those that are known, and are neither one of
    them nor a copy of the first."""

    def is_one(file: Growing) -> bool:
        state, before = file.stat(), known[0]
        young = state.st_mtime_ns > before.stat().st_mtime_ns and not file.holds_all_of(before)
        return young and not any(os.path.samestat(state, one.stat()) for one in known)

    found = []
    for name in rotated(path):
        file = _opened(path, name, is_one)
        if file is not None:
            opened.callback(file.close)
            found.append(file)
    return found


def rotated(path: str) -> list[str]:
    """The files that this one may have been moved or copied to, the oldest first."""
    place = Path(path)
    found = {}
    for other in place.parent.iterdir():
        for start, end in ((place.name, ""), (place.stem, place.suffix)):
            name = other.name
            middle = name[len(start) : len(name) - len(end)]
            if name == start + middle + end and ROTATED.fullmatch(middle):
                with suppress(OSError):  # it has been moved on
                    state = other.stat()
                    if S_ISREG(state.st_mode):
                        found[str(other)] = state.st_mtime_ns
    return sorted(found, key=found.__getitem__)
