"""How many threads BLAS may use.

numpy and scipy each bring a pool of threads that spin while they wait for each other. Where cores
are shared, with other processes or by a container's quota, the one that has no core keeps the
others spinning: products of a millisecond take 25. So BLAS works on one thread, and large blocks of
rows are shared out in pieces (`parallel`). Only what cannot be cut, a large eigenproblem, is left
to the threads of BLAS, each of which has `PER_THREAD` multiplications to do.

Sizes alone decide, not how busy the machine is: one thread and two differ in the last bits, and a
stream learned again should give the same model again.

BLAS has one count for the whole process (OpenMP has one for each thread). While several of our
threads are inside, the smallest of their wishes holds, so a product runs on several threads only if
nobody else is inside. The last to leave restores what the user asked for.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import cache, wraps
from itertools import product
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

from okpca._core.numerics import ALONE, FORK_WAIT, PER_THREAD

P = ParamSpec("P")
T = TypeVar("T")


class _Counts:
    """The thread counts of some libraries: what the user asked for, and what we wish meanwhile."""

    def __init__(self, *, per_thread: bool) -> None:
        self._per_thread = per_thread
        self._asked: list[int] = []
        self._ours: list[set[int]] = []  # counts that we may have set
        self.wishes: dict[object, tuple[int, int]] = {}  # of whom: in which thread, how many

    def enter(self, who: object, wish: int) -> None:
        now = self._look()
        self.wishes[who] = threading.get_ident(), wish
        self._set(now, self.wishes)

    def leave(self, who: object) -> None:
        """May be repeated if it was interrupted: only the last step makes it done."""
        now = self._look()
        self._set(now, {other: wish for other, wish in self.wishes.items() if other is not who})
        del self.wishes[who]

    def allowed(self) -> int:
        """By the user, who may have changed it meanwhile."""
        now = [library.get_count() for library in _libraries(self._per_thread)]
        if self.wishes:
            now = [
                asked if count in ours else count
                for count, asked, ours in zip(now, self._asked, self._ours, strict=True)
            ]
        return min(map(_usable, now), default=_cores()[1])

    def innermost(self) -> int | None:
        """Of the wishes of one thread."""
        return next(reversed(self.wishes.values()))[1] if self.wishes else None

    def is_threaded_elsewhere(self) -> bool:
        mine = threading.get_ident()
        return any(thread != mine and wish > 1 for thread, wish in self.wishes.values())

    def leave_other_threads(self) -> None:
        """In a forked child these do not exist."""
        mine = threading.get_ident()
        rest = {who: wish for who, wish in self.wishes.items() if wish[0] == mine}
        if len(rest) < len(self.wishes):
            self._set(self._look(), rest)
            self.wishes = rest

    def _look(self) -> list[int]:
        """The counts in force. One that is not ours was set by the user, before or meanwhile."""
        now = [library.get_count() for library in _libraries(self._per_thread)]
        if not self.wishes:
            self._asked, self._ours = now, [{count} for count in now]
        for i, count in enumerate(now):
            if count not in self._ours[i]:
                self._asked[i], self._ours[i] = count, {count}
        return now

    def _set(self, now: list[int], wishes: dict[object, tuple[int, int]]) -> None:
        # Wishes are in the order of time, so of each thread the innermost remains.
        least = min(dict(wishes.values()).values(), default=None)
        for i, library in enumerate(_libraries(self._per_thread)):
            asked = self._asked[i]
            count = asked if least is None else min(_usable(asked), least)
            if count != now[i]:
                self._ours[i].add(count)
                library.set_count(count)


def _usable(asked: int) -> int:
    """BLAS itself asks for all cores that it sees, and does not see the quota of a container."""
    cores, quota = _cores()
    return min(asked, quota) if asked == cores else asked


@cache
def _cores() -> tuple[int, int]:
    """Those that the process may run on, and as many as it has the time of."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1, cpu_count()


class _Library(NamedTuple):
    get_count: Callable[[], int]
    set_count: Callable[[int], Any]
    per_thread: bool

    @classmethod
    def of(cls, found: Any) -> _Library:
        per_thread = "openmp" in (found.internal_api, found.info().get("threading_layer"))
        get_count, set_count = found.get_num_threads, found.set_num_threads
        if found.internal_api == "openblas" and not per_thread:
            # threadpoolctl (3.8) leaves OpenBLAS to one thread, and is silent to the others.
            for prefix, suffix in product(("", "scipy_"), ("", "64_", "_64")):
                names = (f"{prefix}openblas_{do}_num_threads{suffix}" for do in ("get", "set"))
                get, put = (getattr(found.dynlib, name, None) for name in names)
                get_count, set_count = get or get_count, put or set_count
        return cls(get_count, set_count, per_thread)


