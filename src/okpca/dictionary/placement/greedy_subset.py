"""The best subset of the atoms, for kernels without a gradient.

Greedy: the next atom is the one that adds most to Σ_j ‖P g_j‖²,

    gain_i = Σ_j ⟨φ(d_i)⊥, g_j⟩² / ‖φ(d_i)⊥‖²

with φ(d_i)⊥ what the atoms chosen so far leave of atom i.
"""

from __future__ import annotations

import numpy as np

from okpca._core.numerics import RANK, TIE
from okpca._core.typing import Array
from okpca.dictionary.basis import Basis


def best_subset(basis: Basis, targets: Array, n_atoms: int) -> Basis:
    """At most n_atoms of the atoms that keep the targets, coordinates (q, m), best."""
    left = basis.L.copy()  # row i: the coordinates of φ(d_i)⊥
    size = np.einsum("ij,ij->i", left, left)
    floor = RANK * size
    shared = left @ targets.T  # ⟨φ(d_i)⊥, g_j⟩
    chosen: list[int] = []
    factor = np.zeros((n_atoms, n_atoms))
    columns = np.zeros((basis.m, 0))
    while len(chosen) < min(n_atoms, basis.m):
        gain = np.einsum("ij,ij->i", shared, shared) / np.where(size > floor, size, np.inf)
        best = int(np.argmax(gain >= (1 - TIE) * gain.max()))  # a tie goes to the oldest
        if size[best] <= floor[best]:
            break
        direction = left[best] / np.sqrt(size[best])
        column = left @ direction
        k = len(chosen)
        factor[k, :k], factor[k, k] = columns[best], column[best]
        shared -= np.outer(column, targets @ direction)
        left -= np.outer(column, direction)
        size = np.einsum("ij,ij->i", left, left)
        size[chosen] = size[best] = 0.0
        columns = np.column_stack([columns, column])
        chosen.append(best)
    return Basis(basis.kernel, basis.atoms[chosen], factor[: len(chosen), : len(chosen)])
