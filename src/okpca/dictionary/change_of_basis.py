"""Changing the atoms under a living model: maps between the coordinates of two dictionaries.

For new atoms Y with factor L_Y, a function with coordinates v over the old atoms D has the
projection P v over the new ones:

    P = L_Y⁻¹ K(Y, D) L⁻ᵀ
"""

from __future__ import annotations

import numpy as np

from okpca._core.numerics import EPS
from okpca._core.typing import Array
from okpca.dictionary.basis import Basis
from okpca.kernels import rows


def transition(old: Basis, new: Basis, K: Array | None = None) -> Array:
    """P, (new.m, old.m). K: the kernel values of the old atoms against the new, if at hand."""
    if old.m == 0 or new.m == 0:
        return np.zeros((new.m, old.m))
    if K is None:
        K = old.kernel(old.atoms, new.atoms)
    atoms = new.coordinates(K)
    if old.delicate:
        return _contraction(old, atoms)
    return old.coordinates(np.ascontiguousarray(atoms.T))  # C = L Pᵀ, so P = Cᵀ L⁻ᵀ


def _contraction(old: Basis, new: Array) -> Array:
    """P where L⁻¹ is mostly rounding, from the new coordinates C of the old atoms, (old.m, new.m).

    With F Fᵀ = K − C Cᵀ, what the new atoms leave of the old, some Q with orthonormal columns takes
    every old atom, a row of L, to its place [C F]; P is the part of Q along the new atoms. It never
    lengthens. The nearest such Q is the polar factor of [C F]ᵀ L (Procrustes): in directions that
    hardly any atom has it is rounding too, but no row that atoms span with small coefficients has
    them either.
    """
    size = np.sqrt(np.einsum("ij,ij->i", old.L, old.L))[:, None]
    L, C = old.L / size, new / size
    left, directions = np.linalg.eigh(L @ L.T - C @ C.T)
    real = left > EPS * len(left)
    F = directions[:, real] * np.sqrt(left[real])
    U, _, Vt = np.linalg.svd(np.hstack([C, F]).T @ L, full_matrices=False)
    return np.asarray(U[: C.shape[1]] @ Vt)


def own_directions(basis: Basis) -> Array:
    """Row i is the direction that only atom i spans: L⁻¹ e_i, orthogonal to all other atoms, over
    its norm √(K⁻¹)_ii."""
    return basis.inverse_transposed() * np.sqrt(basis.leave_one_out)[:, None]


def own_direction(basis: Basis, atom: int) -> Array:
    """That of one atom alone, for O(m²)."""
    alone = basis.coordinates(np.eye(1, basis.m, atom))[0]
    return np.asarray(alone / np.linalg.norm(alone))


def without(basis: Basis, leaving: int) -> tuple[Basis, Array]:
    """The dictionary less one atom, and P.

    Rows of L above the atom stay. Those below lose their triangular shape with it and regain it by
    a QR factorisation of that corner, C = R Q: so P is Q there, and the identity before.
    """
    L = np.delete(basis.L, leaving, axis=0)
    Q, R = np.linalg.qr(L[leaving:, leaving:].T)
    sign = np.where(np.diagonal(R) < 0, -1.0, 1.0)  # the diagonal of a factor is positive
    factor = L[:, :-1].copy()
    factor[leaving:, leaving:] = (sign[:, None] * R).T
    P = np.eye(basis.m - 1, basis.m)
    P[leaving:, leaving:] = (Q * sign).T
    return Basis(basis.kernel, rows.without(basis.atoms, leaving), factor), P
