"""What `monitor` tells of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from okpca._core.data_frames import frame
from okpca._core.typing import Array, Flags, Index

ONE = np.zeros(1, dtype=bool), np.ones(1, dtype=bool)
"""No or yes, of a piece of one row: nobody changes them."""
COLUMNS = ("spe", "t2", "score", "limit", "alarms", "learned", "drift")


@dataclass(frozen=True, eq=False)
class Monitored:
    """What happened to each row of a call; scores are NaN for rows of the warm-up. A row that was
    skipped for the values it lacks has no scores and no limit (NaN), is no alarm and not learned.
    """

    spe: Array
    t2: Array
    score: Array  # the one that decides
    limit: Array  # that was in force for it; infinite while there was none
    alarms: Flags
    learned: Flags  # at once; the rows of a run that is accepted are learned when it is
    drift: Flags  # whether the stream was known to have drifted when it came
    statistic: str  # which it is: "nested", "spe", "t2" or "combined"
    index: Any = None  # of the pandas frame that the rows came in

    def to_frame(self) -> Any:
        """A pandas data frame, one line a row, with the index of the frame that was monitored."""
        return frame({name: getattr(self, name) for name in COLUMNS}, self.index)


class Piece(NamedTuple):
    """Rows that met with the same limit."""

    pairs: Array  # SPE, T² and what else there is
    score: Array
    alarms: Flags
    learned: Flags
    limit: float
    drift: bool

    @classmethod
    def unscored(cls, n: int, drift: bool) -> Piece:
        """Rows that are learned as they come."""
        none, no = np.full((n, 2), np.nan), np.zeros(n, dtype=bool)
        return cls(none, none[:, 0], no, ~no, np.inf, drift)


ONE_ROW = np.zeros(1, dtype=np.intp)
Taken: TypeAlias = tuple[list[Piece], Index, int]
"""What happened to rows that were taken, which they are, and of how many."""


def concatenated(parts: Sequence[Monitored]) -> Monitored:
    """What happened to the rows of all parts, which the same statistic decides."""
    if len(parts) == 1:
        return parts[0]
    statistics = {part.statistic for part in parts}
    if len(statistics) != 1:
        found = ", ".join(sorted(statistics)) or "none"
        raise ValueError(f"rows of one stream are judged by one statistic, got {found}.")
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
    return Monitored(**columns, statistic=statistics.pop(), index=_joined(parts))


def _joined(parts: Sequence[Monitored]) -> Any:
    """The index of all rows, if every part has one."""
    if any(part.index is None for part in parts):
        return None
    return parts[0].index.append([part.index for part in parts[1:]])


def told_of_all(pieces: Sequence[Piece], rows: Index, n: int, statistic: str) -> Monitored:
    """What happened to n rows, of which all but these were skipped."""
    columns = *np.full((4, n), np.nan), *np.zeros((3, n), dtype=bool)
    done = 0
    for pairs, score, alarms, learned, limit, drift in pieces:
        here = rows[done : done + len(score)]
        told = pairs[:, 0], pairs[:, 1], score, limit, alarms, learned, drift
        for column, values in zip(columns, told, strict=True):
            column[here] = values
        done += len(here)
    return Monitored(**dict(zip(COLUMNS, columns, strict=True)), statistic=statistic)
