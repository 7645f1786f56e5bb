"""The leading part of a symmetric matrix, wherever the library asks for it.

LAPACK finds a few eigenvalues by bisection and relatively robust representations, which give up
("Internal Error") where eigenvalues are tied and what couples them is denormal: kernels of rows
far apart give such matrices. So entries that no digit of the answer depends on are zero before it
starts, and if it gives up all the same, divide and conquer takes over, slower and always sure.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from okpca._core.numerics import COUPLING
from okpca._core.typing import Array

MANY = 0.25
"""Of all eigenvectors: from this share on, all of them take less time than these (500 x 500 on one
core: all 30 ms, half of them 60 ms, ten 17 ms)."""


def leading_pairs(A: Array, r: int) -> tuple[Array, Array]:
    """The r largest eigenvalues, largest first, and their eigenvectors as rows, (r, n)."""
    n = len(A)
    A, exponent = _plain(A)
    first = 0 if r > MANY * n else n - r
    try:
        values, U = (part[..., n - r - first :] for part in eigh(A, subset_by_index=(first, n - 1)))
    except np.linalg.LinAlgError:
        values, U = (part[..., n - r :] for part in eigh(A, driver="evd"))
    return np.ldexp(values[::-1], exponent), np.ascontiguousarray(U[:, ::-1].T)


def _plain(A: Array) -> tuple[Array, int]:
    """A / 2ᵉ with its largest entry between 1/2 and 1, since couplings are squared on the way, and
    without those that make no difference; and e."""
    size = np.abs(A)
    top = size.max(initial=0.0)
    exponent = int(np.frexp(top)[1])
    return np.ldexp(np.where(size < COUPLING * top, 0.0, A), -exponent), exponent
