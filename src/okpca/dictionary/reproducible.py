"""What follows from the atoms and a row alone, to the last digit, however the stream was cut.

Atoms so close to dependence that L⁻¹ amplifies rounding ("delicate") would amplify what depends on
the block that a row came in. Their factor and their rows' coordinates are computed here, one row
after another and in one order of summation; and so is whatever rounding would otherwise decide.
"""

from __future__ import annotations

import numpy as np

from okpca._core import compiled
from okpca._core.cached import once
from okpca._core.numerics import EPS, NOTHING, RANK
from okpca._core.typing import Array, Rows
from okpca.dictionary.basis import Basis


def with_atoms(basis: Basis, points: Rows, factor: Array, limit: int | None) -> Basis:
    """`basis.grown`, but a delicate basis, to which rows come one at a time, has its own factor."""
    if basis.delicate:
        row = np.empty((1, basis.m + 1))
        norm, left = _solve(basis, basis.L, points, row[0, :-1])
        row[0, -1] = np.sqrt(max(left, RANK * norm))
        return basis.grown(points, row, limit)
    grown = basis.grown(points, factor, limit)
    return Basis(grown.kernel, grown.atoms, _factored(grown)) if grown.delicate else grown


def coordinates(basis: Basis, x: Rows, m: int) -> Array:
    """Of a row, (1, d), along the first m atoms."""
    z = np.empty(m)
    _solve(basis, basis.L, x, z)
    return z


def judged(basis: Basis, x: Rows) -> tuple[float, float]:
    """ε² of a row, (1, d), and its rounding error (`Basis.noise`)."""
    L, z = _own_factor(basis), np.empty(basis.m)
    norm, residual = _solve(basis, L, x, z)
    compiled.solve_back_strictly(L, z)
    size = norm + float(np.square(z * np.sqrt(basis.atom_norms)).sum())
    return residual, EPS * size + NOTHING


@once
def _own_factor(basis: Basis) -> Array:
    return basis.L if basis.delicate else _factored(basis)


def _factored(basis: Basis) -> Array:
    L = np.zeros((basis.m, basis.m))
    for i in range(basis.m):
        norm, left = _solve(basis, L, basis.atoms[i : i + 1], L[i, :i])
        L[i, i] = np.sqrt(max(left, EPS * norm))
    return L


def _solve(basis: Basis, L: Array, x: Rows, z: Array) -> tuple[float, float]:
    """z ← the coordinates of x along the first atoms; κ(x, x), and what they leave of it."""
    norm = float(basis.kernel.diag(x)[0])
    if not len(z):
        return norm, norm
    k = np.ascontiguousarray(basis.kernel(x, basis.atoms[: len(z)])[0])
    return norm, norm - float(compiled.solve_strictly(L, k, z))
