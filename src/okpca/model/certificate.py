"""How far the model may be from batch kernel PCA of the same rows.

`loss` keeps two sizes of the matrix Δ of what the model does not hold of its rows, as bounds: the
energy ‖Δ‖²_F and the worst direction ‖Δ‖²₂ ≤ ‖Δ‖²_F. Centring does not increase the norm of a
difference, so for the singular values σ_j of the centred, weighted data, with e = ‖Δ‖₂,

    |σ_j(true) − σ_j(model)| ≤ e                                           (Weyl; Mirsky)
    sin ∠(leading r-subspaces) ≤ e / (σ_r − σ_{r+1} − e)                    (Wedin)
    ‖(I − P) v_j‖² ≤ e² / λ_j   for the true component v_j                  (Honeine, Theorem 5)

Sums are rounded, too: S is off by a matrix of norm ρ (`ROUNDING` of the energy of all rows), which
moves eigenvalues by ρ and turns the leading subspace by up to ρ / (λ_r − λ_{r+1}). In singular
values that is ρ / (σ_r + σ_{r+1}), and joins e. So no angle is vouched for where eigenvalues are
tied but for rounding.

In the third, P is the projection on the span of the atoms; for a dictionary that only grew by the
distance criterion e² / λ_j ≤ ν / (λ_j / n), which is how the theorem puts it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.numerics import ROUNDING
from okpca._core.threads import one_thread
from okpca._core.typing import Array
from okpca.model.components import components
from okpca.model.loss import Loss
from okpca.model.state import Model


@dataclass(frozen=True)
class Certificate:
    """Bounds that hold for batch kernel PCA of all rows seen; infinite where they say nothing.

    Attributes
    ----------
    discarded_energy : float
        ‖Δ‖²_F, on the scale of `eigenvalues_`.
    eigenvalue_lower, eigenvalue_upper : ndarray of shape (n_components_,)
        Between them lie the eigenvalues of the true (centred) Gram matrix.
    angle_bound : float
        The largest principal angle, in radians, between the model's and the true leading subspace.
    nu_over_lambda : ndarray of shape (n_components_,)
        Squared distance of each true component (unit norm) to the span of the atoms.
    """

    discarded_energy: float
    eigenvalue_lower: Array
    eigenvalue_upper: Array
    angle_bound: float
    nu_over_lambda: Array


@one_thread
def certificate(model: Model) -> Certificate:
    """Bounds on the distance to batch kernel PCA of all rows."""
    scatter, learner = components(model).scatter, model.learner
    r = len(scatter)
    if learner is None:
        return certify(np.zeros(r), 0.0, model.loss, 0.0)
    if learner.truncation is None:
        return uncertain(r, model.loss)
    more, _ = learner.spectrum(min(r + 1, model.basis.m))
    following = float(more[r]) if len(more) > r else 0.0
    loss = model.loss.after_recoding(*learner.truncation)
    return certify(scatter, following, loss, model.energy)


def certify(eigenvalues: Array, following: float, loss: Loss, energy: float) -> Certificate:
    """From the model's eigenvalues, the one after them, what was lost, and Σ w ‖φ(x)‖²."""
    slack, rounding = float(np.sqrt(loss.worst)), ROUNDING * energy
    lowest = np.sqrt(np.maximum(eigenvalues - rounding, 0.0))
    lower = np.square(np.maximum(lowest - slack, 0.0))
    if loss.worst == 0.0:
        share = np.zeros(len(lower))
    else:
        share = np.divide(loss.worst, lower, out=np.full(len(lower), np.inf), where=lower > 0)
    return Certificate(
        discarded_energy=loss.energy,
        eigenvalue_lower=lower,
        eigenvalue_upper=np.square(np.sqrt(eigenvalues + rounding) + slack),
        angle_bound=_angle(np.sqrt(eigenvalues), float(np.sqrt(following)), slack, rounding),
        nu_over_lambda=share,
    )


def _angle(sigma: Array, following: float, slack: float, rounding: float) -> float:
    if not len(sigma):
        return 0.0
    if sigma[-1] <= following:
        return float("inf")
    slack += rounding / (sigma[-1] + following)
    gap = sigma[-1] - following - slack
    if slack > gap:
        return float("inf")
    return float(np.arcsin(slack / gap))


def uncertain(n_components: int, loss: Loss) -> Certificate:
    """For rules that only approach the eigenvectors: what is discarded is known, no more."""
    nothing = np.full(n_components, np.inf)
    return Certificate(loss.energy, np.zeros(n_components), nothing, float("inf"), nothing)
