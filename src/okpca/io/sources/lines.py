"""Whole lines of a text, a piece at a time.

A piece is at most so many lines and `BYTES` bytes, or one line that is longer. Where it ends is
told by the bytes after its beginning alone: whoever goes on from a place gets the same pieces. But
for those who cannot wait until a piece is full: they get the lines that are there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from okpca._core.typing import Index

BYTES = 2**20
"""Of a piece, at most."""
WINDOW = 4 * BYTES
"""Read at a time."""
PRINTED = 4096
"""The last bytes before a place tell whether another file has the same."""


class Lines:
    """`byte` and `line` are where the last piece ends, `n` how many lines it has."""

    def __init__(self, raw: Any, rows: int, wait: bool) -> None:
        self.byte = self.line = self.n = 0
        self._raw, self._rows, self._wait = raw, rows, wait
        self._data, self._at, self._over = b"", 0, False
        self._ends: Index = np.empty(0, dtype=np.intp)  # of the lines in `_data`
        self._n_done = 0  # of those
        self._tail = b""

    def place(self) -> dict[str, Any]:
        return {"byte": self.byte, "line": self.line, "print": printed(self._tail)}

    def first(self) -> bytes:
        """The first line that is left, to be looked at."""
        while not self._over and len(self._ends) == self._n_done:
            self._read()
        there = len(self._ends) > self._n_done
        return self._data[self._at : self._ends[self._n_done]] if there else b""

    def drop_first(self) -> None:
        self._taken(1)

    def pieces(self) -> Iterator[bytes]:
        while self._found():
            least = self._at + BYTES
            n = int(np.searchsorted(self._ends, least, side="right")) - self._n_done
            yield self._taken(max(min(n, self._rows), 1))

    def skip(self, place: dict[str, Any]) -> bool:
        """Go to a place; False if the text before it is another."""
        here = self.byte
        if not here <= place["byte"]:
            return False
        if self._raw.seekable():
            start = max(place["byte"] - PRINTED, 0)
            self._raw.seek(start)
            self._tail = self._raw.read(place["byte"] - start)
            self._refuse_more_of_a_line(place)
            self._forget(b"")
        else:
            self._read_through(place["byte"] - here)
        self.byte, self.line = place["byte"], place["line"]
        return bool(printed(self._tail) == place["print"])

    def _refuse_more_of_a_line(self, place: dict[str, Any]) -> None:
        """The last one may have had no end."""
        if self._tail.endswith(b"\n") or not self._tail or printed(self._tail) != place["print"]:
            return
        if self._raw.read(1) not in (b"", b"\n", b"\r"):
            raise ValueError(
                f"line {place['line']} was read before its end was there, and has more now: what "
                "was learned of it is half of it."
            )
        self._raw.seek(place["byte"])

    def _read_through(self, n: int) -> None:
        rest = self._data[self._at :]
        rest = rest or self._raw.read(min(n, WINDOW))
        while rest and len(rest) < n:
            self._tail = (self._tail + rest)[-PRINTED:]
            n -= len(rest)
            rest = self._raw.read(min(n, WINDOW))
        self._tail = (self._tail + rest[:n])[-PRINTED:]
        self._forget(rest[n:])

    def _forget(self, data: bytes) -> None:
        self._data, self._at, self._n_done = b"", 0, 0
        self._ends = self._ends[:0]
        self._add(data)

    def _found(self) -> bool:
        """Is there a line, with all that belongs to its piece?"""
        while not self._over:
            n = len(self._ends) - self._n_done
            there = self._at + BYTES <= len(self._data) or n >= self._rows
            if n and (there or not self._wait):
                return True
            self._read()
        return self._n_done < len(self._ends)

    def _read(self) -> None:
        """What is there; a pipe has little at a time."""
        more = self._raw.read1(WINDOW)
        if more:
            self._add(more)
            return
        self._over = True
        rest = len(self._data) > (self._ends[-1] if len(self._ends) else 0)
        if rest and not getattr(self._raw, "torn", False):
            self._ends = np.append(self._ends, len(self._data))

    def _add(self, more: bytes) -> None:
        kept = len(self._data) - self._at
        found = np.flatnonzero(np.frombuffer(more, dtype=np.uint8) == ord("\n")) + 1 + kept
        self._ends = np.concatenate([self._ends[self._n_done :] - self._at, found])
        self._data = self._data[self._at :] + more
        self._at = self._n_done = 0

    def _taken(self, n: int) -> bytes:
        stop = int(self._ends[self._n_done + n - 1])
        piece = self._data[self._at : stop]
        self._at, self._n_done = stop, self._n_done + n
        self.byte, self.line, self.n = self.byte + len(piece), self.line + n, n
        self._tail = (self._tail + piece[-PRINTED:])[-PRINTED:]
        return piece


def printed(tail: bytes) -> str:
    return hashlib.blake2b(tail[-PRINTED:], digest_size=8).hexdigest()


def bytes_before(name: str, offset: int, n: int) -> bytes | None:
    """The last n of a file before an offset; None if it is shorter."""
    with open(name, "rb") as file:
        file.seek(max(offset - n, 0))
        found = file.read(min(n, offset))
    return found if len(found) == min(n, offset) else None
