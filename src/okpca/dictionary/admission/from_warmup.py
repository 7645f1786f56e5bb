"""A reduced kernel: a fixed dictionary that is chosen from the rows of the warm-up.

Huang & Yeh 3.1 take a small part of the data, or points chosen independently of it, in place of
the full kernel (Lee & Mangasarian's reduced kernel).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from okpca._core.number_checks import checked_count
from okpca._core.numerics import DENSE_ATOMS
from okpca._core.typing import Array, Rows
from okpca.dictionary.admission.fixed import Fixed
from okpca.dictionary.admission.policy import Policy
from okpca.kernels.rows import dense, is_sparse, size_if_dense


@dataclass(frozen=True)
class _Chosen(Policy):
    n_atoms: int
    grows = False

    def __post_init__(self) -> None:
        checked_count(type(self).__name__, "n_atoms", self.n_atoms, 1)

    def admits(self, residual: Any, norm: Any, coherence: Any) -> Any:
        return np.zeros(np.shape(residual), dtype=bool)

    @property
    def needs_rows(self) -> int:
        return self.n_atoms


@dataclass(frozen=True)
class Sampled(_Chosen):
    """`n_atoms` rows of the warm-up, drawn at random without replacement."""

    references = ("huang2011",)

    def settled(
        self, rows: Rows, weight: Array, rng: np.random.RandomState, units: Any = 1.0
    ) -> Fixed:
        n = rows.shape[0]
        drawn = rng.choice(n, min(self.n_atoms, n), replace=False)
        return Fixed(rows[np.sort(drawn)])


@dataclass(frozen=True)
class Clustered(_Chosen):
    """The centres of `n_atoms` clusters of the warm-up (k-means)."""

    references = ()

    def settled(
        self, rows: Rows, weight: Array, rng: np.random.RandomState, units: Any = 1.0
    ) -> Fixed:
        from sklearn.cluster import KMeans

        n, d = rows.shape
        if is_sparse(rows) and n * d > DENSE_ATOMS:
            raise ValueError(
                f"{self!r} needs dense rows, and {size_if_dense(n, d)}: use "
                "okpca.dictionary.Sampled."
            )
        X = dense(rows) / units
        clusters = min(self.n_atoms, len(np.unique(X, axis=0)))
        means = KMeans(clusters, n_init=1, random_state=rng).fit(X, sample_weight=weight)
        centres = means.cluster_centers_ * units
        return Fixed(sparse.csr_array(centres) if is_sparse(rows) else centres)
