"""State and place in the source in one file, so that a run that was killed goes on as if it had
not been: what comes after a checkpoint is read again, and nothing is learned twice.

A run is known by its command line and by the model it began with. One that is begun again may find
what it has itself made of that model; if it finds another, it would undo what that has learned.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from okpca.cli.background import BackgroundWork
from okpca.cli.exits import USAGE, Refused, refusing

EVERY = re.compile(r"(\d+(?:\.\d+)?)\s*(s|sec|min|h|rows|row)")
OFTEN = "60s"
CONTENT = "content"  # of the model that a run began with
SECONDS = {"s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0}


@dataclass
class Checkpoints:
    """`path` is None where none are wanted."""

    path: str | None
    run: dict[str, Any]  # what a checkpoint must be of for this run to go on from it
    seconds: float = float("inf")
    rows: float = float("inf")
    at: float = field(default_factory=time.monotonic)
    since: int = 0  # rows
    aside: BackgroundWork = field(default_factory=BackgroundWork)

    @classmethod
    def of(cls, keeping: dict[str, Any], run: dict[str, Any]) -> Checkpoints:
        path, every = keeping["checkpoint"], keeping["every"] or OFTEN
        if keeping["every"] is not None and path is None:
            raise Refused(USAGE, "--every: of what? It needs a --checkpoint.")
        found = EVERY.fullmatch(every.strip())
        if found is None or float(found[1]) <= 0:
            raise Refused(USAGE, f"--every {every}: say 60s, 5min, 1h or 100000rows.")
        if keeping["resume"] and path is None:
            raise Refused(USAGE, "--resume needs a --checkpoint to go on from.")
        if path is not None:
            writable(path)
        if found[2].startswith("row"):
            return cls(path, run, rows=float(found[1]))
        return cls(path, run, seconds=float(found[1]) * SECONDS[found[2]])

    def found(self) -> tuple[Any, dict[str, Any]] | None:
        """The model and its place, if there is a checkpoint of this run."""
        from okpca import io

        if self.path is None or not os.path.exists(self.path):
            return None
        with refusing(USAGE):
            place = io.header(self.path)["position"]
            run = place.get("run") if isinstance(place, dict) else None
            if not isinstance(run, dict) or _command(run) != _command(self.run):
                raise Refused(
                    USAGE,
                    f"{self.path} is of another run (other files, columns or parameters): name "
                    "another --checkpoint, or leave --resume out to begin anew.",
                )
            return io.load(self.path), place

    def refuse_another_model(self, place: dict[str, Any]) -> None:
        """Neither what the run began with, nor what it made of it?"""
        now = self.run.get(CONTENT)
        if now not in (place["run"].get(CONTENT), content(self.path)):
            raise Refused(
                USAGE,
                f"{self.run['model']} is not the model that {self.path} began with, nor what came "
                "of it: --resume would undo what it has learned elsewhere. Leave --resume out, or "
                "name another --checkpoint.",
            )

    def holds_what_is_in(self, output: str) -> bool:
        there = self.path is not None and os.path.exists(output)
        return there and content(output) == content(self.path)

    @property
    def age(self) -> float:
        return time.monotonic() - self.at

    def due(self, rows: int) -> bool:
        """So many rows more were learned: is it time?"""
        self.since += rows
        return self.path is not None and (self.since >= self.rows or self.age >= self.seconds)

    def save(self, work: Any, place: dict[str, Any]) -> None:
        self.aside.settle()
        if self.path is not None:
            work.save(self.path, {**place, "run": self.run})
            self.at, self.since = time.monotonic(), 0

    def begin_to_save(self, work: Any, place: dict[str, Any], first: Callable[[], None]) -> None:
        """What there is now, after something else that must be on the disk `first`; rows that come
        meanwhile need not wait, if a copy of the model stays as it is."""
        if not getattr(work.model, "_learns_by_value", False):
            first()
            return self.save(work, place)
        still, at = replace(work, model=copy(work.model)), {**place, "run": self.run}

        def saved() -> None:
            first()
            still.save(self.path, at)

        self.aside.begin(saved)
        self.at, self.since = time.monotonic(), 0


def content(path: Any) -> str:
    """Which model is in a file?"""
    from okpca.io.container import content

    with refusing(USAGE):
        return content(path)


def _command(run: dict[str, Any]) -> dict[str, Any]:
    """What is done about bad rows may change: one of them may be why the run ended."""
    source = {name: of for name, of in run.get("source", {}).items() if name != "on_bad_row"}
    return {name: of for name, of in run.items() if name != CONTENT} | {"source": source}


def writable(path: str) -> None:
    """Refused before hours of work, not after."""
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise Refused(USAGE, f"{path}: there is no folder {folder}: make it first.")
    if os.path.isdir(path):
        raise Refused(USAGE, f"{path} is a folder: name a file.")
    if not os.access(folder, os.W_OK):
        raise Refused(USAGE, f"{path}: the folder {folder} cannot be written to.")
