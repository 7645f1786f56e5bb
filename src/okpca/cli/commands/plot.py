"""`plot`: a display of `okpca.plots` as a file."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from okpca.cli import sources
from okpca.cli.checkpoints import writable
from okpca.cli.exits import DATA, OK, USAGE, Refused, refusing, say
from okpca.cli.output import replaced

FORMATS = (".png", ".svg", ".pdf")
MOST = 100_000
"""Rows of a picture: the first of a longer file, which is said."""
IMAGES = 10
"""Rows that are images."""
LEAST = 64
"""Pixels of an image: tables have fewer columns, if they are a square at all."""
POINTS = 2000
"""Rows of a table."""
DPI = 150


@dataclass(frozen=True)
class Drawn:
    """What a display is drawn from."""

    model: Any
    rows: Any
    names: list[str]  # of their columns
    times: Any  # that they can be drawn against, or None
    goal: Any  # of a suggestion


Draw = Callable[[Any, Drawn], Any]


def _learned(of: Drawn) -> tuple[Any, Any]:
    """The model that has learned, in a detector or a pipeline too, and rows as it wants them."""
    from okpca.detection.lags import joined

    subject = _subject(of)
    return subject.learned, joined(subject.prepared(of.rows), None, subject.lags)[0]


def _contour(plots: Any, of: Drawn) -> Any:
    from okpca.plots._axes import plain

    display = plots.ContourDisplay.from_estimator(*_learned(of))
    for axes in display.axes_:
        axes.set(xlabel=plain(of.names[0]), ylabel=plain(of.names[1]))
    return display


def _control(plots: Any, of: Drawn) -> Any:
    display = plots.ControlChartDisplay.from_estimator(of.model, of.rows, time=of.times)
    display.axes_[-1].set_xlabel("row" if of.times is None else "time")  # whole numbers may be it
    return display


def _contributions(plots: Any, of: Drawn) -> Any:
    names = _subject(of).names(of.names, len(of.names))
    return plots.ContributionDisplay.from_estimator(
        of.model, of.rows, feature_names=names, time=of.times
    )


def _reconstruction(plots: Any, of: Drawn) -> Any:
    """Of images as images, of a table by its columns."""
    model, rows = _learned(of)
    if _are_images(of.names) and len(of.names) == rows.shape[1]:
        return plots.ReconstructionDisplay.from_estimator(model, rows[:IMAGES])
    subject = _subject(of)
    names = subject.names(of.names, rows.shape[1] // (subject.lags + 1))
    names = [*names, *(f"{name}, {k} before" for k in range(1, subject.lags + 1) for name in names)]
    return plots.ColumnsDisplay.from_estimator(model, rows[:POINTS], feature_names=names)


def _are_images(names: list[str]) -> bool:
    """A square of columns that have no names but numbers, as pixels have."""
    alike = {name.rstrip("0123456789") for name in names}
    square = math.isqrt(len(names)) ** 2 == len(names)
    return square and len(names) >= LEAST and len(alike) == 1


def _drift(plots: Any, of: Drawn) -> Any:
    from okpca.plots._inputs import twin

    model, rows = _learned(of)
    return plots.DriftDisplay.from_estimator(twin(model), rows, reference=model)


def _suggestion(plots: Any, of: Drawn) -> Any:
    import okpca

    return plots.SuggestionDisplay.from_suggestion(okpca.suggest(of.rows, of.goal))


def _subject(of: Drawn) -> Any:
    from okpca.report.subject import Subject

    return Subject.of(of.model)


KINDS: dict[str, Draw] = {
    "spectrum": lambda plots, of: plots.SpectrumDisplay.from_estimator(_subject(of).learned),
    "projection": lambda plots, of: plots.ProjectionDisplay.from_estimator(*_learned(of)),
    "contour": _contour,
    "control": _control,
    "contributions": _contributions,
    "reconstruction": _reconstruction,
    "growth": lambda plots, of: plots.GrowthDisplay.from_estimator(*_learned(of)),
    "drift": _drift,
    "suggestion": _suggestion,
}
WITHOUT_DATA, WITHOUT_MODEL = ("spectrum",), ("suggestion",)


def plot(kind: str, files: list[str], output: str, goal: str, source: Any, manners: Any) -> int:
    from okpca.estimator.guidance.suggest import Goal
    from okpca.plots._axes import pyplot

    if kind not in KINDS:
        raise Refused(USAGE, f"{kind}: there is no such picture; one of {', '.join(KINDS)}.")
    if os.path.splitext(output)[1].lower() not in FORMATS:
        raise Refused(USAGE, f"{output}: it can be {', '.join(FORMATS)}.")
    if goal not in get_args(Goal):
        raise Refused(USAGE, f"--goal {goal}: one of {', '.join(get_args(Goal))}.")
    if kind in WITHOUT_MODEL and files[0].endswith(".okpca"):
        raise Refused(USAGE, f"{files[0]}: plot {kind} takes rows and no model: leave it out.")
    writable(output)
    with refusing(USAGE):
        pyplot().switch_backend("Agg")  # no window is opened
    sources.refuse_unreadable(files, source)
    model, data = None, files
    if kind not in WITHOUT_MODEL:
        model, names = sources.opened(files[0])
        data, source = files[1:], sources.by_model(source, model, names)
    if kind in WITHOUT_DATA and data:
        raise Refused(USAGE, f"{data[0]}: plot {kind} takes a model alone.")
    if kind not in WITHOUT_DATA and not data:
        raise Refused(USAGE, f"plot {kind} MODEL DATA...: the rows are missing.")
    drawn = Drawn(model, *_read(data, source, manners["quiet"]), goal)
    with refusing(DATA if model is None else USAGE, f"{files[0]}: "):
        _save(kind, drawn, output)
    if not manners["quiet"]:
        say(f"{output}: {kind}.")
    return OK


def _read(data: list[str], source: Any, quiet: bool) -> tuple[Any, list[str], Any]:
    """The first rows, the names of their columns, and their times."""
    import numpy as np

    from okpca.report.times import axis, concatenated, parsed

    if not data:
        return None, [], None
    blocks = sources.first_blocks(data, source, MOST + 1)
    rows = np.concatenate([block.rows for block in blocks])
    if len(rows) > MOST and not quiet:
        say(f"warning: the first {MOST} rows of {', '.join(data)} are drawn.")
    times = concatenated([parsed(one.times, len(one.rows), one.decimal) for one in blocks])
    return rows[:MOST], blocks[-1].columns, axis(times[:MOST])


def _save(kind: str, drawn: Drawn, output: str) -> None:
    from okpca import plots

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        figure = KINDS[kind](plots, drawn).figure_
        with replaced(output) as beside:
            figure.savefig(beside, format=output.rpartition(".")[2].lower(), dpi=DPI)
