"""A block of rows seen from the dictionary: coordinates, distances, nearest atoms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from okpca._core import compiled
from okpca._core.errors import NOT_FINITE, RowError, rows_numbered
from okpca._core.numerics import BY_FAR, INDEFINITE, NOISE, TIE
from okpca._core.typing import Array, Index
from okpca.dictionary.basis import Basis
from okpca.dictionary.parallel import in_pieces_over


@dataclass
class Encoded:
    """A block of rows seen from the dictionary, each at its own time."""

    basis: Basis
    Z: Array  # coordinates, (n, m)
    residual: Array  # squared distance to the span when the row had had its chance to join
    norm: Array  # κ(x, x)
    coherence: Array | None
    uncertain: Array  # the same as it must be reckoned with, rounding included
    K: Array  # kernel values against the atoms there were before these rows
    joined: tuple[int, ...] = ()  # the rows that became atoms after those, in their order
    strict: int | None = None  # from this row on the atoms are delicate
    founded: Basis | None = None  # what the atoms were exchanged for before the first row, if so
    X: Any = None  # the rows themselves, and
    nearest: Index | None = None  # the atom that each counts for, where that is kept, and
    apart: Array | None = None  # its squared distance

    def taken(self, which: Any) -> Encoded:
        """These rows, in this order; a row may come several times."""
        coherence = None if self.coherence is None else self.coherence[which]
        return replace(
            self,
            Z=self.Z[which],
            residual=self.residual[which],
            norm=self.norm[which],
            coherence=coherence,
            uncertain=self.uncertain[which],
            # A slice is a view and costs nothing; rows are repeated after the kernel has served.
            K=self.K[which] if isinstance(which, slice) else self.K[:0],
            X=None if self.X is None else self.X[which],
            nearest=None if self.nearest is None else self.nearest[which],
            apart=None if self.apart is None else self.apart[which],
        )


def project(basis: Basis, X: Any, wants_coherence: bool) -> Encoded:
    """The rows as the atoms see them, before any of them joins."""
    n, m = X.shape[0], basis.m
    K, Z = np.empty((n, m)), np.empty((n, m))
    norm, residual = np.empty(n), np.empty(n)
    coherence = np.empty(n) if wants_coherence else None

    def fill(rows: Any, here: slice) -> None:
        # Into arrays for the whole block: to join those of pieces would take as long as a product.
        K[here] = values = basis.kernel_values(rows)
        with np.errstate(over="ignore", invalid="ignore"):  # refused by name in the next line
            norm[here] = basis.norms(rows, values)
            images = basis.coordinates(values, out=Z[here])
            residual[here] = norm[here] - np.einsum("ij,ij->i", images, images)
        refuse_bad(basis, images, residual[here], norm[here], 0)
        if coherence is not None:
            near = coherence_of(values, norm[here], basis.atom_norms)
            coherence[here] = near.max(axis=1, initial=0.0)

    in_pieces_over(basis, X, fill)
    strict = 0 if basis.delicate else None
    return Encoded(basis, Z, residual, norm, coherence, residual, K, strict=strict)


def nearest_atoms(rows: Encoded, X: Any) -> Encoded:
    """With the atom nearest to each row in feature space, among those that are there when it comes,
    and itself if it becomes one."""
    basis, n, old = rows.basis, *rows.K.shape
    atom, value, norm = np.full(n, -1), np.zeros(n), np.zeros(n)  # d, κ(x, d), κ(d, d)
    noted, norms = (atom, value, norm), basis.atom_norms
    compiled.nearest_rows(rows.K, norms[:old], np.full(old, -1), 0, TIE, *noted)
    if rows.joined:
        with rows_numbered(range(n)):
            K = basis.kernel(X, basis.atoms[old:])
        joined = np.array(rows.joined)
        compiled.nearest_rows(K, norms[old:], joined, old, TIE, *noted)
        atom[joined] = np.arange(old, basis.m)
    return replace(rows, X=X, nearest=atom, apart=rows.norm - 2.0 * value + norm)


def coherence_of(K: Array, row_norm: Array, atom_norm: Array) -> Array:
    scale = np.sqrt(np.outer(row_norm, atom_norm))
    return np.abs(np.divide(K, scale, out=np.zeros_like(K), where=scale > 0))


def refuse_bad(basis: Basis, Z: Array, residual: Array, norm: Array, start: int) -> None:
    # NaN fails every comparison: one test serves values and definiteness.
    doubtful = np.flatnonzero(~((residual >= -INDEFINITE * norm) & (residual < np.inf)))
    for i in doubtful:
        if not (np.isfinite(norm[i]) and np.isfinite(residual[i])):
            raise RowError(NOT_FINITE, start + int(i))
        if norm[i] < 0 or residual[i] < -BY_FAR * NOISE * basis.noise(Z[[i]], norm[[i]])[0]:
            raise RowError(
                "the kernel is not positive definite: it gives a squared distance of "
                f"{residual[i]:.3g} where κ(x, x) = {norm[i]:.3g}",
                start + int(i),
            )
