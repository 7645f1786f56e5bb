"""A stream of scores as some hundred points, whatever its length.

A bin stands for w rows that follow each other: their highest scores, how many were alarms, and the
row with the highest score of all. A row is a bin of w = 1, and bins join to wider ones, so that one
operation does all: when there are too many, w doubles.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from okpca._core.typing import Array, Index
from okpca.report.times import concatenated

MOST = 1200
"""Bins at a time: between half of these and all are drawn, a point or two to a pixel of a chart."""


@dataclass(frozen=True, eq=False)
class Bins:
    """Arrays of one length: an entry a bin."""

    start: Index  # of its first row among the rows, from 0
    rows: Index  # in it, those that have a score
    high: Array  # (n, k): the highest of each score; −inf where no row has one
    alarms: Index
    time: Any  # of its first row; None of each where there is no time
    worst: Array  # (n, width): the row with the highest score that decides, as the model sees it
    number: Index  # of that row in the source
    at: Any  # its time
    id: Any  # its id
    first: Index  # number in the source of the first alarm; of the first row where there is none
    since: Any  # its time

    def __len__(self) -> int:
        return len(self.start)


def joined(parts: list[Bins]) -> Bins:
    if len(parts) == 1:
        return parts[0]
    columns = {
        field.name: concatenated([getattr(part, field.name) for part in parts])
        for field in fields(Bins)
    }
    return Bins(**columns)


def widened(bins: Bins, width: int, decides: int) -> Bins:
    """Bins of `width` rows, by the numbers of their first."""
    group = bins.start // width
    first = np.flatnonzero(np.diff(group, prepend=-1))
    high = np.maximum.reduceat(bins.high, first, axis=0)
    size = np.diff(first, append=len(bins))
    score = bins.high[:, decides]
    highest = np.flatnonzero(score == np.repeat(high[:, decides], size))
    worst = highest[np.unique(group[highest], return_index=True)[1]]
    alarm = np.minimum.reduceat(np.where(bins.alarms > 0, np.arange(len(bins)), len(bins)), first)
    alarm = np.where(alarm < len(bins), alarm, first)
    return Bins(
        start=bins.start[first],
        rows=np.add.reduceat(bins.rows, first),
        high=high,
        alarms=np.add.reduceat(bins.alarms, first),
        time=bins.time[first],
        worst=bins.worst[worst],
        number=bins.number[worst],
        at=bins.at[worst],
        id=bins.id[worst],
        first=bins.first[alarm],
        since=bins.since[alarm],
    )


class Binned:
    """The bins of all rows so far."""

    def __init__(self, decides: int) -> None:
        self.width = 1
        self.n = 0
        self._decides = decides
        self._done: Bins | None = None

    def add(self, rows: Bins) -> None:
        """Rows that follow, as bins of one."""
        rows = replace(rows, start=rows.start + self.n)
        self.n += len(rows)
        found = rows if self._done is None else joined([self._done, rows])
        while len(np.unique(found.start // self.width)) > MOST:
            self.width *= 2
        self._done = widened(found, self.width, self._decides)

    @property
    def bins(self) -> Bins:
        assert self._done is not None
        return self._done
