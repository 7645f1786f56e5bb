"""Parameters of kernels, checked when a kernel is built and coerced to plain Python numbers."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any


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


def positive_or_none(owner: str, name: str, value: Any) -> float | None:
    if value is None:
        return None
    if not _is_real(value) or value <= 0:
        raise ValueError(
            f"{owner}: {name} must be a positive finite number, "
            f"or None for 1 / n_features, got {value!r}."
        )
    return float(value)


def at_least_one(owner: str, name: str, value: Any) -> int:
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or value < 1:
        raise ValueError(f"{owner}: {name} must be an integer >= 1, got {value!r}.")
    return int(value)


def gamma_for(gamma: float | None, n_features: int) -> float:
    """scikit-learn's rule: None means 1 / n_features."""
    return 1.0 / n_features if gamma is None else gamma
