"""Ctrl-C at random moments: nothing is half done.

The interrupt is raised by a trace function before a random line of the library, anywhere in a call
that learns, looks or changes the model. Afterwards the model is that of the call not made, or of
the rows done so far; and it goes on as one that nobody interrupted does, to the last bit.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import okpca
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca._core.numerics import ROWS

HOME = str(Path(okpca.__file__).parent)
TRIES = 8  # interrupts of one call

RULES = ("exact", "on-kha", "apex", "tanaka", "incremental-svd")
BUDGETS = ("compress", "project", "drop", "slide")


def excess_of(seed: int) -> float:
    """Infinite if an interrupt changes what comes after it."""
    rng = np.random.default_rng(seed)
    warnings.simplefilter("ignore")  # a detector of few rows has no limit yet, and says so
    life = _Life(rng)
    call = life.random_call(rng)
    lines = lines_of(lambda: call(life.copy()))
    broken = sum(not life.survives(call, int(rng.integers(lines + 1))) for _ in range(TRIES))
    return float("inf") if broken else 0.0


class _Life:
    """A model in mid-stream, and rows to go on with."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.X = rng.normal(size=(160, 3)) * [2, 1, 0.5]
        self.model = random_model(rng)
        for piece in np.split(self.X[:100], np.sort(rng.integers(1, 100, size=4))):
            if len(piece):
                self.model.partial_fit(piece)
        for row in self.X[100 : 100 + rng.integers(20)]:  # some wait to enter the moments
            self.model.partial_fit(row[None])
        self._state = pickle.dumps(self.model)
        self._known: list[tuple[Any, Any]] = []  # fates of one call, which all tries interrupt

    def copy(self) -> Any:
        return pickle.loads(self._state)

    def random_call(self, rng: np.random.Generator) -> Callable[[Any], Any]:
        """Among them a call of several internal blocks, of which some may be done."""
        few, row = self.X[120:140], self.X[140:141]
        many = np.resize(self.X, (2 * ROWS + 10, 3))
        calls = [
            lambda model: model.partial_fit(few),
            lambda model: model.partial_fit(row),
            lambda model: model.fit(few),
        ]
        if isinstance(self.model, OnlineKernelPCA):
            calls += [
                lambda model: model.transform(few),
                lambda model: model.partial_fit(few, sample_weight=np.full(20, 0.5)),
                lambda model: model.partial_fit(many),
            ]
            if self.model.rule == "exact":
                calls += [lambda model: model.compress(4, max_iter=3)]
        else:
            calls += [lambda model: model.predict(few)]
        return calls[rng.integers(len(calls))]

    def survives(self, call: Callable[[Any], Any], line: int) -> bool:
        model, seen = self.copy(), getattr(self.model, "n_samples_seen_", 0)
        with suppress(KeyboardInterrupt):
            interrupted_at(line, lambda: call(model))
        now, later = self._fate(model)
        return any(
            np.array_equal(now, theirs, equal_nan=True)
            and np.array_equal(later, then, equal_nan=True)
            for theirs, then in self._fates(call, getattr(model, "n_samples_seen_", 0) - seen)
        )

    def _fates(self, call: Callable[[Any], Any], more: int) -> list[tuple[Any, Any]]:
        """Of the model before the call, after it, and after the internal blocks done."""
        if not self._known:
            after = self.copy()
            call(after)
            self._known = [self._fate(self.copy()), self._fate(after)]
        if more == 0 or more % ROWS:
            return self._known
        return [*self._known, self._fate(self.copy().partial_fit(np.resize(self.X, (more, 3))))]

    def _fate(self, model: Any) -> tuple[Any, Any]:
        """What it shows now, and after more rows."""
        now = _shown(model, self.X)
        model = pickle.loads(pickle.dumps(model))
        for piece in (self.X[:1], self.X[1:30], self.X[30:31]):
            model.partial_fit(piece)
        return now, _shown(model, self.X)


def _shown(model: Any, X: np.ndarray) -> np.ndarray:
    look = model.transform if hasattr(model, "transform") else model.score_samples
    return np.asarray(look(X))


def random_model(rng: np.random.Generator) -> Any:
    settings: dict[str, Any] = {
        "gamma": float(rng.choice([0.1, 0.5, 2.0])),
        "nu": float(rng.choice([1e-3, 1e-2, 0.1])),
        "max_atoms": int(rng.integers(5, 20)),
        "on_full": str(rng.choice(BUDGETS)),
        "forgetting": float(rng.choice([1.0, 0.97])),
        "random_state": 0,
    }
    if rng.integers(6) == 0:
        return KernelNoveltyDetector(3, limits="parametric", **settings)
    return OnlineKernelPCA(
        3,
        rule=str(rng.choice(RULES)),
        robust="exponential" if rng.integers(5) == 0 else None,
        burn_in=30 if rng.integers(5) == 0 else 0,
        **settings,
    )


# -- Ctrl-C at a line ------------------------------------------------------------------------------


def lines_of(job: Callable[[], Any]) -> int:
    """How many lines of the library the job runs through."""
    count = _Count(sys.maxsize)
    count.run(job)
    return count.lines


def interrupted_at(line: int, job: Callable[[], Any]) -> None:
    """KeyboardInterrupt before that line, counted from 0; none if there are fewer."""
    _Count(line).run(job)


class _Count:
    def __init__(self, stop: int) -> None:
        self.lines = 0
        self.stop = stop

    def run(self, job: Callable[[], Any]) -> None:
        before = sys.gettrace()
        sys.settrace(self._entered)
        try:
            job()
        finally:
            sys.settrace(before)

    def _entered(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._at_line if frame.f_code.co_filename.startswith(HOME) else None

    def _at_line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.lines += 1
            if self.lines > self.stop:
                self.stop = sys.maxsize  # once is enough
                raise KeyboardInterrupt
        return self._at_line
