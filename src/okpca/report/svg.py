"""Figures of matplotlib as part of a page, in its colours and its type.

Text stays text. Colours of the palette become variables of the page's style sheet, so that one
picture serves light and dark; whatever is black is the page's ink.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from okpca.plots._axes import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from okpca.report.markup import Html, tag

VARIABLES = {
    BLACK: "ink",
    BLUE: "blue",
    ORANGE: "orange",
    GREEN: "green",
    VERMILION: "alarm",
    SKY: "sky",
    PURPLE: "purple",
    GREY: "grey",
}
NARROW, WIDE = 4.3, 10.4
"""Inches, of 72 px, that a picture is as wide as on a phone, and on a desk."""
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": "medium",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "path.simplify": True,
    "path.simplify_threshold": 0.2,
}


@contextmanager
def styled(name: str) -> Iterator[None]:
    """Pictures of this name; what a picture defines has names that no other on the page has."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE | {"svg.hashsalt": name}):
        yield


def axes(n: int, width: float, height: float) -> list[Any]:
    """n panels above each other, `height` inches each, on a figure that pyplot does not know."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, n * height), layout="constrained")
    found = figure.subplots(n, 1, sharex=True, squeeze=False)[:, 0]
    for one in found[:-1]:
        one.tick_params(labelbottom=False)
    return list(found)


def drawn(figure: Any, label: str) -> Html:
    """The picture, with words for whoever cannot see it."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    found = buffer.getvalue()
    inside = found[found.index("<svg") :]
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', inside)
    assert size is not None
    body = inside[inside.index(">") + 1 : inside.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = _without_spare_names(_in_colours_of_the_page(body))
    return tag("svg", Html(body), viewBox=f"0 0 {size[1]} {size[2]}", role="img", aria_label=label)


def _in_colours_of_the_page(body: str) -> str:
    for colour, name in VARIABLES.items():
        body = body.replace(f": {colour.lower()}", f": var(--{name})")
    return re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", body)


def _without_spare_names(body: str) -> str:
    """Names that nothing refers to: another picture has the same."""
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', body))
    return re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in used else "", body)
