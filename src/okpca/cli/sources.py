"""Rows for a command: `okpca.io.stream`, by the columns that a model was learned from.

A model at work here has no names of columns, so that rows can be plain arrays: they are taken by
name from the source. They are put into its file, as `feature_names_in_`, and taken out of it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

from okpca._core.choices import KINDS, ON_BAD_ROW
from okpca.cli.exits import DATA, USAGE, Refused, refusing

STDIN = "-"
OF_MODEL = ("missing", "fills")
"""What a source knows of the model; the others are for `okpca.io.stream`."""


class Blocks:
    """Of a stream, from a position on. What is wrong is bad data. `bad` and `gappy` are the
    stream's."""

    def __init__(self, data: list[str], source: dict[str, Any], at: Any = None) -> None:
        from okpca.io import stream

        self._source = source
        with self._refusing():
            files: Any = data[0] if source.get("follow") else data
            self._rows = stream(files, **of_stream(source), position=at)
        self.bad, self.gappy = self._rows.bad, self._rows.gappy

    def __iter__(self) -> Generator[Any, None, dict[str, Any]]:
        """The position at the end is returned."""
        source, told = self._source, 0
        live = source.get("follow") or not source.get("wait", True)
        with self._refusing():
            try:
                for block in self._rows:
                    if live and self.bad.count + self.gappy.count > 2 * told:
                        told = self.bad.count + self.gappy.count
                        tell_bad_rows(self, source)
                    yield block
            except (KeyboardInterrupt, GeneratorExit):
                tell_bad_rows(self, source)
                raise
        tell_bad_rows(self, source)
        return dict(self._rows.position)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        with refusing(DATA), _offering(self._source.get("fills", False)):
            yield


def first_blocks(data: list[str], source: dict[str, Any], most: int) -> list[Any]:
    """Until there are so many rows or more."""
    found: list[Any] = []
    for block in Blocks(data, source):
        found.append(block)
        if sum(len(one.rows) for one in found) >= most:
            break
    if not found:
        raise Refused(DATA, f"{', '.join(data)}: there is no row in it.")
    return found


def of_stream(source: dict[str, Any]) -> dict[str, Any]:
    """What `okpca.io.stream` takes."""
    given = {name: of for name, of in source.items() if name not in OF_MODEL}
    return {**given, "columns": given["columns"] or None}


@contextmanager
def _offering(fills: bool) -> Iterator[None]:
    """To have values filled in is no way out where no model does that."""
    from okpca.io.sources.stream import FILLED

    try:
        yield
    except ValueError as error:
        if fills or FILLED not in str(error):
            raise
        raise ValueError(str(error).replace(FILLED, "")) from error


def tell_bad_rows(rows: Any, source: dict[str, Any]) -> None:
    """How many rows were not as they should be, and where the first of them are."""
    filled = source.get("missing") == "impute"
    gappy = "rows filled in" if filled else "rows left out for the values they lack"
    for noted, what in ((rows.bad, "bad rows left out"), (rows.gappy, gappy)):
        if noted.count:
            some = "; ".join(noted.examples[:3])
            warnings.warn(f"{noted.count} {what}, the first: {some}.", stacklevel=2)


def refuse_unreadable(data: list[str], source: dict[str, Any]) -> None:
    """Before anything is loaded."""
    if data.count(STDIN) > 1:
        raise Refused(USAGE, "standard input (-) can be read once.")
    if STDIN in data and sys.stdin.isatty():
        raise Refused(USAGE, "- is standard input, and that is a terminal: pipe rows into it.")
    if source["on_bad_row"] not in ON_BAD_ROW:
        raise Refused(
            USAGE, f"--on-bad-row {source['on_bad_row']}: one of {', '.join(ON_BAD_ROW)}."
        )
    if source["rows"] < 1:
        raise Refused(USAGE, f"--block-rows {source['rows']}: at least 1.")
    if source["format"] not in (*KINDS, None):
        raise Refused(USAGE, f"--format {source['format']}: one of {', '.join(KINDS)}.")
    if source["delimiter"] is not None and len(source["delimiter"]) != 1:
        raise Refused(USAGE, f"--delimiter {source['delimiter']!r}: one character.")
    if source["decimal"] not in (".", ",") or source["decimal"] == source["delimiter"]:
        raise Refused(USAGE, f"--decimal {source['decimal']}: . or , and not the --delimiter.")


def opened(model_path: str) -> tuple[Any, list[str] | None]:
    """A model without its names, and the columns it was learned from, if that is known."""
    import okpca

    with refusing(USAGE):
        model = okpca.load(model_path)
        place = okpca.io.header(model_path)["position"]
    names = without_names(model)
    if names is not None:
        return model, names
    return model, place.get("columns") if isinstance(place, dict) else None


def without_names(model: Any) -> list[str] | None:
    """Its names, which it no longer has."""
    names = getattr(model, "feature_names_in_", None)
    model.__dict__.pop("feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def are_names(columns: list[str] | None) -> bool:
    """Or numbers, for want of names?"""
    return columns is not None and not all(name.isdecimal() for name in columns)


def save(model: Any, path: str, columns: list[str] | None, named: bool, place: Any) -> None:
    """With the names of its columns, where they have names."""
    import numpy as np

    with refusing(USAGE):
        of_steps = hasattr(type(model), "feature_names_in_")  # a pipeline's are its first step's
        if named and columns is not None and not of_steps:
            model = copy(model)
            model.feature_names_in_ = np.array(columns, dtype=object)
        model.save(path, position=place)


def by_model(source: dict[str, Any], model: Any, names: list[str] | None) -> dict[str, Any]:
    """The model's columns where none are named, whatever others there are; and values that are
    missing, if it knows what to do about them."""
    missing = getattr(model, "missing", "raise")
    if source["on_bad_row"] == "impute" and missing != "impute":
        raise Refused(
            USAGE,
            f"--on-bad-row impute: the model has --missing {missing} and fills nothing in; fit it "
            "with --missing impute.",
        )
    columns = source["columns"] or names or None
    told = {"keep_gaps": missing != "raise", "missing": missing, "fills": fills(model)}
    return {**source, "columns": columns, **told}


def fills(model: Any) -> bool:
    """Can --on-bad-row impute be said of it? A model that is not fitted yet may still be told."""
    from okpca.cli.models import is_fitted

    missing = getattr(model, "missing", None)
    return missing == "impute" or (missing == "raise" and not is_fitted(model))


def as_they_come(data: list[str], source: dict[str, Any]) -> dict[str, Any]:
    """A row of a pipe must not wait for others."""
    return source if source.get("follow") else {**source, "wait": not has_a_pipe(data)}


def has_a_pipe(data: list[str]) -> bool:
    from okpca.io.sources.files import endless, files_of

    with refusing(DATA):
        return endless(files_of(data))


def has_new_rows(data: list[str], place: dict[str, Any]) -> bool:
    """Since it was read to its end, up to this place?"""
    from okpca.io.sources.files import files_of
    from okpca.io.sources.positions import unread

    with refusing(DATA):
        return bool(unread(place, files_of(data)))


def new_rows(data: list[str], place: dict[str, Any]) -> dict[str, Any]:
    """The place to go on from with a source that was read to its end: files that were written anew
    since are new."""
    from okpca.io.sources.files import files_of
    from okpca.io.sources.positions import without_changed

    with refusing(DATA):
        return without_changed(place, files_of(data))
