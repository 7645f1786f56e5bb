"""What the presets share: a model of a paper's settings and the user's, none of them ignored."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse

from okpca.estimator.online import OnlineKernelPCA
from okpca.rules import Rule
from okpca.rules.schedules import Schedule


def made(
    rule: Callable[..., Rule],
    settings: dict[str, Any],
    defaults: dict[str, Any],
    params: dict[str, Any],
) -> OnlineKernelPCA:
    """By `rule(**settings)`, those that are None left to the paper; or by the `rule` of `params`,
    beside which there must be no settings."""
    settings = given(settings)
    _refuse_unknown(params, [*settings, *defaults])
    if "rule" not in params:
        return _checked(OnlineKernelPCA(**({"rule": rule(**settings)} | defaults | params)))
    if settings:
        raise TypeError(
            f"rule= brings its own settings, so {_listed(settings)} would be ignored: give it to "
            f"the rule, or leave out rule={params['rule']!r}."
        )
    return _checked(OnlineKernelPCA(**(defaults | params)))


def _checked(model: OnlineKernelPCA) -> OnlineKernelPCA:
    """What is wrong is said where it was written, not when it is fitted."""
    model._validate_params()
    return model


def _refuse_unknown(params: dict[str, Any], own: list[str]) -> None:
    known = [*signature(OnlineKernelPCA).parameters]
    for name in params:
        if name not in known:
            like = get_close_matches(name, [*known, *own], 1)
            raise TypeError(
                f"{name!r} is a parameter neither of this preset nor of OnlineKernelPCA"
                + (f": did you mean {like[0]!r}?" if like else ".")
            )


def refuse_more_components(n_components: int, preset: str, others: str) -> None:
    """Of a preset for a single component."""
    if n_components != 1:
        raise TypeError(f"{preset} learns the first component alone: for more take {others}.")


def refuse_no_table(points: Any, what: str, hint: str) -> None:
    """Points must be rows; `hint` says where what was given may belong."""
    if sparse.issparse(points) or np.ndim(points) == 2:
        return
    told = repr(points) if np.ndim(points) == 0 else f"an array of shape {np.shape(points)}"
    raise ValueError(f"{what} must be a table, (n_points, n_features), got {told}{hint}.")


def stepping(
    kind: Callable[..., Schedule], schedule: Schedule | float | None, **steps: float | None
) -> Schedule | float | None:
    """The schedule that is given, or the paper's by its numbers; None if neither is."""
    numbers = given(steps)
    if schedule is not None and numbers:
        raise TypeError(
            f"schedule and {_listed(numbers)} both say how large the steps are: give one of them."
        )
    return kind(**numbers) if numbers else schedule


def given(settings: dict[str, Any]) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in settings.items() if value is not None}


def _listed(names: dict[str, Any]) -> str:
    return " and ".join(f"{name}=" for name in names)
