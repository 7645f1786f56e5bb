"""What the presets share: a model of a paper's settings and the user's, none of them ignored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    if "rule" not in params:
        return OnlineKernelPCA(**({"rule": rule(**settings)} | defaults | params))
    if settings:
        raise TypeError(
            f"rule= brings its own settings, so {_listed(settings)} would be ignored: give it to "
            f"the rule, or leave out rule={params['rule']!r}."
        )
    return OnlineKernelPCA(**(defaults | params))


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
