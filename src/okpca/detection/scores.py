"""How unlike the learned rows is this one? Two answers that complement each other.

With the coordinates z of a row, their mean z̄, the components V and y = V (z − z̄),

    SPE(x) = ‖φ(x) − μ‖² − ‖y‖² = ε²(x) + ‖z − z̄ − Vᵀy‖²   what the components leave unexplained
    T²(x)  = Σ_j y_j² / λ_j                                  Hotelling: how far out along them

SPE contains ε², the part of φ(x) outside the dictionary, so it is largest far from all that was
learned, where T² of a local kernel falls to a constant: it is SPE that sees strangers.

A component that explains less than FLOOR of the variance enters T² as if it explained so much. A
local kernel has many weak components, a dictionary that has just grown has new ones: their true
variance is hardly known, and 1 / λ_j would let them drown the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.errors import NOT_FINITE, RowError
from okpca._core.numerics import EIGENVALUE, ROWS
from okpca._core.threads import blocks_on_one_thread
from okpca._core.typing import Array
from okpca.dictionary import Basis
from okpca.model import Model, components, matured
from okpca.model.geometry import spanned, squared_residual

FLOOR = 1e-3


@dataclass(frozen=True)
class Chart:
    """The components that scores refer to, those without variance left out."""

    model: Model
    V: Array  # (r, m)
    Q: Array  # orthonormal rows with the span of V
    variance: Array  # λ_j = scatter / weight
    divisor: Array  # of T²: λ_j, or the floor

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
        return cls(model, V[real], Q, variance, divisor)

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
        out = np.empty((len(X), 2))
        for start in range(0, len(X), ROWS):
            block = slice(start, start + ROWS)
            out[block] = self._scores(X[block])
            good = np.isfinite(out[block]).all(axis=1)
            if not good.all():
                raise RowError(NOT_FINITE, start + int(np.argmin(good)))
        return out

    def _scores(self, X: Array) -> Array:
        basis = self.model.basis
        with np.errstate(over="ignore", invalid="ignore"):  # refused by name by the caller
            Z = basis.coordinates(basis.kernel_values(X))
            outside = basis.kernel.diag(X) - np.einsum("ij,ij->i", Z, Z)
            Z -= self.model.centre.mean
            Y = Z @ self.V.T
            spe = np.maximum(outside, 0.0) + squared_residual(Z, self.Q)
            return np.column_stack([spe, np.square(Y) @ (1.0 / self.divisor)])

    def expected(self) -> Array:
        """The mean of both scores over the rows that were learned: (Σ λ over the rest, r)."""
        weight = self.model.centre.weight or 1.0
        inside = float(self.variance.sum())
        return np.array([max(self.model.variance / weight - inside, 0.0), self.rank])

    @property
    def rank(self) -> float:
        """r, weak components counted as far as they count in T²."""
        return float((self.variance / self.divisor).sum())

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
