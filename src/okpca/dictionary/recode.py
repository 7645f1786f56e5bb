"""Changing the atoms under a living model: maps between the coordinates of two dictionaries.

For new atoms Y with factor L_Y, a function with coordinates v over the old atoms D has the
projection P v over the new ones:

    P = L_Y⁻¹ K(Y, D) L⁻ᵀ
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from okpca.dictionary.basis import Array, Basis


def transition(old: Basis, new: Basis) -> Array:
    """P, (new.m, old.m)."""
    if old.m == 0 or new.m == 0:
        return np.zeros((new.m, old.m))
    atoms = new.coordinates(old.kernel(old.atoms, new.atoms))
    return np.asarray(solve_triangular(old.L, atoms, lower=True).T)


def partings(basis: Basis) -> Array:
    """Row i is the direction that only atom i spans: L⁻¹ e_i, orthogonal to all other atoms, over
    its norm √(K⁻¹)_ii."""
    alone = solve_triangular(basis.L, np.eye(basis.m), lower=True).T
    return np.asarray(alone * np.sqrt(basis.leave_one_out)[:, None])


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
    return Basis(basis.kernel, np.delete(basis.atoms, leaving, axis=0), factor), P
