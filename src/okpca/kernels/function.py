"""kappa(x, y) = f([x], [y])[0, 0]: a user's function from two blocks of rows to a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from okpca.kernels.base import Kernel
from okpca.kernels.rows import Array, Rows, dense

DIAGONAL_BLOCK = 32  # rows; the diagonal costs this many values for each one kept


@dataclass(frozen=True, repr=False)
class Function(Kernel):
    """kappa(x_i, y_j) = f(X, Y)[i, j]

    f: called with dense float64 X (n, d) and Y (m, d), returns real finite numbers (n, m),
    as the functions of `sklearn.metrics.pairwise` do. It has no gradient.
    """

    f: Callable[..., Any]

    def __post_init__(self) -> None:
        if not callable(self.f):
            raise ValueError(f"Function: f must be callable as f(X, Y), got {self.f!r}.")

    @property
    def allows_sparse(self) -> bool:
        return False

    @property
    def has_gradient(self) -> bool:
        return False

    def block(self, X: Rows, Y: Array) -> Array:
        return self._checked(self.f(dense(X), Y), (X.shape[0], Y.shape[0]))

    def diag(self, X: Rows) -> Array:
        X, step = dense(X), DIAGONAL_BLOCK
        parts = (X[start : start + step] for start in range(0, len(X), step))
        return np.concatenate([np.empty(0), *(np.diagonal(self.block(x, x)) for x in parts)])

    def _checked(self, K: Any, expected: tuple[int, int]) -> Array:
        K, name = np.asarray(K), _name(self.f)
        if K.shape != expected:
            raise ValueError(
                f"The kernel function {name} returned shape {K.shape}, expected {expected}: "
                "a matrix with one value for each row of X and each row of Y."
            )
        if K.dtype.kind not in "fiub":
            raise ValueError(
                f"The kernel function {name} returned dtype {K.dtype}, expected real numbers."
            )
        if not np.isfinite(K).all():
            raise ValueError(
                f"The kernel function {name} returned NaN or infinity, expected finite numbers."
            )
        return np.array(K, dtype=np.float64)  # a copy: the function may keep its own

    def __repr__(self) -> str:
        return f"Function({_name(self.f)})"


def _name(f: Callable[..., Any]) -> str:
    if isinstance(f, partial):
        words = [_name(f.func), *map(repr, f.args)]
        return f"partial({', '.join(words + [f'{k}={v!r}' for k, v in f.keywords.items()])})"
    return getattr(f, "__qualname__", None) or repr(f)
