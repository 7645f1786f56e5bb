"""From an estimator's parameters to a model that has seen nothing."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from okpca import dictionary, rules
from okpca._core.numerics import FIRST_ROWS
from okpca.dictionary import Basis
from okpca.kernels import Kernel
from okpca.model import budget, weights
from okpca.model.empirical import Empirical
from okpca.model.state import Model, Plan, first_state, next_state
from okpca.model.warmup import Held


def opened(
    params: Any,
    kernel: Kernel,
    n_features: int,
    known: Model | None = None,
    *,
    first_rows: int = FIRST_ROWS,
) -> Model:
    """`known`: what there was, of which all rows were left out. `first_rows`: so many say what is
    left to them if there is no warm-up."""
    model = _opened(params, kernel, n_features, first_rows)
    return model if known is None else next_state(model, gaps=known.gaps, troubles=known.troubles)


def _opened(params: Any, kernel: Kernel, n_features: int, first_rows: int) -> Model:
    plan = _plan(params, first_rows)
    kernel = kernel.resolved(n_features)
    center, forgetting = bool(params.center), float(params.forgetting)
    if not plan.burn_in and not kernel.needs_rows and not plan.imputes:
        return first_state(plan, kernel, n_features, center=center, forgetting=forgetting)
    # Refuse at once what would fail when all of the first rows are there.
    if plan.burn_in:
        rules.refuse_start(plan.rule)
    if plan.burn_in or plan.rule.init is None:  # others are for atoms that are not there yet
        plan.born(np.eye(1))
    if not plan.policy.needs_rows:
        any_rows = kernel.settled(np.zeros((1, n_features)))
        first_state(plan, any_rows, n_features, center=center, forgetting=forgetting)
    plan = replace(plan, first_rows=plan.burn_in or first_rows)
    basis = Basis.empty(kernel, n_features)
    centre = plan.first_centre(0, forgetting, center)
    return Model(plan, basis, centre, held=Held())


def _plan(params: Any, first_rows: int) -> Plan:
    rule, robust = rules.make(params.rule), weights.make(params.robust)
    n_components = _n_components(params.n_components, rule, robust)
    policy, burn_in = dictionary.make(params.dictionary, params.nu), int(params.burn_in)
    if not burn_in and robust is not None and robust.warms_up and not rules.has_start(rule):
        burn_in = first_rows
    on_full = budget.make(params.on_full if policy.grows else "project", params.max_atoms)
    on_full.check(n_components)
    _refuse_geometry(params, rule, burn_in)
    if policy.needs_rows > burn_in:
        raise ValueError(
            f"{policy!r} chooses its atoms from the first rows: burn_in must be at least "
            f"{policy.needs_rows}, got {burn_in}."
        )
    seed = int(check_random_state(params.random_state).randint(2**31))
    return Plan(
        policy=policy,
        budget=on_full,
        rule=rule,
        n_components=n_components,
        seed=seed,
        # Moving atoms is deterministic unless asked otherwise: the cuts of a stream must not
        # matter, and two fits on the same rows should agree.
        placement_seed=0 if params.random_state is None else seed,
        robust=robust,
        burn_in=burn_in,
        empirical=params.geometry != "rkhs",
        geometry=_geometry(params),
        imputes=params.missing == "impute",
    )


def _n_components(wanted: Any, rule: rules.Rule, robust: weights.Weight | None) -> Any:
    if isinstance(wanted, Integral):
        return int(wanted)
    if not rule.averages:
        raise ValueError(
            f"n_components={wanted!r} needs rule='exact': {rule!r} must know the number "
            "of components before the first row."
        )
    if robust is not None and wanted is None:
        raise ValueError(
            "robust weights need n_components, a number or a share of the variance, got None: rows "
            "are judged by their distance to that subspace, and all components leave none."
        )
    return wanted


def _geometry(params: Any) -> Empirical:
    return params.geometry if isinstance(params.geometry, Empirical) else Empirical()


def _refuse_geometry(params: Any, rule: rules.Rule, burn_in: int) -> None:
    """What the empirical geometry cannot be asked for."""
    geometry = _geometry(params)
    if params.geometry != "rkhs" and params.forgetting < 1 and not rule.averages:
        raise ValueError(
            f"forgetting={params.forgetting} has no meaning for {rule!r} in the empirical "
            "geometry, whose mean moves by 1/t: use geometry='rkhs'."
        )
    if geometry.plain:
        return
    if rule.averages:
        raise ValueError(
            f"{geometry!r} is for rules that take steps: {rule!r} has the mean of all rows. Use "
            "geometry='empirical'."
        )
    if not params.center:
        raise ValueError(f"{geometry!r} says how the mean moves, and center=False has none.")
    if geometry.shared_steps and rule.schedule is None:
        raise ValueError(f"shared_steps needs a rule that has a schedule, and {rule!r} has none.")
    if geometry.start_mean is not None and burn_in:
        raise ValueError("start_mean and burn_in both say where the mean starts: give one of them.")
