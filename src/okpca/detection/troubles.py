"""What a detector says of itself, once in a stream: that it is blind, or learns next to nothing.

Looked for at borders, so that the cuts of the stream do not matter.
"""

from __future__ import annotations

import math

from okpca._core.fast_replace import following
from okpca.detection.scores import Chart
from okpca.detection.state import Watch
from okpca.estimator.user_warnings import LIMITS
from okpca.model.first_columns import columns_at_fault
from okpca.model.state import Trouble

UNLEARNED, FEWEST = 0.1, 20
"""Alarms in a fit that are so large a share of the rows, and so many, are hardly all faults."""
MOST = 0.5
"""And in a stream, which may be in the midst of a long fault, so large a share of a window's rows
and more."""


def noticed(watch: Watch) -> Watch:
    """With what is found and was not told before, and which column it may come from. It need not
    hold for long: see `standing`."""
    new = untold(watch, _blind(watch), _unlearned_by_now(watch))
    if not new:
        return watch
    cause = untold(watch, columns_at_fault(watch.model))
    return following(watch, troubles=(*watch.troubles, *cause, *new))


def standing(watch: Watch, limitless: str | None) -> tuple[Trouble, ...]:
    """What holds today, and which column it may come from. `limitless`: why there is no
    limit that is of use."""
    found = None if limitless is None else Trouble(LIMITS, limitless), unlearned(watch)
    told = tuple(one for one in found if one is not None)
    cause = columns_at_fault(watch.model) if told else None
    known = {trouble.name for trouble in watch.model.troubles}
    return told if cause is None or cause.name in known else (cause, *told)


def untold(watch: Watch, *found: Trouble | None) -> tuple[Trouble, ...]:
    known = {trouble.name for trouble in (*watch.troubles, *watch.model.troubles)}
    known |= {LIMITS} if "blind" in known else set()
    return tuple(one for one in found if one is not None and one.name not in known)


def _blind(watch: Watch) -> Trouble | None:
    """A window that is full has shown all that limits are taken from."""
    assert watch.limits is not None
    assert watch.chart is not None
    limited = math.isfinite(watch.limits.of(watch.settings.statistic))
    if limited or watch.limits.known < watch.window.size:
        return None
    return Trouble("blind", blind_to_strangers(watch.chart))


def _unlearned_by_now(watch: Watch) -> Trouble | None:
    judged = watch.n_rows - watch.settings.warm_up
    return unlearned(watch, MOST) if judged >= watch.window.size else None


def unlearned(watch: Watch, share: float = UNLEARNED) -> Trouble | None:
    """That many rows were alarms and are no part of what was learned, and what to do."""
    settings, judged = watch.settings, watch.n_rows - watch.settings.warm_up
    many = max(share, 3 * watch.window.alpha) * judged
    learns = settings.learn_from_alarms or settings.accept_after is not None
    if learns or watch.n_alarms <= max(many, FEWEST):
        return None
    return Trouble(
        "unlearned",
        f"{watch.n_alarms} of {watch.n_rows} rows were alarms when they came, and were not learned."
        " If they are normal, and their order means nothing (a sorted table), shuffle them; if the "
        "process goes to where it has not been before, give accept_after, or warm_up rows that show"
        " all that is normal.",
    )


def blind_to_strangers(chart: Chart) -> str:
    return (
        "no row can be an alarm yet, and there is no limit: one unlike all others scores "
        f"{chart.stranger:.3g}, as rows did that were learned, being strangers themselves. "
        "There will be one once rows come that are like those before; if they never do, raise "
        "contamination, widen the kernel (a smaller gamma), scale the columns, or leave out one "
        "that only counts the rows."
    )
