"""Do the rows drift among themselves? The test of `detection.drift`, through the model as it is.

Its lens is the model, and its reference the first rows of the data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from okpca._core.typing import Array
from okpca.detection.drift import BLOCKS, EVERY, GATHERED, Drift, Drifting, Lens
from okpca.detection.scores import Chart

LOOKS = 2000
"""That are kept to be drawn; of more, every second one."""


class Look(NamedTuple):
    row: int  # rows of the data until then
    time: Any
    drift: Drift


class Track:
    """Rows in, looks out."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self._drifting = Drifting(wait=0, lens=Lens.of(chart))
        self._every = 1
        self._n = 0
        self.looks: list[Look] = []
        self.since: Any = None  # the time at which drift was announced

    @property
    def found(self) -> Drift:
        return self._drifting.found

    @property
    def rows(self) -> int:
        """Those that came."""
        return self._drifting.n

    @property
    def needed(self) -> int:
        """How many there are at the first look, or more, if blocks have to be longer than so far:
        reference and today, and what waits to be looked at."""
        return EVERY * (2 * BLOCKS * self._drifting.size + GATHERED)

    def add(self, rows: Array, number: Any, times: Any) -> None:
        """Rows that are no alarms, where they are among all rows, and when they came."""
        for start in range(0, len(rows), EVERY * GATHERED):
            block = slice(start, start + EVERY * GATHERED)
            if len(rows[block]):
                last = start + len(rows[block]) - 1
                self._look(rows[block], int(number[last]) + 1, times[last])

    def _look(self, rows: Array, row: int, time: Any) -> None:
        after = self._drifting.and_more(rows).looked(self._chart, row)
        if after.announced and not self._drifting.announced:
            self.since = time
        if after.looks > self._drifting.looks:
            self._n += 1
            if self._n % self._every == 0:
                self.looks.append(Look(row, time, after.found))
            if len(self.looks) > LOOKS:
                self.looks, self._every = self.looks[1::2], 2 * self._every
        self._drifting = after

    @property
    def values(self) -> Array:
        return np.array([look.drift.value for look in self.looks])

    @property
    def limits(self) -> Array:
        return np.array([look.drift.limit for look in self.looks])
