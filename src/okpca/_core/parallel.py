"""A block of work in pieces, which several threads share.

Sizes alone say what the pieces are, and each is computed on one BLAS thread, so no digit depends on
how many threads there are, or on who computes what. The one who asks begins with the first piece,
the others with the last. On a busy machine a thread that finds no core takes no piece: unlike those
of BLAS, which wait for each other's equal parts, these take what is left.

    in_pieces(work, function, pieces) = [function(piece) for piece in pieces]
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import cache, partial
from threading import Event, Lock
from typing import Any, TypeVar

from okpca._core import blas_threads
from okpca._core.numerics import PER_THREAD

P = TypeVar("P")
T = TypeVar("T")


def cut(n: int, most: int, worth: float) -> list[slice]:
    """n rows, or columns, in at most so many at a time, unless fewer pieces are worth it."""
    count = max(1, min(-(-n // most), int(worth)))
    return [slice(n * i // count, n * (i + 1) // count) for i in range(count)]


def in_pieces(
    work: float, function: Callable[[P], T], pieces: Sequence[P], *, any_thread: bool = True
) -> list[T]:
    """What the function gives for each piece. It may be called twice for one: a piece that fails
    elsewhere is done again here, where the error belongs."""
    count = min(len(pieces), int(work / PER_THREAD))
    count = min(count, blas_threads.available()) if any_thread and count > 1 else 1
    if count < 2:
        return [function(piece) for piece in pieces]
    left = deque(enumerate(pieces))
    done: dict[int, T] = {}

    def take(one: Callable[[], tuple[int, P]]) -> None:
        while left:
            try:
                i, piece = one()
            except IndexError:  # somebody else has just taken the last
                return
            done[i] = function(piece)

    helpers = [_Helper(blas_threads.only_one_thread(take), left.pop) for _ in range(count - 1)]
    try:
        for helper in helpers:
            helper.ask()
        take(left.popleft)
    finally:
        left.clear()
        for helper in helpers:
            helper.dismiss()
    return [done[i] if i in done else function(piece) for i, piece in enumerate(pieces)]


class _Helper:
    """One who may come, late or never; who has begun is waited for. (A future of the pool would not
    do: where no thread can be started, a call is in its queue, and there is no future of it.)"""

    def __init__(self, function: Callable[..., None], *args: Any) -> None:
        # With the context of this thread, which holds what numpy does about an overflow.
        self._work = partial(copy_context().run, function, *args)
        self._ticket, self._done = Lock(), Event()  # who has the one ticket is first, and keeps it

    def ask(self) -> None:
        try:
            _helpers().submit(self._come)
        except RuntimeError:  # the interpreter is about to end, or there may be no more threads
            pool = _helpers()
            _helpers.cache_clear()
            pool.shutdown(wait=False, cancel_futures=True)

    def _come(self) -> None:
        if not self._ticket.acquire(blocking=False):
            return
        try:
            with suppress(Exception):  # the one who asked does it again, where the error belongs
                self._work()
        finally:
            self._done.set()

    def dismiss(self) -> None:
        if not self._ticket.acquire(blocking=False):
            self._done.wait()


@cache
def _helpers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(2, os.cpu_count() or 2), thread_name_prefix="okpca")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)  # a child has none of the threads
