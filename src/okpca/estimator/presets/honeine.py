"""Honeine, "Online kernel PCA: a reduced-order model", IEEE TPAMI 34 (2012), and what he compares
with."""

from __future__ import annotations

from functools import partial
from typing import Any

from okpca.dictionary import Fixed
from okpca.estimator.online import OnlineKernelPCA
from okpca.estimator.presets.common import (
    made,
    preset,
    refuse,
    refuse_more_components,
    refuse_no_table,
    stepping,
    threshold,
)
from okpca.rules import CentredAtoms, Hebbian, Rule
from okpca.rules.schedules import Schedule, SearchThenConverge


@preset
def kha(
    points: Any,
    n_components: int = 2,
    *,
    epochs: int = 10,
    shuffle: bool = False,
    eta0: float | None = None,
    tau: float | None = None,
    schedule: Schedule | float | None = None,
    init: Any = None,
    **params: Any,
) -> OnlineKernelPCA:
    """The kernel Hebbian algorithm: `epochs` passes over a fixed set, whose `points` are the atoms,
    with `shuffle` each in a random order of its own.

    Kim, Franz & Schölkopf 2005, which Honeine calls iterative kernel PCA and describes as his
    update (19), without selection, several times over the same rows. Call `fit(points)`.
    `n_components` start at random, or as `init` says, see :class:`okpca.rules.Hebbian`; steps are
    those of `schedule`, or of (20) with `eta0` and `tau` as in :func:`okha`.
    """
    refuse_no_table(
        points,
        "points, the atoms that `fit` goes over,",
        ": the number of components comes second, kha(points, n_components)",
    )
    why = "points are the dictionary of kha, and stay; without any, take okha"
    refuse(params, ("dictionary", "nu", "max_atoms", "on_full"), why)
    rule = partial(Hebbian, deflation=1, schedule=SearchThenConverge(), init="random")
    steps = stepping(SearchThenConverge, schedule, eta0=eta0, tau=tau)
    defaults: dict[str, Any] = {"n_components": n_components, "epochs": epochs, "shuffle": shuffle}
    defaults |= {"dictionary": Fixed(points), "max_atoms": None}
    return made(rule, {"schedule": steps, "init": init}, defaults, params)


@preset
def okha(
    n_components: int = 5,
    *,
    nu: float | None = None,
    eta0: float | None = None,
    tau: float | None = None,
    schedule: Schedule | float | None = None,
    init: Any = None,
    centred_atoms: bool = False,
    **params: Any,
) -> OnlineKernelPCA:
    """Online kernel PCA of a reduced order: the distance criterion (10-11) with the threshold
    `nu`, the update (19) of `n_components` with the step size (20), `eta0` / (1 + t / `tau`), the
    mean tracked in the span (5.2).

    What is None is as in his section 6.1: ν = η₀ = 0.5, τ = 1e5. `schedule` is another step
    size, `init` where the components start, see :class:`okpca.rules.Hebbian`. His ν is a squared
    distance, `dictionary=Novelty(nu, absolute=True)`: for kernels of unit norm the same.

    With `centred_atoms` components are expansions over φ(d) − μ, as the κᶜ of 5.2 is printed, and
    turn whenever the mean moves; without, over φ(d), as his (22) has them. See
    :class:`okpca.rules.CentredAtoms`.
    """
    settings: dict[str, Any] = {"init": init, "centred_atoms": centred_atoms or None}
    settings["schedule"] = stepping(SearchThenConverge, schedule, eta0=eta0, tau=tau)
    defaults: dict[str, Any] = {"n_components": n_components, "max_atoms": None}
    defaults["nu"] = threshold(nu, 0.5, params)
    return made(_update_19, settings, defaults, params)


def _update_19(*, centred_atoms: bool = False, **settings: Any) -> Rule:
    steps = {"schedule": SearchThenConverge()} | settings
    return CentredAtoms(**steps) if centred_atoms else Hebbian(deflation=1, **steps)


@preset
def okha_single(
    n_components: int = 1,
    *,
    nu: float | None = None,
    eta0: float | None = None,
    tau: float | None = None,
    schedule: Schedule | float | None = None,
    init: Any = None,
    centred_atoms: bool = False,
    **params: Any,
) -> OnlineKernelPCA:
    """Online kernel PCA of a reduced order for the first component alone: Honeine's Table 2,
    (12)-(16).

    Rows join by the distance criterion (10-11) with the threshold `nu`, 0.5 if None; the component
    learns by steps of `eta0` / (1 + t / `tau`), 0.5 and 1e5 if None, or of another `schedule`, and
    starts as `init` says, see :class:`okpca.rules.Hebbian`; with `centred_atoms` as in his 5.2. It
    is :func:`okha` with one component; more, `n_components`, are refused.
    """
    refuse_more_components(n_components, "okha_single", "okha")
    steps: dict[str, Any] = {"eta0": eta0, "tau": tau, "schedule": schedule, "init": init}
    return okha(1, nu=nu, centred_atoms=centred_atoms, **steps, **params)
