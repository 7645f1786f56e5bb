"""SIGINT and SIGTERM are heard between blocks: a block that is being learned is learned."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, Self, TypeVar

T = TypeVar("T")
HEARD = (signal.SIGINT, signal.SIGTERM)


class Stopped(KeyboardInterrupt):
    """By a signal, at a place where everything is whole."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Signals:
    """While one waits for rows a signal ends the wait; else it is kept until the block is done."""

    def __init__(self) -> None:
        self._got = 0
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._hear) for number in HEARD}
        return self

    def __exit__(self, *error: object) -> None:
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
            except StopIteration:
                return
            finally:
                self._waiting = False
            yield block
