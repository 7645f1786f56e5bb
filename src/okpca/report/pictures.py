"""The pictures of a report, by the displays of `okpca.plots`; those of time for wide and narrow
screens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from okpca._core.typing import Array
from okpca.estimator import model_of
from okpca.plots import ControlChartDisplay, ProjectionDisplay, SpectrumDisplay
from okpca.plots._axes import BLACK, BLUE, DASHES, GREEN, ORANGE, VERMILION, from_zero, short_dates
from okpca.report import svg
from okpca.report.data_summary import DataSummary
from okpca.report.incidents import marked
from okpca.report.markup import Html, tag
from okpca.report.subject import Subject
from okpca.report.times import axis

LEADING = 3
"""Components that are followed over time."""
STEPS = 60
"""Means of them along the data."""
COLOURS = (BLUE, ORANGE, GREEN)
EXPECTED = 0.3
"""Alarms to a point by chance, from which on it matters how many there are."""
MANY = 60
"""Components whose dots would cover each other."""


def spectrum(subject: Subject) -> Html:
    model = subject.learned
    with svg.styled("spectrum"):
        (one,) = svg.axes(1, svg.NARROW, 3.3)
        dots: dict[str, Any] = {"ms": 3.5 if model.n_components_ <= MANY else 1.5}
        if subject.chart is not None:
            display = SpectrumDisplay.from_estimator(model, ax=one, **dots)
        else:
            r = model.n_components_
            display = SpectrumDisplay(
                explained_variance=model.explained_variance_,
                explained_variance_ratio=model.explained_variance_ratio_,
                lower=np.zeros(r),
                upper=np.full(r, np.inf),
                angle_bound=np.inf,
            ).plot(one, **dots)
        one.set_title("")
        return svg.drawn(display.figure_, "Variance along each component, on a logarithmic scale")


def projection(subject: Subject, seen: DataSummary) -> Html:
    """Rows of the sample and atoms on the first two components."""
    model, alarms = subject.learned, seen.sample.alarms
    scores = _scores(model, seen.sample.rows)
    atoms = _scores(model, model_of(model).basis.atoms)
    with svg.styled("projection"):
        (one,) = svg.axes(1, svg.NARROW, 3.6)
        display = ProjectionDisplay(
            scores=scores[~alarms, :2],
            components=(0, 1),
            explained_variance_ratio=model.explained_variance_ratio_[:2],
        ).plot(one, s=9, alpha=0.55, label="rows")
        style: dict[str, Any] = {"marker": "o", "s": 16, "facecolors": "none", "lw": 0.6}
        one.scatter(*atoms[:, :2].T, edgecolors=BLACK, alpha=0.6, label="atoms", **style)
        if alarms.any():
            crosses = {"marker": "x", "s": 22, "lw": 1.2, "color": VERMILION}
            one.scatter(*scores[alarms, :2].T, label="alarms", **crosses)
        above = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}
        one.legend(frameon=False, ncols=3, handletextpad=0.2, columnspacing=1.2, **above)
        return svg.drawn(display.figure_, "Rows and atoms on the first two components")


def control(subject: Subject, seen: DataSummary) -> Html:
    """Scores along the data with their limits."""
    bins, n = seen.bins, len(seen.bins)
    known = bins.rows > 0
    detector = subject.detector
    scores = {
        name: np.where(known, bins.high[:, j], np.nan) for j, name in enumerate(subject.statistics)
    }
    limits = {name: np.full(n, subject.limits[name]) for name in scores}
    if detector is None:
        limits = {name: np.full(n, np.nan) for name in scores}
    display = ControlChartDisplay(
        scores=scores,
        limits=limits,
        alarms=bins.alarms > 0 if seen.width == 1 else marked(subject, seen),
        decides=subject.decides,
        time=time_of(seen),
    )

    rates = seen.width * subject.allowed >= EXPECTED

    def draw(width: float) -> Any:
        panels = svg.axes(len(scores) + rates, width, 1.75 if width == svg.WIDE else 1.6)
        display.plot(panels[: len(scores)], lw=0.8)
        panels[len(scores) - 1].set_xlabel(_against(seen))
        panels[0].set_title("", loc="left")
        if rates:
            _rate(panels, display, seen, subject.allowed)
        if detector is None:
            panels[0].get_legend().remove()
            for panel in panels:
                panel.set_ylabel(panel.get_ylabel().partition("\n")[0])
        return panels[0].figure

    return both("control", draw, "Scores of the rows along the data, with their limits")


def _rate(panels: list[Any], display: Any, seen: DataSummary, allowed: float) -> None:
    """Of many rows to a point the highest is beyond the limit by chance: how often is it?"""
    *above, one = panels
    share = 100 * seen.bins.alarms / np.maximum(seen.bins.rows, 1)
    one.plot(display.time, share, color=BLUE, lw=0.8)
    one.axhline(100 * allowed, color=BLACK, ls="--", lw=1.2)
    crosses = {"marker": "x", "s": 22, "color": VERMILION, "lw": 1.2, "zorder": 3}
    one.scatter(display.time[display.alarms], share[display.alarms], **crosses)
    one.set(xlabel=above[-1].get_xlabel(), ylabel="alarms,\n% of rows")
    from_zero(one)
    above[-1].set_xlabel("")
    one.figure.align_ylabels(panels)


def drift(subject: Subject, seen: DataSummary) -> Html | None:
    """How far the last rows are from the first, and where rows lie along the leading components."""
    track, follows = seen.track, min(LEADING, subject.learned.n_components_)
    looked = track is not None and len(track.looks) > 1
    if not looked and not follows:
        return None

    def draw(width: float) -> Any:
        panels = svg.axes(int(looked) + int(follows > 0), width, 1.75)
        if looked:
            _distance(panels[0], seen)
        if follows:
            _along(panels[-1], subject, seen, follows)
        panels[0].figure.align_ylabels(panels)
        return panels[0].figure

    return both(
        "drift", draw, "How far the rows have moved, and leading components, along the data"
    )


def _distance(one: Any, seen: DataSummary) -> None:
    track = seen.track
    assert track is not None
    at = _drawn_against(
        seen, [look.row for look in track.looks], [look.time for look in track.looks]
    )
    one.plot(at, track.values, color=BLUE, lw=1.4, label="last rows against the first")
    one.plot(at, track.limits, color=BLACK, lw=1.2, ls="--", label="limit")
    beyond = track.values > track.limits
    if beyond.any():
        style: dict[str, Any] = {"color": VERMILION, "alpha": 0.25, "lw": 0, "step": "pre"}
        one.fill_between(at, 0, 1, where=beyond, transform=one.get_xaxis_transform(), **style)
    _dressed(one, "distance")
    from_zero(one)


def _along(one: Any, subject: Subject, seen: DataSummary, follows: int) -> None:
    """Means of the sample, in standard deviations of the rows learned."""
    sample, variance = seen.sample, subject.learned.explained_variance_[:follows]
    scores = _scores(subject.learned, sample.rows)[:, :follows]
    scores = scores / np.sqrt(np.where(variance > 0, variance, 1.0))
    parts = np.array_split(np.arange(len(scores)), min(STEPS, max(1, len(scores) // 5)))
    middle = [part[len(part) // 2] for part in parts]
    at = _drawn_against(seen, sample.place[middle], sample.times[middle])
    for j, (colour, dash) in enumerate(zip(COLOURS[:follows], DASHES, strict=False)):
        means = [scores[part, j].mean() for part in parts]
        one.plot(at, means, color=colour, ls=dash, lw=1.4, label=f"component {j + 1}")
    one.axhline(0.0, color=BLACK, lw=0.6, alpha=0.5)
    _dressed(one, "mean, in standard\ndeviations")
    one.set_xlabel(_against(seen))


def _dressed(one: Any, label: str) -> None:
    above: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 3}
    one.legend(frameon=False, borderaxespad=0, handlelength=1.8, columnspacing=1.0, **above)
    one.set_ylabel(label)
    if len(one.lines) and np.asarray(one.lines[0].get_xdata(orig=True)).dtype.kind == "M":
        short_dates(one)


def both(name: str, draw: Callable[[float], Any], label: str) -> Html:
    """For a desk and for a phone; the style sheet shows one of them."""
    found = []
    for kind, width in (("wide", svg.WIDE), ("narrow", svg.NARROW)):
        with svg.styled(f"{name}-{kind}"):
            figure = draw(width)
            if kind == "narrow":
                _fewer_ticks(figure.axes[-1])
            found.append(tag("div", svg.drawn(figure, label), class_=kind))
    return tag("div", *found)


def _fewer_ticks(one: Any) -> None:
    """Of numbers: dates see to it themselves."""
    from matplotlib.ticker import MaxNLocator

    if isinstance(one.xaxis.get_major_locator(), MaxNLocator):
        one.xaxis.set_major_locator(MaxNLocator(4))


def time_of(seen: DataSummary) -> Any:
    """What the bins are drawn against."""
    found = axis(seen.bins.time)
    return seen.bins.start if found is None else found


def _against(seen: DataSummary) -> str:
    return "row" if axis(seen.bins.time) is None else "time"


def _drawn_against(seen: DataSummary, rows: Any, times: Any) -> Any:
    """The same for other rows."""
    if axis(seen.bins.time) is None:
        return np.asarray(rows)
    return np.asarray(times, dtype=seen.bins.time.dtype)


def _scores(model: Any, rows: Any) -> Array:
    return np.asarray(model.transform(rows), dtype=np.float64)
