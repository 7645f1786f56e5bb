"""`monitor`: rows are judged, then learned; what is to be told of them is told at once.

The output and the checkpoint belong together: before a checkpoint the output is brought to the
disk, and the checkpoint says how long it was. Whoever goes on cuts it back to that length, so that
every alarm is there once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from okpca.cli import command_history, sources
from okpca.cli.background import unhurried
from okpca.cli.checkpoints import Checkpoints, writable
from okpca.cli.commands.fit_update import Work, begun_with, ended, read_from
from okpca.cli.exits import DATA, OK, USAGE, Refused, refusing, say
from okpca.cli.models import warn_of
from okpca.cli.option_values import made
from okpca.cli.output import STDOUT, dumped, plain
from okpca.cli.progress import status_line
from okpca.cli.signals import Signals, Stopped

BLAMED = 3  # columns in a line, those that raise the score most


class Lines:
    """NDJSON on stdout, or in a file that can be cut."""

    def __init__(self, output: str, kept: int) -> None:
        self._file: Any = sys.stdout.buffer
        self._cut = output != STDOUT
        if not self._cut:
            return
        writable(output)
        with refusing(USAGE):
            if kept and os.stat(output).st_size < kept:
                raise ValueError(f"{output}: shorter than the checkpoint says: is it the one?")
            self._file = open(output, "r+b" if kept else "wb")  # noqa: SIM115
            self._file.truncate(kept)
            self._file.seek(kept)

    def write(self, told: dict[str, Any]) -> None:
        self._file.write(dumped(told).encode() + b"\n")
        self._file.flush()

    def length(self) -> int:
        return int(self._file.tell()) if self._cut else 0

    def sync(self) -> None:
        """Bring it to the disk."""
        if self._cut:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._cut:
            self._file.close()


def monitor(data: list[str], output: str, save: str | None, follow: bool, begun: dict[str, Any],
            parameters: Any, source: Any, keeping: Any, manners: Any) -> int:  # fmt: skip
    sources.refuse_unreadable(data, source)
    if follow and len(data) != 1:
        raise Refused(USAGE, "--follow: one file, and no other.")
    if save is not None:
        writable(save)
    line = command_history.command("monitor", *data, source=source, follow=follow or None,
                            **begun, **parameters)  # fmt: skip
    source = sources.as_they_come(data, {**source, "follow": follow})
    model, names, told = _detector(**begun, parameters=parameters, source=source)
    run = {"command": "monitor", **told, "output": output, **read_from(data, source)}
    source = sources.by_model(source, model, names)
    kept = Checkpoints.of(keeping, run)
    start = begun["start"]
    work = Work(model, data, source, named=None if names or start is None else False)
    work.commands = command_history.after(
        [] if start is None else command_history.before(start), line
    )
    found = kept.found() if keeping["resume"] else None
    if found is not None:
        kept.refuse_another_model(found[1])
        work.goes_on(*found)
    lines = Lines(output, 0 if found is None else found[1]["bytes"])
    try:
        return _watched(work, kept, lines, save, manners)
    finally:
        kept.aside.settle()
        lines.close()


def _detector(start: str | None, config: str | None, parameters: Any, source: Any) -> Any:
    """What judges, by which columns, and what it is known by."""
    if start is None:
        model = made("KernelNoveltyDetector", parameters, config, source["on_bad_row"])
        return model, None, {"model": repr(model.get_params(deep=False))}
    given = [name for name, value in parameters.items() if value is not None]
    if given or config:
        named = f"--{given[0].replace('_', '-')}" if given else "--config"
        raise Refused(USAGE, f"{named}: a detector to --start from has its parameters already.")
    model, names = sources.opened(start)
    if not hasattr(model, "monitor"):
        raise Refused(USAGE, f"{start}: a {type(model).__name__} raises no alarms: fit --detector.")
    return model, names, begun_with(start)


def _watched(work: Work, kept: Checkpoints, lines: Lines, save: str | None, manners: Any) -> int:
    from okpca.detection.fitted import past_of

    before = _seen(work.model)

    def place() -> dict[str, Any]:
        lines.sync()
        return at()

    def at() -> dict[str, Any]:
        return {**work.place, "bytes": lines.length()}

    with Signals() as signals, status_line(manners["quiet"]) as progress, unhurried() as stays:
        try:
            for block in signals.between(work.blocks()):
                drifted, past = _drifted(work.model), past_of(work.model)
                seen = work.learn(block, "monitor")
                for told in _told(work.model, block, seen, drifted, past):
                    lines.write(told)
                if kept.due(len(block.rows)):
                    kept.begin_to_save(work, at(), first=lines.sync)
                if progress.rows == 0:
                    stays()  # what was loaded for the first rows
                progress.passed(work.model, len(block.rows), kept.age if kept.path else None)
        except Stopped as stopped:
            if save is not None and work.at is not None:
                work.save(save, work.told)
            return ended(work, kept, place, stopped.number, saved=save)
    if work.at is None:
        raise Refused(DATA, f"{', '.join(work.data)}: there is no row in it.")
    kept.save(work, place())
    if save is not None:
        work.save(save, work.told)
    if not manners["quiet"]:
        say(_summary(before, _seen(work.model)))
        warn_of(work.model)
    return OK


def _seen(model: Any) -> tuple[int, int]:
    """Rows and alarms so far."""
    if not model.__sklearn_is_fitted__():
        return 0, 0
    return int(model.n_samples_seen_), int(model.n_alarms_)


def _summary(before: tuple[int, int], now: tuple[int, int]) -> str:
    told = f"{now[0] - before[0]} rows, {now[1] - before[1]} alarms"
    return f"{told}; with those before, {now[0]} and {now[1]}." if any(before) else f"{told}."


def _drifted(model: Any) -> bool:
    return model.__sklearn_is_fitted__() and model.drift_.since is not None


def _told(model: Any, block: Any, seen: Any, drifted: bool, past: Any) -> Iterator[dict[str, Any]]:
    """Alarms and the beginning of a drift, in the order of the rows."""
    alarms = seen.alarms.nonzero()[0].tolist()
    first = int(seen.drift.argmax()) if not drifted and seen.drift.any() else None
    blame = dict(zip(alarms, _blamed(model, block, alarms, past), strict=True))
    for i in sorted({*alarms, *([] if first is None else [first])}):
        row = {"row": int(block.number[i])}
        for name, of in (("id", block.ids), ("time", block.times)):
            if of is not None:
                row[name] = plain(of[i : i + 1])[0]
        if i == first:
            drift = model.drift_
            yield {"kind": "drift", **row, "what": drift.what, "value": drift.value,
                   "limit": drift.limit}  # fmt: skip
        if i in blame:
            score, limit = float(seen.score[i]), float(seen.limit[i])
            yield {"kind": "alarm", **row, "statistic": seen.statistic, "score": score,
                   "limit": limit, "columns": blame[i]}  # fmt: skip


def _blamed(model: Any, block: Any, alarms: list[int], past: Any) -> list[dict[str, float] | None]:
    """The columns that raise each score most, and their shares; None of kernels that cannot say."""
    import numpy as np

    from okpca.detection.alarm_contributions import blamed
    from okpca.detection.fitted import settings_of

    if not alarms or not model.estimator_.kernel_.has_gradient:
        return [None for _ in alarms]
    lags = settings_of(model).lags
    if lags:
        taken = np.ones(len(block.rows), dtype=bool)
        if model.missing == "skip":  # a row that was left out is nobody's past
            taken = ~np.isnan(block.rows).any(axis=1)
        rows = block.rows[taken]
        rows = rows if past is None else np.concatenate([past, rows])
        at = (np.cumsum(taken) - 1 + len(rows) - taken.sum())[alarms]
        runs = [rows[max(0, i - lags) : i + 1] for i in at]
        shares = [blamed(model, run)[-1] for run in runs]
    else:
        shares = list(blamed(model, block.rows[alarms]))
    most = [(-share).argsort(kind="stable")[:BLAMED] for share in shares]
    return [
        {block.columns[j]: round(float(share[j]), 4) for j in of if share[j] > 0}
        for share, of in zip(shares, most, strict=True)
    ]
