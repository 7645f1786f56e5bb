"""The rows that limits are taken from, with what they scored."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from okpca._core.fast_replace import following
from okpca._core.typing import Array
from okpca.detection.autocorrelation import enough
from okpca.detection.lags import smoothed
from okpca.detection.leave_one_out import (
    LAST,
    RECENT,
    borne_out,
    is_bounded,
    stranger,
    without_each_other,
    without_itself,
)
from okpca.detection.limits import (
    EVENT,
    GRACE,
    Limits,
    clustered,
    hotelling,
    matched,
    median,
    rows_needed,
)
from okpca.detection.scores import Chart

FAR, USEFUL = 0.5, 0.75
"""Of what a stranger scores. No score counts for less than the first share in hindsight, which is
there to tell strangers: of rows that depend on many before them it promises too much. And a limit
beyond the second is not worth the risk."""
ALIKE = 0.02
"""Strangers score the same, but for this share."""
LOOSE = 256
"""Blocks of rows that are kept apart, at most."""
Columns = tuple[int, ...]
EVERY: Columns = (0, 1, 2)
"""SPE, T² and their combination: see `limits.NAMES`."""
YOUNG = 2
"""Times the size of the window: after so many rows every score in it is that of a model that had
learned half of what it has now, and nothing is seen in hindsight any more."""


@dataclass(frozen=True)
class Window:
    """The last rows and what they scored before they were learned: (SPE, T² / r), oldest first.

    T² of a young model has fewer terms. Its mean per term is what can be compared.
    """

    alpha: float
    size: int
    parametric: bool
    ewma: float  # below 1 scores are moving averages, and T² has no F distribution
    lags: int  # above 0 a row is part of those after it
    rows: tuple[Array, ...]  # in blocks: one array would be copied for each row that comes alone
    pairs: Array  # of the first of them
    late: tuple[Array, ...] = ()  # of the others, until they are `packed`
    count: int = 0  # rows there ever were
    without: Array | None = None  # SPE of the first in hindsight, if it matters
    told: bool = False  # whether a limit of SPE was ever well below what strangers score
    shown: bool = True  # whether the stream has shown enough of itself: see `autocorrelation`

    @classmethod
    def empty(
        cls, alpha: float, size: int, *, parametric: bool, ewma: float = 1.0, lags: int = 0
    ) -> Window:
        # A distribution needs few scores, and is not asked where its tail comes from.
        return cls(alpha, size, parametric, ewma, lags, (), np.empty((0, 2)), shown=parametric)

    def extended(self, rows: Array, pairs: Array, chart: Chart) -> Window:
        """With rows and their scores by this chart."""
        if not len(rows):
            return self
        if self._is_loose(len(rows)):
            return self.packed().extended(rows, pairs, chart)
        late, count = (*self.late, pairs / chart.terms), self.count + len(rows)
        return following(self, rows=(*self.rows, rows), late=late, count=count)

    def _is_loose(self, more: int) -> bool:
        """Have so many come since it was packed that it should be, though no border is near? (Of
        rows that come one by one it is enough to count the blocks.)"""
        return len(self.late) >= LOOSE or (more > 1 and sum(map(len, self.late)) >= self.size)

    def packed(self) -> Window:
        """The rows in one block, those left out that are too old."""
        if not self.late:
            return self
        rows, pairs = np.concatenate(self.rows), np.concatenate([self.pairs, *self.late])
        gone = max(len(pairs) - self.size, 0)
        without = None if self.without is None else self.without[gone:]
        return following(self, rows=(rows[gone:],), pairs=pairs[gone:], late=(), without=without)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.packed().__dict__)

    def refuse_unsound(self) -> None:
        """A ValueError if its parts do not go together; for what comes from a file."""
        window = self.packed()
        known = min(sum(map(len, window.rows)), self.size)
        if window.pairs.shape != (known, 2) or self.size < 2 or not 0 < self.alpha <= 0.5:
            raise ValueError(f"a window of {known} rows with scores {window.pairs.shape}")
        if window.without is not None and not window.without.shape <= (known,):
            raise ValueError(f"{known} rows, in hindsight {window.without.shape}")

    def judged_anew(self, chart: Chart) -> Window:
        """No row counts for less than it scores by this chart.

        It may well score less, since it was learned meanwhile; a new row would not.
        """
        window = self.packed()
        if not self.rows:
            return window
        pairs = chart.scores(window.rows[0])
        if self.ewma < 1.0:
            pairs = smoothed(pairs, chart.expected(), self.ewma)
        return following(window, pairs=np.maximum(window.pairs, pairs / chart.terms))

    def in_hindsight(self, chart: Chart) -> Window:
        """With what its rows would score by this chart, had they not been learned; if that is of
        use and can be believed."""
        window, unknown = self.packed().by_the_past(), stranger(chart)
        if not self._may_be_blind(chart) or not self.rows or not len(chart.V):
            return window
        if not FAR * unknown < window._limits(window.scores(chart), chart).spe < math.inf:
            return window
        rows = window.rows[0]
        without = self._smoothed(without_itself(chart, rows), chart)
        seen = following(window, without=np.maximum(without, FAR * unknown))
        limit = seen._limits(seen._fair(chart), chart).spe
        if limit > USEFUL * unknown:
            return window
        last = rows[-max(len(rows) // LAST, self.recent) :]
        anew = self._smoothed(without_each_other(chart, last), chart)
        return seen if borne_out(anew, limit, 2.0 * self.alpha, self._memory) else window

    def by_the_past(self) -> Window:
        """The scores as they were when rows came, and nothing else."""
        return self if self.without is None else following(self, without=None)

    def _may_be_blind(self, chart: Chart) -> bool:
        """Only while it is young, and where no row can score more than strangers do."""
        return self.count < YOUNG * self.size and is_bounded(chart)

    def _smoothed(self, spe: Array, chart: Chart) -> Array:
        if self.ewma == 1.0:
            return spe
        return smoothed(spe[:, None], chart.expected()[:1], self.ewma)[:, 0]

    def _fair(self, chart: Chart) -> Array:
        """The scores, in hindsight where there is any."""
        pairs = self.scores(chart)
        if self.without is not None:
            known = pairs[: len(self.without), 0]
            np.minimum(known, self.without, out=known)
        return pairs

    def is_blind(self, limits: Limits, chart: Chart) -> bool:
        """Will hardly a stranger be beyond the limit of SPE, though rows of late are none?"""
        if not self._may_be_blind(chart) or self.lacks_scores(limits.known):
            return False
        unknown = stranger(chart)
        return limits.spe > USEFUL * unknown and self._bears_out(FAR * unknown)

    @property
    def recent(self) -> int:
        """Rows that must bear out what is seen in hindsight."""
        return min(RECENT, self.size // 2)

    @property
    def _memory(self) -> float:
        return self.lags + 1.0 / self.ewma

    def _bears_out(self, limit: float) -> bool:
        """Do the last rows, by what they scored when they came?"""
        spe, n = self.packed().pairs[:, 0], self.recent
        return len(spe) >= n and borne_out(spe[-n:], limit, self.alpha, self._memory)

    def scores(self, chart: Chart, columns: Columns = EVERY) -> Array:
        """As this chart would scale them, if T² has a part in what is asked for.

        New rows lie less far out along components that fit few rows too well, so T² of new rows
        rises while the model learns (SPE falls, and its limits are wide). Where the last quarter of
        the window shows such a rise, the older part is raised with it.
        """
        if columns == (0,):
            return self.pairs
        latest = self.pairs[-(len(self.pairs) // 4) :, 1] if len(self.pairs) >= 4 else np.zeros(0)
        usual = median(self.pairs[:, 1]) if len(latest) else 0.0
        rise = max(median(latest) / usual, 1.0) if usual > 0 else 1.0
        return np.asarray(self.pairs * np.array([1.0, rise]) * chart.terms)

    def cleared(self) -> Window:
        return Window.empty(
            self.alpha, self.size, parametric=self.parametric, ewma=self.ewma, lags=self.lags
        )

    @property
    def thin(self) -> bool:
        """Do single scores decide the limit? Then those far beyond it must not count: one spike
        would spoil the variance of parametric limits, and be the limit itself where a window
        reaches hardly beyond its quantile."""
        return self.parametric or self.alpha * self.size <= EVENT

    @property
    def grace(self) -> int:
        """How many alarms of one run may enter: a share of the scores there are."""
        return max(1, int(GRACE * self.alpha * len(self.pairs)))

    def lacks_scores(self, known: int) -> bool:
        """Are so many too few for a limit?"""
        return known < (2 if self.parametric else rows_needed(self.alpha))

    def told_missing(self) -> str:
        """Why there is no limit yet, and what to do."""
        known = len(self.packed().pairs)
        return (
            f"the limit is infinite: {known} rows were scored before they were learned, "
            f"and contamination={self.alpha} needs {rows_needed(self.alpha)}. Fit more rows, lower "
            "warm_up, raise contamination, or take limits='parametric'."
        )

    def limits(self, chart: Chart, columns: Columns = EVERY) -> Limits:
        """By the scores as they were; in hindsight, where that is borne out. Those of `columns`
        that are not asked for are infinite."""
        if self.late:
            return self.packed().limits(chart, columns)
        if self.without is not None:
            found = self._limits(self._fair(chart), chart, columns)
            if found.spe <= USEFUL * stranger(chart) and self._bears_out(found.spe):
                return found
        limits = self._limits(self.scores(chart, columns), chart, columns)
        if not self.shown:
            return replace(limits, spe=math.inf, t2=math.inf, combined=math.inf)
        return self._beyond_strangers(limits, chart)

    def looked_over(self, chart: Chart) -> Window:
        """Packed, and whether there were enough rows."""
        window = self.packed()
        if window.shown or window.lacks_scores(len(window.pairs)):
            return window
        full = len(window.pairs) == window.size
        shown = full or enough(chart.basis.kernel, window.rows[0], self.alpha)
        return following(window, shown=shown)

    def noted(self, limits: Limits, chart: Chart) -> Window:
        """Once limits have told strangers they will never be opened to them again: the scores of
        a fault must not do that."""
        told = self.told or limits.spe < USEFUL * stranger(chart)
        return self if told == self.told else following(self, told=told)

    def _beyond_strangers(self, limits: Limits, chart: Chart) -> Limits:
        """A limit of SPE that no row can exceed is none. Nor is one that all strangers score, or
        nearly, while most of them are what is still to learn: they would be alarms or not by their
        last digits."""
        if not is_bounded(chart):
            return limits
        most = stranger(chart)
        if not self.told and self._may_be_blind(chart):
            most *= 1.0 - ALIKE
        return limits if limits.spe < most else replace(limits, spe=math.inf)

    def _limits(self, pairs: Array, chart: Chart, columns: Columns = (0,)) -> Limits:
        found, middle, scale = [math.inf] * 3, np.zeros(3), np.array([chart.smallest, 1.0])
        draft = Limits(math.inf, math.inf, math.inf, scale, middle, self.grace, len(pairs))
        limit = matched if self.parametric else clustered
        for column in columns:
            values = draft.score(pairs, column)
            found[column] = limit(values, self.alpha)
            if self.thin and len(values):
                middle[column] = median(values)
        if 1 in columns and self.parametric and self.ewma == 1.0:
            n = chart.model.centre.weight
            # Components of a local kernel are not Gaussian: their T² has heavier tails than F.
            found[1] = max(found[1], hotelling(chart.rank, n, self.alpha, pairs[:, 1]))
        spe, t2, combined = found
        return replace(draft, spe=spe, t2=t2, combined=combined)
