"""The sections of a report about the model itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from okpca._core.typing import Array
from okpca.estimator import model_of
from okpca.estimator.pipeline import steps_of
from okpca.estimator.user_warnings import unannounced
from okpca.report import pictures, words
from okpca.report.data_sections import figure, section
from okpca.report.data_summary import DataSummary
from okpca.report.markup import Html, joined, table, tag
from okpca.report.subject import Subject
from okpca.report.words import count, number, percent

SHOWN = 12
"""Components, and"""
COLUMNS = 24
"""columns in a table."""


def components(subject: Subject, seen: DataSummary, told: Any) -> Html:
    """Spectrum, certificate and projection."""
    model = subject.learned
    if not told.components:
        text = "There is no component: the kernel sees no variance in the rows learned."
        return section("components", tag("p", text))
    parts = [
        figure(
            pictures.spectrum(subject),
            "Variance along each component; the band, where there is one, is the certificate.",
        )
    ]
    if told.components > 1:
        sample = words.several(len(seen.sample), "rows")
        text = f"{sample} of the data and the atoms on the first two components."
        if len(seen.sample) < seen.scored:
            text = f"{sample} at random, and the atoms, on the first two components."
        parts.append(figure(pictures.projection(subject, seen), text))
    return section(
        "components",
        tag(
            "p",
            f"{words.several(told.components, 'components')} explain "
            f"{percent(told.explained)} of the kernel variance. ",
            tag("b", "Certificate: "),
            told.certificate,
        ),
        tag("div", *parts, class_="pair"),
        None if subject.chart is None else _bounds(model),
    )


def _bounds(model: Any) -> Html:
    with unannounced():  # the report says it
        certificate, ratio = model.certificate(), model.explained_variance_ratio_
    rows = zip(
        range(1, SHOWN + 1),
        map(percent, ratio),
        map(number, certificate.eigenvalues),
        map(number, certificate.eigenvalue_lower),
        map(number, certificate.eigenvalue_upper),
        map(percent, certificate.eigenvalue_error),
        strict=False,
    )
    head = ("component", "explains", "eigenvalue", "at least", "at most", "off by at most")
    more = f", the first {SHOWN} of {len(ratio)}" if len(ratio) > SHOWN else ""
    summary = tag("summary", f"Bounds of every eigenvalue of batch kernel PCA{more}")
    return tag("details", summary, table(head, rows, class_="numbers"))


def dictionary(subject: Subject, seen: DataSummary, told: Any) -> Html:
    most = "" if told.max_atoms is None else f" of at most {count(told.max_atoms)}"
    text = (
        f"{words.several(told.atoms, 'atoms')}{most}, in {words.size(told.memory)} with all that "
        f"the model keeps; {told.left_out}."
    )
    return section("dictionary", tag("p", text), _ranges(subject, seen))


def _ranges(subject: Subject, seen: DataSummary) -> Html | None:
    """Where the atoms are in each column, and where the data is."""
    atoms, d = model_of(subject.learned).basis.atoms, len(seen.names)
    if issparse(atoms) or not atoms.shape[0] or not np.isfinite(seen.low).all():
        return None
    learned = np.array([atoms[:, :d].min(axis=0), atoms[:, :d].max(axis=0)])
    data = np.array([seen.low, seen.high])
    usual = np.nanquantile(seen.sample.rows[:, :d], [0.05, 0.95], axis=0)
    width = np.where(learned[1] > learned[0], learned[1] - learned[0], 1.0)
    beyond = np.maximum(data[1] - learned[1], learned[0] - data[0]) / width
    order = np.argsort(-beyond, kind="stable")[:COLUMNS]
    lines = [
        _strip(seen.names[j], learned[:, j], data[:, j], usual[:, j], float(beyond[j]))
        for j in order
    ]
    rest = "" if d <= COLUMNS else f" {COLUMNS} of {count(d)} columns, the farthest out first."
    text = (
        "The frame is where the atoms are, the line where the data is, and the thick part of it "
        f"where nine of ten of its rows are.{rest}"
    )
    return tag("div", tag("p", text), tag("div", *lines, class_="strips"))


def _strip(name: str, learned: Array, data: Array, usual: Array, beyond: float) -> Html:
    low, high = min(learned[0], data[0]), max(learned[1], data[1])
    span = (high - low) or 1.0

    def part(kind: str, ends: Array) -> Html:
        left, right = 100 * (ends - low) / span
        style = f"left:{left:.2f}%;width:{max(right - left, 0.4):.2f}%"
        return tag("span", class_=kind, style=style)

    note = "" if beyond <= 0 else f", the data {percent(beyond)} of that beyond"
    title = f"atoms {number(learned[0])} to {number(learned[1])}{note}"
    bar = tag("span", part("atoms", learned), part("data", data), part("usual", usual),
              class_="strip", role="img", aria_label=f"{name}: {title}")  # fmt: skip
    ends = tag("small", f"{number(low)} to {number(high)}")
    return tag("div", tag("b", name), bar, ends, title=title)


def parameters(subject: Subject) -> Html:
    return section("parameters", *(_of_step(*step) for step in steps_of(subject.given)))


def _of_step(name: str, step: Any) -> Html:
    """What was given first, then what is as it is by default."""
    default = _defaults(step)
    given, usual = [], []
    for key, value in step.get_params(deep=False).items():
        if key in default and repr(default[key]) == repr(value):
            usual.append(tag("div", tag("dt", key), tag("dd", repr(value))))
            continue
        known = tag("small", f" instead of {default[key]!r}") if key in default else None
        given.append(tag("div", tag("dt", key), tag("dd", tag("b", repr(value)), known)))
    heading = tag("h3", f"{name}: {type(step).__name__}" if name else type(step).__name__)
    return joined([heading, tag("dl", *given, *usual)])


def _defaults(step: Any) -> dict[str, Any]:
    try:
        return dict(type(step)().get_params(deep=False))
    except TypeError:  # it cannot do without parameters
        return {}
