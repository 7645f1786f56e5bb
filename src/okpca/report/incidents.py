"""Where the data is least like what was learned, and which columns are to blame.

Neighbouring bins with more alarms than chance allows are one incident. Where no stretch of the data
has more than chance explains, it is the bins with the highest scores, some way apart. Its worst row
stands for it. Incidents are worse the longer they are and the higher they score,

    alarms × highest score

and of single alarms, which chance brings about, only a few are shown: the others are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtrc

from okpca._core.typing import Array, Flags
from okpca.detection.contributions import attributed, normal_rows
from okpca.detection.fitted import limits_of
from okpca.model import imputed
from okpca.report.bins import Bins
from okpca.report.data_summary import DataSummary
from okpca.report.subject import Subject

MOST = 8
"""Incidents on a page."""
SINGLE = 3
"""Of them, those of one alarm."""
BLAMED = 4
"""Columns of each."""
LEAST = 0.005
"""The share of a score that a column is named for."""
SURE = 4.0
"""Standard deviations above the alarms that are allowed, for a bin to be a part of an incident."""
CHANCE = 1e-3
"""How seldom there may be incidents where alarms come by chance, or a few times that."""
LENGTHS = 32
"""Of stretches that are looked at, from a bin to all."""
APART = 30
"""Highest scores are one in so many parts of the data."""
GAP = 2
"""Bins without alarms that do not end an incident."""


@dataclass(frozen=True)
class Blamed:
    name: str
    share: float  # of the score
    value: float
    usual: float  # of the learned rows nearest to it


@dataclass(frozen=True)
class Incident:
    first: int  # number of its first alarm in the source
    rows: int
    alarms: int
    score: float  # the highest
    number: int  # of the worst row in the source
    time: Any
    id: Any
    since: Any  # the time of its first alarm
    columns: list[Blamed]


class Found(NamedTuple):
    worst: list[Incident]  # the worst first
    single: int = 0  # others, of one alarm, and
    several: int = 0  # of more


def too_many(bins: Bins, allowed: float) -> Flags:
    """Bins with more alarms than `allowed` of their rows explains."""
    mean = allowed * bins.rows
    return np.asarray(bins.alarms > np.where(bins.rows > 1, mean + SURE * np.sqrt(mean), 0.0))


def beyond_chance(bins: Bins, allowed: float) -> bool:
    """Has some stretch, whatever its length, more alarms than `allowed` of its rows explains?

    P(Binomial(rows, allowed) ≥ alarms) · (stretches of this length) < CHANCE
    """
    rows, alarms = (np.append(0, np.cumsum(of)) for of in (bins.rows, bins.alarms))
    for length in np.unique(np.geomspace(1, len(bins), LENGTHS).round().astype(int)):
        found = alarms[length:] - alarms[:-length]
        tail = bdtrc(found - 1, rows[length:] - rows[:-length], allowed)
        if tail.min() * len(tail) < CHANCE:
            return True
    return False


def marked(subject: Subject, seen: DataSummary) -> Flags:
    """Bins that are incidents, or parts of one. Where none is, alarms are as rare as chance has
    them."""
    beyond = beyond_chance(seen.bins, subject.allowed)
    return too_many(seen.bins, subject.allowed) & beyond


def found(subject: Subject, seen: DataSummary) -> Found:
    bins, decides = seen.bins, subject.statistics.index(subject.decides)
    of_incidents = marked(subject, seen)
    runs = _runs(of_incidents) if of_incidents.any() else _peaks(bins.high[:, decides])
    peaks = [run[int(bins.high[run, decides].argmax())] for run in runs]
    high = bins.high[peaks, decides]
    alarms = np.array([bins.alarms[run].sum() for run in runs])
    order = np.argsort(-np.maximum(alarms, 1) * high, kind="stable")
    order = order[np.isfinite(high[order])]
    single = alarms[order] == 1
    shown = ~single | (np.cumsum(single) <= SINGLE)
    chosen = order[shown][:MOST]
    left = alarms[np.setdiff1d(order, chosen)]
    blame = blamed(subject, seen.names, bins.worst[[peaks[i] for i in chosen]])
    worst = [
        _incident(bins, runs[i], peaks[i], decides, columns)
        for i, columns in zip(chosen, blame, strict=True)
    ]
    return Found(worst, int(np.sum(left == 1)), int(np.sum(left > 1)))


def _incident(bins: Bins, run: Any, peak: int, decides: int, columns: list[Blamed]) -> Incident:
    return Incident(
        first=int(bins.first[run[0]]),
        rows=int(bins.rows[run].sum()),
        alarms=int(bins.alarms[run].sum()),
        score=float(bins.high[peak, decides]),
        number=int(bins.number[peak]),
        time=bins.at[peak],
        id=bins.id[peak],
        since=bins.since[run[0]],
        columns=columns,
    )


def _runs(marked: Flags) -> list[Any]:
    """Marked bins that follow each other, small gaps aside."""
    where = np.flatnonzero(marked)
    return np.split(where, 1 + np.flatnonzero(np.diff(where) > GAP + 1))


def _peaks(scores: Array) -> list[Any]:
    """The highest, then the highest that is not near it, and so on."""
    apart, left = max(1, len(scores) // APART), scores.copy()
    out: list[Any] = []
    while len(out) < MOST and left.max() > -np.inf:
        peak = int(left.argmax())
        out.append(np.array([peak]))
        left[max(0, peak - apart) : peak + apart + 1] = -np.inf
    return out


def blamed(subject: Subject, names: list[str], wide: Array) -> list[list[Blamed]]:
    """Of each row the columns that raise its score most; none where the kernel cannot say."""
    if not subject.explains or not len(wide):
        return [[] for _ in wide]
    chart = subject.chart
    assert chart is not None
    rows = imputed(chart.model, wide)
    limits = None if subject.detector is None else limits_of(subject.detector)
    parts = attributed(chart, limits, subject.decides, rows, subject.lags)
    usual = normal_rows(chart, rows)
    out = []
    for row, share, near in zip(rows, parts, usual, strict=True):
        most = (-share).argsort(kind="stable")[:BLAMED]
        out.append(
            [
                Blamed(names[j], float(share[j]), float(row[j]), float(near[j]))
                for j in most
                if share[j] >= LEAST
            ]
        )
    return out
