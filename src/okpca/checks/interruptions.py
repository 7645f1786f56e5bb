"""Ctrl-C and other threads: nobody ever sees, or keeps, a model that is half changed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from okpca._core.typing import Array
from okpca.checks._tools import assert_identical, cut, fed, rows, seen_by

INTERRUPTS = 12  # moments tried of a call


def check_interrupt_leaves_a_whole_model(estimator: Any) -> None:
    """Ctrl-C at any moment of a call: the rows of the call are learned or not, all of them."""
    X = rows(80)
    done = cut(X[:60], [20])
    for batch in (X[60:], X[60:61]):
        calls: list[int] = []
        _with_trace(_counting(calls), fed(estimator, done).partial_fit, batch)
        whole = [fed(estimator, done), fed(estimator, [*done, batch])]
        before, after = (seen_by(model, X) for model in whole)
        later = [seen_by(model.partial_fit(X[:30]), X) for model in whole]
        for moment in np.linspace(0, len(calls) - 1, INTERRUPTS, dtype=int):
            model = fed(estimator, done)
            _with_trace(_interrupting(int(moment)), model.partial_fit, batch)
            seen = seen_by(model, X)
            unchanged = np.array_equal(seen, before)
            assert unchanged or np.array_equal(seen, after), (
                f"interrupted at call {moment} of {len(calls)} while it learns {len(batch)} rows, "
                "it is neither the model before nor the one after"
            )
            seen = seen_by(model.partial_fit(X[:30]), X)
            expected = later[0] if unchanged else later[1]
            assert_identical(seen, expected, "a model interrupted, and then going on")


def check_readers_see_whole_models(estimator: Any) -> None:
    """While one thread learns, others may look: they see a model after some of the calls."""
    X, probe = rows(120), rows(4, seed=1)
    pieces = cut(X[20:], [1, 1, 7])
    alone, model = fed(estimator, [X[:20]]), fed(estimator, [X[:20]])
    known = [seen_by(alone, probe)]
    known += [seen_by(alone.partial_fit(piece), probe) for piece in pieces]
    answers, failed = _read_beside(model, pieces, probe)
    assert not failed, f"a reader beside a writer meets {failed[0]!r}"
    for answer in answers:
        near = [_apart(answer, one) for one in known]
        assert min(near) <= 1e-8, f"a reader sees a model that never was, {min(near):.1e} off"


def _read_beside(
    model: Any, pieces: list[Any], probe: Array
) -> tuple[list[Array], list[BaseException]]:
    answers: list[Array] = []
    failed: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                answers.append(seen_by(model, probe))
        except BaseException as error:
            failed.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for reader in readers:
            reader.start()
        for piece in pieces:
            model.partial_fit(piece)
    finally:
        done.set()
        for reader in readers:
            reader.join()
        sys.setswitchinterval(interval)
    return answers, failed


def _apart(one: Array, other: Array) -> float:
    if one.shape != other.shape:
        return float("inf")
    top = max(np.abs(other).max(initial=0.0), 1e-300)
    return float(np.abs(one - other).max(initial=0.0) / top)


# -- a moment is a call of a Python function ------------------------------------------------------


def _counting(calls: list[int]) -> Callable[..., None]:
    def trace(frame: FrameType, event: str, arg: Any) -> None:
        if not _of_numba(frame):
            calls.append(1)

    return trace


def _interrupting(moment: int) -> Callable[..., None]:
    left = [moment]

    def trace(frame: FrameType, event: str, arg: Any) -> None:
        left[0] -= not _of_numba(frame)
        if left[0] == -1:
            raise KeyboardInterrupt

    return trace


def _of_numba(frame: FrameType) -> bool:
    """Does it load or compile a leaf? That happens once, and what is raised there becomes numba's
    own SystemError."""
    return str(frame.f_globals.get("__name__")).startswith("numba")


def _with_trace(trace: Callable[..., None], call: Callable[[Any], Any], X: Any) -> None:
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call(X)
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
