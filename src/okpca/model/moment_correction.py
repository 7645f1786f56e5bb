"""What rows lost because atoms came too late for them, given back as far as it is known.

A model holds a row as its shadow z on the atoms of its time, so a direction that is spanned only
later has too little scatter: where a stream comes in order, that is most of what a budget loses.

The rows X that asked to join are at hand, and what they lack is given to them. Those before them
are not, but what they lost is known: the atom nearest to x_j owed Σ w ε², as much as
s_j = Σ w ε² / ε_j² rows like x_j lose, less x_j itself. Every row gains G z in the new directions,
where G is to give these rows what x_j has there, ρ_j, and all rows that there are nothing:

    G = argmin Σ_t w_t ‖G z_t‖² + Σ_j s_j ‖G z_j − ρ_j‖² = Σ_j s_j ρ_j z_jᵀ (M + Σ_j s_j z_j z_jᵀ)⁻¹

with M = Σ_t w_t z_t z_tᵀ and a small ridge. No more is given back than was owed:
Σ w ‖G z‖² ≤ Σ_j s_j ε_j².

That is not certain: a component of rows that need nothing may come out with too much variance, and
what is added to the mean makes that of all rows an estimate. By trial more is kept
(docs/living.md), and the certificate pays for it: a row that is held elsewhere has moved.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from okpca._core.typing import Array
from okpca.dictionary import Encoded
from okpca.model.state import Model, next_state

SCARCE = 1e-4
"""Directions in which rows have less than this share of their mean moment say nothing of what rows
lack elsewhere."""


def restore(model: Model, rows: Encoded, old: int, weight: Array, claim: Array) -> Model:
    """With rows as they are that were learned when there were only `old` of the atoms, and with
    what the others lost by which these have a claim."""
    learner, W, mean = model.learner, model.centre.weight, model.centre.mean[:old]
    S = None if learner is None else learner.scatter()
    if learner is None or S is None or learner.with_scatter(S) is None:
        return model
    Z, new = rows.Z[:, :old], rows.Z[:, old:]
    moment = S[:old, :old] + W * np.outer(mean, mean)
    G = _regression(moment, Z, new, np.maximum(_rows_like(rows, old, claim) - weight, 0.0))
    lifted, lacking = moment @ G.T, new - Z @ G.T
    more = G @ mean + model.centre.moving * (weight @ lacking) / W
    across = lifted + Z.T @ (weight[:, None] * lacking) - W * np.outer(mean, more)
    S[:old, old:] += across
    S[old:, :old] += across.T
    given = G @ lifted
    S[old:, old:] += given + _moment(new, weight) - _moment(new - lacking, weight)
    S[old:, old:] -= W * np.outer(more, more)
    moved = float(np.trace(given))
    loss = model.loss.given_back(float(weight @ np.square(new).sum(axis=1)))
    return next_state(
        model,
        learner=learner.with_scatter(S),
        centre=replace(model.centre, mean=np.append(mean, more)),
        variance=model.variance - W * float(more @ more),
        loss=loss.after_recoding(moved, min(float(np.linalg.norm(given)), moved)),
    )


def _rows_like(rows: Encoded, old: int, claim: Array) -> Array:
    """s_j: a claim is what was owed over the squared distance to the nearest atom, or over ε²."""
    apart = rows.norm + (rows.basis.atom_norms[:old] - 2.0 * rows.K).min(axis=1)
    outside = rows.norm - np.square(rows.Z[:, :old]).sum(axis=1)
    owed = claim * np.maximum(apart, outside)
    return np.asarray(owed / np.maximum(outside, SCARCE * rows.norm))


def _regression(moment: Array, Z: Array, new: Array, like: Array) -> Array:
    M = moment + _moment(Z, like)
    M[np.diag_indices(len(M))] += SCARCE * np.trace(M) / len(M)
    factor = cho_factor(M, lower=True, overwrite_a=True, check_finite=False)
    return np.asarray(cho_solve(factor, Z.T @ (like[:, None] * new), check_finite=False).T)


def _moment(rows: Array, weight: Array) -> Array:
    return np.asarray((rows.T * weight) @ rows)
