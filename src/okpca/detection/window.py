"""The rows that limits are taken from, with what they scored."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from okpca._core.fast_replace import following
from okpca._core.numerics import TIE
from okpca._core.typing import Array
from okpca.detection.autocorrelation import enough
from okpca.detection.history import EVERY, Columns, Kept, kept_of
from okpca.detection.lags import smoothed
from okpca.detection.leave_one_out import (
    LAST,
    RECENT,
    borne_out,
    without_each_other,
    without_itself,
)
from okpca.detection.limits import (
    EVENT,
    GRACE,
    NAMES,
    NESTED,
    Limits,
    clustered,
    exceeds,
    hotelling,
    matched,
    median,
    rows_needed,
)
from okpca.detection.nested import ENOUGH, Gauge
from okpca.detection.scores import Chart

FAR, USEFUL = 0.5, 0.75
"""Of what a stranger scores. No score counts for less than the first share in hindsight, which is
there to tell strangers: of rows that depend on many before them it promises too much. And a limit
beyond the second is not worth the risk."""
NARROW, JUDGED = 0.9, 300
"""Beyond this share, of so many scores, a limit leaves room for hardly any row. Those of a dozen
tables were below 0.65; that of breast cancer, whose columns have heavy tails, 0.98, and it found
9 % of gross faults where that of contamination=0.05 found 91 %."""
ALIKE = 0.02
"""Strangers score the same, but for this share."""
YOUNG = 2
"""Times the size of the window: after so many rows every score in it is that of a model that had
learned half of what it has now, and nothing is seen in hindsight any more."""


@dataclass(frozen=True)
class Window(Kept):
    """The last rows with their scores, and the limits that these make."""

    def gauged(self, chart: Chart) -> tuple[Window, Gauge | None]:
        """With a gauge for this chart, if it wants one, and all scores by it."""
        window = self.packed()
        if not chart.levels:
            return window, None
        single = not self.thin and self.ewma == 1.0
        many = single and len(window.pairs) >= min(ENOUGH, self.size)
        gauge = Gauge.of(window.pairs, chart, enough=many)
        pairs = np.column_stack([window.pairs[:, :-1], gauge.scores(window.pairs[:, :-1])])
        return following(window, pairs=pairs), gauge

    def judged_anew(self, chart: Chart, gauge: Gauge | None = None) -> Window:
        """No row counts for less than it scores by this chart.

        It may well score less, since it was learned meanwhile; a new row would not.
        """
        window = self.packed()
        if not self.rows:
            return window
        pairs = chart.scores(window.rows[0])
        if self.ewma < 1.0:
            pairs = smoothed(pairs, chart.expected(), self.ewma)
        score = None if gauge is None else gauge.scores(pairs)
        return following(window, pairs=np.maximum(window.pairs, kept_of(pairs, chart, score)))

    def in_hindsight(self, chart: Chart) -> Window:
        """With what its rows would score by this chart, had they not been learned; if that is of
        use and can be believed."""
        window, unknown = self.packed().by_the_past(), chart.stranger
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
        return self._is_young and chart.is_bounded

    @property
    def _is_young(self) -> bool:
        return self.count < YOUNG * self.size

    @property
    def asks_spe(self) -> bool:
        """Does the limit of SPE still tell whether there can be others?"""
        return self._is_young or self.without is not None

    def _smoothed(self, spe: Array, chart: Chart) -> Array:
        if self.ewma == 1.0:
            return spe
        return smoothed(spe[:, None], chart.expected()[:1], self.ewma)[:, 0]

    def _fair(self, chart: Chart, gauge: Gauge | None = None) -> Array:
        """The scores, in hindsight where there is any."""
        pairs = self.scores(chart)
        if self.without is not None:
            known = pairs[: len(self.without)]
            known[:, 0] = np.minimum(known[:, 0], self.without)
            if gauge is not None:  # few components knew nothing then, and are not heard
                known[:, -1] = np.minimum(known[:, -1], gauge.slope[0] * self.without)
        return pairs

    def is_blind(self, limits: Limits, chart: Chart) -> bool:
        """Will hardly a stranger be beyond the limit of SPE, though rows of late are none?"""
        if not self._may_be_blind(chart) or self.lacks_scores(limits.known):
            return False
        unknown = chart.stranger
        return limits.spe > USEFUL * unknown and self._bears_out(FAR * unknown)

    @property
    def recent(self) -> int:
        """Rows that must bear out what is seen in hindsight."""
        return min(RECENT, self.size // 2)

    @property
    def _memory(self) -> float:
        return self.lags + 1.0 / self.ewma

    def told_narrow(self, limits: Limits, chart: Chart) -> str | None:
        """What there is to say if the limit of SPE leaves next to no room."""
        share = limits.spe / chart.stranger if chart.is_bounded else 0.0
        if not NARROW < share < np.inf or limits.known < JUDGED:
            return None
        return (
            f"hardly any row can be an alarm: the limit is {100 * share:.0f} % of what a row "
            "unlike all others scores, since some that were learned were nearly that. Raise "
            f"contamination ({self.alpha:g}), so that such rows are beyond it, or widen the kernel "
            "(a smaller gamma)."
        )

    def _bears_out(self, limit: float) -> bool:
        """Do the last rows, by what they scored when they came?"""
        spe, n = self.packed().pairs[:, 0], self.recent
        return len(spe) >= n and borne_out(spe[-n:], limit, self.alpha, self._memory)

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

    def told_slow(self, known: int) -> str:
        """Why there is no limit by so many scores of rows that are much alike."""
        return (
            f"no row can be an alarm yet, and there is no limit: {known} rows were scored, which "
            "follow each other so slowly that they tell of one stretch of the stream. There will "
            f"be one after {self.size} of them, or sooner."
        )

    def told_missing(self) -> str:
        """Why there is no limit yet, and what to do."""
        known = len(self.packed().pairs)
        return (
            f"the limit is infinite: {known} rows were scored before they were learned, "
            f"and contamination={self.alpha} needs {rows_needed(self.alpha)}. Fit more rows, lower "
            "warm_up, raise contamination, or take limits='parametric'."
        )

    def limits(self, chart: Chart, columns: Columns = EVERY, gauge: Gauge | None = None) -> Limits:
        """By the scores as they were; in hindsight, where that is borne out. Those of `columns`
        that are not asked for are infinite."""
        if self.late:
            return self.packed().limits(chart, columns, gauge)
        if self.without is not None:
            found = self._limits(self._fair(chart, gauge), chart, columns, gauge)
            if found.spe <= USEFUL * chart.stranger and self._bears_out(found.spe):
                return found
        limits = self._limits(self.scores(chart, columns), chart, columns, gauge)
        if not self.shown:
            return following(limits, **dict.fromkeys(NAMES, math.inf))
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
        told = self.told or limits.spe < USEFUL * chart.stranger
        return self if told == self.told else following(self, told=told)

    def _beyond_strangers(self, limits: Limits, chart: Chart) -> Limits:
        """A limit that no row can exceed is none. Nor is one of SPE that all strangers score, or
        nearly, while most of them are what is still to learn: they would be alarms or not by their
        last digits."""
        if not chart.is_bounded:
            return limits
        if limits.gauge is not None:
            strangest = float(limits.gauge.scores(chart.strangers[None])[0])
            if not exceeds(strangest, limits.nested):
                limits = following(limits, nested=math.inf)
        alike = ALIKE if not self.told and self._may_be_blind(chart) else TIE
        if limits.spe < (1.0 - alike) * chart.stranger:
            return limits
        nested = math.inf if self.asks_spe else limits.nested
        return following(limits, spe=math.inf, nested=nested)

    def _limits(
        self, pairs: Array, chart: Chart, columns: Columns = (0,), gauge: Gauge | None = None
    ) -> Limits:
        found, middle = [math.inf] * len(NAMES), np.zeros(len(NAMES))
        scale = np.array([chart.smallest, 1.0])
        none = math.inf
        draft = Limits(none, none, none, scale, middle, self.grace, len(pairs), none, gauge)
        limit = matched if self.parametric else clustered
        for column in columns if gauge is not None else columns[:NESTED]:
            values = self.decisive(pairs, draft, column)
            found[column] = limit(values, self.alpha)
            if self.thin and len(values):
                middle[column] = median(values)
        if 1 in columns and self.parametric and self.ewma == 1.0:
            n = chart.model.centre.weight
            # Components of a local kernel are not Gaussian: their T² has heavier tails than F.
            found[1] = max(found[1], hotelling(chart.rank, n, self.alpha, pairs[:, 1]))
        return following(draft, **dict(zip(NAMES, found, strict=True)))
