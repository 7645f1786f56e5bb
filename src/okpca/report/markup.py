"""HTML that cannot forget to escape: text becomes `Html` here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

VOID = ("meta", "link")


class Html(str):
    """Markup that is meant as such. Whatever else is put on a page is text."""

    __slots__ = ()


def text(value: Any) -> Html:
    return value if isinstance(value, Html) else Html(escape(str(value)))


def joined(parts: Iterable[Any], between: str = "") -> Html:
    return Html(between.join(text(part) for part in parts if part is not None))


def tag(name: str, /, *inside: Any, **attributes: Any) -> Html:
    """`tag("p", "1 < 2", class_="note")`; None is left out, inside and among the attributes."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Html(f"<{name}{given}>")
    return Html(f"<{name}{given}>{joined(inside)}</{name}>")


def table(head: Iterable[Any], rows: Iterable[Iterable[Any]], class_: str | None = None) -> Html:
    """In a box that scrolls where the page is narrower than the table."""
    lines = [tag("tr", *(tag("td", cell) for cell in row)) for row in rows]
    first = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in head)))
    inside = tag("table", first, tag("tbody", *lines), class_=class_)
    return tag("div", inside, class_="scroll", tabindex="0")
