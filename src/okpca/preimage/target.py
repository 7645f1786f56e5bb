"""The function whose pre-image is wanted.

    g = μ + Σ_j a_j v_j = Σ_i γ_i φ(d_i)          (Honeine 22: γ = A y + β̄)

where a solves ⟨v_k, g − μ⟩ = y_k. For orthonormal components a = y; Hebbian rules are orthonormal
only in the limit, so there a = (V Vᵀ)⁺ y, and g − μ is the projection on what they span. (22) as
printed takes a = y for these too.

A pre-image is an x that makes

    ½ ‖φ(x) − g‖² = ½ κ(x, x) − g(x) + ½ ‖g‖²

small. Its slope is ∂₁κ(x, x) − Σ_i γ_i ∂₁κ(x, d_i), ∂₁ by the first argument.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.cached import derived
from okpca._core.numerics import CANCELLED, TINY
from okpca._core.typing import Array, Flags, Index
from okpca.dictionary import Basis
from okpca.kernels.base import Trait
from okpca.model import Model, components

NEAREST = 5  # atoms in a weighted start


@dataclass(frozen=True, eq=False)
class Target:
    """One function g for every row of `scores`, (n, r)."""

    model: Model
    scores: Array
    over: Basis | None = None  # the model's atoms in another form
    printed: bool = False  # (22) to the letter

    @property
    def basis(self) -> Basis:
        """The atoms that the functions are sums over."""
        return self.over or self.model.basis

    @property
    def unit_atoms(self) -> Array:
        """The atoms about the kernel's origin, in its units."""
        kernel = self.basis.kernel
        return np.asarray((self.basis.atoms - kernel.origin) / kernel.units)

    def in_rows(self, X: Array) -> tuple[Array, Flags]:
        """Points among such atoms as rows, and which of them are finite."""
        kernel = self.basis.kernel
        rows = np.asarray(X * kernel.units + kernel.origin)
        return rows, all_finite(rows)

    @derived
    def coordinates(self) -> Array:
        """g in the orthonormal coordinates of the dictionary, (n, m)."""
        found = components(self.model)
        along = self.scores @ found.V if self.printed else found.along(self.scores)
        return np.asarray(self.model.centre.mean + along)

    @derived
    def dual(self) -> Array:
        """γ, (n, m)"""
        return self.basis.expansion(self.coordinates)

    def distance(self, X: Array, rows: Index | slice = slice(None)) -> Array:
        """‖φ(x) − g‖², (n,)"""
        with np.errstate(over="ignore", invalid="ignore"):
            square = np.square(self.coordinates[rows]).sum(axis=1)
            return np.asarray(2.0 * self.half_distance(X, rows) + square)

    def half_distance(self, X: Array, rows: Index | slice = slice(None)) -> Array:
        """½ κ(x, x) − g(x), (n,)"""
        with np.errstate(over="ignore", invalid="ignore"):
            K = self.basis.kernel_values(X)
            g = np.einsum("ij,ij->i", K, self.dual[rows])
            return np.asarray(0.5 * self.basis.norms(X, K) - g)

    def misses(self, X: Array, rows: Index | slice = slice(None)) -> Flags:
        """Has φ(x) no part in g, ⟨φ(x), g⟩ ≤ 0? Written so that NaN counts as a miss."""
        with np.errstate(over="ignore", invalid="ignore"):
            K = self.basis.kernel_values(X)
            g = np.einsum("ij,ij->i", K, self.dual[rows])
            size = np.sqrt(self.basis.norms(X, K)) * norms(self.coordinates[rows])
            return np.asarray(~(g > CANCELLED * size))

    def slope(self, X: Array, rows: Index) -> Array:
        """The slope of `half_distance`, (n, d)"""
        kernel, basis = self.basis.kernel, self.basis
        with np.errstate(over="ignore", invalid="ignore"):
            slope = -kernel.pullback(X, basis.atoms, self.dual[rows])
            if Trait.CONSTANT_NORM not in kernel.traits:
                slope += kernel.pullback(X, X, np.eye(len(X)))
        return slope

    @derived
    def _atom_order(self) -> tuple[Index, Array]:
        """The few atoms nearest to each g, nearest first, and g(d) there."""
        g = self.coordinates @ self.basis.L.T
        half = 0.5 * self.basis.kernel.diag(self.basis.atoms) - g
        few = min(NEAREST, self.basis.m)
        nearest = np.argpartition(half, few - 1, axis=1)[:, :few]
        order = np.argsort(np.take_along_axis(half, nearest, axis=1), axis=1, kind="stable")
        nearest = np.take_along_axis(nearest, order, axis=1)
        return nearest, np.take_along_axis(g, nearest, axis=1)

    def atom(self, rank: int = 0, rows: Index | slice = slice(None)) -> Array:
        """The atom nearest to each g, or the second, third..., (n, d)"""
        nearest, _ = self._atom_order
        return np.asarray(self.basis.atoms[nearest[rows, min(rank, nearest.shape[1] - 1)]])

    def start(self) -> Array:
        """Where a search without a given start begins: whatever comes nearest to g of

        the nearest atom, the mean of a few near ones weighted by g, and Σ γ_i d_i.
        """
        nearest, g = self._atom_order
        weight = np.maximum(g, 0.0) + TINY
        weight /= weight.sum(axis=1, keepdims=True)
        between = np.einsum("nk,nkd->nd", weight, self.basis.atoms[nearest])
        return self.nearest_of(self.atom(), between, self.dual @ self.basis.atoms)

    def nearest_of(self, *candidates: Array) -> Array:
        """Row by row the candidate whose image is nearest to g; on a tie the first."""
        half = np.stack([self.half_distance(X) for X in candidates])
        best = np.where(np.isfinite(half), half, np.inf).argmin(axis=0)
        return np.asarray(np.stack(candidates)[best, np.arange(len(best))])

    @derived
    def reach(self) -> float:
        """The spread of the atoms in the kernel's units, the length of a search."""
        atoms = self.basis.atoms / self.basis.kernel.units
        top = float(np.abs(atoms - atoms.mean(axis=0)).max(initial=0.0))
        if top == 0.0:
            return float(np.abs(atoms).max(initial=0.0)) or 1.0
        unit = (atoms - atoms.mean(axis=0)) / top  # the squares cannot overflow
        return top * float(np.sqrt(np.square(unit).sum(axis=1).mean()))


def norms(X: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", X, X)))


def all_finite(X: Array) -> Flags:
    return np.asarray(np.isfinite(X).all(axis=1))
