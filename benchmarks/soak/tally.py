"""What was tried, and what broke."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count

from okpca import KernelWarning


@dataclass
class Tally:
    tried: int = 0
    broken: list[int] = field(default_factory=list)  # the seeds
    worst: float = 0.0  # the largest error over its tolerance
    errors: dict[int, str] = field(default_factory=dict)  # what was raised, by seed

    def add(self, other: Tally) -> None:
        self.tried += other.tried
        self.broken += other.broken
        self.worst = max(self.worst, other.worst)
        self.errors |= other.errors


def soak(
    excess_of: Callable[[int], float], seeds: Iterable[int], seconds: float = float("inf")
) -> Tally:
    """Try every seed once, until the time is over."""
    tally, end = Tally(), time.monotonic() + seconds
    for seed in seeds:
        if time.monotonic() > end:
            break
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", KernelWarning)  # what is tried is no healthy data
                excess = excess_of(seed)
        except Exception as error:
            excess = float("inf")
            tally.errors[seed] = f"{type(error).__name__}: {error}"
        tally.tried += 1
        tally.worst = max(tally.worst, excess)
        if not excess <= 1.0:
            tally.broken.append(seed)
    return tally


def soaked(part: str, first: int, step: int, seconds: float) -> Tally:
    """A part by its name, over every so many-th seed."""
    excess_of = import_module(f"benchmarks.soak.{part}").excess_of
    if seconds > 1.0:
        soak(excess_of, [first])  # what is imported or compiled late is not counted in the time
    return soak(excess_of, count(first, step), seconds)
