"""Checks on single numbers that users hand in; what is right comes back as a plain one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from math import isfinite
from numbers import Integral, Real
from typing import Any


def checked_number(
    owner: str, name: str, value: Any, *, positive: bool = True, more: str = ""
) -> float:
    """`more`: what else it may be, for the message."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not (real and isfinite(value) and (value > 0 or (value == 0 and not positive))):
        kind = "a positive" if positive else "a non-negative"
        raise ValueError(f"{owner}: {name} must be {kind} finite number{more}, got {value!r}.")
    return float(value)


def checked_count(owner: str, name: str, value: Any, least: int, *, more: str = "") -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{owner}: {name} must be an integer >= {least}{more}, got {value!r}.")
    return int(value)


def refuse_not_positive(value: Any, but: Collection[str] = ()) -> None:
    """Every field of a dataclass must be a positive number, `but` for these."""
    for field in fields(value):
        if field.name not in but:
            checked_number(type(value).__name__, field.name, getattr(value, field.name))
