"""Pre-images from CSR atoms, which may be very wide.

A column that no atom has is 0 in every pre-image: a number there would only take x away from all
atoms. So the search goes over the columns that some atom has, and atoms are made dense there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca._core.numerics import DENSE_BLOCK, DENSE_ROWS, ROWS
from okpca._core.typing import Array
from okpca.dictionary import Basis
from okpca.kernels.base import Trait
from okpca.kernels.rows import dense, is_sparse, size_if_dense
from okpca.model import Model
from okpca.preimage.base import PreImage, PreImages
from okpca.preimage.search import find
from okpca.preimage.target import Target


@dataclass(frozen=True, eq=False)
class WayBack:
    """How to search for pre-images of this model's targets, some rows at a time."""

    model: Model
    basis: Basis
    columns: NDArray[np.intp] | None = None  # None: all

    @classmethod
    def of(cls, model: Model, n_rows: int, what: str) -> WayBack:
        basis = model.basis
        if not is_sparse(basis.atoms):
            return cls(model, basis)
        d = basis.atoms.shape[1]
        if n_rows * d > DENSE_ROWS:
            raise ValueError(
                f"{what} gives dense rows, and {size_if_dense(n_rows, d)}: ask for fewer at a time."
            )
        if Trait.ANY_COLUMNS not in basis.kernel.traits:
            return cls(model, basis.densified(what))
        columns = np.unique(basis.atoms.indices)
        narrow = Basis(basis.kernel, basis.atoms[:, columns], basis.L)
        return cls(model, narrow.densified(what), columns)

    @property
    def step(self) -> int:
        """Rows at a time."""
        if self.basis is self.model.basis:
            return ROWS
        return int(np.clip(DENSE_BLOCK // max(self.basis.atoms.shape[1], 1), 1, ROWS))

    def searched(self, method: PreImage, scores: Array, start: Any = None) -> PreImages:
        target = Target(self.model, scores, self.basis)
        if self.columns is None:
            return find(method, target, None if start is None else dense(start))
        found = find(method, target, None if start is None else dense(start[:, self.columns]))
        X = np.zeros((len(scores), self.model.basis.atoms.shape[1]))
        X[:, self.columns] = found.X
        return PreImages(X, found.converged, found.distance)
