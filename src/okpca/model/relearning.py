"""The same atoms, and the same rows learned once more over all of them."""

from __future__ import annotations

from okpca.model.state import Model, next_state


def relearned(model: Model, again: Model) -> Model:
    """With the moments of `again`, which has seen the rows of `model` over its atoms, fixed; it
    goes on learning as `model` would."""
    clusters = model.clusters
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
