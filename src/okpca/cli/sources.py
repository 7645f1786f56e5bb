"""Rows for a command: `okpca.io.stream`, by the columns that a model was learned from."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from okpca.cli.exits import DATA, USAGE, Refused, refusing

STDIN = "-"


def blocks(data: list[str], source: dict[str, Any], at: Any = None) -> Iterator[Any]:
    """Of a stream, from a position on; what is wrong with it is bad data."""
    from okpca.io import stream

    check(source)
    given = {**source, "columns": source["columns"] or None}
    with refusing(DATA):
        rows = stream(data, **given, position=at)
        yield from rows
    if rows.bad.count:
        text = f"{rows.bad.count} bad rows left out, the first: {rows.bad.examples[0]}."
        warnings.warn(text, stacklevel=2)


def check(source: dict[str, Any]) -> None:
    if source["on_bad_row"] not in ("raise", "skip"):
        raise Refused(USAGE, f"--on-bad-row {source['on_bad_row']}: say raise or skip.")
    if source["rows"] < 1:
        raise Refused(USAGE, f"--block-rows {source['rows']}: at least 1.")
    formats = ("csv", "parquet", "arrow", "ndjson", "npy", "npz", None)
    if source["format"] not in formats:
        raise Refused(USAGE, f"--format {source['format']}: one of {', '.join(formats[:-1])}.")
    if source["delimiter"] is not None and len(source["delimiter"]) != 1:
        raise Refused(USAGE, f"--delimiter {source['delimiter']!r}: one character.")


def opened(model_path: str) -> tuple[Any, list[str] | None]:
    """A model, and the columns it was learned from, if that is known."""
    import okpca

    with refusing(USAGE):
        model = okpca.load(model_path)
        place = okpca.io.header(model_path)["position"]
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return model, [str(name) for name in names]
    return model, place.get("columns") if isinstance(place, dict) else None


def by_columns(source: dict[str, Any], names: list[str] | None) -> dict[str, Any]:
    """The model's columns where none are named, whatever others there are."""
    return source if source["columns"] or names is None else {**source, "columns": names}


def stamps(data: list[str]) -> list[list[int]] | None:
    """Sizes and times of the files, to tell whether they are still the same; None of a pipe."""
    from okpca.io.sources.places import files_of

    with refusing(DATA):
        files = files_of(data)
        if STDIN in files:
            return None
        found = [os.stat(file) for file in files]
    return [[one.st_size, one.st_mtime_ns] for one in found]


def refuse_terminal(data: list[str]) -> None:
    if data.count(STDIN) > 1:
        raise Refused(USAGE, "standard input (-) can be read once.")
    if STDIN in data and sys.stdin.isatty():
        raise Refused(USAGE, "- is standard input, and that is a terminal: pipe rows into it.")
