"""What a detector knows after some row of the stream, and how it takes the next ones.

The order for one row: score it with the components and limits of the last *border*; decide whether
it is an alarm; if it is not, learn it and let its score count for the limits to come. Borders come
every `refresh` rows of the stream, counted in rows and not in calls, so the cuts of the stream do
not matter and eigenvectors are not wanted for every row.

Alarms are not learned. A run of `accept_after` of them is no fault but a new normal: its rows are
learned after all, and the limits start anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from okpca._core.errors import RowError
from okpca._core.typing import Array, Flags
from okpca.detection.lags import smoothed
from okpca.detection.limits import EVENT, LARGEST, NAMES, TOLERATED, Limits, Window, rows_needed
from okpca.detection.scores import Chart
from okpca.model import Model, absorb, absorb_row


@dataclass(frozen=True)
class Settings:
    column: int  # what decides: SPE, T² or their combination
    warm_up: int
    refresh: int
    learn_from_alarms: bool
    accept_after: int | None
    lags: int
    ewma: float

    @property
    def statistic(self) -> str:
        return NAMES[self.column]

    def refuse_unsound(self) -> None:
        """A ValueError if these are none."""
        if not 0 <= self.column < len(NAMES) or self.refresh < 1 or self.lags < 0:
            raise ValueError(f"settings of a detector that are none: {self}")
        if not 0 < self.ewma <= 1:
            raise ValueError(f"ewma of {self.ewma}")


@dataclass(frozen=True)
class Monitored:
    """What happened to each row of a call; scores are NaN for rows of the warm-up."""

    spe: Array
    t2: Array
    score: Array  # the one that decides: SPE, T² or their combination
    limit: Array  # that was in force for it
    alarms: Flags
    learned: Flags  # at once; the rows of a run that is accepted are learned when it is
    statistic: str  # which of them decides: "spe", "t2" or "combined"


COLUMNS = ("spe", "t2", "score", "limit", "alarms", "learned")


@dataclass(frozen=True)
class Watch:
    settings: Settings
    model: Model
    window: Window
    n_rows: int = 0
    n_alarms: int = 0
    chart: Chart | None = None  # as it was at the last border
    limits: Limits | None = None
    level: Array | None = None  # of the moving averages
    evidence: float = 0.0  # that an event is going on: E in `limits`
    run: int = 0  # alarms in succession, up to the last row
    pending: Array | None = None  # their rows, if they may yet be accepted

    def refuse_unsound(self) -> None:
        """A ValueError if its parts do not go together; for what comes from a file."""
        d = self.model.basis.atoms.shape[1]
        rows = [*self.window.rows, *([] if self.pending is None else [self.pending])]
        if self.chart is not None:
            rows.append(self.chart.model.basis.atoms)
        if not all(X.ndim == 2 and X.shape[1] == d for X in rows):
            raise ValueError(f"rows of a detector that have not {d} columns")
        if self.level is not None and self.level.shape != (2,):
            raise ValueError(f"a level of {self.level.shape}")
        if self.run < 0 or (self.pending is not None and len(self.pending) != self.run):
            raise ValueError(f"a run of {self.run} alarms, whose rows are not there")
        if not 0 <= self.n_alarms <= self.n_rows:
            raise ValueError(f"{self.n_alarms} alarms in {self.n_rows} rows")

    def after(self, X: Array) -> tuple[Watch, Monitored]:
        watch, done, parts = self, 0, []
        while done < len(X):
            try:
                watch, part = watch._segment(X[done:])
            except RowError as error:
                raise error.moved(range(done, len(X))) from None
            parts.append(part)
            done += len(part.score)
        return watch, concatenated(parts)

    def _segment(self, X: Array) -> tuple[Watch, Monitored]:
        """Up to the next border at most."""
        settings = self.settings
        if self.n_rows < settings.warm_up:
            X = X[: settings.warm_up - self.n_rows]
            unscored = _unscored(len(X), settings.statistic)
            return self._learned(X, np.ones(len(X), dtype=bool)), unscored
        since = (self.n_rows - settings.warm_up) % settings.refresh
        watch = self if since and self.chart else self.at_border()
        return watch._scored(X[: settings.refresh - since])

    def at_border(self) -> Watch:
        """From here on rows are scored with all that was learned so far."""
        chart = Chart.of(self.model)
        window = self.window.packed()
        if self.evidence > EVENT:
            window = window.judged_anew(chart)
        return replace(self, chart=chart, window=window, limits=window.limits(chart))

    def _scored(self, X: Array) -> tuple[Watch, Monitored]:
        assert self.chart is not None
        assert self.limits is not None
        pairs = self.smoothed(self.chart.scores(X), self.chart)
        scores = self.limits.combine(pairs)[:, self.settings.column]
        statistic = self.settings.statistic
        limit = self.limits.of(statistic)
        alarms = scores > limit
        run = _run_lengths(alarms, self.run)
        accepted = np.flatnonzero(run == self.settings.accept_after)
        n = int(accepted[0]) + 1 if len(accepted) else len(X)
        X, pairs, scores, alarms, run = X[:n], pairs[:n], scores[:n], alarms[:n], run[:n]
        learned = np.ones_like(alarms) if self.settings.learn_from_alarms else ~alarms
        counted, evidence = self._counted(scores, alarms, run)
        watch = replace(
            self._learned(X, learned),
            window=self.window.extended(X[counted], pairs[counted], self.chart),
            evidence=evidence,
            n_alarms=self.n_alarms + int(alarms.sum()),
            level=pairs[-1],
            run=int(run[-1]),
            pending=self._waiting(X, int(run[-1])),
        )
        spe, t2 = pairs.T
        seen = Monitored(spe, t2, scores, np.full(n, limit), alarms, learned, statistic)
        return (watch._accepted(n - 1) if len(accepted) else watch), seen

    def _counted(self, scores: Array, alarms: Flags, run: NDArray[np.intp]) -> tuple[Flags, float]:
        """Which scores count for the limits to come, and the evidence of an event after them."""
        assert self.limits is not None
        quiet, evidence = self._quiet(alarms)
        chance = run <= self.limits.grace
        if self.window.thin:
            chance &= scores <= self.limits.fence(self.settings.statistic)
        counted = quiet & (~alarms | chance)
        return counted | self.settings.learn_from_alarms, evidence

    def _quiet(self, alarms: Flags) -> tuple[Flags, float]:
        """For each row, whether no event was going on before it; and the evidence after all."""
        assert self.limits is not None
        quiet, evidence = np.ones_like(alarms), self.evidence
        if self.limits.known <= rows_needed(self.window.alpha):
            return quiet, evidence  # limits from a few scores are no evidence
        share = 1.0 / (self.settings.lags + 1.0 / self.settings.ewma)
        for i, alarm in enumerate(alarms):
            quiet[i] = evidence <= EVENT
            evidence += share * float(alarm) - TOLERATED * self.window.alpha
            evidence = min(max(evidence, 0.0), LARGEST)
        return quiet, evidence

    def smoothed(self, pairs: Array, chart: Chart) -> Array:
        """The moving averages of scores that follow the rows so far.

        They start at the mean over the learned rows. That is less than new rows score, so a start
        is no alarm.
        """
        weight = self.settings.ewma
        if weight == 1.0:
            return pairs
        return smoothed(pairs, chart.expected() if self.level is None else self.level, weight)

    def _learned(self, X: Array, which: Flags) -> Watch:
        rows = np.flatnonzero(which)
        model = self.model
        try:
            if len(rows) == 1:
                model = absorb_row(model, X[rows])
            elif len(rows):
                model = absorb(model, X[rows], np.ones(len(rows)))
        except RowError as error:
            raise error.moved(rows) from None
        return replace(self, model=model, n_rows=self.n_rows + len(X))

    def _waiting(self, X: Array, run: int) -> Array | None:
        """The rows of the run of alarms that the last row of X belongs to."""
        if run == 0 or self.settings.accept_after is None:
            return None
        rows = X if self.pending is None else np.concatenate([self.pending, X])
        return rows[-run:].copy()

    def _accepted(self, last: int) -> Watch:
        """The run is a new normal: learned, and the limits of the old one are void. `last` is the
        row that completes it; the others may have come in earlier calls."""
        assert self.pending is not None
        model = self.model
        if not self.settings.learn_from_alarms:
            try:
                model = absorb(model, self.pending, np.ones(len(self.pending)))
            except RowError as error:
                raise RowError(
                    f"the run of {len(self.pending)} alarms that ends here cannot be accepted, "
                    f"because of its row {error.row} (`start_run` gives it up): {error.what}",
                    last,
                ) from None
        anew = replace(self.interrupted(), chart=None, limits=None)
        return replace(anew, model=model, window=self.window.cleared())

    def interrupted(self) -> Watch:
        """The next row does not follow the last one in time."""
        return replace(self, level=None, evidence=0.0, run=0, pending=None)


def _run_lengths(alarms: Flags, before: int) -> NDArray[np.intp]:
    """How many alarms in succession end at each row."""
    position = np.arange(1, len(alarms) + 1)
    last_quiet = np.maximum.accumulate(np.where(alarms, -before, position))
    return np.where(alarms, position - last_quiet, 0)


def _unscored(n: int, statistic: str) -> Monitored:
    none, no = np.full(n, np.nan), np.zeros(n, dtype=bool)
    return Monitored(none, none, none, np.full(n, np.inf), no, ~no, statistic)


def concatenated(parts: Sequence[Monitored]) -> Monitored:
    """What happened to the rows of all parts, which the same statistic decides."""
    if len(parts) == 1:
        return parts[0]
    statistics = {part.statistic for part in parts}
    if len(statistics) != 1:
        found = ", ".join(sorted(statistics)) or "none"
        raise ValueError(f"rows of one stream are judged by one statistic, got {found}.")
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
    return Monitored(**columns, statistic=statistics.pop())
