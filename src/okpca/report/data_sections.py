"""The sections of a report about what was seen in the data."""

from __future__ import annotations

from typing import Any

from okpca._core.times import told
from okpca.io.sources.bad_rows import BadRows
from okpca.report import pictures, words
from okpca.report.data_summary import DataSummary
from okpca.report.incidents import Blamed, Found, Incident, marked
from okpca.report.markup import Html, joined, tag
from okpca.report.subject import Subject
from okpca.report.times import axis
from okpca.report.words import STATISTICS, count, number, percent

TITLES = {
    "stream": "Along the data",
    "incidents": "Incidents",
    "drift": "Drift",
    "components": "Components",
    "dictionary": "Dictionary",
    "parameters": "Parameters",
    "made": "How it was made",
}


def section(name: str, *inside: Any, title: str | None = None) -> Html:
    return tag("section", tag("h2", title or TITLES[name]), *inside, id=name)


def figure(picture: Html, caption: Any) -> Html:
    return tag("figure", picture, tag("figcaption", caption))


def stream(subject: Subject, seen: DataSummary, left_out: BadRows) -> Html:
    """Control charts."""
    return section(
        "stream",
        tag("p", _judged(subject, seen)),
        tag("p", _left_out(left_out)) if left_out.count else None,
        figure(pictures.control(subject, seen), joined(_caption(subject, seen), " ")),
    )


def _judged(subject: Subject, seen: DataSummary) -> str:
    if subject.detector is None:
        return (
            "How unlike the rows are to what was learned: SPE is what the components leave "
            "unexplained, T² how far out a row lies along them. A model without a detector has no "
            "limits for them."
        )
    limit = subject.limits[subject.decides]
    if limit == float("inf"):
        return (
            "The detector has not seen enough rows for a limit yet, so that nothing is an alarm. "
            "SPE is what the components leave unexplained, T² how far out a row lies along them."
        )
    share, allowed = seen.alarms / max(seen.scored, 1), subject.allowed
    return (
        f"{words.several(seen.alarms, 'alarms')} in {words.several(seen.scored, 'rows')}, "
        f"{percent(share)}; {percent(allowed)} are allowed for. SPE is what the components leave "
        "unexplained, T² how far out a row lies along them; "
        f"{STATISTICS[subject.decides]} decides, with the limit {number(limit)}. The rows are "
        "judged by the detector as it is in the file, and nothing is learned from them."
    )


def _left_out(noted: BadRows) -> str:
    rows = words.several(noted.count, "rows")
    verb = "was" if noted.count == 1 else "were"
    return f"{rows} of the source {verb} left out as bad, the first: {noted.examples[0]}."


def _caption(subject: Subject, seen: DataSummary) -> list[str]:
    out = []
    if seen.width > 1:
        crosses = (
            ""
            if subject.detector is None
            else " Crosses are where alarms come more often than is allowed for."
        )
        out.append(
            f"{count(seen.rows)} rows are drawn as {count(len(seen.bins))} points, each the "
            f"highest of {seen.width} rows in succession.{crosses}"
        )
    if seen.bins.time[0] is not None and axis(seen.bins.time) is None:
        out.append(
            "Rows are drawn by their number: their times are words, or are missing, or go back, or "
            "do not move."
        )
    if seen.scored < seen.rows:
        out.append(f"{count(seen.rows - seen.scored)} rows lack values and have no score.")
    return out or ["Every row is drawn."]


def incidents_title(subject: Subject, seen: DataSummary) -> str:
    return TITLES["incidents"] if marked(subject, seen).any() else "The least usual rows"


def incidents(subject: Subject, seen: DataSummary, found: Found) -> Html:
    """The worst rows, and the columns to blame."""
    title, of = incidents_title(subject, seen), STATISTICS[subject.decides]
    opening = f"The rows with the highest {of}, some way apart."
    if title == TITLES["incidents"]:
        chance = subject.allowed * seen.rows
        opening = (
            "Where there are alarms, the longest and highest first; "
            f"{number(chance, 2)} are due to chance."
        )
    why = (
        " Under each its worst row: the columns that raise its score most, with their shares, and "
        "what they are in the learned rows nearest to it."
        if subject.explains
        else " Which columns are to blame cannot be told of this kernel: it has no gradient."
    )
    limit = subject.limits[subject.decides]
    cards = tag("div", *(_card(incident, of, limit) for incident in found.worst), class_="cards")
    rest = tag("p", _rest(found)) if found.single or found.several else None
    return section("incidents", tag("p", opening + why), cards, rest, title=title)


