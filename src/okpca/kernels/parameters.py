"""Parameters of kernels, checked when a kernel is built and coerced to plain Python numbers."""

from __future__ import annotations

from typing import Any

from okpca._core.number_checks import checked_count, checked_number
from okpca.kernels.first_rows import WIDTHS

OR_LEFT = ", 'scale' or 'median', or None for 1 / n_features"


def width(owner: str, name: str, value: Any) -> float | str | None:
    if value is None or (isinstance(value, str) and value in WIDTHS):
        return value
    return checked_number(owner, name, value, more=OR_LEFT)


def sigma(owner: str, name: str, value: Any) -> float | str:
    if isinstance(value, str) and value in WIDTHS:
        return value
    return checked_number(owner, name, value)


def at_least_one(owner: str, name: str, value: Any) -> int:
    whole = isinstance(value, float) and value.is_integer() and value >= 1
    return checked_count(owner, name, int(value) if whole else value, 1)


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
