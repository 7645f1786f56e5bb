"""How unlike the learned rows is this one? Two answers that complement each other.

With the coordinates z of a row, their mean z̄, the components V and y = V (z − z̄),

    SPE(x) = ‖φ(x) − μ‖² − ‖y‖² = ε²(x) + ‖z − z̄ − Vᵀy‖²   what the components leave unexplained
    T²(x)  = Σ_j y_j² / λ_j                                  Hotelling: how far out along them

SPE contains ε², the part of φ(x) outside the dictionary, so it is largest far from all that was
learned, where T² of a local kernel falls to a constant: it is SPE that sees strangers.

A component that explains less than FLOOR of the variance enters T² as if it explained so much. A
local kernel has many weak components, a dictionary that has just grown has new ones: their true
variance is hardly known, and 1 / λ_j would let them drown the others.

Both come from kernel values alone, without the coordinates,

    y = A k_x − V z̄,   SPE = κ(x, x) − 2 ᾱ·k_x + ‖z̄‖² − ‖y‖²,     A = V L⁻¹, ᾱ = L⁻ᵀ z̄

which is a matrix product. The difference of squares has lost digits where SPE is small, or where
coefficients over nearly dependent atoms are large: there it is Σ of squares, by the coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core import compiled
from okpca._core.blas_threads import blocks_on_one_thread
from okpca._core.cached import derived
from okpca._core.numerics import BELIEVED, DIGITS, EIGENVALUE, EPS, ROWS
from okpca._core.typing import Array, Flags
from okpca.dictionary import Basis
from okpca.dictionary.parallel import only_finite
from okpca.kernels.base import Trait
from okpca.model import Model, components, matured
from okpca.model.geometry import spanned, squared_residual

FLOOR = 1e-3


@dataclass(frozen=True, eq=False)
class Quick:
    """Scores from kernel values k_x."""

    A: Array  # (r + 1, m): coefficients of the components, and of the mean
    shift: Array  # V z̄, and half of ‖z̄‖²
    sums: Array  # (r + 1, 2): what y² and nothing else is multiplied by, for ‖y‖² and T²
    least: float  # the share of κ(x, x) + ‖z̄‖² that SPE must be
    norm: float = 0.0  # κ(x, x), if it is the same for all rows

    @classmethod
    def of(cls, model: Model, V: Array, dual: Array, divisor: Array) -> Quick | None:
        basis, mean = model.basis, model.centre.mean
        if not basis.m:
            return None
        A = np.vstack([dual, basis.expansion(mean[None])])
        error = EPS * float(np.abs(A).sum(axis=1).max()) * float(np.sqrt(basis.atom_norms.max()))
        least = max(BELIEVED, DIGITS * error)
        shift = np.append(V @ mean, 0.5 * mean @ mean)
        sums = np.zeros((len(A), 2))
        sums[:-1, 0], sums[:-1, 1] = 1.0, 1.0 / divisor
        alike = Trait.CONSTANT_NORM in basis.kernel.traits
        norm = float(basis.atom_norms[0]) if alike else 0.0
        return cls(A, shift, sums, least, norm) if least < 1.0 else None

    def scores(self, K: Array, norm: Array) -> tuple[Array, Flags]:
        """SPE and T² of every row, and which of them have their digits."""
        Y = K @ self.A.T
        Y -= self.shift
        distance = norm - 2.0 * Y[:, -1]  # ‖φ(x) − μ‖²
        out = np.square(Y, out=Y) @ self.sums
        np.subtract(distance, out[:, 0], out=out[:, 0])
        return out, out[:, 0] > self.least * (norm + 2.0 * self.shift[-1])


@dataclass(frozen=True)
class Chart:
    """The components that scores refer to, those without variance left out."""

    model: Model
    V: Array  # (r, m)
    Q: Array  # orthonormal rows with the span of V
    variance: Array  # λ_j = scatter / weight
    divisor: Array  # of T²: λ_j, or the floor
    quick: Quick | None  # how scores come from kernel values, if they can

    @classmethod
    def of(cls, learned: Model) -> Chart:
        model = matured(learned)
        found = components(model)
        scatter, V = found.scatter, found.V
        real = scatter > EIGENVALUE * scatter.max(initial=0.0)
        weight = model.centre.weight or 1.0
        variance = scatter[real] / weight
        Q = V[real] if found.orthonormal else spanned(V[real])[0]
        divisor = np.maximum(variance, FLOOR * model.variance / weight)
        quick = Quick.of(model, V[real], found.dual[real], divisor) if found.orthonormal else None
        return cls(model, V[real], Q, variance, divisor, quick)

    def refuse_unsound(self) -> None:
        """A ValueError if its parts do not go together; for what comes from a file."""
        r, m = len(self.variance), self.basis.m
        if not self.V.shape == (r, m) or self.variance.shape != (r,) or self.divisor.shape != (r,):
            raise ValueError("a chart whose components are of different numbers")
        if self.Q.ndim != 2 or self.Q.shape[1] != m or not (self.divisor > 0).all():
            raise ValueError("a chart of another model")

    @property
    def basis(self) -> Basis:
        return self.model.basis

    @blocks_on_one_thread
    def scores(self, X: Array) -> Array:
        """SPE and T² of every row, shape (n, 2)."""
        if len(X) == 1:
            return self.scores_of_row(X, self.basis.kernel_values(X), self.norm_of(X))
        out = np.empty((len(X), 2))
        for start in range(0, len(X), ROWS):
            block = slice(start, start + ROWS)
            out[block] = self._scores(X[block])
        return only_finite(out, self.V)

    def norm_of(self, x: Array) -> float:
        """κ(x, x) of one row, (1, d)."""
        known = self.quick.norm if self.quick is not None else 0.0
        return known or float(self.basis.kernel.diag(x)[0])

    def scores_of_row(self, x: Array, values: Array, norm: float) -> Array:
        """The same for one row whose kernel values are at hand; a third of the time, but for one
        that has lost its digits."""
        quick = self.quick
        if quick is None:
            return only_finite(self._scores(x, values), self.V)
        inside, t2, along = compiled.sums_of_row(quick.A @ values[0], quick.shift, quick.sums)
        spe = norm - 2.0 * along - inside
        if quick.least * (norm + 2.0 * quick.shift[-1]) < spe < np.inf and t2 < np.inf:
            return np.array([[spe, t2]])
        return only_finite(self._scores(x, values), self.V)

    def _scores(self, X: Array, K: Array | None = None) -> Array:
        basis = self.model.basis
        with np.errstate(over="ignore", invalid="ignore"):  # refused by name by the caller
            K, norm = basis.kernel_values(X) if K is None else K, basis.kernel.diag(X)
            if self.quick is None:
                return self._by_coordinates(K, norm)
            out, sure = self.quick.scores(K, norm)
            if not sure.all():
                out[~sure] = self._by_coordinates(K[~sure], norm[~sure])
            return out

    def _by_coordinates(self, K: Array, norm: Array) -> Array:
        Z = self.model.basis.coordinates(K)
        outside = norm - np.einsum("ij,ij->i", Z, Z)
        Z -= self.model.centre.mean
        spe = np.maximum(outside, 0.0) + squared_residual(Z, self.Q)
        return np.column_stack([spe, np.square(Z @ self.V.T) @ (1.0 / self.divisor)])

    def projected(self, X: Array) -> Array:
        """y of every row."""
        K = self.basis.kernel_values(X)
        if self.quick is not None:
            return np.asarray(K @ self.quick.A[:-1].T - self.quick.shift[:-1])
        return np.asarray((self.basis.coordinates(K) - self.model.centre.mean) @ self.V.T)

    def expected(self) -> Array:
        """The mean of both scores over the rows that were learned: (Σ λ over the rest, r)."""
        weight = self.model.centre.weight or 1.0
        inside = float(self.variance.sum())
        return np.array([max(self.model.variance / weight - inside, 0.0), self.rank])

    @derived
    def smallest(self) -> float:
        """λ_r, what SPE is measured by beside T²; 1 where there is nothing to measure by."""
        return float(self.divisor.min()) if len(self.divisor) else 1.0

    @derived
    def rank(self) -> float:
        """r, weak components counted as far as they count in T²."""
        return float((self.variance / self.divisor).sum())

    @derived
    def terms(self) -> Array:
        """1 and the rank, or 1: what SPE and T² are sums of so many of."""
        return np.array([1.0, max(self.rank, 1.0)])

    @blocks_on_one_thread
    def weights(self, X: Array) -> tuple[Array, Array]:
        """Coefficients over the atoms of what the gradients of SPE and T² pull back.

        ∇SPE = ∇κ(x, x) − 2 Σ_i [L⁻ᵀ(z̄ + Vᵀy)]_i ∇κ(x, d_i),   ∇T² = 2 Σ_i [L⁻ᵀVᵀ(y/λ)]_i ∇κ(x, d_i)
        """
        basis, mean = self.model.basis, self.model.centre.mean
        Z = basis.coordinates(basis.kernel_values(X)) - mean
        Y = Z @ self.V.T
        spe = basis.expansion(mean + (Z @ self.Q.T) @ self.Q)
        t2 = basis.expansion((Y / self.divisor) @ self.V)
        return -2.0 * spe, 2.0 * t2
