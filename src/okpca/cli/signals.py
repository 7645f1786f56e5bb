"""SIGINT and SIGTERM are heard between blocks: a block that is being learned is learned."""

from __future__ import annotations

import io
import os
import select
import signal
import sys
from collections.abc import Iterable, Iterator
from types import FrameType, SimpleNamespace
from typing import Any, Self, TypeVar

T = TypeVar("T")
HEARD = (signal.SIGINT, signal.SIGTERM)


class Stopped(KeyboardInterrupt):
    """By a signal, at a place where everything is whole."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _Stdin(io.RawIOBase):
    """Standard input that ends when a signal comes: whoever reads it may be a thread of pyarrow's,
    with ours waiting where Python does not hear signals."""

    def __init__(self, wake: int) -> None:
        self._wake = wake

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._wake in select.select([0, self._wake], [], [])[0]:
            return 0
        found = os.read(0, len(buffer))
        buffer[: len(found)] = found
        return len(found)


class Signals:
    """While one waits for rows a signal ends the wait; else it is kept until the block is done."""

    def __init__(self) -> None:
        self._got = 0
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._hear) for number in HEARD}
        if os.name == "posix":
            self._wake = os.pipe()
            os.set_blocking(self._wake[1], False)
            signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
            self._stdin, buffer = sys.stdin, io.BufferedReader(_Stdin(self._wake[0]), 2**16)
            sys.stdin = SimpleNamespace(buffer=buffer)
        return self

    def __exit__(self, *error: object) -> None:
        if os.name == "posix":
            sys.stdin = self._stdin
            signal.set_wakeup_fd(-1)
            if not self._got:  # else a thread of pyarrow's may still look whether one came
                for end in self._wake:
                    os.close(end)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._got = number
        if self._waiting:
            raise Stopped(number)

    def between(self, blocks: Iterable[T]) -> Iterator[T]:
        """The blocks; Stopped in place of the next one."""
        rest = iter(blocks)
        while True:
            try:
                self._waiting = True
                if self._got:
                    raise Stopped(self._got)
                block = next(rest)
                if self._got:  # the end of it is missing
                    raise Stopped(self._got)
            except StopIteration:
                if self._got:
                    raise Stopped(self._got) from None
                return
            except Exception:
                if self._got:
                    raise Stopped(self._got) from None
                raise
            finally:
                self._waiting = False
            yield block
