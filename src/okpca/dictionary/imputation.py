"""Missing values from the atoms: a regression among those that are like the row.

Columns are measured in their spread among the atoms. For a row x with values in the columns o,

    w_i ∝ ω_i exp(−‖x_o − d_io‖² / |o|)         ω_i: the weight of the rows that atom i stands for
    x_m = μ_m + C_mo (C_oo + λ I)⁻¹ (x_o − μ_o)

where μ and C are mean and covariance of the atoms with the weights w (locally weighted regression:
Cleveland & Devlin 1988). Only the `MOST` heaviest atoms count, each less what the next one has, so
that nothing jumps when two change places. The ridge λ is the one with the least error when each
value of each atom is told from its other values and the other atoms, which is known in closed form;
times √(n / n_w), where n_w = 1 / Σ w² is the number of atoms that count and n that of all, since
fewer need more of it. (n / n_w itself was too much by trial.)

By trial (benchmarks/uses/missing.py) this is nearer to the truth than pre-images of projections: a
projection on few components takes off what the columns that are there tell beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.blas_threads import one_thread
from okpca._core.cached import derived
from okpca._core.numerics import DENSE_ATOMS, TINY
from okpca._core.typing import Array, Flags, Index, Rows
from okpca.kernels.first_rows import column_scales
from okpca.kernels.rows import dense, is_sparse

MOST = 128  # atoms in a regression: more make it slower, and hardly better
RIDGES = np.logspace(-3, 0, 13)
LEAST = 0.1  # of d / n: atoms that were filled in themselves look easier to tell than rows are
TRIED = 256  # atoms that the ridge is chosen by
ROUNDS = 3  # in which rows that have nothing but each other settle
CHUNK = 2**20  # numbers gathered at a time


def gaps_in(X: Rows) -> Flags:
    """Which values are missing? Of CSR rows, which of those that are stored."""
    return np.asarray(np.isnan(X.data if is_sparse(X) else X))


@dataclass(frozen=True, eq=False)
class Donors:
    """A value: the rows that others are completed from, and their weights."""

    points: Rows
    weight: Array

    def __getstate__(self) -> dict[str, object]:
        return {"points": self.points, "weight": self.weight}  # the rest is derived

    def filled(self, X: Array, but_for: Index | None = None) -> Array:
        """Rows without gaps. `but_for`: a donor for each row that is left out, itself."""
        gaps = np.isnan(X)
        rows = np.flatnonzero(gaps.any(axis=1))
        out = X.copy()
        few = min(MOST, len(self.weight)) * X.shape[1]
        step = max(1, CHUNK // max(few, len(self.weight), 1))
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            themselves = None if but_for is None else but_for[some]
            out[some] = np.where(gaps[some], self._told(X[some], themselves), X[some])
        return out

    @one_thread
    def _told(self, X: Array, themselves: Index | None) -> Array:
        offset, scale = self._columns
        with np.errstate(over="ignore", invalid="ignore"):
            there = ~np.isnan(X)
            x = np.where(there, (X - offset) / scale, 0.0)
            nearest, w = _heaviest(self._likeness(x, there, themselves))
            ridge = self.ridge * np.sqrt(self._number * np.square(w).sum(axis=1))
            told = _regressed(self._unit[nearest], w, x, there, ridge) * scale + offset
        return np.where(np.isfinite(told), told, offset)

    @derived
    def _columns(self) -> tuple[Array, Array]:
        if not len(self.weight):
            return np.zeros(self.points.shape[1]), np.ones(self.points.shape[1])
        return column_scales("standard", self.points, self.weight)

    @derived
    def _unit(self) -> Array:
        """The donors in these units."""
        if is_sparse(self.points) and self.points.shape[0] * self.points.shape[1] > DENSE_ATOMS:
            raise ValueError(
                "missing values cannot be filled in from CSR atoms as wide as these: "
                "missing='skip' leaves such rows out."
            )
        offset, scale = self._columns
        with np.errstate(over="ignore", invalid="ignore"):
            unit = (dense(self.points) - offset) / scale
        return np.where(np.isfinite(unit), unit, 0.0)

    def _likeness(self, x: Array, there: Flags, themselves: Index | None) -> Array:
        """w, (n, m), the largest of each row being near 1."""
        A = self._unit
        apart = np.square(x).sum(axis=1)[:, None] - 2.0 * x @ A.T + there @ np.square(A).T
        apart /= np.maximum(there.sum(axis=1), 1)[:, None]
        if themselves is not None:
            apart[np.arange(len(x)), themselves] = np.inf
        nearest = apart.min(axis=1, keepdims=True, initial=np.inf)
        apart -= np.where(np.isfinite(nearest), nearest, 0.0)
        return np.asarray(self.weight / self.weight.max(initial=0.0) * np.exp(-apart))

    @derived
    def _number(self) -> float:
        """n, as 1 / Σ w² of the weights of all."""
        return float(self.weight.sum() ** 2 / (np.square(self.weight).sum() or 1.0))

    @derived
    def ridge(self) -> float:
        """With P = (C + λ I)⁻¹, b an atom off the mean and w its weight, leaving it out gives

        P b / (1 − w b·P b) for P b,  and  P + w P b bᵀ P / (1 − w b·P b) for P;

        column j told from the others is off by (P b)_j / P_jj then.
        """
        m = len(self.weight)
        some = np.linspace(0, m - 1, min(m, TRIED)).astype(np.intp)
        w = self.weight[some] / (self.weight[some].sum() or 1.0)
        B = np.sqrt(w)[:, None] * (self._unit[some] - w @ self._unit[some])
        U, s, V = np.linalg.svd(B, full_matrices=False)
        best = RIDGES[np.argmin([_left_out(B, U, s, V, ridge) for ridge in RIDGES])]
        return float(max(best, LEAST * B.shape[1] / max(self._number, 1.0)))


def _left_out(B: Array, U: Array, s: Array, V: Array, ridge: float) -> float:
    """Σ w (P b)_j² / P_jj² over atoms and columns, each atom left out. Rows of B are √w b."""
    kept = np.square(s) / (np.square(s) + ridge)
    PB = (B - (U * (s * kept)) @ V) / ridge
    P = (1.0 - kept @ np.square(V)) / ridge
    without = PB / (1.0 - np.einsum("ij,ij->i", PB, B))[:, None]
    return float(np.square(without / (P + PB * without)).sum())


def _heaviest(W: Array) -> tuple[Index, Array]:
    """The donors that count for each row, (n, k), and their weights, which add up to 1 (or 0)."""
    n, m = W.shape
    if m > MOST:
        nearest = np.argpartition(W, m - MOST - 1, axis=1)[:, m - MOST - 1 :]
        w = np.take_along_axis(W, nearest, axis=1)
        w -= w.min(axis=1, keepdims=True)
        alike = ~w.any(axis=1)  # so many are all the same: each of them is as good
        w[alike] = 1.0
    else:
        nearest, w = np.broadcast_to(np.arange(m), (n, m)), W
    total = w.sum(axis=1, keepdims=True)
    return nearest, w / np.where(total > 0, total, 1.0)


def _regressed(A: Array, w: Array, x: Array, there: Flags, ridge: Array) -> Array:
    """μ + C_·o (C_oo + λ I)⁻¹ (x_o − μ_o), (n, d), from donors (n, k, d); by the smaller of the
    two systems, k × k or d × d."""
    mean = np.einsum("nk,nkd->nd", w, A)
    B = np.sqrt(w)[:, :, None] * (A - mean[:, None, :])
    Bo = B * there[:, None, :]
    y = np.where(there, x - mean, 0.0)[:, :, None]
    k, d = B.shape[1:]
    extra = np.maximum(ridge, TINY)[:, None, None] * np.eye(min(k, d))
    if d <= k:
        along = Bo @ np.linalg.solve(Bo.swapaxes(1, 2) @ Bo + extra, y)
    else:
        along = np.linalg.solve(Bo @ Bo.swapaxes(1, 2) + extra, Bo @ y)
    return np.asarray(mean + (B.swapaxes(1, 2) @ along)[:, :, 0])


def completed(X: Array, weight: Array) -> Array:
    """Rows that have nothing but each other: their gaps are means of columns at first (0 where a
    column has no value at all), then told from all other rows, some times over."""
    gaps = np.isnan(X)
    if not gaps.any():
        return X
    rows = np.flatnonzero(gaps.any(axis=1))
    out = np.where(gaps, _means(X, gaps, weight), X)
    for _ in range(ROUNDS):
        out[rows] = Donors(out.copy(), weight).filled(X[rows], but_for=rows)
    return out


def _means(X: Array, gaps: Flags, weight: Array) -> Array:
    share = np.where(gaps, 0.0, (weight / weight.max())[:, None])
    total = share.sum(axis=0)
    share /= np.where(total > 0, total, 1.0)
    return np.asarray((share * np.where(gaps, 0.0, X)).sum(axis=0))
