"""The principal directions of a model: how many, of which sign, and rows projected on them.

Signs are deterministic at birth (the largest |coefficient| is positive) and continuous afterwards.
What they are continuous with is an anchor in the stream, the components when its rows had last
doubled, never what someone happened to look at: looking changes nothing, not even a sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from okpca._core.blas_threads import blocks_on_one_thread, one_thread
from okpca._core.cached import derived, once
from okpca._core.numerics import (
    ANCHORED,
    ANCHORED_PER_ATOM,
    DUAL,
    EIGENVALUE,
    EPS,
    GLIMPSED,
    ROUNDING,
    SAME_SIZE,
    UNLIKE,
)
from okpca._core.typing import Array, Flags
from okpca._core.warning_thresholds import FIRST_LOOK
from okpca.dictionary.parallel import only_finite, rows_in_pieces
from okpca.model.diagnosis import diagnosed
from okpca.model.geometry import spanned
from okpca.model.state import Model, next_state
from okpca.rules import Learner


@dataclass(frozen=True, eq=False)
class Components:
    """Principal directions: rows of V in coordinates, rows of dual over the atoms."""

    scatter: Array  # eigenvalues of the centred Gram matrix
    V: Array
    dual: Array
    orthonormal: bool

    @derived
    def Q(self) -> Array:
        """Orthonormal rows with the span of V."""
        return self.V if self.orthonormal else spanned(self.V)[0]

    def along(self, scores: Array) -> Array:
        """The vectors of the span whose inner products with V are the scores, (n, r)."""
        if self.orthonormal:
            return scores @ self.V
        Q, M = spanned(self.V)
        return np.asarray(scores @ M.T @ Q)


@once
@one_thread
def components(model: Model) -> Components:
    assert model.held is None, "rows are held back: ask `matured`"
    plan, learner = model.plan, model.learner
    free = plan.rule.averages
    if learner is None:
        r = plan.max_components or 0
        return Components(np.zeros(r), np.zeros((r, 0)), np.zeros((r, 0)), free)
    scatter, V = learner.spectrum(plan.max_components)
    if free:
        scatter, V = as_many_as_asked(model, scatter, V)
        V = _signs(model, V)[:, None] * V
    return Components(scatter, V, model.basis.expansion(V), free)


def as_many_as_asked(model: Model, scatter: Array, V: Array) -> tuple[Array, Array]:
    """As many components as asked for; one without variance is zero, as in scikit-learn."""
    real = _n_real(model, scatter)
    wanted = model.plan.n_components
    if isinstance(wanted, int):
        count = wanted
    elif wanted is None:
        count = real
    else:
        count = n_sharing(scatter[:real], wanted, model.variance)
    kept = min(real, count)
    all_scatter, all_V = np.zeros(count), np.zeros((count, V.shape[1]))
    all_scatter[:kept], all_V[:kept] = scatter[:kept], V[:kept]
    return all_scatter, all_V


def n_sharing(scatter: Array, wanted: float, variance: float) -> int:
    """How many of the leading components hold this share of all variance, if all of them do."""
    share = np.cumsum(scatter) / (variance or 1.0)
    return min(int(np.searchsorted(share, wanted)) + 1, len(scatter))


def _n_real(model: Model, scatter: Array) -> int:
    """How many of these are more than rounding."""
    noise = model.centre.weight * ROUNDING**2 * float(np.square(model.centre.mean).sum())
    return int(np.sum(scatter > max(EIGENVALUE * scatter.max(initial=0.0), noise)))


# -- rows -----------------------------------------------------------------------------------------


@blocks_on_one_thread
def projected(model: Model, X: Any) -> Array:
    """⟨v_j, φ(x) − μ⟩ for every row and component."""
    basis, found = model.basis, components(model)
    if basis.m == 0:
        return np.zeros((X.shape[0], len(found.V)))
    mean, dual = found.V @ model.centre.mean, _dual_is_safe(model)

    def of(rows: Any) -> Array:
        K = basis.kernel_values(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            if dual:
                out = K @ found.dual.T - mean
            else:
                out = (basis.coordinates(K) - model.centre.mean) @ found.V.T
        return only_finite(out, found.V)

    return rows_in_pieces(basis, X, of)


@once
def _dual_is_safe(model: Model) -> bool:
    """Do coefficients over nearly dependent atoms keep their digits in K αᵀ?"""
    norm = float(model.basis.atom_norms.max())
    spread = float(np.abs(components(model).dual).sum(axis=1).max(initial=0.0))
    return bool(spread * np.sqrt(norm) * EPS < DUAL)


# -- signs ----------------------------------------------------------------------------------------


def rows_to_anchor(model: Model) -> int:
    """Counted in rows of the stream, like all that must not depend on its cuts."""
    return max(model.anchor_at - model.n_rows, 1)


def anchored_if_due(model: Model) -> Model:
    return anchored(model) if model.n_rows >= model.anchor_at else model


def anchored(model: Model) -> Model:
    """With the components of today as those that later signs are told by, where they are free to
    turn.

    It happens when the rows have doubled, or once in a memory length with forgetting (but not
    so often that it would cost more than the rows).
    """
    n, decay, anchor = model.n_rows, model.centre.forgetting, model.anchor
    if model.learner is not None and model.plan.rule.averages:
        anchor = _glimpse(model, model.learner)
    memory = n
    if decay < 1.0:
        atoms = min(model.plan.budget.max_atoms or n, n)
        memory = max(int(1.0 / (1.0 - decay)), int(ANCHORED_PER_ATOM * atoms), ANCHORED)
    model = next_state(model, anchor=anchor, anchor_at=n + min(n, memory))
    return diagnosed(model) if n >= FIRST_LOOK else model


def _glimpse(model: Model, learner: Learner) -> Array:
    # Where it is not known how many will be shown, those that come late have none.
    asked = model.plan.max_components or GLIMPSED
    scatter, V = learner.glimpse(min(asked + 1, model.basis.m), model.anchor)
    V = V.copy()
    V[_n_real(model, scatter) :] = 0.0
    V[_tied(scatter)] = 0.0  # any turn of these would do as well: they have no sign to keep
    V = V[:asked]
    return np.asarray(_signs(model, V)[:, None] * V)


def _tied(scatter: Array) -> Flags:
    """Those whose neighbour has the same eigenvalue."""
    like_next = scatter[1:] > (1 - SAME_SIZE) * scatter[:-1]
    return np.asarray(np.append(like_next, False) | np.append(False, like_next))


def _signs(model: Model, V: Array) -> Array:
    """A component keeps the sign of its anchor, so it flips only if it turns away from it by 90
    degrees, as when two change places. One without is born: its largest |coefficient| is
    positive."""
    sign = np.zeros(len(V)) if model.anchor is None else _signs_kept(V, model.anchor)
    new = np.flatnonzero(sign == 0)
    if len(new):
        sign[new] = _signs_at_birth(model.basis.expansion(V[new]))
    return sign


def _signs_kept(V: Array, anchor: Array) -> Array:
    """0 where there is nothing alike."""
    sign, r, m = np.zeros(len(V)), min(len(V), len(anchor)), min(V.shape[1], anchor.shape[1])
    along = np.einsum("ij,ij->i", V[:r, :m], anchor[:r, :m])
    sign[:r] = np.where(np.abs(along) < UNLIKE, 0.0, np.sign(along))
    return sign


def _signs_at_birth(dual: Array) -> Array:
    # The first of those that are largest up to rounding: a tie must not depend on the last digit.
    size = np.abs(dual)
    largest = (size >= (1 - SAME_SIZE) * size.max(axis=1, keepdims=True)).argmax(axis=1)
    return np.where(dual[np.arange(len(dual)), largest] < 0, -1.0, 1.0)
