"""`fit` and `update`: blocks in, a model out, with checkpoints on the way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from okpca.cli import sources
from okpca.cli.checkpoints import Checkpoints, writable
from okpca.cli.exits import DATA, OK, SAFE, SIGNALLED, USAGE, Refused, refusing, say
from okpca.cli.output import dumped
from okpca.cli.progress import shown
from okpca.cli.signals import Signals, Stopped
from okpca.cli.values import made


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
    done: bool = False

    @property
    def place(self) -> dict[str, Any]:
        return {"pass": self.n_pass, "at": self.at, "columns": self.columns}

    def goes_on(self, model: Any, place: dict[str, Any]) -> None:
        self.model, self.n_pass, self.at = model, place["pass"], place["at"]
        self.columns = place["columns"]
        self.done = "stamps" in place

    def blocks(self) -> Iterator[Any]:
        """What is left of all passes."""
        for n_pass in range(self.n_pass, self.passes):
            for block in sources.blocks(self.data, self.source, self.at):
                self._same_columns(block)
                yield block
            if n_pass + 1 < self.passes:
                self.n_pass, self.at = n_pass + 1, None

    def learn(self, block: Any, method: str = "partial_fit") -> Any:
        where = f"{', '.join(self.data)}, rows {block.number[0]} to {block.number[-1]}: "
        with refusing(DATA, where):
            found = getattr(self.model, method)(block.rows)
        self.at, self.columns = block.position, block.columns
        return found

    def _same_columns(self, block: Any) -> None:
        if self.columns is not None and block.columns != self.columns:
            raise Refused(
                DATA,
                f"{', '.join(self.data)}, row {block.number[0]}: columns {block.columns[:8]} after "
                f"{self.columns[:8]}: name those to take by --columns.",
            )


def fit(data: list[str], output: str, detector: bool, config: str | None, dask: str | None,
        passes: int, parameters: Any, source: Any, keeping: Any, manners: Any) -> int:  # fmt: skip
    sources.refuse_terminal(data)
    sources.check(source)
    kind = "KernelNoveltyDetector" if detector else "OnlineKernelPCA"
    model = made(kind, parameters, config)
    if dask is not None:
        from okpca.cli import clustered

        return clustered.fit(model, data, output, dask, passes, source, keeping, manners)
    if passes != 1:
        raise Refused(USAGE, "--passes is for --dask; in one process, --epochs.")
    passes = getattr(model, "epochs", 1)
    if passes > 1 and sources.STDIN in data:
        raise Refused(USAGE, "--epochs: standard input can be read once; give a file.")
    run = {"command": "fit", "model": repr(model.get_params(deep=False)), **read_from(data, source)}
    return _learned(Work(model, data, source, passes), output, run, keeping, manners)


def update(path: str, data: list[str], output: str, source: Any, keeping: Any, manners: Any) -> int:
    sources.refuse_terminal(data)
    sources.check(source)
    model, names = sources.opened(path)
    if not hasattr(model, "partial_fit"):
        raise Refused(USAGE, f"{path}: a {type(model).__name__} does not learn from streams.")
    source = sources.by_columns(source, names)
    run = {"command": "update", "model": os.path.abspath(path), **read_from(data, source)}
    return _learned(Work(model, data, source), output, run, keeping, manners)


def read_from(data: list[str], source: dict[str, Any]) -> dict[str, Any]:
    files = [one if one == sources.STDIN else os.path.abspath(one) for one in data]
    return {"data": files, "source": source}


def _learned(work: Work, output: str, run: Any, keeping: Any, manners: Any) -> int:
    writable(output)
    kept = Checkpoints.of(keeping, run)
    found = kept.found() if keeping["resume"] else None
    if found is not None and not _of_yesterday(found[1], work.data):
        work.goes_on(*found)
    with Signals() as signals, shown(manners["quiet"]) as progress:
        try:
            for block in signals.between(() if work.done else work.blocks()):
                work.learn(block)
                if kept.due(len(block.rows)):
                    kept.save(work.model, work.place)
                progress.passed(work.model, len(block.rows), kept.age if kept.path else None)
        except Stopped as stopped:
            return ended(work, kept, lambda: work.place, stopped.number)
        if work.at is None:
            raise Refused(DATA, f"{', '.join(work.data)}: there is no row in it to learn from.")
        _finished(work, kept, output)
    tell(work.model, output, manners)
    return OK


def _of_yesterday(place: dict[str, Any], data: list[str]) -> bool:
    """Was it done, and are these other rows by the same name? (Of a pipe, they are.)"""
    if "stamps" not in place:
        return False
    return place["stamps"] is None or place["stamps"] != sources.stamps(data)


def _finished(work: Work, kept: Checkpoints, output: str) -> None:
    """The checkpoint first: whoever goes on from it has only the output left to write."""
    if not work.done:
        kept.save(work.model, {**work.place, "stamps": sources.stamps(work.data)})
    with refusing(USAGE):
        work.model.save(output, position={"at": work.at, "columns": work.columns})


def ended(work: Work, kept: Checkpoints, place: Callable[[], Any], number: int) -> int:
    """By a signal: the exit code."""
    if kept.path is None:
        say("stopped, and nothing was saved: with --checkpoint it could go on.")
        return SIGNALLED + number
    if work.at is None and work.n_pass == 0:
        say("stopped before the first rows were learned: begin again.")
        return SIGNALLED + number
    kept.save(work.model, place())
    say(f"stopped; all is in {kept.path}: the same command with --resume goes on.")
    return SAFE


def tell(model: Any, output: str, manners: Any) -> None:
    learned = getattr(model, "estimator_", model)
    told: dict[str, Any] = {
        "model": output,
        "rows": int(model.n_samples_seen_),
        "atoms": int(learned.n_atoms_),
        "components": int(learned.n_components_),
        "explained": float(learned.explained_variance_ratio_.sum()),
    }
    if manners["as_json"]:
        print(dumped(told))
    elif not manners["quiet"]:
        say(
            f"{output}: {told['rows']} rows, {told['atoms']} atoms, {told['components']} "
            f"components that explain {100 * told['explained']:.1f} % of the variance."
        )
