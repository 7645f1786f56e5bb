"""The orthonormal coordinates of a dictionary.

Atoms d_1..d_m with Gram matrix K = L Lᵀ. For a row x with k_x = [κ(d_i, x)],

    z(x)  = L⁻¹ k_x             the projection of φ(x) on span{φ(d_i)}, in an orthonormal basis
    ε²(x) = κ(x, x) − ‖z(x)‖²   the squared distance of φ(x) to that span

When x becomes an atom, L gains the row [z(x)ᵀ, ε(x)]. A `Basis` is a value: growing gives a new
one and leaves the old one valid. The two share storage, so growing costs what it adds.

Atoms are dense or CSR, as the rows were that they come from, and CSR if there were both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lapack

from okpca._core import compiled
from okpca._core.cached import derived
from okpca._core.numerics import DENSE_ATOMS, EPS, NOTHING, RANK, SOLVE_BLOCK, SUSPECT, TIE
from okpca._core.typing import Array, Index, Rows
from okpca.dictionary.storage import Storage
from okpca.kernels import Kernel
from okpca.kernels.base import Bound
from okpca.kernels.rows import canonical, dense, handy, is_sparse, size_if_dense, stacked


class Basis:
    """`atoms`, and the factor `L` of their Gram matrix under a `kernel`."""

    def __init__(self, kernel: Kernel, atoms: Rows, L: Array, apart: float = 1.0) -> None:
        m = atoms.shape[0]
        storage = Storage(atoms, L, max(m, 1))
        atoms = canonical(atoms) if is_sparse(atoms) else storage.atoms[:m]
        self._attach(kernel, atoms, storage, [], apart)

    def _attach(
        self, kernel: Kernel, atoms: Rows, storage: Storage, inverses: list[Array], apart: float
    ) -> None:
        self.kernel = kernel
        self.atoms = atoms
        self.m = m = int(atoms.shape[0])
        self._storage = storage
        self.known: dict[str, Any] = {}  # what was derived from all this: `once`
        # Inverses of the diagonal blocks of L, the only inverses kept; a full one never changes.
        self._inverses = [inverse for inverse in inverses if len(inverse) == SOLVE_BLOCK]
        for start in range(len(self._inverses) * SOLVE_BLOCK, m, SOLVE_BLOCK):
            block = self.L[start : start + SOLVE_BLOCK, start : start + SOLVE_BLOCK]
            inverse = _inverse_transposed(block)
            self._inverses.append(inverse)
            apart = min(apart, self._apart(start, inverse))
        self.apart = apart
        # Are some atoms so close to the span of others that L⁻¹ amplifies rounding?
        self.delicate = apart < SUSPECT

    @classmethod
    def empty(cls, kernel: Kernel, n_features: int) -> Basis:
        """Without atoms."""
        return cls(kernel, np.empty((0, n_features)), np.empty((0, 0)))

    @classmethod
    def of_points(cls, kernel: Kernel, points: Rows) -> Basis:
        """Given points as atoms, most independent first; dependent ones are left out."""
        norms = kernel.diag(points)
        points, norms = points[norms > 0], norms[norms > 0]
        L, kept = _independent(kernel(points), norms, RANK)
        return cls(kernel, points[kept], L)

    @classmethod
    def of_distinct(cls, kernel: Kernel, points: Rows, bound: Bound | None = None) -> Basis:
        """Points of which hardly any depends on the others, in their order. `bound`: the kernel
        bound to them, if at hand."""
        bound = bound or kernel.bind(handy(points))
        gram, norms = kernel.among(points, bound), kernel.diag(points)
        try:
            L = np.asarray(np.linalg.cholesky(gram), dtype=np.float64)
            if (np.square(L.diagonal()) > SUSPECT * norms).all():
                basis = cls(kernel, points, L)
                vars(basis)["bound"] = bound
                return basis
        except np.linalg.LinAlgError:
            pass
        _, kept = _independent(gram, norms, SUSPECT)
        kept.sort()
        L = np.asarray(np.linalg.cholesky(gram[np.ix_(kept, kept)]), dtype=np.float64)
        return cls(kernel, points[kept], L)

    @property
    def L(self) -> Array:
        """Lower, K = L Lᵀ."""
        return self._storage.L[: self.m, : self.m]

    @property
    def padded_L(self) -> Array:
        """L at the head of a larger array, for compiled leaves that take contiguous arrays."""
        return self._storage.L

    def grown(self, atoms: Rows, rows: Array, limit: int | None = None) -> Basis:
        """With more atoms, given the new rows of L, (added, m + added). There will never be more
        than `limit`, so no more storage is needed either."""
        m = self.m + len(rows)
        sparse = is_sparse(atoms) or is_sparse(self.atoms)
        if sparse:
            atoms = canonical(stacked([self.atoms, atoms]))
        storage = self._storage
        # Where another basis has grown from this one before, its atoms must stay as they are.
        if m > len(storage.L) or not storage.end.claimed(self.m):
            ample = max(2 * self.m, SOLVE_BLOCK)
            capacity = max(m, min(ample, limit or ample))
            storage = Storage(atoms if sparse else self.atoms, self.L, capacity)
        if not sparse:
            storage.atoms[self.m : m] = atoms
            atoms = storage.atoms[:m]
        storage.L[self.m : m, :m] = rows
        storage.end.moved(m)
        grown = object.__new__(Basis)
        grown._attach(self.kernel, atoms, storage, self._inverses, self.apart)
        return grown

    @property
    def numbers_missing(self) -> int:
        """How many numbers CSR atoms would be if they were dense; 0 if they are."""
        return self.m * int(self.atoms.shape[1]) if is_sparse(self.atoms) else 0

    def densified(self, what: str) -> Basis:
        """Over dense atoms, which `what` cannot do without."""
        if not is_sparse(self.atoms):
            return self
        if self.numbers_missing > DENSE_ATOMS:
            raise ValueError(
                f"{what} needs dense atoms, and {size_if_dense(*self.atoms.shape)}: have fewer "
                "atoms (compress, max_atoms) or fewer columns."
            )
        return type(self)(self.kernel, dense(self.atoms), self.L)

    def _apart(self, start: int, inverse: Array) -> float:
        """The least share of κ(d, d) that the atoms before a block, and the others in it, leave of
        an atom d in it: 1 / (κ(d, d) Σ_i (L⁻¹)²_id)."""
        rows = self.L[start : start + len(inverse)]
        grows = np.einsum("ij,ij->i", rows, rows) * np.einsum("ij,ij->i", inverse, inverse)
        return float(1.0 / grows.max())

    def norms(self, X: Any, K: Array) -> Array:
        """κ(x, x), K the kernel values of the same rows."""
        norm = self.kernel.diag(X)
        tiny = np.abs(norm) < NOTHING
        return np.where(tiny, 0.0, norm) if tiny.any() else norm

    def kernel_values(self, X: Any) -> Array:
        """κ(x, d_i), one row of X after another."""
        if self.m == 0:
            return np.empty((X.shape[0], 0))
        return self.bound(X)

    @derived
    def bound(self) -> Bound:
        """The kernel, with what all rows need prepared."""
        return self.kernel.bind(handy(self.atoms))

    def nearest(self, X: Any) -> Index:
        """The atom nearest to each row in feature space, the first of those that tie."""
        n = X.shape[0]
        atom = np.full(n, -1)
        noted = atom, np.zeros(n), np.zeros(n)
        always = np.full(self.m, -1)
        compiled.nearest_rows(self.kernel_values(X), self.atom_norms, always, 0, TIE, *noted)
        return atom

    def begins_with(self, other: Basis) -> bool:
        """Are its first atoms those of the other?"""
        if other.m > self.m or is_sparse(self.atoms) != is_sparse(other.atoms):
            return False
        apart = self.atoms[: other.m] != other.atoms
        return not (apart.nnz if is_sparse(self.atoms) else apart.any())

    def same(self, other: Basis) -> bool:
        """The same atoms and coordinates, to the last bit?"""
        alike = self.m == other.m and self.begins_with(other)
        return self is other or (alike and np.array_equal(self.L, other.L))

    def coordinates(self, K: Array, out: Array | None = None) -> Array:
        """Z = K L⁻ᵀ, by matrix products over blocks of columns."""
        Z = np.empty_like(K) if out is None else out
        if len(K) == 1:
            compiled.solve_row(self.padded_L, K[0], Z[0])
            return Z
        self._solve(K, Z)
        if self.delicate:
            # Products with inverses leave K − Z Lᵀ as large as rounding times ‖L⁻¹‖; once more,
            # and it is as small as forward substitution would leave it.
            rest = np.empty_like(K)
            self._solve(K - Z @ self.L.T, rest)
            Z += rest
        return Z

    def _solve(self, K: Array, Z: Array) -> None:
        for block, inverse in enumerate(self._inverses):
            start = block * SOLVE_BLOCK
            stop = start + len(inverse)
            rest = K[:, start:stop]
            if start:
                rest = rest - Z[:, :start] @ self.L[start:stop, :start].T
            np.matmul(rest, inverse, out=Z[:, start:stop])

    def coordinates_in_new(self, K: Array, Z: Array) -> Array:
        """The coordinates along the newest atoms, K against them, Z those along the others."""
        old = Z.shape[1]
        L, rest = self.L[old:, old:], K - Z @ self.L[old:, :old].T
        inverse = _inverse_transposed(L)
        new = rest @ inverse
        if self.delicate:
            new += (rest - new @ L.T) @ inverse  # as above
        return np.asarray(new)

    def expansion(self, V: Array) -> Array:
        """α = L⁻ᵀ v: coefficients over the atoms of functions given by their coordinates (r, m)."""
        alpha = np.empty_like(V)
        self._solve_back(V, alpha)
        if self.delicate:
            rest = np.empty_like(V)
            self._solve_back(V - alpha @ self.L, rest)  # as in `coordinates`
            alpha += rest
        return alpha

    def _solve_back(self, V: Array, alpha: Array) -> None:
        for block, inverse in reversed(list(enumerate(self._inverses))):
            start = block * SOLVE_BLOCK
            stop = start + len(inverse)
            rest = V[:, start:stop]
            if stop < self.m:
                rest = rest - alpha[:, stop:] @ self.L[stop:, start:stop]
            np.matmul(rest, inverse.T, out=alpha[:, start:stop])

    def inverse_transposed(self) -> Array:
        """L⁻ᵀ. Row i is what of atom i only it spans, over the square of its length."""
        return self.coordinates(np.eye(self.m))

    @derived
    def most_noise(self) -> float:
        """About the largest share of κ(x, x) that `noise` may be for any row."""
        return self.m * EPS / self.apart

    @derived
    def leave_one_out(self) -> Array:
        """Squared distance of each atom to the span of the others, 1 / (K⁻¹)_ii."""
        alone = self.inverse_transposed()
        return np.asarray(1.0 / np.einsum("ij,ij->i", alone, alone))

    @derived
    def atom_norms(self) -> Array:
        """κ(d, d) of each atom, exact."""
        return self.kernel.diag(self.atoms)

    @np.errstate(over="ignore")  # there may be no end of it
    def noise(self, Z: Array, norm: Array) -> Array:
        """Rounding error to expect in ε² of rows with coordinates Z and κ(x, x) = norm."""
        atom_norm = np.einsum("ij,ij->i", self.L, self.L)
        size = norm + np.square(self.expansion(Z) * np.sqrt(atom_norm)).sum(axis=1)
        return np.asarray(EPS * size + NOTHING)

    def __getstate__(self) -> dict[str, Any]:
        atoms, L = self.atoms.copy(), self.L.copy()
        return {"kernel": self.kernel, "atoms": atoms, "L": L, "apart": self.apart}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def _inverse_transposed(block: Array) -> Array:
    out = np.empty(block.shape)
    compiled.inverse_transposed(np.ascontiguousarray(block), out)
    return out


def _independent(gram: Array, norms: Array, share: float) -> tuple[Array, Index]:
    """The factor of the points that leave more than a share of κ(x, x) beside those before them,
    most independent first; and which they are."""
    scale = np.sqrt(norms)
    correlation = gram / scale / scale[:, None]
    factor, pivot, rank, _ = lapack.dpstrf(correlation, tol=share, lower=1)
    kept = pivot[:rank] - 1
    return np.tril(factor[:rank, :rank]) * scale[kept, None], kept
