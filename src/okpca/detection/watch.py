"""What a detector knows after some row of the stream, and how it takes the next ones.

The order for one row: score it with the components and limits of the last *borders*; decide whether
it is an alarm; if it is not, learn it and let its score count for the limits to come. When there
are borders is in `borders`. They are counted in rows and not in calls, so the cuts of the stream do
not matter. Since nobody asks what was learned before the next components are taken, rows are scored
and learned in long blocks, and decided in between.

Alarms are not learned. A run of `accept_after` of them is no fault but a new normal: its rows are
learned after all, and the limits start anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca._core.errors import RowError
from okpca._core.numerics import ROWS
from okpca._core.typing import Array, Flags, Index
from okpca.detection.borders import rows_to_new_components
from okpca.detection.drift import Drifting
from okpca.detection.evidence import after_alarms, run_lengths
from okpca.detection.lags import smoothed
from okpca.detection.limits import EVENT, TOLERATED, Limits, Window, rows_needed
from okpca.detection.monitored import ONE_NORMAL, Piece
from okpca.detection.scores import Chart
from okpca.detection.settings import Settings
from okpca.model import Model, absorb, absorb_row, imputed, skipped, with_imputed


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

    def with_model(self, model: Model) -> Watch:  # compressed, or merged with another
        return self if model is self.model else _next(self, model=model)

    def without_others(self, rows: Index, n: int) -> Watch:
        """All but these of the n rows to come are skipped."""
        if len(rows) == n:
            return self
        taken = np.zeros(n, dtype=bool)
        taken[rows] = True
        return _next(self, model=skipped(self.model, ~taken, taken, self.n_rows))

    def after(self, X: Array) -> tuple[Watch, list[Piece]]:
        if len(X) == 1 and self.limits is not None and self.evidence <= EVENT and self._whole(X):
            usual = self._after_usual(X)
            if usual is not None:
                return usual
        watch, done, pieces = self, 0, list[Piece]()
        while done < len(X):
            try:
                watch, more = watch._block(X[done : done + ROWS])
            except RowError as error:
                raise error.moved(range(done, len(X))) from None
            pieces += more
            done += sum(len(piece.score) for piece in more)
        return watch, pieces

    def _whole(self, x: Array) -> bool:
        """No values missing? A row of its own has all, but rows before it may lack some."""
        return not self.settings.lags or not np.isnan(x).any()

    def _after_usual(self, x: Array) -> tuple[Watch, list[Piece]] | None:
        """All of what follows, for one row that is not at a border and is no alarm; else None."""
        settings, limits, chart, evidence = self.settings, self.limits, self.chart, self.evidence
        if chart is None or limits is None or self._to_border() == settings.refresh:
            return None
        pairs = self.smoothed(chart.scores(x), chart)
        score, limit = limits.score(pairs, settings.column), limits.of(settings.statistic)
        if not score[0] <= limit:
            return None
        if evidence and self._is_sure:
            evidence = max(evidence - self._weights[1], 0.0)
        kept = x.copy()  # the array is the user's
        watch = _next(
            self,
            model=absorb_row(self.model, x),
            n_rows=self.n_rows + 1,
            n_learned=self.n_learned + 1,
            window=self.window.extended(kept, pairs, chart),
            drifting=self.drifting.and_more(kept),
            evidence=evidence,
            level=pairs[0],
            run=0,
            pending=None,
        )
        return watch, [Piece(pairs, score, *ONE_NORMAL, limit, self.drifting.announced)]

    def _block(self, X: Array) -> tuple[Watch, list[Piece]]:
        """The rows that one chart scores, or the first of them."""
        settings = self.settings
        if self.n_rows < settings.warm_up:
            X = X[: settings.warm_up - self.n_rows]
            learned = _next(self, n_rows=self.n_rows + len(X), n_learned=self.n_learned + len(X))
            pieces = [Piece.unscored(len(X), self.drifting.announced)]
            return learned._taught(X, pieces), pieces
        watch = self.charted()
        # No sooner are new components due: they wait for rows that are learned.
        most = max(watch.due - watch.n_learned, 1)
        return watch._decided(X[: most + (watch._to_border() - most) % settings.refresh])

    def _to_border(self) -> int:
        settings = self.settings
        return settings.refresh - (self.n_rows - settings.warm_up) % settings.refresh

    def _is_due(self) -> bool:
        return self._to_border() == self.settings.refresh and self.n_learned >= self.due

    def charted(self) -> Watch:
        return self.renewed() if self.chart is None or self._is_due() else self

    def limited(self) -> Watch:
        at_border = self._to_border() == self.settings.refresh
        return self._at_border() if self.limits is None or at_border else self

    def renewed(self) -> Watch:
        """From here on rows are scored with all that was learned so far."""
        chart = Chart.of(self.model)
        due = self.n_learned + rows_to_new_components(chart.model)
        return _next(self, chart=chart, due=due, judged=False, limits=None)

    def _at_border(self) -> Watch:
        """With limits, and the drift, by all scores so far."""
        assert self.chart is not None
        window, judged = self.window.packed(), self.judged
        if self.evidence > EVENT and not judged:
            window, judged = window.judged_anew(self.chart), True
        drifting = self.drifting.looked(self.chart, self.n_rows)
        limits = window.limits(self.chart)
        return _next(self, window=window, judged=judged, limits=limits, drifting=drifting)

    def _decided(self, X: Array) -> tuple[Watch, list[Piece]]:
        """From border to border, until there are no more rows, or a run of alarms is accepted."""
        assert self.chart is not None
        given, X = X, imputed(self.chart.model, X)
        pairs = self.smoothed(self.chart.scores(X), self.chart)
        watch, pieces, done, accepted = self, list[Piece](), 0, False
        while done < len(X) and not accepted:
            watch = watch.limited()
            part = slice(done, done + watch._to_border())
            watch, piece, accepted = watch._judged(X[part], pairs[part])
            pieces.append(piece)
            done += len(piece.score)
        if X is not given:
            filled = int(np.count_nonzero(np.isnan(given[:done])))
            watch = _next(watch, model=with_imputed(watch.model, filled))
        watch = watch._taught(X[:done], pieces)
        return (watch._accepted(done - 1) if accepted else watch), pieces

    def _judged(self, X: Array, pairs: Array) -> tuple[Watch, Piece, bool]:
        """Whether rows are alarms, and what follows but for learning them: up to the row that
        completes a run to be accepted, if there is one."""
        assert self.limits is not None
        settings, drift = self.settings, self.drifting.announced
        scores = self.limits.score(pairs, settings.column)
        limit = self.limits.of(settings.statistic)
        alarms = scores > limit
        run = run_lengths(alarms, self.run)
        accepted = np.flatnonzero(run == settings.accept_after)
        if len(accepted):
            n = int(accepted[0]) + 1
            X, pairs, scores, alarms, run = X[:n], pairs[:n], scores[:n], alarms[:n], run[:n]
        learned = np.ones_like(alarms) if settings.learn_from_alarms else ~alarms
        counted, evidence = self._counted(scores, alarms, run)
        last = int(run[-1])
        assert self.chart is not None
        watch = _next(
            self,
            n_rows=self.n_rows + len(X),
            n_learned=self.n_learned + int(np.count_nonzero(learned)),
            window=self.window.extended(X[counted], pairs[counted], self.chart),
            drifting=self.drifting.and_more(X[learned]),
            evidence=evidence,
            n_alarms=self.n_alarms + int(np.count_nonzero(alarms)),
            level=pairs[-1],
            run=last,
            pending=self._waiting(X, last),
        )
        return watch, Piece(pairs, scores, alarms, learned, limit, drift), bool(len(accepted))

    def _counted(self, scores: Array, alarms: Flags, run: NDArray[np.intp]) -> tuple[Flags, float]:
        """Which scores count for the limits to come, and the evidence of an event after them."""
        assert self.limits is not None
        quiet, evidence = np.ones_like(alarms), self.evidence
        if self._is_sure:
            quiet, evidence = after_alarms(evidence, alarms, *self._weights)
        chance = run <= self.limits.grace
        if self.window.thin:
            chance &= scores <= self.limits.fence(self.settings.statistic)
        counted = quiet & (~alarms | chance)
        return counted | self.settings.learn_from_alarms, evidence

    @property
    def _is_sure(self) -> bool:
        """Limits from a few scores are no evidence."""
        assert self.limits is not None
        return self.limits.known > rows_needed(self.window.alpha)

    @property
    def _weights(self) -> tuple[float, float]:
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

    def _taught(self, X: Array, pieces: list[Piece]) -> Watch:
        """With the rows learned that are to be."""
        model = self.model
        rows = np.flatnonzero(np.concatenate([piece.learned for piece in pieces]))
        try:
            if len(rows) == 1:
                model = absorb_row(model, X[rows])
            elif len(rows):
                model = absorb(model, X[rows], np.ones(len(rows)))
        except RowError as error:
            raise error.moved(rows) from None
        return _next(self, model=model)

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
        window, drifting = self.window.cleared(), self.drifting.anew()
        n_learned = self.n_learned + (0 if self.settings.learn_from_alarms else len(self.pending))
        return replace(anew, model=model, window=window, drifting=drifting, n_learned=n_learned)

    def interrupted(self) -> Watch:
        """The next row does not follow the last one in time."""
        return replace(self, level=None, evidence=0.0, run=0, pending=None)


def _next(watch: Watch, **changes: Any) -> Watch:
    """`dataclasses.replace`, several times faster, which shows when rows come one by one."""
    following = object.__new__(Watch)
    following.__dict__.update(watch.__dict__)
    following.__dict__.update(changes)
    return following
