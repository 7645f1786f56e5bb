"""How far each file of a source was read: a position in a stream is a mark for every file.

Files come and go, grow and are written anew between two runs, so their number in a list says
nothing. A file that has no mark is read from its beginning; one that has a mark from there on, if
it still begins with what was read.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

from okpca.io.sources.files import STDIN, is_plain
from okpca.io.sources.lines import PRINTED, bytes_before, printed

MOST = 4096
"""Marks in a position. A model file has room for four times as many; those of more files are
sealed: whether any of them has changed can be told, but not which."""


class Mark(NamedTuple):
    """In a text, a byte and what is before it. In others, or in packed texts, that is known only of
    one that was read to its end: it is `whole`, and its bytes are those in the file."""

    row: int
    byte: int | None = None
    line: int | None = None
    print: str | None = None

    @property
    def whole(self) -> bool:
        return self.byte is not None and self.line is None

    @property
    def place(self) -> dict[str, Any] | None:
        if self.byte is None or self.whole:
            return None
        return {"byte": self.byte, "line": self.line, "print": self.print}


BEGIN = Mark(0)


class Position(NamedTuple):
    """After a block: `file` is where it ends, None at the end of one; `done` are marks of others,
    by `key`, and `sealed` is how many more there are, with their seal; `names` are those of a file
    that is followed."""

    rows: int
    columns: list[str] | None = None
    file: str | None = None
    mark: Mark | None = None
    done: dict[str, Any] | None = None
    names: list[str] | None = None
    sealed: tuple[int, str] | None = None

    @classmethod
    def read(cls, given: Any, files: Sequence[str]) -> Self:
        if given is None:
            return cls(0)
        try:
            found = cls(**given)
            mark = None if found.mark is None else Mark(*found.mark)
            if not all(type(one) is int and one >= 0 for one in (found.rows, *(mark or ())[:1])):
                raise TypeError
            sealed = None if found.sealed is None else (found.sealed[0], found.sealed[1])
            found = found._replace(mark=mark, done=dict(found.done or {}), sealed=sealed)
        except (TypeError, ValueError):
            raise ValueError(f"{given!r:.200} is no position in {len(files)} files.") from None
        if found.file is not None and found.file not in map(named, files):
            raise ValueError(
                f"the position is in {found.file}, which is not among the {len(files)} files: put "
                "it back, or begin anew, without position= (at the prompt: without --resume)."
            )
        return found

    def marks(self, files: Sequence[str]) -> dict[str, Mark]:
        """Where each file is to be gone on with."""
        found = {key: Mark(*mark) for key, mark in (self.done or {}).items()}
        before = dict[str, Mark]()
        for key, file in keyed(files):
            if key in found:
                continue
            if named(file) == self.file and self.mark is not None:
                found[key] = self.mark
                break
            if self.sealed is not None and len(before) < self.sealed[0]:
                before[key] = whole(file)
        if self.sealed is not None and sealed(None, before) != self.sealed:
            raise ValueError(
                f"of the first {self.sealed[0]} files that were read one has gone or changed, or "
                "there is a new one before them: give new files by themselves, or begin anew, "
                "without position= (at the prompt: without --resume)."
            )
        return {**before, **found}


def named(file: str) -> str:
    return file if file == STDIN else os.path.abspath(file)


def keyed(files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each with a short name for good; the same file may be there twice."""
    seen = Counter[str]()
    for file in files:
        name = named(file)
        seen[name] += 1
        yield hashlib.blake2b(f"{name}\0{seen[name]}".encode(), digest_size=8).hexdigest(), file


def folded(
    seal: tuple[int, str] | None, done: dict[str, Any]
) -> tuple[tuple[int, str] | None, dict[str, Any]]:
    """Marks, or too many of them in a seal. (Of a text without rows there is nothing to seal.)"""
    if len(done) <= MOST:
        return seal, done
    empty = {key: mark for key, mark in done.items() if mark[1] is None}
    return sealed(seal, {key: mark for key, mark in done.items() if key not in empty}), empty


def sealed(seal: tuple[int, str] | None, done: dict[str, Any]) -> tuple[int, str]:
    """With these marks in it, in whatever order."""
    n, total = (0, 0) if seal is None else (seal[0], int(seal[1], 16))
    for key, mark in done.items():
        text = f"{key} {mark[1]} {mark[3]}".encode()
        total += int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")
    return n + len(done), f"{total % 2**128:x}"


def may_go_on(file: str, kind: str, last: bool) -> bool:
    """After its end: a text that may grow, or a pipe, which begins again at its first row. (Others
    after it do not ask for that.)"""
    text = kind in ("csv", "ndjson")
    return (text and is_plain(file)) or (last and not os.path.isfile(file))


def whole(file: str, row: int = 0) -> Mark:
    """Of a file as it is now; a pipe has no state that can be told."""
    size = os.path.getsize(file) if os.path.isfile(file) else 0
    return Mark(row, size, None, printed(bytes_before(file, size, PRINTED) or b"") if size else "")


def is_changed(file: str, mark: Mark) -> bool:
    """Does it no longer begin with what was read, or, if it was whole, end with it?"""
    if mark.byte is None or not os.path.isfile(file):
        return False
    if mark.whole:
        return whole(file, mark.row) != mark
    tail = bytes_before(file, mark.byte, PRINTED)
    return tail is None or printed(tail) != mark.print


def is_read(file: str, mark: Mark) -> bool:
    """To its end, as it is now?"""
    at_end = mark.whole or (os.path.isfile(file) and os.path.getsize(file) == mark.byte)
    return at_end and not is_changed(file, mark)


def unread(position: dict[str, Any], files: Sequence[str]) -> list[str]:
    """Those of the files that are new, have grown or have changed since."""
    try:
        marks = Position.read(position, files).marks(files)
    except ValueError:  # they are sealed
        return list(files)
    return [file for key, file in keyed(files) if not is_read(file, marks.get(key, BEGIN))]


def without_changed(position: dict[str, Any], files: Sequence[str]) -> dict[str, Any]:
    """A position by which files that were written anew are read anew."""
    now, done = dict(keyed(files)), position["done"] or {}
    kept = {
        key: mark
        for key, mark in done.items()
        if key not in now or not is_changed(now[key], Mark(*mark))
    }
    return {**position, "done": kept}


def refuse_changed(file: str, mark: Mark) -> None:
    if is_changed(file, mark):
        raise ValueError(
            f"{file} has changed since it was read to its end: go on with what was there, or begin "
            "anew, without position= (at the prompt: without --resume)."
        )
