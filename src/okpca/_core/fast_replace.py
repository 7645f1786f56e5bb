"""The next of a line of values."""

from __future__ import annotations

from typing import Any, TypeVar

V = TypeVar("V")


def following(value: V, **changes: Any) -> V:
    """`dataclasses.replace`, several times faster, which shows when rows come one by one.

    Nothing is checked, and what is `derived` would be copied: for values that have neither.
    """
    other = object.__new__(type(value))
    other.__dict__.update(value.__dict__)
    other.__dict__.update(changes)
    return other
