"""A report as one page that needs nothing else."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import isfinite
from typing import Any

import numpy as np

from okpca._core.times import by_clock
from okpca._core.times import told as time_told
from okpca._core.version import __version__
from okpca.detection.drift import UNKNOWN
from okpca.io import Block
from okpca.plots._axes import pyplot
from okpca.report import data_sections, model_sections, words
from okpca.report.data_summary import DataSummary, gathered, left_out
from okpca.report.incidents import Found, beyond_chance, found
from okpca.report.markup import Html, joined, tag
from okpca.report.subject import Subject
from okpca.report.times import span
from okpca.report.words import count, percent


@dataclass(frozen=True, eq=False)
class Report:
    """What a model is, and what it makes of some data.

    Attributes
    ----------
    html : str
        The page.
    summary : dict
        Its figures: rows, alarms, incidents, drift and what the model says of itself.
    """

    html: str
    summary: dict[str, Any]


def report(
    model: Any,
    data: Any,
    *,
    times: Any = None,
    title: str | None = None,
    commands: Sequence[str] = (),
    versions: str | None = None,
) -> Report:
    """A model and what it makes of some data, as one page of HTML that needs nothing else.

    Nothing is learned. The data is read once, in bounded memory: long charts are drawn as the
    highest of some rows in succession, clouds of points as a sample, and the page says so.

    Parameters
    ----------
    model : fitted OnlineKernelPCA or KernelNoveltyDetector, or a pipeline that ends in one
    data : array-like of shape (n_samples, n_features), or a stream of :func:`okpca.io.stream`
        Rows in the order of time. A data frame's columns give their names, its index the time.
    times : array-like of shape (n_samples,), default=None
        When the rows came, if they are an array. Times of pandas that have a zone, here or in an
        index, are told by the clock there, or in UTC where that is put back on the way.
    title : str, default=None
        Of the page.
    commands : sequence of str, default=()
        How model and page were made, to be told at its end.
    versions : str, default=None
        Of the libraries that the model file was written by.

    Returns
    -------
    report : Report
        With `html`, the page, and `summary`, its figures.

    Examples
    --------
    >>> import numpy as np
    >>> from okpca import KernelNoveltyDetector, report
    >>> rows = np.random.default_rng(0).normal(size=(500, 3))
    >>> model = KernelNoveltyDetector().fit(rows)
    >>> rows[400:, 1] += 5.0
    >>> page = report.report(model, rows)
    >>> page.summary["incidents"][0]["columns"][0]
    'column 1'
    """
    pyplot()  # refused before the data is read
    subject = Subject.of(model)
    with warnings.catch_warnings():
        # Rows of files have no names, and a model may have learned rows without: then the names
        # that there are, are what is shown.
        warnings.filterwarnings("ignore", message="X (does not have valid|has) feature names")
        blocks = _blocks(data, times)
        seen = gathered(subject, blocks)
        worst = found(subject, seen)
        told = subject.last.describe()
        parts = [
            data_sections.stream(subject, seen, left_out(blocks)),
            data_sections.incidents(subject, seen, worst),
            data_sections.drift(subject, seen),
            model_sections.components(subject, seen, told),
            model_sections.dictionary(subject, seen, told),
            model_sections.parameters(subject),
            _made(commands, versions),
        ]
    head = _head(title or f"{type(subject.last).__name__}: a report", subject, seen, told)
    html = _document(title or "okpca report", joined([head, *parts]))
    summary = _summary(subject, seen, worst, told) | {"left_out": left_out(blocks).count}
    return Report(html, summary)


def _blocks(data: Any, times: Any) -> Iterable[Any]:
    """A stream as it is; rows as one block of a stream."""
    rows_of_numbers = isinstance(data, list) and not any(isinstance(one, Block) for one in data)
    if not hasattr(data, "shape") and not rows_of_numbers:
        if times is not None:
            raise ValueError(
                "times= is for an array; a stream has its own: okpca.io.stream(..., time=)."
            )
        return data  # type: ignore[no-any-return]
    names = [str(name) for name in getattr(data, "columns", ())]
    rows: Any = data if names else np.asarray(data, dtype=np.float64)
    if len(rows.shape) != 2:
        raise ValueError(
            f"data has shape {rows.shape}: rows of columns are needed, (n_samples, n_features); "
            "of one row or column say which: data.reshape(1, -1) or data.reshape(-1, 1)."
        )
    n, columns = len(rows), names or None
    return [Block(rows, columns, np.arange(n), None, _times(data, times, n), {})]  # type: ignore[arg-type]


def _times(data: Any, given: Any, n: int) -> Any:
    """Those that are given, or the index of a data frame."""
    if given is not None:
        if np.shape(given) != (n,):
            raise ValueError(f"times has shape {np.shape(given)}, and there are {n} rows.")
        return by_clock(given)
    times = np.asarray(by_clock(getattr(data, "index", None)))
    return times if times.dtype.kind == "M" else None


def _head(title: str, subject: Subject, seen: DataSummary, told: Any) -> Html:
    titles = data_sections.TITLES | {"incidents": data_sections.incidents_title(subject, seen)}
    links = [tag("a", text, href=f"#{name}") for name, text in titles.items()]
    return tag(
        "header",
        tag("h1", title),
        tag("p", words.sentence(subject, told), class_="lead"),
        tag("div", *_tiles(subject, seen, told), class_="tiles"),
        *(tag("p", tag("b", "Warning: "), text, class_="warning") for text in told.warnings),
        tag("nav", *links, aria_label="Sections"),
    )


def _tiles(subject: Subject, seen: DataSummary, told: Any) -> list[Html]:
    out = [_tile("rows of data", count(seen.rows), span(*seen.span) or "in their order")]
    if subject.detector is not None:
        share, allowed = seen.alarms / max(seen.scored, 1), subject.allowed
        high = beyond_chance(seen.bins, allowed)
        note = f"{percent(share)} of rows; {percent(allowed)} allowed"
        out.append(_tile("alarms", count(seen.alarms), note, "bad" if high else "good"))
    out.append(_drift_tile(subject, seen))
    parts = words.several(told.components, "components")
    out.append(_tile("of the variance explained", percent(told.explained), f"by {parts}"))
    most = "no limit" if told.max_atoms is None else f"at most {count(told.max_atoms)}"
    out.append(_tile("atoms", count(told.atoms), most))
    return out


def _drift_tile(subject: Subject, seen: DataSummary) -> Html:
    """Drift of the data, or what the detector knows of the rows that it learned."""
    here = UNKNOWN if seen.track is None else seen.track.found
    learned = UNKNOWN if subject.detector is None else subject.detector.drift_
    if here.since is not None:
        return _tile("drift", "yes", f"{here.what}, by row {count(here.since)}", "bad")
    if learned.since is not None:
        where = f"by row {count(learned.since)} of those it learned"
        return _tile("drift", "yes", f"{learned.what}, {where}", "bad")
    if isfinite(here.value):
        return _tile("drift", "none", "as far as can be told", "good")
    if isfinite(learned.value):
        return _tile("drift", "none", "in the rows it learned", "good")
    return _tile("drift", "–", "too few rows to tell" if seen.track else "cannot be told")


def _tile(label: str, value: str, note: str, kind: str | None = None) -> Html:
    inside = (tag("b", value), tag("span", label), tag("small", note))
    return tag("div", *inside, class_=f"tile {kind}" if kind else "tile")


def _made(commands: Sequence[str], versions: str | None) -> Html:
    lines = [tag("pre", tag("code", "\n".join(commands)), tabindex="0")] if commands else []
    by = f"This page: okpca {__version__}."
    if versions:
        by = f"The model file: {versions}. {by}"
    return data_sections.section("made", *lines, tag("p", by))


def _summary(subject: Subject, seen: DataSummary, worst: Found, told: Any) -> dict[str, Any]:
    drift = None if seen.track is None else seen.track.found
    return {
        "rows": seen.rows,
        "alarms": None if subject.detector is None else seen.alarms,
        "incidents": [
            {
                "row": incident.number,
                "time": time_told(incident.time),
                "alarms": incident.alarms,
                "score": incident.score,
                "columns": [column.name for column in incident.columns],
            }
            for incident in worst.worst
        ],
        "incidents_not_shown": worst.single + worst.several,
        "drift": None if drift is None else {"since": drift.since, "what": drift.what},
        "model": told.to_dict(),
    }


def _document(title: str, body: Html) -> str:
    style = files("okpca.report").joinpath("style.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", href="data:,"),
        tag("style", Html(style)),
    )
    inside = tag("html", head, tag("body", tag("main", body)), lang="en")
    return f"<!doctype html>\n{inside}\n"
