"""Rows of the input space: dense arrays of any real dtype and strides, or CSR.

Everything downstream computes in float64; a CSR matrix is made dense in small blocks only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from okpca._core.typing import Array, Rows

BLOCK = 256  # CSR rows made dense at a time


def is_sparse(X: Rows) -> bool:
    return not isinstance(X, np.ndarray) and bool(sparse.issparse(X))


def dense(X: Rows) -> Array:
    """X as a dense float64 array; no copy when it is one already."""
    if is_sparse(X):
        X = X.toarray()
    return np.asarray(X, dtype=np.float64)


def dense_blocks(X: Rows) -> Iterator[Array]:
    """X as it is when dense; small dense pieces of it when sparse."""
    if not is_sparse(X):
        yield dense(X)
        return
    for start in range(0, max(X.shape[0], 1), BLOCK):
        yield dense(X[start : start + BLOCK])


def stacked(blocks: Sequence[Rows]) -> Rows:
    """One after another; sparse if any of them is."""
    if any(is_sparse(block) for block in blocks):
        return sparse.vstack([sparse.csr_array(block) for block in blocks], format="csr")
    return np.concatenate(blocks)


def product(X: Rows, M: Array) -> Array:
    """X @ M in float64; what overflows comes out as inf or NaN, in silence."""
    if is_sparse(X):
        return np.asarray(X.astype(np.float64) @ M)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.dot(X, M), dtype=np.float64)


def squared_norms(X: Rows) -> Array:
    """|x_i|^2, shape (n,)."""
    if is_sparse(X):
        with np.errstate(over="ignore"):
            return np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()
    X = dense(X)
    return np.asarray(np.einsum("ij,ij->i", X, X))


def norms(X: Rows) -> Array:
    """|x_i|, shape (n,); right where |x_i|^2 would overflow or underflow."""
    squares = squared_norms(X)
    odd = np.flatnonzero(~((squares > 1e-290) & (squares < 1e290)))
    result = np.sqrt(squares)
    for part in np.array_split(odd, -(-len(odd) // BLOCK)) if len(odd) else ():
        result[part] = scaled_norms(dense(X[part]))
    return result


def scaled_norms(X: Array) -> Array:
    """|x_i| by way of x_i / max|x_i|: no overflow or underflow on the way."""
    top = np.abs(X).max(axis=1, initial=0.0)
    unit = X / np.where(top > 0, top, 1.0)[:, None]
    with np.errstate(over="ignore"):
        return np.asarray(top * np.sqrt(np.einsum("ij,ij->i", unit, unit)))
