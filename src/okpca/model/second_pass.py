"""After rows were learned in parts: another budget, or the same rows once more over all atoms."""

from __future__ import annotations

from dataclasses import replace

from okpca.model.budget import Budget
from okpca.model.recode import settle
from okpca.model.state import Model, next_state


def relearned(model: Model, again: Model) -> Model:
    """With the moments of `again`, which has seen the rows of `model` over its atoms, fixed; it
    goes on learning as `model` would."""
    clusters = settle(model).clusters
    if clusters is not None:
        clusters = clusters.carried(again.basis.nearest(model.basis.atoms), again.basis.m)
    return next_state(
        again,
        plan=model.plan,
        clusters=clusters,
        relieved_at=model.relieved_at,
        pace=model.pace,
        troubles=model.troubles,
    )


def under_budget(model: Model, of_part: Budget, own: Budget) -> Model:
    """It goes on with a budget of its own, if it was learned under that of a part."""
    if model.plan.budget != of_part:  # a dictionary that never grows
        return model
    return next_state(model, plan=replace(model.plan, budget=own))
