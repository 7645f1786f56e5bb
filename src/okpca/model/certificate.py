"""How far the model may be from batch kernel PCA of the same rows.

`Loss` keeps two sizes of the matrix Δ of what the model does not hold of its rows, as bounds: the
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

from dataclasses import dataclass, field

import numpy as np

from okpca._core.blas_threads import one_thread
from okpca._core.numerics import ROUNDING
from okpca._core.typing import Array
from okpca.model.components import components
from okpca.model.discarded_energy import Loss
from okpca.model.state import Model


@dataclass(frozen=True, repr=False)
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
    eigenvalues : ndarray of shape (n_components_,)
        Those of the model, which the bounds are about.
    variance : float
        The whole kernel variance of the rows, on the same scale: what shares are shares of.
    """

    discarded_energy: float
    eigenvalue_lower: Array
    eigenvalue_upper: Array
    angle_bound: float
    nu_over_lambda: Array
    eigenvalues: Array = field(default_factory=lambda: np.empty(0))
    variance: float = 0.0

    @property
    def discarded_share(self) -> float:
        """At most this share of the kernel variance is left out; above 1 it says nothing."""
        return _share(self.discarded_energy, self.variance)

    @property
    def eigenvalue_error(self) -> Array:
        """By which share each eigenvalue of the model may be off, upwards or downwards."""
        off = np.maximum(
            self.eigenvalue_upper - self.eigenvalues, self.eigenvalues - self.eigenvalue_lower
        )
        return np.array([_share(*pair) for pair in zip(off, self.eigenvalues, strict=True)])

    @property
    def says_nothing(self) -> bool:
        """Is no eigenvalue bounded away from zero, and no angle below a right one?"""
        vouched = self.eigenvalue_lower.any() or self.angle_bound < np.inf
        return bool(self.eigenvalues.any() and not vouched)

    @property
    def sentence(self) -> str:
        """What it comes to, in words."""
        share, error = self.discarded_share, self.eigenvalue_error
        if not self.variance > 0:
            return "the kernel sees no variance in the rows, and nothing was left out."
        out = f"at most {percent(share)} of the variance is left out"
        if share > 1:
            out = "how much of the variance is left out cannot be told"
        if self.says_nothing:
            return (
                f"{out}, and nothing is vouched for about the components: more atoms (max_atoms, a "
                "smaller nu), fewer components or the exact rule would say more."
            )
        largest, degrees = float(error.max(initial=0.0)), np.degrees(self.angle_bound)
        values = f"eigenvalues are off by at most {percent(largest)}"
        if largest > 1:
            bounded = f"{np.sum(error <= 1)} of {len(error)} eigenvalues"
            values = f"{bounded} are bounded to within their own size"
        if largest == np.inf:
            values = "not every eigenvalue is bounded"
        angle = f"the leading subspace is turned by at most {degrees:.2g} degrees"
        if degrees == np.inf:
            angle = "no angle is vouched for"
        return f"against batch kernel PCA of the same rows {out}, {values}, and {angle}."

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        bounds = zip(
            self.eigenvalues,
            self.eigenvalue_lower,
            self.eigenvalue_upper,
            self.eigenvalue_error,
            self.nu_over_lambda,
            strict=True,
        )
        lines = [
            f"Certificate: {self.sentence}",
            f"  discarded_energy {self.discarded_energy:.4g}, angle_bound {self.angle_bound:.4g}",
            "  eigenvalue      lower      upper     off by  nu_over_lambda",
        ]
        for value, lower, upper, off, outside in bounds:
            numbers = f"{value:12.4g} {lower:10.4g} {upper:10.4g}"
            lines.append(f"{numbers} {percent(off):>10}  {outside:14.3g}")
        return "\n".join(lines)


def percent(share: float) -> str:
    """0.00123 -> '0.12 %'"""
    if share == np.inf:
        return "inf"
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"


def _share(part: float, whole: float) -> float:
    if part <= 0.0:
        return 0.0
    return float(part / whole) if whole > 0.0 else float("inf")


@one_thread
def certificate(model: Model) -> Certificate:
    """Bounds on the distance to batch kernel PCA of all rows."""
    scatter, learner = components(model).scatter, model.learner
    r = len(scatter)
    if learner is None:
        return certify(np.zeros(r), 0.0, model.loss, 0.0, model.variance)
    if learner.truncation is None:
        return uncertain(scatter, model.loss, model.variance)
    more, _ = learner.spectrum(min(r + 1, model.basis.m))
    following = float(more[r]) if len(more) > r else 0.0
    loss = model.loss.after_recoding(*learner.truncation)
    return certify(scatter, following, loss, model.energy, model.variance)


def certify(
    eigenvalues: Array, following: float, loss: Loss, energy: float, variance: float = 0.0
) -> Certificate:
    """From the model's eigenvalues, the one after them, what was lost, and Σ w ‖φ(x)‖², of which
    `variance` is about the mean."""
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
        eigenvalues=eigenvalues.copy(),
        variance=variance,
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


def uncertain(eigenvalues: Array, loss: Loss, variance: float) -> Certificate:
    """For rules that only approach the eigenvectors: what is discarded is known, no more."""
    nothing, zero = np.full(len(eigenvalues), np.inf), np.zeros(len(eigenvalues))
    return Certificate(
        loss.energy, zero, nothing, float("inf"), nothing, eigenvalues.copy(), variance
    )
