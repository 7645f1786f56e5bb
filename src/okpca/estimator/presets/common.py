"""What the presets share: a model of a paper's settings and the user's, none of them ignored."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from inspect import cleandoc, signature
from typing import Any, ParamSpec

import numpy as np
from scipy import sparse

from okpca.estimator.online import OnlineKernelPCA
from okpca.rules import Rule
from okpca.rules.schedules import Schedule

P = ParamSpec("P")
OTHERS = (
    "`params` are other parameters of :class:`okpca.OnlineKernelPCA`, which replace the paper's; "
    "one that would be ignored is refused."
)
LIKE = 0.7  # of a word, that one which may have been meant has at least: `eta0` for `eta`
WRITTEN = {"schedule": "step sizes", "deflation": "beta="}  # settings by other names


def made(
    rule: Callable[..., Rule],
    settings: dict[str, Any],
    defaults: dict[str, Any],
    params: dict[str, Any],
) -> OnlineKernelPCA:
    """By `rule(**settings)`, those that are None left to the paper; or by the `rule` of `params`,
    beside which there must be no settings."""
    refuse_ignored("rule", settings, params)
    if params.get("burn_in"):
        refuse_ignored("burn_in", {"init": settings.get("init")}, params)
    if "rule" not in params:
        defaults = {"rule": rule(**given(settings))} | defaults
    model = OnlineKernelPCA(**(defaults | params))
    model._validate_params()  # what is wrong is said where it was written, not when it is fitted
    return model


def refuse_ignored(part: str, settings: dict[str, Any], params: dict[str, Any]) -> None:
    """Settings of a part, where the user brings another in its place."""
    if part in params and (named := given(settings)):
        raise TypeError(
            f"{part}= brings its own settings, so {_listed(named)} would be ignored: give them to "
            f"it, or leave out {part}={params[part]!r}."
        )


def threshold(nu: float | None, default: float, params: dict[str, Any]) -> float:
    """ν, where the user does not bring a policy of its own; a word leaves it to ν."""
    if not isinstance(params.get("dictionary"), str):
        refuse_ignored("dictionary", {"nu": nu}, params)
    return default if nu is None else nu


def refuse(params: dict[str, Any], names: tuple[str, ...], why: str) -> None:
    """Parameters of the estimator that a preset has no use for; their defaults do no harm, but for
    parts of the model."""
    known = signature(OnlineKernelPCA).parameters
    for name in names:
        harmless = (None, known[name].default) if name not in ("rule", "dictionary") else ()
        if name in params and params[name] not in harmless:
            raise TypeError(f"{name}={params[name]!r} would be ignored: {why}.")


def preset(function: Callable[P, OnlineKernelPCA]) -> Callable[P, OnlineKernelPCA]:
    """A word that neither it nor the estimator knows is refused, with one that is like it; and what
    `params` are is said once for all presets."""
    own = [name for name in signature(function).parameters if name != "params"]

    @wraps(function)
    def known(*args: P.args, **params: P.kwargs) -> OnlineKernelPCA:
        _refuse_unknown(list(params), own)
        return function(*args, **params)

    known.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\n{OTHERS}"
    return known


def _refuse_unknown(names: list[str], own: list[str]) -> None:
    known = [*own, *signature(OnlineKernelPCA).parameters]
    for name in names:
        if name not in known:
            like = get_close_matches(name, known, 1, LIKE)
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
    return " and ".join(WRITTEN.get(name, f"{name}=") for name in names)
