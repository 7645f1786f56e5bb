"""Pre-images by matrix inversion alone: a conformal map (Honeine & Richard 2009; Honeine 5.3).

Linear functions of φ are sought whose inner products at the atoms are those of the input space,
P = D Dᵀ (atoms are rows of D), the less so the rougher they are. The inner products they give are

    M = argmin ½ ‖P − M‖² + η tr(M K⁻¹)  over M ⪰ 0   =  [P − η K⁻¹]₊

and the pre-image of Σ γ_i φ(d_i) solves D x = M γ by least squares. The paper leaves the constraint
out, M = P − η K⁻¹. That is the same where it has no negative eigenvalue: few atoms, far apart, in
many columns. With his 93 atoms of noisy digits it has some already; such an M is no matrix of inner
products, and K⁻¹ of a nearly singular K would drown P. There, too, singular directions u of D with
u·P u < η u·K⁻¹ u are left out of the least squares, which would blow them up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from okpca._core.number_checks import checked_number
from okpca._core.numerics import SINGULAR
from okpca._core.typing import Array, Flags
from okpca.preimage.base import PreImage
from okpca.preimage.target import Target

SHARE = 1e-3


@dataclass(frozen=True)
class Conformal(PreImage):
    """No search, and no start.

    eta: η. None takes 0.001 of the mean ‖d‖² κ(d, d) of the atoms; Honeine takes 10 for images of
    784 pixels from 0 to 1.
    printed: the system of the paper, D x = (P − η K⁻¹)(A y + β̄), to the letter: no constraint, all
    directions, and the target (22).
    """

    references = ("honeine2009", "honeine2012")
    names = ("conformal",)

    eta: float | None = None
    printed: bool = False

    def __post_init__(self) -> None:
        if self.eta is not None:
            checked_number("Conformal", "eta", self.eta, positive=False)

    def find(self, target: Target, start: Array | None) -> tuple[Array, Flags]:
        basis, atoms = target.basis, target.unit_atoms
        top = float(np.abs(atoms).max()) or 1.0
        D = atoms / top  # the squares cannot overflow
        inverse = basis.expansion(basis.inverse_transposed())
        penalty = self._eta(target, D, top) * inverse
        if self.printed:
            X = replace(target, printed=True).dual @ _printed_map(D, penalty)
        else:
            X = target.dual @ _map(D, penalty)
        return target.in_rows(X * top)

    def _eta(self, target: Target, D: Array, top: float) -> float:
        if self.eta is not None:
            return self.eta / top / top
        norm = target.basis.kernel.diag(target.basis.atoms)
        return SHARE * float((np.square(D).sum(axis=1) * norm).mean())


def _map(D: Array, penalty: Array) -> Array:
    """T, (m, d), with x = Tᵀ γ"""
    P = D @ D.T
    values, U = np.linalg.eigh(P - 0.5 * (penalty + penalty.T))
    M = (U * np.maximum(values, 0.0)) @ U.T
    left, size, right = np.linalg.svd(D, full_matrices=False)
    weight = np.einsum("ij,ik,kj->j", left, penalty, left)
    kept = (size > SINGULAR * size[0]) & (np.square(size) > weight)
    return np.asarray(M @ (left[:, kept] / size[kept]) @ right[kept])


def _printed_map(D: Array, penalty: Array) -> Array:
    """T of the least-squares solution of D x = (D Dᵀ − η K⁻¹) γ"""
    return np.asarray(np.linalg.lstsq(D, D @ D.T - penalty, rcond=None)[0].T)
