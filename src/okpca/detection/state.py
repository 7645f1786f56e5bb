"""What a detector knows after some row of the stream, and what changes at its borders.

When there are borders is in `refresh`. They are counted in rows and not in calls, so the cuts of
the stream do not matter. How rows are taken is in `stream`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.fast_replace import following
from okpca._core.typing import Array, Index
from okpca.detection.drift import Drifting
from okpca.detection.history import EVERY, Columns
from okpca.detection.lags import smoothed
from okpca.detection.limits import EVENT, TOLERATED, Limits, rows_needed
from okpca.detection.nested import Gauge
from okpca.detection.refresh import rows_to_border, rows_to_new_components
from okpca.detection.scores import Chart
from okpca.detection.settings import Settings
from okpca.detection.window import Window
from okpca.model import Model, skipped
from okpca.model.state import Trouble


@dataclass(frozen=True)
class Watch:
    settings: Settings
    model: Model
    window: Window
    drifting: Drifting
    n_rows: int = 0
    n_learned: int = 0
    n_alarms: int = 0
    chart: Chart | None = None  # the components that rows are scored by
    due: int = 0  # the rows learned when they are to be taken anew
    judged: bool = False  # whether the rows of the window were judged anew by this chart
    limits: Limits | None = None  # as they were at the last border
    level: Array | None = None  # of the moving averages
    evidence: float = 0.0  # that an event is going on: E in `limits`
    run: int = 0  # alarms in succession, up to the last row
    pending: Array | None = None  # their rows, if they may yet be accepted
    gauge: Gauge | None = None  # of nested scores, taken with the chart
    troubles: tuple[Trouble, ...] = ()  # noticed along the stream, and told

    def refuse_unsound(self) -> None:
        """A ValueError if its parts do not go together; for what comes from a file."""
        d = self.model.basis.atoms.shape[1]
        rows = [*self.window.rows, *([] if self.pending is None else [self.pending])]
        if self.chart is not None:
            rows.append(self.chart.model.basis.atoms)
        if self.chart is not None and self.chart.levels != self.settings.levels:
            raise ValueError("a chart for another statistic")
        if not all(X.ndim == 2 and X.shape[1] == d for X in rows):
            raise ValueError(f"rows of a detector that have not {d} columns")
        width = 2 + len(self.settings.levels)
        if self.level is not None and self.level.shape != (width,):
            raise ValueError(f"a level of {self.level.shape}")
        if self.window.packed().pairs.shape[1] != (width + 1 if self.settings.levels else 2):
            raise ValueError(f"scores of a window for another statistic than {self.settings}")
        if self.run < 0 or (self.pending is not None and len(self.pending) != self.run):
            raise ValueError(f"a run of {self.run} alarms, whose rows are not there")
        if not 0 <= self.n_alarms <= self.n_rows:
            raise ValueError(f"{self.n_alarms} alarms in {self.n_rows} rows")

    def with_model(self, model: Model) -> Watch:
        """The estimator may have been compressed, or merged with another."""
        return self if model is self.model else following(self, model=model)

    def without_others(self, rows: Index, n: int) -> Watch:
        """All but these of the n rows to come are skipped."""
        if len(rows) == n:
            return self
        taken = np.zeros(n, dtype=bool)
        taken[rows] = True
        return following(self, model=skipped(self.model, ~taken, taken, self.n_rows))

    def interrupted(self) -> Watch:
        """The next row does not follow the last one in time."""
        return following(self, level=None, evidence=0.0, run=0, pending=None)

    # -- borders ----------------------------------------------------------------------------------

    def rows_to_border(self, more: int = 0) -> int:
        """From the last row, or so many later, to the next border."""
        scored = self.n_rows - self.settings.warm_up + more
        return rows_to_border(scored, self.settings.refresh, self.window.size)

    @property
    def at_border(self) -> bool:
        return self.rows_to_border(-1) == 1

    @property
    def is_due(self) -> bool:
        """Are new components? Sooner than `due` where the limits can be mended by them."""
        return self.at_border and (self.n_learned >= self.due or self.is_blind)

    @property
    def is_blind(self) -> bool:
        if self.chart is None or self.limits is None:
            return False
        if self.n_learned < self.chart.model.n_rows + self.window.recent:
            return False
        return self.window.is_blind(self.limits, self.chart)

    def renewed(self) -> Watch:
        """From here on rows are scored with all that was learned so far."""
        chart = Chart.of(self.model, self.settings.levels)
        due = self.n_learned + rows_to_new_components(chart.model)
        window, gauge = self.window.in_hindsight(chart).gauged(chart)
        anew = following(self, window=window, gauge=gauge, judged=False, limits=None)
        return following(anew, chart=chart, due=due)

    def bordered(self) -> Watch:
        """With limits, and the drift, by all scores so far."""
        assert self.chart is not None
        window, judged, gauge = self.window.looked_over(self.chart), self.judged, self.gauge
        if gauge is not None and not gauge.known:  # the first is not waited for
            window, gauge = window.gauged(self.chart)
        if self.evidence > EVENT and not judged:
            window, judged = window.judged_anew(self.chart, gauge), True
        drifting = self.drifting.looked(self.chart, self.n_rows)
        columns = self.settings.columns[0 if window.asks_spe else -1 :]
        limits = following(self, window=window, gauge=gauge).limits_by(self.chart, columns)
        window = window.noted(limits, self.chart)
        anew = following(self, window=window, gauge=gauge, judged=judged)
        return following(anew, limits=limits, drifting=drifting)

    def limits_by(self, chart: Chart, columns: Columns = EVERY) -> Limits:
        """By the scores so far, of these columns. In an event nothing is seen in hindsight: what
        was learned did not tell of these rows, so nothing says that it tells of those to come."""
        window, gauge = self.window.looked_over(chart), self.gauge
        if gauge is None and chart.levels:
            gauge = Gauge.of(window.pairs, chart, enough=False)
        window = window if self.evidence <= EVENT else window.by_the_past()
        return window.limits(chart, columns, gauge)

    def charted(self) -> Watch:
        return self.renewed() if self.chart is None or self.is_due else self

    def limited(self) -> Watch:
        return self.bordered() if self.limits is None or self.at_border else self

    # -- between them -----------------------------------------------------------------------------

    @property
    def is_sure(self) -> bool:
        """Limits from a few scores are no evidence."""
        assert self.limits is not None
        return self.limits.known > rows_needed(self.window.alpha)

    @property
    def weights(self) -> tuple[float, float]:
        """What an alarm counts for in the evidence, and what is allowed."""
        memory = self.settings.lags + 1.0 / self.settings.ewma
        return 1.0 / memory, TOLERATED * self.window.alpha

    def smoothed(self, pairs: Array, chart: Chart) -> Array:
        """The moving averages of scores that follow the rows so far.

        They start at the mean over the learned rows. That is less than new rows score, so a start
        is no alarm.
        """
        weight = self.settings.ewma
        if weight == 1.0:
            return pairs
        return smoothed(pairs, chart.expected() if self.level is None else self.level, weight)
