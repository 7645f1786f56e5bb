"""Numbers that the parts of a model are made with, refused by name where they are none."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any


def checked_number(owner: str, name: str, value: Any, *, positive: bool = True) -> None:
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not (real and math.isfinite(value) and (value > 0 or (value == 0 and not positive))):
        kind = "a positive" if positive else "a non-negative"
        raise ValueError(f"{owner}: {name} must be {kind} finite number, got {value!r}.")


def checked_count(owner: str, name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{owner}: {name} must be an integer >= {least}, got {value!r}.")