def _rest(found: Found) -> str:
    """Those that have no card."""
    parts = []
    if found.several:
        parts.append(words.several(found.several, "incidents") + " of several alarms")
    if found.single:
        parts.append(words.several(found.single, "single alarms"))
    return f"Not shown: {' and '.join(parts)}."


def _card(incident: Incident, of: str, limit: float) -> Html:
    """When and where; how bad; the columns."""
    several = incident.alarms > 1
    when = told(incident.since if several else incident.time)
    row = f"from row {count(incident.first)}" if several else f"row {count(incident.number)}"
    ident = "" if incident.id is None else f", id {incident.id}"
    times = "" if limit == float("inf") else f", {incident.score / limit:.1f} times the limit"
    text = f"{of} {number(incident.score)}{times}"
    if several:
        rows = f"{count(incident.alarms)} alarms in {count(incident.rows)} rows"
        text = f"{rows}; the worst is row {count(incident.number)}{ident}: {text}"
    place = row if several else row + ident
    columns = tag("ol", *(_bar(column) for column in incident.columns), class_="bars")
    return tag(
        "article",
        tag("h3", when or place, tag("small", place) if when else None),
        tag("p", f"{text}."),
        columns if incident.columns else None,
        class_="card",
    )


def _bar(column: Blamed) -> Html:
    share = f"{100 * column.share:.0f}{words.THIN}%"
    return tag(
        "li",
        tag("span", tag("b", column.name), tag("span", share), class_="line"),
        tag(
            "span",
            tag("span", style=f"width:{100 * column.share:.1f}%"),
            class_="bar",
            aria_hidden="true",
        ),
        tag("small", "{}, where {} is usual".format(*words.apart(column.value, column.usual))),
    )


def drift(subject: Subject, seen: DataSummary) -> Html:
    picture = pictures.drift(subject, seen)
    lines = [_drifted(seen)]
    if subject.detector is not None:
        lines.append(_learned_drift(subject))
    drawn = None
    if picture is not None:
        few = f"{count(len(seen.sample))} rows at random"
        rows = few if len(seen.sample) < seen.scored else "all rows"
        caption = (
            f"Means along the leading components are of {rows}, in standard deviations of the "
            "rows that were learned."
        )
        drawn = figure(picture, caption)
    return section("drift", *(tag("p", line) for line in lines), drawn)


def _drifted(seen: DataSummary) -> str:
    if seen.track is None:
        return "Whether the rows drift cannot be told in the empirical geometry."
    found = seen.track.found
    if not seen.track.looks:
        usual = " that are no alarms" if seen.alarms else ""
        return (
            f"{count(seen.track.rows)} rows{usual} are too few to tell whether they drift: it "
            f"takes {count(seen.track.needed)}, by what they have shown so far of how they depend "
            "on those before them, or more."
        )
    numbers = f"{number(found.value)} at the end, where chance stays below {number(found.limit)}"
    if found.since is None:
        return f"The rows do not drift, as far as can be told: the distance is {numbers}."
    time = told(seen.track.since)
    when = f"row {count(found.since)}" + ("" if time is None else f" ({time})")
    return (
        f"The rows drift: the last ones are not like the first ones, which is certain from {when} "
        f"on. What has moved most is {found.what}; the distance is {numbers}."
    )


def _learned_drift(subject: Subject) -> str:
    assert subject.detector is not None
    drift = subject.detector.drift_
    if drift.since is not None:
        return (
            f"While it learned, the detector announced drift at row {count(drift.since)} of its "
            f"stream ({drift.what} has moved most); accept_drift() takes it for normal."
        )
    if drift.value != drift.value:
        return "While it learned, the detector had too few rows to tell whether they drifted."
    return "While it learned, the detector announced no drift."
