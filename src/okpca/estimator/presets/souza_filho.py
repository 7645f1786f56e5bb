"""Souza Filho & Diniz, "Improving KPCA online extraction by orthonormalization in the feature
space", IEEE TNNLS (2017), and what they compare with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from okpca.dictionary import Coherence
from okpca.estimator.online import OnlineKernelPCA
from okpca.estimator.presets.common import (
    made,
    preset,
    refuse,
    refuse_ignored,
    stepping,
    threshold,
)
from okpca.model.budget import Drop
from okpca.rules import Hebbian, Rule, Tracking
from okpca.rules.schedules import ExponentialDecay, Schedule

Steps = Schedule | float | None
NU = 1e-3  # of their full dictionary


@preset
def oo_kha(
    n_components: int = 16,
    *,
    nu: float | None = None,
    eta0: float | None = None,
    gamma_eta: float | None = None,
    schedule: Steps = None,
    init: Any = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Online orthogonal KHA: Oja's stochastic gradient ascent, deflation 2 (50-52).

    Rows join by the threshold `nu`, 0.001 if None; `n_components` learn by steps of `eta0` times
    `gamma_eta`ᵗ, 0.05 and 0.999995 if None, or of another `schedule`. They start as small random
    multiples of the first atom, or as `init` says, see :class:`okpca.rules.Hebbian`.
    """
    settings = _settings(schedule, eta0, gamma_eta, init)
    rest = {"nu": threshold(nu, NU, params)}
    return _souza_filho(n_components, partial(Hebbian, deflation=2), settings, rest, params)


@preset
def on_kha(
    n_components: int = 16,
    *,
    nu: float | None = None,
    eta0: float | None = None,
    gamma_eta: float | None = None,
    schedule: Steps = None,
    init: Any = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Online orthonormal KHA: Oja's stochastic gradient ascent, deflation 2, every component
    normalised after each step (45-50, Table I).

    Rows join by the threshold `nu`, 0.001 if None; `n_components` learn by steps of `eta0` times
    `gamma_eta`ᵗ, 0.05 and 0.999995 if None, or of another `schedule`. They start as small random
    multiples of the first atom, or as `init` says, see :class:`okpca.rules.Hebbian`. The norm is
    Euclidean in our coordinates: O(m r) instead of O(m² r). Without it this is :func:`oo_kha`.
    """
    settings = _settings(schedule, eta0, gamma_eta, init)
    rule = partial(Hebbian, deflation=2, normalize=True)
    rest = {"nu": threshold(nu, NU, params)}
    return _souza_filho(n_components, rule, settings, rest, params)


@preset
def subkha(
    n_components: int = 16,
    *,
    max_atoms: int = 49,
    alpha: float | None = None,
    eta0: float | None = None,
    gamma_eta: float | None = None,
    schedule: Steps = None,
    init: Any = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Subset KHA (Washizawa 2012), known through Souza Filho & Diniz: a dictionary of fixed size.

    From their text: Sanger's update, and the constant α = 1. Derived: rows join until there are
    `max_atoms`; then the atom with the smallest leave-one-out distance 1 / (K⁻¹)_ii goes when a
    newcomer is farther from the span than `alpha` times that, 1 if None. `n_components` learn by
    steps of `eta0` times `gamma_eta`ᵗ, 0.05 and 0.999995 if None, or of another `schedule`, and
    start as `init` says, see :class:`okpca.rules.Hebbian`.
    """
    settings = _settings(schedule, eta0, gamma_eta, init)
    refuse_ignored("on_full", {"alpha": alpha}, params)
    on_full = Drop(1.0 if alpha is None else alpha)
    budget = {"nu": 0.0, "max_atoms": max_atoms, "on_full": on_full}
    return _souza_filho(n_components, partial(Hebbian, deflation=1), settings, budget, params)


@preset
def tanaka(
    n_components: int = 16,
    *,
    coherence: float | None = None,
    beta: float | None = None,
    first_weight: float | None = None,
    weight_step: float | None = None,
    init: Any = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Tanaka, Washizawa & Kuh's tracker (ICASSP 2012), known through Souza Filho & Diniz.

    What of it is theirs and what is derived: see :mod:`okpca.rules.tracking`. Rows join by the
    limit `coherence`, 0.742 if None; `beta` (0.9999 if None) is what it keeps of the past at each
    row, and the `n_components` are weighted by `first_weight` (0.9) and `weight_step` (0.05) less
    each. `init` is where they start, see :class:`okpca.rules.Tracking`.
    """
    settings = {"beta": beta, "first_weight": first_weight, "weight_step": weight_step}
    rule = partial(Tracking, beta=0.9999, first_weight=0.9, weight_step=0.05)
    refuse_ignored("dictionary", {"coherence": coherence}, params)
    if not isinstance(params.get("dictionary"), str):
        refuse(params, ("nu",), "rows join by their coherence with the atoms")
    defaults = {"dictionary": Coherence(0.742 if coherence is None else coherence)}
    return _souza_filho(n_components, rule, settings | {"init": init}, defaults, params)


def _settings(
    schedule: Steps, eta0: float | None, gamma_eta: float | None, init: Any
) -> dict[str, Any]:
    steps = stepping(ExponentialDecay, schedule, eta0=eta0, gamma=gamma_eta)
    return {"schedule": steps, "init": init}


def _souza_filho(
    n_components: int,
    rule: Callable[..., Rule],
    settings: dict[str, Any],
    rest: dict[str, Any],
    params: dict[str, Any],
) -> OnlineKernelPCA:
    """Uncentred, as in their section V."""
    defaults: dict[str, Any] = {"n_components": n_components, "center": False, "max_atoms": None}
    return made(rule, settings, defaults | rest, params)
