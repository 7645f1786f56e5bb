"""Some of the rows, each as likely as any other (reservoir sampling: Vitter 1985, algorithm R)."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from okpca._core.typing import Array, Flags, Index

SIZE = 1500
"""More points would only cover each other."""


@dataclass(frozen=True, eq=False)
class Sample:
    """In the order of the rows."""

    place: Index  # their numbers among all rows
    rows: Array  # (n, d)
    alarms: Flags
    times: Any

    def __len__(self) -> int:
        return len(self.place)


class Reservoir:
    """Row t takes the place of a random one with probability SIZE / t."""

    def __init__(self, size: int = SIZE, seed: int = 0) -> None:
        self._size, self._n = size, 0
        self._random = np.random.default_rng(seed)
        self._kept: list[tuple[int, Array, bool, Any]] = []

    def add(self, rows: Array, alarms: Flags, times: Any, place: Index) -> None:
        """Rows, and where they are among all."""
        n, first = len(rows), max(0, min(self._size - self._n, len(rows)))

        def row(i: int) -> tuple[int, Array, bool, Any]:
            return int(place[i]), rows[i].copy(), bool(alarms[i]), times[i]

        self._kept += [row(i) for i in range(first)]
        goes = self._random.integers(0, self._n + np.arange(first, n) + 1)
        for i in np.flatnonzero(goes < self._size):
            self._kept[goes[i]] = row(first + int(i))
        self._n += n

    def sample(self) -> Sample:
        kept = sorted(self._kept, key=itemgetter(0))
        return Sample(*map(np.array, zip(*kept, strict=True)))
