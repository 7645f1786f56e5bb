"""Parameters of kernels, checked when a kernel is built and coerced to plain Python numbers."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from okpca.kernels.first_rows import WIDTHS


def _is_real(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


def positive(owner: str, name: str, value: Any) -> float:
    if not _is_real(value) or value <= 0:
        raise ValueError(f"{owner}: {name} must be a positive finite number, got {value!r}.")
    return float(value)


def non_negative(owner: str, name: str, value: Any) -> float:
    if not _is_real(value) or value < 0:
        raise ValueError(
            f"{owner}: {name} must be a non-negative finite number, got {value!r}; "
            "a negative one does not give a positive definite kernel."
        )
    return float(value)


def width(owner: str, name: str, value: Any) -> float | str | None:
    if value is None or (isinstance(value, str) and value in WIDTHS):
        return value
    if not _is_real(value) or value <= 0:
        raise ValueError(
            f"{owner}: {name} must be a positive finite number, 'scale' or 'median', "
            f"or None for 1 / n_features, got {value!r}."
        )
    return float(value)


def sigma(owner: str, name: str, value: Any) -> float | str:
    return value if isinstance(value, str) and value in WIDTHS else positive(owner, name, value)


def at_least_one(owner: str, name: str, value: Any) -> int:
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or value < 1:
        raise ValueError(f"{owner}: {name} must be an integer >= 1, got {value!r}.")
    return int(value)


def gamma_for(gamma: float | str | None, n_features: int) -> float:
    """scikit-learn's rule: None means 1 / n_features."""
    return 1.0 / n_features if gamma is None else number(f"gamma={gamma!r}", gamma)


def number(owner: object, value: float | str) -> float:
    if isinstance(value, str):
        raise settle_first(owner)
    return value


def resolved(owner: object, value: float | str | None) -> float:
    if value is None:
        raise ValueError(f"{owner} waits for the number of columns: kernel.resolved(n_features).")
    return number(owner, value)


def settle_first(what: object) -> ValueError:
    return ValueError(
        f"{what} is taken from rows, and there are none yet: kernel.settled(X) takes it from X; a "
        "model takes it from its first rows."
    )
