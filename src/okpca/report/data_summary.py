"""One pass over the data, in bounded memory: what the page shows of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from okpca._core.typing import Array, Flags, Index
from okpca.detection.lags import joined as with_past
from okpca.detection.limits import exceeds
from okpca.io.sources.bad_rows import BadRows
from okpca.model import imputed
from okpca.report.bins import Binned, Bins
from okpca.report.drift import Track
from okpca.report.reservoir import Reservoir, Sample
from okpca.report.subject import Subject
from okpca.report.times import parsed


@dataclass(frozen=True, eq=False)
class DataSummary:
    """What was seen of the data."""

    rows: int
    scored: int  # those that have a score
    alarms: int
    names: list[str]  # of the columns as the model gets them
    bins: Bins
    width: int  # rows to a bin
    sample: Sample
    low: Array  # the least of every column, and
    high: Array  # the most
    track: Track | None  # None where drift cannot be told
    span: tuple[Any, Any]  # first and last time


class DataSummarizer:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._binned = Binned(subject.statistics.index(subject.decides))
        self._kept = Reservoir()
        self._track = None if subject.chart is None else Track(subject.chart)
        self._past: Any = None  # rows that scores of the next ones depend on
        self._names: list[str] = []
        self._low: Any = np.inf
        self._high: Any = -np.inf
        self._scored = self._alarms = 0
        self._first: Any = None
        self._last: Any = None

    def add(self, block: Any) -> None:
        """A block of `okpca.io.stream`."""
        self._subject.refuse_another_order(block)
        rows, n = self._subject.prepared(block.rows), len(block.rows)
        times = parsed(block.times, n, block.decimal)
        ids = parsed(None, n) if block.ids is None else block.ids
        if not self._names:
            self._names = self._subject.names(block.columns, rows.shape[1])
            self._first = times[0]
        scores, wide = self._seen(rows)
        known = ~np.isnan(scores[:, 0])
        decides = self._subject.statistics.index(self._subject.decides)
        limit = self._subject.limits[self._subject.decides]
        alarms: Flags = known & exceeds(np.nan_to_num(scores[:, decides]), limit)
        start = self._binned.n
        self._binned.add(_bins(scores, known, alarms, wide, times, ids, block.number))
        self._kept.add(wide[known], alarms[known], times[known], start + np.flatnonzero(known))
        self._scored += int(known.sum())
        self._alarms += int(alarms.sum())
        if known.any():
            self._low = np.fmin(self._low, np.fmin.reduce(rows[known]))  # gaps do not count
            self._high = np.fmax(self._high, np.fmax.reduce(rows[known]))
        if self._track is not None:
            usual = np.flatnonzero(known & ~alarms)
            whole = imputed(self._subject.chart.model, wide[usual])  # type: ignore[union-attr]
            self._track.add(whole, start + usual, times[usual])
        self._last = times[-1]

    def _seen(self, rows: Array) -> tuple[Array, Array]:
        """Scores of the rows, and the rows as the model sees them: with their past."""
        before = 0 if self._past is None else len(self._past)
        run = np.concatenate([self._past, rows]) if before else rows
        scores = self._subject.scores(run)
        whole = ~np.isnan(scores[:, 0])
        lags = self._subject.lags
        wide = np.full((len(run), run.shape[1] * (lags + 1)), np.nan)
        if whole.any():
            wide[whole], _ = with_past(np.asarray(run[whole], dtype=np.float64), None, lags)
        if self._subject.memory:
            self._past = run[whole][-self._subject.memory :]
        return scores[before:], wide[before:]

    def done(self) -> DataSummary:
        if not self._binned.n:
            raise ValueError("there is no row to report on: give it at least one.")
        if not self._scored:
            raise ValueError("every row lacks values: there is none to report on.")
        return DataSummary(
            rows=self._binned.n,
            scored=self._scored,
            alarms=self._alarms,
            names=self._names,
            bins=self._binned.bins,
            width=self._binned.width,
            sample=self._kept.sample(),
            low=np.asarray(self._low),
            high=np.asarray(self._high),
            track=self._track,
            span=(self._first, self._last),
        )


def gathered(subject: Subject, blocks: Iterable[Any]) -> DataSummary:
    gathering = DataSummarizer(subject)
    for block in blocks:
        if len(block.rows):
            gathering.add(block)
    return gathering.done()


def left_out(blocks: Any) -> BadRows:
    """The rows that a stream did not give, known when it was read."""
    found = getattr(blocks, "bad", None)
    return found if isinstance(found, BadRows) else BadRows()


def _bins(scores: Array, known: Flags, alarms: Flags, wide: Array, times: Any, ids: Any,
          number: Index) -> Bins:  # fmt: skip
    n = len(scores)
    return Bins(
        start=np.arange(n),
        rows=known.astype(np.int64),
        high=np.where(known[:, None], scores, -np.inf),
        alarms=alarms.astype(np.int64),
        time=times,
        worst=wide,
        number=np.asarray(number),
        at=times,
        id=np.asarray(ids),
        first=np.asarray(number),
        since=times,
    )
