"""One row, two rows."""

from __future__ import annotations


def several(n: int, what: str) -> str:
    """With the number as digits; `what` is the plural, by an s."""
    return f"{n} {what.removesuffix('s') if n == 1 else what}"


def several_hold(n: int, what: str) -> str:
    return f"{several(n, what)} hold{'s' if n == 1 else ''}"
