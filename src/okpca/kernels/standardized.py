"""kappa(x, y) = kernel((x - offset) / scale, (y - offset) / scale), column by column"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from okpca._core.typing import Array, Rows
from okpca.kernels.base import Bound, ByBinding, Kernel, Trait
from okpca.kernels.first_rows import SCALES, column_scales, of_one_scale
from okpca.kernels.parameters import settle_first
from okpca.kernels.rows import dense, is_sparse, real


@dataclass(frozen=True, eq=False, repr=False)
class _Columns(Kernel):
    kernel: Kernel

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            name = type(self).__name__
            raise ValueError(f"{name}: kernel must be a Kernel, got {self.kernel!r}.")

    @property
    def of_any_columns(self) -> Kernel:
        return self.kernel.of_any_columns

    def resolved(self, n_features: int) -> Kernel:
        return replace(self, kernel=self.kernel.resolved(n_features))


@dataclass(frozen=True, eq=False, repr=False)
class Standardized(_Columns, ByBinding):
    """kappa(x, y) = kernel((x - offset) / scale, (y - offset) / scale)

    kernel: the kernel of the scaled columns. scale: a positive number for each column.
    offset: a number for each, or None for 0. CSR rows need None: others would not stay sparse.
    """

    scale: Any
    offset: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "scale", _numbers("scale", self.scale))
        if not (self.scale > 0).all():
            raise ValueError("Standardized: every scale must be positive.")
        if self.offset is not None:
            object.__setattr__(self, "offset", _numbers("offset", self.offset))
            if len(self.offset) != len(self.scale):
                raise ValueError(
                    f"Standardized: offset has {len(self.offset)} columns, scale {len(self.scale)}."
                )

    @property
    def traits(self) -> Trait:
        # Of an affine kernel the offset makes one where sum_i g_i d_i is no pre-image any more,
        # unless sum_i g_i = 1. The columns are those of the scale, no others.
        kept = Trait.CONSTANT_NORM | Trait.GAUSSIAN | Trait.LOCAL
        return self.kernel.traits & (kept | Trait.AFFINE if self.offset is None else kept)

    @property
    def allows_sparse(self) -> bool:
        return self.offset is None and super().allows_sparse

    @property
    def units(self) -> Any:
        return self.scale

    @property
    def origin(self) -> Any:
        return 0.0 if self.offset is None else self.offset

    def settled(self, X: Rows, weight: Array | None = None) -> Kernel:
        return replace(self, kernel=self.kernel.settled(self.rows(X), weight))

    def rows(self, X: Rows) -> Rows:
        """(x - offset) / scale"""
        X = real(X)
        if X.shape[1] != len(self.scale):
            raise ValueError(
                f"Standardized: the scale is of {len(self.scale)} columns, the rows have "
                f"{X.shape[1]}."
            )
        with np.errstate(over="ignore"):
            if self.offset is not None:
                return np.asarray((dense(X) - self.offset) / self.scale)
            if not is_sparse(X):
                return np.asarray(X / self.scale)
            data = X.data / self.scale[X.indices]
            return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)

    def squared_distance(self, along: Array, square: Array, own: Array) -> Array:
        return self.kernel.squared_distance(along, square, own)

    def bind(self, atoms: Rows) -> Bound:
        kernel = self.kernel.bind(self.rows(atoms))
        return lambda X: kernel(self.rows(X))

    def diag(self, X: Rows) -> Array:
        return self.kernel.diag(self.rows(X))

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        # d kappa / dx = (d kernel) / scale
        return np.asarray(self.kernel.pullback(self.rows(X), self.rows(Y), W, K) / self.scale)

    def __repr__(self) -> str:
        offset = "" if self.offset is None else f", offset={self.offset.tolist()}"
        return f"Standardized({self.kernel!r}, scale={self.scale.tolist()}{offset})"


@dataclass(frozen=True, eq=False)
class Standardizing(_Columns):
    """A kernel of columns scaled by the first rows of a stream: what `settled` gives is
    :class:`Standardized`.

    how: "standard" for mean and standard deviation, "robust" for median and quartiles, see
    :func:`okpca.kernels.first_rows.column_scales`; "auto" for "robust" unless the columns are
    `of_one_scale`, which leaves the kernel as it is. CSR rows are scaled only: nothing is taken
    off, which makes no difference to kernels of x - y.
    """

    how: str = "standard"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how not in SCALES:
            raise ValueError(f"Standardizing: how must be one of {SCALES}, got {self.how!r}.")

    @property
    def traits(self) -> Trait:
        return self.kernel.traits & Trait.CONSTANT_NORM

    @property
    def needs_rows(self) -> bool:
        return True

    def settled(self, X: Rows, weight: Array | None = None) -> Kernel:
        if self.how == "auto" and of_one_scale(X, weight):
            return self.kernel.settled(X, weight)
        how = "robust" if self.how == "auto" else self.how
        offset, scale = column_scales(how, X, weight)
        scaled = Standardized(self.kernel, scale, None if is_sparse(X) else offset)
        return scaled.settled(X, weight)

    def block(self, X: Rows, Y: Rows) -> Array:
        raise settle_first(self)

    def diag(self, X: Rows) -> Array:
        raise settle_first(self)

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        raise settle_first(self)


def _numbers(name: str, values: Any) -> Array:
    numbers = np.array(values, dtype=np.float64)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ValueError(f"Standardized: {name} must be a finite number for each column.")
    numbers.flags.writeable = False
    return numbers
