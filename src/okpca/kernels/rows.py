"""Rows of the input space, and atoms, which are rows too: dense arrays of any real dtype and
strides, or CSR.

Everything downstream computes in float64. Both forms are taken apart by `X[which]` and put together
by `stacked`; whoever needs to know which of them it has asks here. What is CSR stays so: rows may
be so wide that a dense copy of some hundred would fill the memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse

from okpca._core.numerics import DENSE_BLOCK, FULL, LARGEST_SQUARE, SMALLEST_SQUARE
from okpca._core.typing import Array, Flags, Index, Rows


def is_sparse(X: Rows) -> bool:
    return not isinstance(X, np.ndarray) and bool(sparse.issparse(X))


def dense(X: Rows) -> Array:
    """X as a dense float64 array; no copy when it is one already."""
    if is_sparse(X):
        X = X.toarray()
    return np.asarray(X, dtype=np.float64)


def size_if_dense(n: int, d: int) -> str:
    """For messages: what n rows of d columns would take."""
    return f"{n} of {d} columns would take {8e-9 * n * d:.1f} GB"


def real(X: Rows) -> Rows:
    """X in float64, dense or CSR as it is; no copy when it is that already."""
    if is_sparse(X):
        return sparse.csr_array(X, dtype=np.float64)
    return np.asarray(X, dtype=np.float64)


def handy(X: Rows) -> Rows:
    """The same, but dense if it is CSR that is small and hardly sparse: products are quicker."""
    size = X.shape[0] * X.shape[1] if is_sparse(X) else 0
    return dense(X) if size and FULL * size < X.nnz and size <= DENSE_BLOCK else real(X)


def blocks(X: Rows) -> Iterator[Rows]:
    """X in pieces of which a dense copy is small."""
    step = max(1, DENSE_BLOCK // max(X.shape[1], 1))
    for start in range(0, max(X.shape[0], 1), step):
        yield X[start : start + step]


def dense_blocks(X: Rows) -> Iterator[Array]:
    """X as it is when dense; small dense pieces of it when sparse."""
    yield from map(dense, blocks(X) if is_sparse(X) else (X,))


def stacked(parts: Sequence[Rows]) -> Rows:
    """One after another; sparse if any of them is."""
    if any(is_sparse(part) for part in parts):
        return sparse.vstack([sparse.csr_array(part) for part in parts], format="csr")
    return np.concatenate(parts)


def without(X: Rows, leaving: int) -> Rows:
    return X[np.arange(X.shape[0]) != leaving]


def equal(X: Rows, x: Rows) -> Flags:
    """Which rows of X are the row x, (1, d)?"""
    if not (is_sparse(X) or is_sparse(x)):
        return np.asarray(np.equal(X, x).all(axis=1))
    repeated = sparse.csr_array(np.ones((X.shape[0], 1))) @ sparse.csr_array(x)
    return np.asarray(np.diff((sparse.csr_array(X) != repeated).tocsr().indptr) == 0)


def width(X: Rows) -> float:
    """What a row costs: its numbers, or of CSR those that are stored."""
    return float(X.nnz / max(X.shape[0], 1) if is_sparse(X) else X.shape[1])


def transposed(Y: Rows) -> Rows:
    """Yᵀ laid out for `product`."""
    return Y.T.tocsr() if is_sparse(Y) else np.ascontiguousarray(Y.T)


def product(X: Rows, M: Rows) -> Array:
    """X @ M in float64; what overflows comes out as inf or NaN, in silence."""
    if is_sparse(X):
        return dense(X.astype(np.float64, copy=False) @ M)
    with np.errstate(over="ignore", invalid="ignore"):
        if is_sparse(M):
            return np.concatenate([np.asarray(part @ M, dtype=np.float64) for part in blocks(X)])
        return np.asarray(np.dot(X, M), dtype=np.float64)


def divided(X: Rows, by: Array) -> Rows:
    """Every row over its own number."""
    if not is_sparse(X):
        return np.asarray(X / by[:, None])
    data = X.data / np.repeat(by, np.diff(X.indptr))
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


def canonical(X: Rows) -> Rows:
    """X as CSR in float64, every row's columns in order and no column twice."""
    X = real(sparse.csr_array(X))
    if not X.has_canonical_format:
        X = X.copy()  # it may be the caller's
        X.sum_duplicates()
    return X


def squared_norms(X: Rows) -> Array:
    """|x_i|^2, shape (n,)."""
    if is_sparse(X):
        X = canonical(X)
        with np.errstate(over="ignore"):
            square = np.square(X.data)
        return np.bincount(_row_numbers(X), square, X.shape[0]).astype(np.float64, copy=False)
    X = dense(X)
    return np.asarray(np.einsum("ij,ij->i", X, X))


def norms(X: Rows) -> Array:
    """|x_i|, shape (n,); right where |x_i|^2 would overflow or underflow."""
    squares = squared_norms(X)
    odd = np.flatnonzero(~((squares > SMALLEST_SQUARE) & (squares < LARGEST_SQUARE)))
    result = np.sqrt(squares)
    if len(odd):
        result[odd] = scaled_norms(real(X[odd]))
    return result


def scaled_norms(X: Rows) -> Array:
    """|x_i| by way of x_i / max|x_i|: no overflow or underflow on the way."""
    if is_sparse(X):
        X, top = canonical(X), np.zeros(X.shape[0])
        np.maximum.at(top, _row_numbers(X), np.abs(X.data))
    else:
        top = np.abs(X).max(axis=1, initial=0.0)
    unit = divided(X, np.where(top > 0, top, 1.0))
    with np.errstate(over="ignore"):
        return np.asarray(top * np.sqrt(squared_norms(unit)))


def _row_numbers(X: Rows) -> Index:
    """The row of every stored number of a CSR matrix."""
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
