"""Rows over a dictionary in pieces, which threads share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from okpca._core.errors import NOT_FINITE, OVERGROWN, RowError, rows_numbered
from okpca._core.numerics import LARGEST_SQUARE
from okpca._core.parallel import cut, in_pieces
from okpca._core.typing import Array
from okpca.dictionary.basis import Basis
from okpca.kernels.rows import width

T = TypeVar("T")

PIECE = 192
"""Rows in a piece of a block, at most: what is computed of them stays in cache."""
PER_PIECE = 4e6
"""Multiplications in a piece of a block, at least: 0.1 ms, and to begin another takes a tenth."""


def in_pieces_over(basis: Basis, X: Any, function: Callable[[Any, slice], T]) -> list[T]:
    """function(X[piece], piece) for one piece of the rows after another. It computes kernel values
    against the atoms, and coordinates."""
    n, m = X.shape[0], basis.m
    work = n * m * (width(X) + m / 2)
    pieces = cut(n, PIECE, work / PER_PIECE)
    if len(pieces) == 1:
        return [function(X, pieces[0])]
    _ = basis.bound  # once, before several threads ask for it

    def of(piece: slice) -> T:
        with rows_numbered(range(piece.start, piece.stop)):
            return function(X[piece], piece)

    return in_pieces(work, of, pieces, any_thread=basis.kernel.any_thread)


def rows_in_pieces(basis: Basis, X: Any, function: Callable[[Any], Array]) -> Array:
    """function(X), whose rows are few numbers, in the same way."""
    parts = in_pieces_over(basis, X, lambda rows, _: function(rows))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def only_finite(values: Array, V: Array | None = None) -> Array:
    """The values of each row, if they are numbers; of components V, which may be to blame."""
    good = np.isfinite(values).all(axis=1)
    if not good.all():
        overgrown = V is not None and np.square(np.abs(V).max(initial=0.0)) > LARGEST_SQUARE
        raise RowError(OVERGROWN if overgrown else NOT_FINITE, int(np.argmin(good)))
    return values
