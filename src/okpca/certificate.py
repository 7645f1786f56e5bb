"""How far the model may be from batch kernel PCA of the same rows.

Let the model hold row i as a_i while its true image is φ_i; Δ is the matrix of rows √w (φ_i − a_i).
Two sizes of it are kept, as bounds: the energy ‖Δ‖²_F and the worst direction ‖Δ‖²₂ ≤ ‖Δ‖²_F.

- A row adds its squared distance to the span when it came, ε², to both.
- A change of the dictionary moves every a_i: by the triangle inequality the norms grow by those of
  the change, √(Σ of what is lost) and √(what is lost in the worst direction).
- Forgetting scales all weights, hence both squares, by φ.

Centring does not increase the norm of a difference, so for the singular values σ_j of the centred,
weighted data, with e = ‖Δ‖₂,

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
from numpy.typing import NDArray

from okpca.centre import decayed_sum
from okpca.numerics import ROUNDING

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Loss:
    """What the model does not hold of its rows."""

    energy: float = 0.0  # ‖Δ‖²_F
    worst: float = 0.0  # ‖Δ‖²₂

    def after_row(self, distance: float, decay: float) -> Loss:
        return Loss(decay * self.energy + distance, decay * self.worst + distance)

    def after_rows(self, distance: Array, decay: float) -> Loss:
        return Loss(
            decayed_sum(self.energy, distance, decay), decayed_sum(self.worst, distance, decay)
        )

    def after_recoding(self, lost: float, worst: float) -> Loss:
        return Loss(
            float((np.sqrt(self.energy) + np.sqrt(lost)) ** 2),
            float((np.sqrt(self.worst) + np.sqrt(worst)) ** 2),
        )

    def joined(self, other: Loss) -> Loss:
        """Of the rows of both."""
        return Loss(self.energy + other.energy, self.worst + other.worst)


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
