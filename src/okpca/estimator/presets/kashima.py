"""Kashima, "On-line kernel principal component analysis", IBM RT0401 (2001)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from okpca._core.number_checks import checked_count
from okpca.dictionary import Seeded
from okpca.estimator.online import OnlineKernelPCA
from okpca.estimator.presets.common import (
    given,
    made,
    preset,
    refuse_ignored,
    refuse_more_components,
    refuse_no_table,
    stepping,
)
from okpca.rules import Apex, Hebbian, Rule
from okpca.rules.schedules import Constant, Schedule

Steps = Schedule | float | None


@preset
def kashima_oja(
    n_components: int = 1,
    *,
    eta: float | None = None,
    schedule: Steps = None,
    init: Any = None,
    start_points: Any = None,
    memory: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Kernel Oja: the first component (Kashima 17-40), over all rows so far or the last `memory` of
    them. More than one, `n_components`, are refused.

    Steps have the constant size `eta`, 0.05 if None, or follow another `schedule`. The component
    starts at the first row, φ(x₀) over its norm (27-31), or at a point of its own, `start_points`
    (1, d), or as `init` says, see :class:`okpca.rules.Hebbian`.
    """
    refuse_more_components(n_components, "kashima_oja", "kashima_apex or kashima_simultaneous")
    settings = {"schedule": stepping(Constant, schedule, eta0=eta), "init": init}
    rule = partial(Hebbian, schedule=Constant(), init="unit")
    return _kashima(1, rule, settings, start_points, memory, params)


@preset
def kashima_apex(
    n_components: int = 2,
    *,
    eta: float | None = None,
    schedule: Steps = None,
    rows_per_component: int | None = None,
    init: Any = None,
    start_points: Any = None,
    memory: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Kernel APEX (Kashima 41-53): `n_components` one after another, each for
    `rows_per_component` rows; or, with None, all of them together.

    `start_points` are the x⁽ᵖ⁾(0) of (49), one for each component; all start at the first row if
    None. `eta`, `schedule`, `init` and `memory` as in :func:`kashima_oja`.
    """
    settings = {"schedule": stepping(Constant, schedule, eta0=eta), "init": init}
    settings["rows_per_component"] = rows_per_component
    rule = partial(Apex, schedule=Constant(), init="unit")
    return _kashima(n_components, rule, settings, start_points, memory, params)


@preset
def kashima_simultaneous(
    n_components: int = 2,
    *,
    beta: float | None = None,
    eta: float | None = None,
    schedule: Steps = None,
    init: Any = None,
    start_points: Any = None,
    memory: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """P (`n_components`) at once, by Oja's rule of 1992 with the deflation `beta` > 1, 2 if None
    (Kashima 54-61). `start_points` as in :func:`kashima_apex`; `eta`, `schedule`, `init` and
    `memory` as in :func:`kashima_oja`.

    His step costs O(t² P), for he needs the outputs of all old weights; here it is O(m P) beside
    the O(m²) by which a row is written in coordinates of the m atoms.
    """
    settings = {"schedule": stepping(Constant, schedule, eta0=eta), "init": init}
    settings["deflation"] = beta
    rule = partial(Hebbian, deflation=2.0, schedule=Constant(), init="unit")
    return _kashima(n_components, rule, settings, start_points, memory, params)


def _kashima(
    n_components: int,
    rule: Callable[..., Rule],
    settings: dict[str, Any],
    start_points: Any,
    memory: int | None,
    params: dict[str, Any],
) -> OnlineKernelPCA:
    """All past rows are remembered, or the last `memory` of them; nothing is centred."""
    refuse_ignored("max_atoms", {"memory": memory}, params)
    if memory is not None:
        checked_count("the preset", "memory", memory, 1)
        if params.get("on_full", "slide") != "slide":
            raise TypeError(
                "memory= is that of the last rows, on_full='slide': for another policy give "
                "max_atoms= in its place."
            )
    defaults: dict[str, Any] = {"n_components": n_components, "center": False}
    defaults |= {"nu": 0.0, "max_atoms": memory, "on_full": "slide"}
    if start_points is not None:
        for other in given({"init": settings["init"]} | params):
            if other in ("init", "dictionary", "rule") or (other == "burn_in" and params[other]):
                raise TypeError(
                    f"start_points and {other} both say where the components start: give one of "
                    "them."
                )
        _refuse_other_number(start_points, n_components, memory)
        settings["init"] = "atoms"
        defaults["dictionary"] = Seeded(start_points, nu=float(params.get("nu", 0.0)))
    return made(rule, settings, defaults, params)


def _refuse_other_number(points: Any, n_components: int, memory: int | None) -> None:
    refuse_no_table(points, "start_points, one for each component,", "")
    n = points.shape[0] if hasattr(points, "shape") else len(points)
    if n != n_components:
        raise ValueError(f"start_points must be one for each component, {n_components}, got {n}.")
    if memory is not None and memory < n:
        raise ValueError(f"memory={memory} is too small for {n} start_points, which are atoms.")
