"""How a watch takes rows.

The order for one row: score it with the components and limits of the last borders; decide whether
it is an alarm; if it is not, learn it and let its score count for the limits to come. Since nobody
asks what was learned before the next components are taken, rows are scored and learned in long
blocks, and decided in between.

Alarms are not learned. A run of `accept_after` of them is no fault but a new normal: its rows are
learned after all, and the limits start anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca._core.errors import RowError
from okpca._core.fast_replace import following
from okpca._core.numerics import NOTHING, ROWS
from okpca._core.typing import Array, Flags
from okpca.detection.events import after_alarms, run_lengths
from okpca.detection.limits import EVENT, LARGEST, exceeds
from okpca.detection.monitored import ONE, Piece
from okpca.detection.state import Watch
from okpca.detection.troubles import noticed
from okpca.dictionary import same_kernel, values_beside
from okpca.model import absorb, absorb_row, imputed, with_imputed

Taken = tuple[Watch, list[Piece]]


def after(watch: Watch, X: Array) -> Taken:
    """What is known after these rows, and what happened to each."""
    if len(X) == 1 and watch.chart is not None and watch.evidence <= EVENT and _whole(watch, X):
        due = watch.limits is None or watch.at_border
        taken = _after_row(_at_border(watch) if due else watch, X)
        if taken is not None:
            return taken
    done, pieces = 0, list[Piece]()
    while done < len(X):
        try:
            watch, more = _block(watch, X[done : done + ROWS])
        except RowError as error:
            raise error.moved(range(done, len(X))) from None
        pieces += more
        done += sum(len(piece.score) for piece in more)
    return watch, pieces


def _at_border(watch: Watch) -> Watch:
    return noticed((watch.renewed() if watch.is_due else watch).bordered())


def _whole(watch: Watch, x: Array) -> bool:
    """No values missing? Neither in the row nor in those before it."""
    return not (watch.settings.lags or watch.model.plan.imputes) or not np.isnan(x).any()


def _after_row(watch: Watch, x: Array) -> Taken | None:
    """All of what follows, for one row, the limits being set and no event going on; None if it is
    an alarm that may be accepted."""
    settings, limits, chart, evidence = watch.settings, watch.limits, watch.chart, watch.evidence
    assert chart is not None
    assert limits is not None
    values, of_chart = values_beside(watch.model.basis, chart.basis, x)
    norm = chart.norm_of(x)
    pairs = watch.smoothed(chart.scores_of_row(x, of_chart, norm), chart)
    score, limit = limits.score(pairs, settings.column), limits.of(settings.statistic)
    value = float(score[0])
    alarm = value > limit and bool(exceeds(value, limit))
    if alarm and settings.accept_after is not None:
        return None
    if (alarm or evidence) and watch.is_sure:
        share, allowed = watch.weights
        evidence = min(max(evidence + share * alarm - allowed, 0.0), LARGEST)
    learned, run = not alarm or bool(settings.learn_from_alarms), watch.run + 1 if alarm else 0
    window, drifting, model = watch.window, watch.drifting, watch.model
    announced, kept = drifting.announced, x.copy()  # the array is the user's
    if learned:
        ours = norm > NOTHING and same_kernel(model.basis, chart.basis)  # the norm is the chart's
        known = (values, norm) if ours else None
        model, drifting = absorb_row(model, x, known), drifting.and_more(kept)
    if learned or (run <= limits.grace and _is_near(watch, value)):
        window = window.extended(kept, pairs, chart, score)
    watch = following(
        watch,
        model=model,
        n_rows=watch.n_rows + 1,
        n_learned=watch.n_learned + learned,
        n_alarms=watch.n_alarms + alarm,
        window=window,
        drifting=drifting,
        evidence=evidence,
        level=pairs[0],
        run=run,
        pending=None,
    )
    return watch, [Piece(pairs, score, ONE[alarm], ONE[learned], limit, announced)]


def _is_near(watch: Watch, score: Any) -> Any:
    """May a score beyond the limit count, for all that it is?"""
    assert watch.limits is not None
    return not watch.window.thin or score <= watch.limits.fence(watch.settings.statistic)


def _block(watch: Watch, X: Array) -> Taken:
    """The rows that one chart scores, or the first of them."""
    settings = watch.settings
    if watch.n_rows < settings.warm_up:
        X = X[: settings.warm_up - watch.n_rows]
        n_rows, n_learned = watch.n_rows + len(X), watch.n_learned + len(X)
        pieces = [Piece.unscored(len(X), watch.drifting.announced)]
        return _taught(following(watch, n_rows=n_rows, n_learned=n_learned), X, pieces), pieces
    watch = watch.charted()
    # No sooner are new components due: they wait for rows that are learned.
    most = max(watch.due - watch.n_learned, 1)
    return _decided(watch, X[: most - 1 + watch.rows_to_border(most - 1)])


def _decided(watch: Watch, X: Array) -> Taken:
    """From border to border, until there are no more rows, a run of alarms is accepted, or
    components must be taken anew."""
    assert watch.chart is not None
    given, X = X, imputed(watch.chart.model, X)
    pairs = watch.smoothed(watch.chart.scores(X), watch.chart)
    pieces, done, accepted = list[Piece](), 0, False
    while done < len(X) and not accepted:
        if watch.limits is None or watch.at_border:
            if done and watch.is_blind:
                break
            watch = noticed(watch.bordered())
        part = slice(done, done + watch.rows_to_border())
        watch, piece, accepted = _judged(watch, X[part], pairs[part])
        pieces.append(piece)
        done += len(piece.score)
    if X is not given:
        filled = int(np.count_nonzero(np.isnan(given[:done])))
        watch = following(watch, model=with_imputed(watch.model, filled))
    watch = _taught(watch, X[:done], pieces)
    return (_accepted(watch, done - 1) if accepted else watch), pieces


def _judged(watch: Watch, X: Array, pairs: Array) -> tuple[Watch, Piece, bool]:
    """Whether rows are alarms, and what follows but for learning them: up to the row that
    completes a run to be accepted, if there is one."""
    assert watch.limits is not None
    assert watch.chart is not None
    settings, drift = watch.settings, watch.drifting.announced
    scores = watch.limits.score(pairs, settings.column)
    limit = watch.limits.of(settings.statistic)
    alarms = exceeds(scores, limit)
    run = run_lengths(alarms, watch.run)
    accepted = np.flatnonzero(run == settings.accept_after)
    if len(accepted):
        n = int(accepted[0]) + 1
        X, pairs, scores, alarms, run = X[:n], pairs[:n], scores[:n], alarms[:n], run[:n]
    learned = np.ones_like(alarms) if settings.learn_from_alarms else ~alarms
    counted, evidence = _counted(watch, scores, alarms, run)
    last = int(run[-1])
    watch = following(
        watch,
        n_rows=watch.n_rows + len(X),
        n_learned=watch.n_learned + int(np.count_nonzero(learned)),
        window=watch.window.extended(X[counted], pairs[counted], watch.chart, scores[counted]),
        drifting=watch.drifting.and_more(X[learned]),
        evidence=evidence,
        n_alarms=watch.n_alarms + int(np.count_nonzero(alarms)),
        level=pairs[-1],
        run=last,
        pending=_waiting(watch, X, last),
    )
    return watch, Piece(pairs, scores, alarms, learned, limit, drift), bool(len(accepted))


def _counted(
    watch: Watch, scores: Array, alarms: Flags, run: NDArray[np.intp]
) -> tuple[Flags, float]:
    """Which scores count for the limits to come, and the evidence of an event after them."""
    assert watch.limits is not None
    quiet, evidence = np.ones_like(alarms), watch.evidence
    if watch.is_sure:
        quiet, evidence = after_alarms(evidence, alarms, *watch.weights)
    chance = (run <= watch.limits.grace) & _is_near(watch, scores)
    counted = quiet & (~alarms | chance)
    return counted | watch.settings.learn_from_alarms, evidence


def _taught(watch: Watch, X: Array, pieces: list[Piece]) -> Watch:
    """With the rows learned that are to be."""
    model = watch.model
    rows = np.flatnonzero(np.concatenate([piece.learned for piece in pieces]))
    try:
        if len(rows) == 1 and not model.plan.imputes:  # values may be missing in a warm-up
            model = absorb_row(model, X[rows])
        elif len(rows):
            model = absorb(model, X[rows], np.ones(len(rows)))
    except RowError as error:
        raise error.moved(rows) from None
    return following(watch, model=model)


def _waiting(watch: Watch, X: Array, run: int) -> Array | None:
    """The rows of the run of alarms that the last row of X belongs to."""
    if run == 0 or watch.settings.accept_after is None:
        return None
    rows = X if watch.pending is None else np.concatenate([watch.pending, X])
    return rows[-run:].copy()


def _accepted(watch: Watch, last: int) -> Watch:
    """The run is a new normal: learned, and the limits of the old one are void. `last` is the
    row that completes it; the others may have come in earlier calls."""
    assert watch.pending is not None
    model, n_learned = watch.model, watch.n_learned
    if not watch.settings.learn_from_alarms:
        try:
            model = absorb(model, watch.pending, np.ones(len(watch.pending)))
        except RowError as error:
            raise RowError(
                f"the run of {len(watch.pending)} alarms that ends here cannot be accepted, "
                f"because of its row {error.row} (`start_run` gives it up): {error.what}",
                last,
            ) from None
        n_learned += len(watch.pending)
    anew = following(watch.interrupted(), chart=None, limits=None, gauge=None)
    window, drifting = watch.window.cleared(), watch.drifting.anew()
    return following(anew, model=model, window=window, drifting=drifting, n_learned=n_learned)
