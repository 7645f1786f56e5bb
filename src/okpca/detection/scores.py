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

A chart with `levels` also tells what the first r components leave, for each of them: see `nested`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core import compiled
from okpca._core.blas_threads import blocks_on_one_thread
from okpca._core.cached import derived
from okpca._core.numerics import BELIEVED, DIGITS, EIGENVALUE, EPS, NO_RESIDUAL, ROWS
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
    sums: Array  # (r + 1, 2 + levels): what y² and nothing else is multiplied by, for ‖y‖², T² and
    # ‖y‖² of the first components
    least: float  # the share of κ(x, x) + ‖z̄‖² that SPE must be
    norm: float = 0.0  # κ(x, x), if it is the same for all rows
    levels: tuple[int, ...] = ()

    @classmethod
    def of(
        cls, model: Model, V: Array, dual: Array, divisor: Array, levels: tuple[int, ...]
    ) -> Quick | None:
        basis, mean = model.basis, model.centre.mean
        if not basis.m:
            return None
        A = np.vstack([dual, basis.expansion(mean[None])])
        error = EPS * float(np.abs(A).sum(axis=1).max()) * float(np.sqrt(basis.atom_norms.max()))
        least = max(BELIEVED, DIGITS * error)
        shift = np.append(V @ mean, 0.5 * mean @ mean)
        sums = np.zeros((len(A), 2 + len(levels)))
        sums[:-1, 0], sums[:-1, 1] = 1.0, 1.0 / divisor
        sums[:-1, 2:] = np.arange(len(V))[:, None] < np.array(levels, dtype=float)
        alike = Trait.CONSTANT_NORM in basis.kernel.traits
        norm = float(basis.atom_norms[0]) if alike else 0.0
        return cls(A, shift, sums, least, norm, levels) if least < 1.0 else None

    @derived
    def ends(self) -> Array:
        """The levels, as far as there are components."""
        return np.minimum(np.array(self.levels, dtype=np.intp), len(self.A) - 1)

    def scores(self, K: Array, norm: Array) -> tuple[Array, Flags]:
        """SPE, T² and coarse residuals of every row, and which of them have their digits."""
        Y = K @ self.A.T
        Y -= self.shift
        distance = norm - 2.0 * Y[:, -1]  # ‖φ(x) − μ‖²
        out = np.square(Y, out=Y) @ self.sums
        np.subtract(distance, out[:, 0], out=out[:, 0])
        if self.levels:
            np.subtract(distance[:, None], out[:, 2:], out=out[:, 2:])
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
    levels: tuple[int, ...] = ()  # so many components, whose residuals are told as well

    @classmethod
    def of(cls, learned: Model, levels: tuple[int, ...] = ()) -> Chart:
        model = matured(learned)
        found = components(model)
        scatter, V = found.scatter, found.V
        real = scatter > EIGENVALUE * scatter.max(initial=0.0)
        weight = model.centre.weight or 1.0
        variance = scatter[real] / weight
        Q = V[real] if found.orthonormal else spanned(V[real])[0]
        divisor = np.maximum(variance, FLOOR * model.variance / weight)
        dual = found.dual[real]
        quick = Quick.of(model, V[real], dual, divisor, levels) if found.orthonormal else None
        return cls(model, V[real], Q, variance, divisor, quick, levels)

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
        """SPE and T² of every row, shape (n, 2), and a column for each of the `levels`."""
        if len(X) == 1:
            return self.scores_of_row(X, self.basis.kernel_values(X), self.norm_of(X))
        out = np.empty((len(X), 2 + len(self.levels)))
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
        out = np.empty((1, 2 + len(self.levels)))
        y = quick.A @ values[0]
        compiled.scores_of_row(y, quick.shift, quick.sums, quick.ends, norm, out[0])
        least, (spe, t2) = quick.least * (norm + 2.0 * quick.shift[-1]), out[0, :2].tolist()
        if least < spe < np.inf and t2 < np.inf:
            return out
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
        outside[outside < NO_RESIDUAL * norm] = 0.0
        spe = outside + squared_residual(Z, self.Q)
        spe[spe < NO_RESIDUAL * norm] = 0.0
        out = np.column_stack([spe, np.square(Z @ self.V.T) @ (1.0 / self.divisor)])
        if not self.levels:
            return out
        distance = outside + np.einsum("ij,ij->i", Z, Z)
        coarse = left_by(distance, np.square(Z @ self.lead.T), self.levels)
        return np.hstack([out, np.maximum(coarse, spe[:, None])])

    def projected(self, X: Array) -> Array:
        """y of every row."""
        K = self.basis.kernel_values(X)
        if self.quick is not None:
            return np.asarray(K @ self.quick.A[:-1].T - self.quick.shift[:-1])
        return np.asarray((self.basis.coordinates(K) - self.model.centre.mean) @ self.V.T)

    def expected(self) -> Array:
        """The mean of all scores over the rows that were learned: (Σ λ over the rest, r, …)."""
        total = np.array([self.model.variance / (self.model.centre.weight or 1.0)])
        spe = max(float(total[0] - self.variance.sum()), 0.0)
        coarse = left_by(total, self.variance[None], self.levels)[0]
        return np.array([spe, self.rank, *np.maximum(coarse, spe)])

    @derived
    def lead(self) -> Array:
        """Orthonormal rows whose first r have the span of the first r components."""
        most = self.V[: max(self.levels, default=0)]
        return most if self.quick is not None else np.asarray(np.linalg.qr(most.T)[0].T)

    @derived
    def strangers(self) -> Array:
        """Scores of a row that no atom knows, for a local kernel: κ(x, x) + ‖z̄‖² − ‖V z̄‖², and the
        same for each level; 0 for T², which tells nothing of it."""
        mean, norms = self.model.centre.mean, self.basis.atom_norms
        most = np.array([(float(norms.mean()) if self.basis.m else 0.0) + mean @ mean])
        spe = most - np.square(self.Q @ mean).sum()
        coarse = left_by(most, np.square(self.lead @ mean)[None], self.levels)[0]
        return np.concatenate([spe, [0.0], coarse])

    @property
    def stranger(self) -> float:
        """SPE of a row that no atom knows, for a local kernel."""
        return float(self.strangers[0])

    @property
    def is_bounded(self) -> bool:
        """Does no row score more than a stranger, since all have one norm in feature space?"""
        return Trait.CONSTANT_NORM in self.basis.kernel.traits

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
        return np.array([1.0, max(self.rank, 1.0), *(1.0 for _ in self.levels)])

    @blocks_on_one_thread
    def weights(self, X: Array, weight: Array) -> Array:
        """Coefficients over the atoms of what the gradient of weight · scores pulls back, (n, m);
        with ∇κ(x, x) times the weights of the residuals it is the gradient.

        ∇R_r = ∇κ(x, x) − 2 Σ_i [L⁻ᵀ(z̄ + V_rᵀy)]_i ∇κ(x, d_i)
        ∇T²  = 2 Σ_i [L⁻ᵀVᵀ(y/λ)]_i ∇κ(x, d_i)
        """
        basis, mean = self.model.basis, self.model.centre.mean
        Z = basis.coordinates(basis.kernel_values(X)) - mean
        spe, t2, coarse = weight[:, :1], weight[:, 1:2], weight[:, 2:]
        found = t2 * ((Z @ self.V.T / self.divisor) @ self.V) - spe * ((Z @ self.Q.T) @ self.Q)
        for r, share in zip(self.levels, coarse.T, strict=True):
            found -= share[:, None] * ((Z @ self.lead[:r].T) @ self.lead[:r])
        found -= (weight.sum(axis=1, keepdims=True) - t2) * mean
        return 2.0 * basis.expansion(found)


def left_by(distance: Array, squares: Array, levels: tuple[int, ...]) -> Array:
    """What the first r components leave of ‖φ(x) − μ‖², a column for each level, by their y²."""
    most = max(levels, default=0)
    inside = np.zeros((len(squares), most + 1))
    known = squares[:, :most]
    np.cumsum(known, axis=1, out=inside[:, 1 : 1 + known.shape[1]])
    inside[:, 1 + known.shape[1] :] = inside[:, known.shape[1], None]
    return distance[:, None] - inside[:, list(levels)]
