"""|x_i - y_j| of CSR rows from their differences, which are sparse too."""

from __future__ import annotations

import numpy as np

from okpca._core import compiled
from okpca._core.typing import Array, Index, Rows
from okpca.kernels.rows import blocks, canonical, is_sparse


def distances(X: Rows, Y: Rows, power: int) -> Array:
    """|x_i - y_j|_power for power 1 or 2, shape (n, m). Y is CSR, X may be dense."""
    found = []
    for rows in (X,) if is_sparse(X) else blocks(X):
        n, m = rows.shape[0], Y.shape[0]
        i, j = np.divmod(np.arange(n * m), max(m, 1))
        found.append(pair_distances(rows, Y, i, j, power).reshape(n, m))
    return np.concatenate(found)


def pair_distances(X: Rows, Y: Rows, i: Index, j: Index, power: int) -> Array:
    """|x_i - y_j|_power of these pairs alone."""
    used, i = np.unique(i, return_inverse=True)
    out = np.empty(len(i))
    with np.errstate(over="ignore"):  # uncompiled, it would say so
        compiled.sparse_distances(*_numbers(X[used]), *_numbers(Y), i, j, power, out)
    return out


def _numbers(X: Rows) -> tuple[Index, Index, Array]:
    X = canonical(X)
    # One type of index, whatever scipy has chosen: one compilation.
    return X.indptr.astype(np.intp), X.indices.astype(np.intp), X.data
