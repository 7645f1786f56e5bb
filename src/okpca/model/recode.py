"""The same model over other atoms: coordinates, mean, what the rule has learned and what is known
to be lost are mapped from one dictionary to another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from okpca._core.numerics import EPS, RANK
from okpca._core.typing import Array
from okpca.dictionary import Basis, Clusters
from okpca.dictionary.change_of_basis import transition
from okpca.model.state import Model, next_state
from okpca.rules import Learner


def recode(
    model: Model,
    basis: Basis,
    P: Array,
    *,
    lost: tuple[float, float] | None = None,
    gone: float | None = None,
    clusters: Clusters | None = None,
) -> Model:
    """The same model over other atoms; P maps coordinates, and what it loses is noted: `lost` if
    that is known, or by moments, or a share `gone` of everything (`lost_by`). Unless it is said
    which rows they stand for, they take over those of the nearest old atoms."""
    anchor = model.anchor
    if clusters is None:
        model = settle(model)
        if model.clusters is not None:
            clusters = model.clusters.carried(basis.nearest(model.basis.atoms), basis.m)
    moments = moments_under(P, model.learner)
    lost = lost or lost_by(model, P, moments, gone)
    return next_state(
        model,
        basis=basis,
        centre=replace(model.centre, mean=P @ model.centre.mean),
        learner=_mapped(model.learner, P, moments),
        loss=model.loss.after_recoding(*lost),
        reference=None,
        clusters=clusters,
        anchor=None if anchor is None else anchor @ P[:, : anchor.shape[1]].T,
    )


def exchange(model: Model, basis: Basis) -> Model:
    """The same model over atoms that span the same, and more, with smaller coefficients.

    An atom that left is, but for a share `RANK`, in the span of the others, and no row has it with
    a coefficient larger than its noise may be.
    """
    P = transition(model.basis, basis)
    left = max(model.basis.m + 1 - basis.m, 1)
    gone = left * RANK * model.plan.policy.doubt / EPS
    reference = None if model.reference is None else model.reference.recoded(P)
    return next_state(recode(model, basis, P, gone=gone), reference=reference)


class Moments(NamedTuple):
    """What a learner holds of its rows about their mean, and as P takes them elsewhere."""

    whole: Array  # S
    half: Array  # P S
    left: Array  # P S Pᵀ


def moments_under(P: Array, learner: Learner | None) -> Moments | None:
    S = None if learner is None else learner.scatter()
    if S is None:
        return None
    half = P @ S
    return Moments(S, half, half @ P.T)


def _mapped(learner: Learner | None, P: Array, moments: Moments | None) -> Learner | None:
    if learner is None:
        return None
    kept = None if moments is None else learner.with_scatter(moments.left)
    return learner.recoded(P) if kept is None else kept


def lost_by(
    model: Model, P: Array, moments: Moments | None, gone: float | None = None
) -> tuple[float, float]:
    """Σ w ‖a − P a‖² over what the model holds of its rows: in all directions, in the worst.

    About the origin, not the mean: what P takes from the mean would turn up as scatter when the
    mean moves. Without moments only a share `gone` of everything is known to bound it.
    """
    if model.learner is None:
        return 0.0, 0.0
    if moments is None:
        if gone is None:  # at worst everything lies where P loses most
            gone = float(np.linalg.norm(np.eye(P.shape[1]) - P.T @ P, 2))
        return gone * model.energy, gone * model.energy
    mean, least = model.weighty_mean, rounding(model)
    there = P @ mean
    gone_with_mean = float(mean @ mean - there @ there)
    total = float(np.trace(moments.whole) - np.trace(moments.left)) + gone_with_mean
    total = max(total, least)
    # The eigenvalues of (I − PᵀP) M, M = S + μ μᵀ, are those of what is lost; the root of the sum
    # of their squares bounds the largest, and costs no product where eigenvalues would cost ten.
    # The sum is ‖M‖² − 2 ‖P M‖² + ‖P M Pᵀ‖².
    unit = model.energy or 1.0  # or squares of squares would be too large, or nothing
    mean, there = mean / np.sqrt(unit), there / np.sqrt(unit)
    whole = _square(moments.whole / unit, mean, mean)
    between = _square(moments.half / unit, there, mean)
    kept = _square(moments.left / unit, there, there)
    squares = max(whole - 2.0 * between + kept, 0.0) + len(P) * EPS * whole  # and its rounding
    return total, min(max(unit * float(np.sqrt(squares)), least), total)


def _square(A: Array, u: Array, v: Array) -> float:
    """‖A + u vᵀ‖²"""
    return float(np.vdot(A, A) + 2.0 * (u @ (A @ v)) + (u @ u) * (v @ v))


def rounding(model: Model) -> float:
    """What is lost may come out smaller than its rounding error, even negative."""
    return EPS * model.energy


def settle(model: Model) -> Model:
    """With nobody asking to join: the rows count for their atoms."""
    if model.clusters is None or not model.clusters.asking:
        return model
    X, weight, _, clusters = model.clusters.asked()
    return count(next_state(model, clusters=clusters), X, weight)


def count(model: Model, X: Any, weight: Array) -> Model:
    """With rows that it has learned counted for their atoms."""
    if model.clusters is None or not len(weight):
        return model
    clusters = model.clusters.counting(X, model.basis.nearest(X), weight)
    return next_state(model, clusters=clusters)
