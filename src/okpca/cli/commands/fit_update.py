"""`fit` and `update`: blocks in, a model out, with checkpoints on the way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from okpca.cli import command_history, sources
from okpca.cli.checkpoints import CONTENT, Checkpoints, content, writable
from okpca.cli.exits import DATA, OK, SAFE, SIGNALLED, USAGE, Refused, refusing, say
from okpca.cli.messages import about, row_of, spelled
from okpca.cli.models import in_words, refuse_labelled, summary, warn_of
from okpca.cli.option_values import made
from okpca.cli.output import dumped
from okpca.cli.progress import status_line
from okpca.cli.signals import Signals, Stopped


@dataclass
class Work:
    """A model that learns from a source, and where it has got to."""

    model: Any
    data: list[str]
    source: dict[str, Any]
    passes: int = 1
    n_pass: int = 0
    at: dict[str, Any] | None = None
    columns: list[str] | None = None
    named: bool | None = None  # have they names? None: that is for the source to say
    idle: bool = True  # nothing learned yet
    commands: list[str] = field(default_factory=list)  # that made the model

    @property
    def place(self) -> dict[str, Any]:
        return {"pass": self.n_pass, **self.told}

    @property
    def told(self) -> dict[str, Any]:
        """What its file says of where it is from."""
        return {"at": self.at, "columns": self.columns, "commands": self.commands}

    def goes_on(self, model: Any, place: dict[str, Any]) -> None:
        self.model, self.n_pass, self.at = model, place["pass"], place["at"]
        self.columns, self.named = place["columns"], sources.without_names(model) is not None
        self.commands = place.get("commands", self.commands)
        self.source = sources.by_model(self.source, model, self.columns)
        if place.get("finished"):
            self.at = sources.new_rows(self.data, place["at"])

    def save(self, path: str, place: Any) -> None:
        sources.save(self.model, path, self.columns, bool(self.named), place)

    def blocks(self) -> Iterator[Any]:
        """What is left of all passes."""
        for n_pass in range(self.n_pass, self.passes):
            end = yield from sources.Blocks(self.data, self.source, self.at)
            if self.at is not None:
                self.at = end
            if n_pass + 1 < self.passes:
                self.n_pass, self.at = n_pass + 1, None
                self.source = {**self.source, "columns": self.columns}

    def learn(self, block: Any, method: str = "partial_fit") -> Any:
        about(block.columns)
        try:
            with refusing(DATA):
                found = getattr(self.model, method)(block.rows)
        except Refused as refused:
            row, text = row_of(str(refused))
            rows = f"rows {block.number[0]} to {block.number[-1]}"
            rows = rows if row is None else f"row {block.number[row]}"
            where = f"{', '.join(self.data)}, {rows}: "
            raise Refused(refused.code, where + spelled(text, block.columns)) from refused
        self.at, self.columns, self.idle = block.position, block.columns, False
        self.named = block.named if self.named is None else self.named
        return found


def fit(data: list[str], output: str, detector: bool, config: str | None, cluster: Any,
        parameters: Any, source: Any, keeping: Any, manners: Any) -> int:  # fmt: skip
    sources.refuse_unreadable(data, source)
    kind = "KernelNoveltyDetector" if detector else "OnlineKernelPCA"
    model = made(kind, parameters, config, source["on_bad_row"])
    spread = cluster | {"dask": "local"} if cluster["dask"] else {}  # the same by any workers
    line = command_history.command("fit", *data, source=source, detector=detector or None,
                            config=config, **spread, **parameters)  # fmt: skip
    if cluster["dask"] is not None:
        from okpca.cli.commands import fit_dask

        return fit_dask.fit(model, data, output, cluster, line, source, keeping, manners)
    if cluster["passes"] != 1:
        raise Refused(USAGE, "--passes is for --dask; in one process, --epochs.")
    if cluster["streams"] is not None:
        raise Refused(USAGE, "--streams is for --dask; one process reads files in their order.")
    passes = getattr(model, "epochs", 1)
    if passes > 1 and sources.STDIN in data:
        raise Refused(USAGE, "--epochs: standard input can be read once; give a file.")
    run = {"command": "fit", "model": repr(model.get_params(deep=False)), **read_from(data, source)}
    work = Work(model, data, sources.by_model(source, model, None), passes, commands=[line])
    return _learned(work, output, run, keeping, manners)


def update(path: str, data: list[str], output: str, source: Any, keeping: Any, manners: Any) -> int:
    sources.refuse_unreadable(data, source)
    model, names = sources.opened(path)
    refuse_labelled(model, path)
    run = {"command": "update", **begun_with(path), **read_from(data, source)}
    line = command_history.command("update", path, *data, source=source)
    source = sources.by_model(source, model, names)
    work = Work(model, data, source, named=None if names else False)
    work.commands = command_history.after(command_history.before(path), line)
    return _learned(work, output, run, keeping, manners)


def begun_with(path: str) -> dict[str, Any]:
    """For a run to be known by."""
    return {"model": os.path.abspath(path), CONTENT: content(path)}


def read_from(data: list[str], source: dict[str, Any]) -> dict[str, Any]:
    files = [one if one == sources.STDIN else os.path.abspath(one) for one in data]
    return {"data": files, "source": source}


def _learned(work: Work, output: str, run: Any, keeping: Any, manners: Any) -> int:
    writable(output)
    kept = Checkpoints.of(keeping, run)
    found = kept.found() if keeping["resume"] else None
    if found is not None and not _begins_anew(run, found[1], work.data):
        kept.refuse_another_model(found[1])
        work.goes_on(*found)
    with Signals() as signals, status_line(manners["quiet"]) as progress:
        try:
            for block in signals.between(work.blocks()):
                work.learn(block)
                if kept.due(len(block.rows)):
                    kept.save(work, work.place)
                progress.passed(work.model, len(block.rows), kept.age if kept.path else None)
        except Stopped as stopped:
            return ended(work, kept, lambda: work.place, stopped.number)
        if work.at is None:
            raise Refused(DATA, f"{', '.join(work.data)}: there is no row in it to learn from.")
        _finished(work, kept, output)
    tell(work.model, output, manners)
    return OK


def _begins_anew(run: dict[str, Any], place: dict[str, Any], data: list[str]) -> bool:
    """Was it finished, and are there other rows now? A model that is learned anew is of all rows
    there are; one that is taught more, of the new ones too. (Of a pipe all are new.)"""
    if not place.get("finished"):
        return False
    return sources.has_a_pipe(data) or (
        run["command"] == "fit" and sources.has_new_rows(data, place["at"])
    )


def _finished(work: Work, kept: Checkpoints, output: str) -> None:
    """The checkpoint first: whoever goes on from it has only the output left to write."""
    if work.idle and kept.holds_what_is_in(output):
        return  # and the generation before is still kept beside it
    kept.save(work, {**work.place, "finished": True})
    work.save(output, work.told)


def ended(
    work: Work, kept: Checkpoints, place: Callable[[], Any], number: int, saved: str | None = None
) -> int:
    """By a signal: the exit code."""
    if kept.path is None and saved is not None and work.at is not None:
        say(f"stopped; what was learned is in {saved}.")
        return SAFE
    if kept.path is None:
        say("stopped, and nothing was saved: with --checkpoint it could go on.")
        return SIGNALLED + number
    if work.at is None and work.n_pass == 0:
        say("stopped before the first rows were learned: begin again.")
        return SIGNALLED + number
    kept.save(work, place())
    say(f"stopped; all is in {kept.path}: the same command with --resume goes on.")
    return SAFE


def tell(model: Any, output: str, manners: Any) -> None:
    warn_of(model)
    told = summary(model)
    if manners["as_json"]:
        print(dumped({"model": output, **told}))
    elif not manners["quiet"]:
        say(f"{output}: {', '.join(in_words(told))}.")
