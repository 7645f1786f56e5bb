"""Subspaces in coordinates: an orthonormal basis of what directions span, and what it leaves."""

from __future__ import annotations

import numpy as np

from okpca._core.numerics import SPAN
from okpca._core.typing import Array


def spanned(V: Array) -> tuple[Array, Array]:
    """Orthonormal rows Q with the span of V, and M with M y the coordinates in Q of the vector of
    the span whose inner products with V are y."""
    U, size, Q = np.linalg.svd(V, full_matrices=False)
    kept = size > SPAN * size.max(initial=0.0)
    return Q[kept], (U[:, kept] / size[kept]).T


def squared_residual(C: Array, Q: Array) -> Array:
    """‖c − QᵀQ c‖² of every row; the difference of squares would cancel where it is small."""
    rest = C - (C @ Q.T) @ Q
    return np.asarray(np.einsum("ij,ij->i", rest, rest))
