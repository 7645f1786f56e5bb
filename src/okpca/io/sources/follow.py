"""A file that grows, and that is moved away or cut to nothing when it is large.

Its *generations* are read one after the other, each to its end. That a generation has ended is
certain when its successor has a first byte: until then whoever writes may still write to it.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from okpca.io.sources.files import PACKED, STDIN
from okpca.io.sources.lines import PRINTED, bytes_before, printed

PAUSE = 0.02  # seconds from one look for more to the next
OVERLAP = 64  # bytes before the end of what was read: are they still the same?
ROTATED = re.compile(r"[-._]\d[-._:T\d]*")
"""What is added to a file's name, or put before its ending, when it is moved away."""


def refuse_unfollowable(file: str, kind: str) -> None:
    if not hasattr(os, "pread"):
        raise ValueError(f"{file}: files cannot be followed on {os.name}.")
    packed = Path(file).suffix.lower() in PACKED
    if file == STDIN or packed or kind not in ("csv", "ndjson"):
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
        for name in reversed(rotated(self._path)):
            if bytes_before(name, self._offset, len(self._last)) == self._last:
                file = os.open(name, os.O_RDONLY)
                os.dup2(file, self._file)
                os.close(file)
                return True
        self.torn = True
        warnings.warn(
            f"{self._path} was cut short, and there is no copy of what was in it: what had been "
            f"written after byte {self._offset} is lost.",
            stacklevel=2,
        )
        return False


def generations(path: str, place: dict[str, Any] | None) -> Iterator[Growing]:
    """From a place on, or from the beginning of the file as it is now."""
    if place is None:
        waiting = [Growing(path, path, live=True)]
    else:
        waiting = _with_successors(path, _home(path, place))
    try:
        while True:
            file, *waiting = waiting
            yield file
            waiting = waiting or _successors(path, file)
            file.close()
    finally:
        for file in waiting:
            file.close()


def _home(path: str, place: dict[str, Any]) -> str:
    """The file that has the place: its text before it is the same."""
    names = [path] if os.path.exists(path) else []
    others = rotated(path)
    for name in (*names, *reversed(others)):
        tail = bytes_before(name, place["byte"], PRINTED)
        if tail is not None and printed(tail) == place["print"]:
            return name
    where = ", ".join([path, *others])
    raise ValueError(
        f"{path}: the place to go on from, after line {place['line']}, is not found in {where}: "
        "rows between may be lost. If it was packed, unpack it; or begin anew, without position= "
        "(at the prompt: without --resume)."
    )


def _with_successors(path: str, name: str) -> list[Growing]:
    found = Growing(path, name, live=name == path)
    return [found] if name == path else [found, *_successors(path, found)]


def _successors(path: str, before: Growing) -> list[Growing]:
    """The generations after one, opened at once: they may be moved at any moment."""
    found = [Growing(path, name, live=False) for name in rotated(path)]
    time_of = before.stat().st_mtime_ns
    newer = [
        one
        for one in found
        if one.stat().st_mtime_ns > time_of
        and not os.path.samestat(one.stat(), before.stat())
        and not one.holds_all_of(before)
    ]
    for one in found:
        if one not in newer:
            one.close()
    while not os.path.exists(path):
        time.sleep(PAUSE)
    return [*newer, Growing(path, path, live=True)]


def rotated(path: str) -> list[str]:
    """The files that this one may have been moved or copied to, the oldest first."""
    place = Path(path)
    found = {}
    for other in place.parent.iterdir():
        for start, end in ((place.name, ""), (place.stem, place.suffix)):
            name = other.name
            middle = name[len(start) : len(name) - len(end)]
            if name == start + middle + end and ROTATED.fullmatch(middle) and other.is_file():
                found[str(other)] = other.stat().st_mtime_ns
    return sorted(found, key=found.__getitem__)
