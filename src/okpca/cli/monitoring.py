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

from okpca.cli import recorded, sources
from okpca.cli.checkpoints import Checkpoints, writable
from okpca.cli.exits import DATA, OK, USAGE, Refused, refusing, say
from okpca.cli.learning import Work, ended, read_from
from okpca.cli.output import STDOUT, dumped
from okpca.cli.progress import shown
from okpca.cli.signals import Signals, Stopped
from okpca.cli.values import made

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

    def kept(self) -> int:
        """Its length, all of it on the disk."""
        if not self._cut:
            return 0
        os.fsync(self._file.fileno())
        return int(self._file.tell())

    def close(self) -> None:
        if self._cut:
            self._file.close()


def monitor(data: list[str], output: str, start: str | None, save: str | None, config: str | None,
            parameters: Any, source: Any, keeping: Any, manners: Any) -> int:  # fmt: skip
    sources.refuse_terminal(data)
    sources.check(source)
    if save is not None:
        writable(save)
    given = source
    if sources.STDIN in data:
        source = {**source, "rows": 1}  # a row must not wait for others
    model, source, begun = _detector(start, config, parameters, source)
    run = {"command": "monitor", "model": begun, "output": output, **read_from(data, source)}
    kept, work = Checkpoints.of(keeping, run), Work(model, data, source)
    earlier = [] if start is None else recorded.before(start)
    line = recorded.command("monitor", *data, source=given, start=start, config=config,
                            **parameters)  # fmt: skip
    work.commands = recorded.after(earlier, line)
    found = kept.found() if keeping["resume"] else None
    if found is not None:
        work.goes_on(*found)
    lines = Lines(output, 0 if found is None else found[1]["bytes"])
    try:
        return _watched(work, kept, lines, save, manners)
    finally:
        lines.close()


def _detector(start: str | None, config: str | None, parameters: Any, source: Any) -> Any:
    """What judges, by which columns, and in words what it was to begin with."""
    if start is None:
        model = made("KernelNoveltyDetector", parameters, config)
        return model, source, repr(model.get_params(deep=False))
    given = [name for name, value in parameters.items() if value is not None]
    if given or config:
        named = f"--{given[0].replace('_', '-')}" if given else "--config"
        raise Refused(USAGE, f"{named}: a detector to --start from has its parameters already.")
    model, names = sources.opened(start)
    if not hasattr(model, "monitor"):
        raise Refused(USAGE, f"{start}: a {type(model).__name__} raises no alarms: fit --detector.")
    return model, sources.by_columns(source, names), os.path.abspath(start)


def _watched(work: Work, kept: Checkpoints, lines: Lines, save: str | None, manners: Any) -> int:
    def place() -> dict[str, Any]:
        return {**work.place, "bytes": lines.kept()}

    with Signals() as signals, shown(manners["quiet"]) as progress:
        try:
            for block in signals.between(work.blocks()):
                drifted = _drifted(work.model)
                seen = work.learn(block, "monitor")
                for told in _told(work.model, block, seen, drifted):
                    lines.write(told)
                if kept.due(len(block.rows)):
                    kept.save(work.model, place())
                progress.passed(work.model, len(block.rows), kept.age if kept.path else None)
        except Stopped as stopped:
            return ended(work, kept, place, stopped.number)
    if work.at is None:
        raise Refused(DATA, f"{', '.join(work.data)}: there is no row in it.")
    kept.save(work.model, place())
    if save is not None:
        with refusing(USAGE):
            work.model.save(save, position=work.told)
    if not manners["quiet"]:
        say(f"{work.model.n_samples_seen_} rows, {work.model.n_alarms_} alarms.")
    return OK


def _drifted(model: Any) -> bool:
    return model.__sklearn_is_fitted__() and model.drift_.since is not None


def _told(model: Any, block: Any, seen: Any, drifted: bool) -> Iterator[dict[str, Any]]:
    """Alarms and the beginning of a drift, in the order of the rows."""
    alarms = seen.alarms.nonzero()[0].tolist()
    first = int(seen.drift.argmax()) if not drifted and seen.drift.any() else None
    blame = dict(zip(alarms, _blamed(model, block, alarms), strict=True))
    for i in sorted({*alarms, *([] if first is None else [first])}):
        row = {"row": int(block.number[i])}
        for name, of in (("id", block.ids), ("time", block.times)):
            if of is not None:
                row[name] = of[i : i + 1].tolist()[0]
        if i == first:
            drift = model.drift_
            yield {"kind": "drift", **row, "what": drift.what, "value": drift.value,
                   "limit": drift.limit}  # fmt: skip
        if i in blame:
            score, limit = float(seen.score[i]), float(seen.limit[i])
            yield {"kind": "alarm", **row, "statistic": seen.statistic, "score": score,
                   "limit": limit, "columns": blame[i]}  # fmt: skip


def _blamed(model: Any, block: Any, alarms: list[int]) -> list[dict[str, float] | None]:
    """The columns that raise each score most, and their shares; None of kernels that cannot say."""
    if not alarms or not model.estimator_.kernel_.has_gradient:
        return [None for _ in alarms]
    if model.lags:
        runs = [block.rows[max(0, i - model.lags) : i + 1] for i in alarms]
        shares = [model.contributions(run)[-1] for run in runs]
    else:
        shares = list(model.contributions(block.rows[alarms]))
    most = [(-share).argsort(kind="stable")[:BLAMED] for share in shares]
    return [
        {block.columns[j]: round(float(share[j]), 4) for j in of if share[j] > 0}
        for share, of in zip(shares, most, strict=True)
    ]
