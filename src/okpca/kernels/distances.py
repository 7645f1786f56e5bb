"""Squared distances by one matrix product, with their digits kept.

    E_ij = -(rate |x_i - y_j|)^2
         = [x-c, |x-c|^2, 1] @ [2 rate^2 (y-c), -rate^2, -rate^2 |y-c|^2]^T

The absolute error of E is about eps * bound, where bound = rate^2 (max |x-c|^2 + max |y-c|^2). If
c = 0 is safe in this sense, nothing is shifted; otherwise c is the mean of the atoms, and the bound
decides what is done:

    bound <= safe   the product as it is;
    bound < HUGE    pairs that are close for their distance from c, |x-y|^2 <
                    NEAR (|x-c|^2 + |y-c|^2), are recomputed from the differences;
    otherwise       (squares may overflow) every pair from the differences.

CSR rows or atoms are never shifted, which would fill them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from okpca._core.cached import derived
from okpca._core.numerics import HUGE, LARGEST_SQUARE, NEAR, SMALLEST_SQUARE
from okpca._core.typing import Array, Rows
from okpca.kernels.rows import (
    dense,
    dense_blocks,
    is_sparse,
    product,
    real,
    scaled_norms,
    squared_norms,
    transposed,
)
from okpca.kernels.sparse_distances import distances, pair_distances

MANY = 0.125  # share of near pairs from which the direct pass over all pairs is cheaper
CHUNK = 2**18  # numbers gathered at a time


class ScaledDistances:
    """`X -> -(rate |x_i - atom_j|)^2`, prepared for fixed atoms."""

    def __init__(self, atoms: Rows, rate: float, safe: float = 100.0) -> None:
        self.atoms = real(atoms)
        self.rate = rate
        self.scale = rate * rate
        self.safe = safe
        self.n_features = self.atoms.shape[1]
        factor = _sparse_factor if is_sparse(self.atoms) else _right_factor
        right, self._yy, self._top = factor(self.atoms, self.scale)
        self._right = right if is_sparse(right) else right[:-2]
        with np.errstate(over="ignore", invalid="ignore"):
            self._tail = -self.scale * self._yy

    def __call__(self, X: Rows) -> Array:
        with np.errstate(over="ignore"):
            xx = squared_norms(X)
        yy, bound = self._yy, self.scale * (float(xx.max(initial=0.0)) + self._top)
        if bound <= self.safe or is_sparse(X) or is_sparse(self.atoms):
            # The origin is near enough, or (CSR) a shift would fill the rows.
            if not bound < HUGE:
                return self._direct(X)
            E = product(X, self._right)
            E -= (self.scale * xx)[:, None]
            E += self._tail
        else:
            left, xx = self._left_factor(X)
            right, yy, top = self._shifted
            bound = self.scale * (float(xx.max(initial=0.0)) + top)
            if not bound < HUGE:
                return self._direct(X)
            E = np.dot(left, right)
        return np.minimum(E, 0.0, out=E) if bound <= self.safe else self._careful(X, E, xx, yy)

    def _left_factor(self, X: Rows) -> tuple[Array, Array]:
        """[x-c, |x-c|^2, 1] and |x-c|^2"""
        d = self.n_features
        left = np.empty((X.shape[0], d + 2))
        shifted = left[:, :d]
        np.subtract(X, self.center, out=shifted)
        xx = np.einsum("ij,ij->i", shifted, shifted)
        left[:, d] = xx
        left[:, d + 1] = 1.0
        return left, xx

    @derived
    def center(self) -> Array:
        """The mean of the atoms, kept so far from overflow that no finite x - c overflows."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean = self.atoms.mean(axis=0) if len(self.atoms) else np.zeros(self.n_features)
        return np.where(np.abs(mean) < LARGEST_SQUARE, mean, 0.0)

    @derived
    def _shifted(self) -> tuple[Array, Array, float]:
        return _right_factor(self.atoms - self.center, self.scale)

    def _careful(self, X: Rows, E: Array, xx: Array, yy: Array) -> Array:
        near = (-NEAR * self.scale) * np.add.outer(xx, yy) < E
        if np.count_nonzero(near) > MANY * near.size:
            return self._direct(X)
        self._repair(X, E, near)
        return np.minimum(E, 0.0, out=E)

    def _direct(self, X: Rows) -> Array:
        if is_sparse(self.atoms):
            return self._from_lengths(distances(X, self.atoms, 2))
        blocks = []
        for rows in dense_blocks(X):
            squares = cdist(rows, self.atoms, "sqeuclidean")
            odd = ~((squares > SMALLEST_SQUARE) & (squares < LARGEST_SQUARE))
            E = self._from_lengths(np.sqrt(squares))
            self._repair(rows, E, odd)
            blocks.append(E)
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def _repair(self, X: Rows, E: Array, flagged: NDArray[np.bool_]) -> None:
        """Recompute the flagged pairs from x - y, with neither overflow nor underflow."""
        i, j = np.nonzero(flagged)
        if is_sparse(self.atoms):
            E[i, j] = self._from_lengths(pair_distances(X, self.atoms, i, j, 2))
            return
        step = max(1, CHUNK // max(1, self.n_features))
        for start in range(0, len(i), step):
            a, b = i[start : start + step], j[start : start + step]
            half = 0.5 * dense(X[a]) - 0.5 * self.atoms[b]
            with np.errstate(over="ignore"):
                E[a, b] = self._from_lengths(2.0 * scaled_norms(half))

    def _from_lengths(self, length: Array) -> Array:
        with np.errstate(over="ignore"):
            return -np.square(self.rate * length)


def _right_factor(shifted: Array, scale: float) -> tuple[Array, Array, float]:
    """[2 scale (y-c), -scale, -scale |y-c|^2]^T, |y-c|^2, and the largest of these."""
    yy = squared_norms(shifted)
    m, d = shifted.shape
    right = np.empty((d + 2, m))
    with np.errstate(over="ignore", invalid="ignore"):
        np.multiply(shifted.T, 2.0 * scale, out=right[:d])
        right[d] = -scale
        np.multiply(yy, -scale, out=right[d + 1])
    top = float(yy.max(initial=0.0)) if np.isfinite(right).all() else math.inf
    return right, yy, top


def _sparse_factor(atoms: Rows, scale: float) -> tuple[Rows, Array, float]:
    """2 scale y^T, |y|^2, and the largest of these."""
    yy, right = squared_norms(atoms), transposed(atoms)
    with np.errstate(over="ignore", invalid="ignore"):
        right.data *= 2.0 * scale
        finite = np.isfinite(right.data).all() and np.isfinite(scale * yy).all()
    return right, yy, float(yy.max(initial=0.0)) if finite else math.inf