@cache
def _libraries(per_thread: bool) -> list[_Library]:
    import scipy.linalg  # noqa: F401  # threadpoolctl only knows libraries already loaded

    found = map(_Library.of, ThreadpoolController().lib_controllers)
    return [library for library in found if library.per_thread == per_thread]


class _OfThread(threading.local):
    """OpenMP's, and those of a BLAS that is built on it."""

    def __init__(self) -> None:
        self.counts = _Counts(per_thread=True)
        self.alone = False  # whatever products would be worth


_of_process = _Counts(per_thread=False)
_of_thread = _OfThread()
_lock = threading.RLock()  # a signal handler may come in between and use the library


def _run(wish: int, function: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    """function(*args), on at most so many threads.

    Not a context manager: an interrupt may strike when its `__exit__` has begun and has done
    nothing yet. Here the second `finally` does what an interrupt kept the first from.
    """
    if _of_thread.counts.innermost() == wish:
        return function(*args, **more)
    who = object()
    try:
        try:
            _enter(who, wish)
            return function(*args, **more)
        finally:
            _leave(who)
    finally:
        _leave(who)


# The body on the line of its `with`: where lines are traced, an interrupt may be raised on the way
# from the one to the other, and the lock stays locked. (A signal does not come in there.)


def _enter(who: object, wish: int) -> None:
    with _lock: _entered(who, wish)  # noqa: E701  # fmt: skip


def _entered(who: object, wish: int) -> None:
    for counts in (_of_process, _of_thread.counts):
        counts.enter(who, wish)


def _leave(who: object) -> None:
    for counts in (_of_process, _of_thread.counts):
        if who in counts.wishes:
            with _lock: counts.leave(who)  # noqa: E701  # fmt: skip


def one_thread(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, on one thread but for what `worth_threads` runs in it."""

    @wraps(function)
    def alone(*args: P.args, **more: P.kwargs) -> T:
        return _run(1, function, *args, **more)

    return alone


def only_one_thread(function: Callable[P, T]) -> Callable[P, T]:
    """The same function on one thread, large products too: for whoever runs many beside it."""

    @wraps(function)
    def alone(*args: P.args, **more: P.kwargs) -> T:
        before = _of_thread.alone
        try:
            _of_thread.alone = True
            return _run(1, function, *args, **more)
        finally:
            _of_thread.alone = before

    return alone


def blocks_on_one_thread(
    function: Callable[Concatenate[Any, Any, P], T],
) -> Callable[Concatenate[Any, Any, P], T]:
    """`one_thread` for a function of something with a basis and of a block of rows. A single row is
    done sooner than the threads are counted, and the smallest products BLAS leaves to one."""

    @wraps(function)
    def alone(self: Any, X: Any, /, *args: P.args, **more: P.kwargs) -> T:
        n, d = X.shape
        m = self.basis.m + n  # some of the rows may join
        if n == 1 or n * m * max(m, d) <= ALONE:
            return function(self, X, *args, **more)
        return _run(1, function, self, X, *args, **more)

    return alone


def worth_threads(
    multiplications: float, function: Callable[P, T], *args: P.args, **more: P.kwargs
) -> T:
    """function(*args), a product of so many multiplications; a small one is simply done."""
    wish = int(multiplications / PER_THREAD)
    if wish < 2 or _fork_waits or _of_thread.alone:
        return function(*args, **more)
    return _run(wish, function, *args, **more)


def available() -> int:
    """How many threads the user allows, and there are cores for."""
    if _fork_waits or _of_thread.alone:
        return 1
    return min(_of_process.allowed(), _of_thread.counts.allowed(), _cores()[1])


# ------------------------------------------------------------------------------------------- fork
# OpenBLAS stops its threads before a fork. In the middle of a product on several threads, that
# hangs parent and child alike, so a fork waits until ours are done, and none begins meanwhile.

_fork_waits = False


def _before_fork() -> None:
    global _fork_waits
    _fork_waits = True
    patience = time.monotonic() + FORK_WAIT
    _lock.acquire()
    while _of_process.is_threaded_elsewhere() and time.monotonic() < patience:
        _lock.release()
        time.sleep(1e-3)
        _lock.acquire()


def _after_fork_in_parent() -> None:
    global _fork_waits
    _fork_waits = False
    _lock.release()


def _after_fork_in_child() -> None:
    global _fork_waits, _lock
    _fork_waits = False
    _lock = threading.RLock()
    _of_process.leave_other_threads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
