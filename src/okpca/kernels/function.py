"""kappa(x, y) = f([x], [y])[0, 0]: a user's function from two blocks of rows to a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from okpca._core.errors import RowError
from okpca._core.typing import Array, Rows
from okpca.kernels.base import Kernel
from okpca.kernels.rows import dense

WANTED = "a matrix with one value for each row of X and each row of Y"
DIAGONAL_BLOCK = 32  # rows; the diagonal costs this many values for each one kept


@dataclass(frozen=True, repr=False, eq=False)
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
    def any_thread(self) -> bool:
        return False  # nobody knows what it does

    def block(self, X: Rows, Y: Rows) -> Array:
        return self._finite(self._matrix(dense(X), dense(Y)))

    def diag(self, X: Rows) -> Array:
        X, diagonal = dense(X), np.empty((X.shape[0], 1))
        for start in range(0, len(X), DIAGONAL_BLOCK):
            x = X[start : start + DIAGONAL_BLOCK]
            diagonal[start : start + len(x), 0] = np.diagonal(self._matrix(x, x))
        return self._finite(diagonal)[:, 0]

    def _matrix(self, X: Array, Y: Array) -> Array:
        K, expected = np.asarray(self._called(X, Y)), (len(X), len(Y))
        if K.shape != expected:
            raise ValueError(
                f"The kernel function {_name(self.f)} returned shape {K.shape}, expected "
                f"{expected}: {WANTED}."
            )
        if K.dtype.kind not in "fiub":
            raise ValueError(
                f"The kernel function {_name(self.f)} returned dtype {K.dtype}, expected real "
                "numbers."
            )
        return np.array(K, dtype=np.float64)  # a copy: the function may keep its own

    def _called(self, X: Array, Y: Array) -> Any:
        try:
            return self.f(X, Y)
        except RowError:
            raise
        except (TypeError, ValueError) as error:  # as of shapes that do not fit
            raise ValueError(
                f"The kernel function {_name(self.f)} failed on X {X.shape} and Y {Y.shape}: "
                f"{error}. (It gets two matrices, not two rows, and must return {WANTED}.)"
            ) from error

    def _finite(self, K: Array) -> Array:
        good = np.isfinite(K).all(axis=1)
        if not good.all():
            raise RowError(
                f"The kernel function {_name(self.f)} returned NaN or infinity, expected finite "
                "numbers",
                int(np.argmin(good)),
            )
        return K

    def __repr__(self) -> str:
        return f"Function({_name(self.f)})"


def _name(f: Callable[..., Any]) -> str:
    if isinstance(f, partial):
        words = [_name(f.func), *map(repr, f.args)]
        return f"partial({', '.join(words + [f'{k}={v!r}' for k, v in f.keywords.items()])})"
    return getattr(f, "__qualname__", None) or repr(f)
