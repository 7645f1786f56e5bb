"""Kernel values as coordinates: the geometry of Huang & Yeh."""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.dictionary.basis import Basis
from okpca.kernels import Kernel


class EmpiricalBasis(Basis):
    """The kernel values themselves as coordinates: h(x) = k_x in Euclidean space, no L.

    Huang & Yeh's Algorithm 1 works in this geometry, that of the kernel Σ_i κ(x, d_i) κ(y, d_i).
    A vector v is the function Σ_i v_i κ(d_i, ·), but its norm is not that function's.
    """

    def __init__(
        self, kernel: Kernel, atoms: Rows, L: Array | None = None, apart: float = 1.0
    ) -> None:
        super().__init__(kernel, atoms, np.eye(atoms.shape[0]))

    def norms(self, X: Any, K: Array) -> Array:
        return np.asarray(np.einsum("ij,ij->i", K, K))
