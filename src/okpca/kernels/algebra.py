"""Sums, products and positive multiples of kernels, which are kernels again.

(kappa_1 + kappa_2)(x, y) = kappa_1(x, y) + kappa_2(x, y)
(kappa_1 * kappa_2)(x, y) = kappa_1(x, y) * kappa_2(x, y)
(scale * kappa)(x, y)     = scale * kappa(x, y)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.kernels import checks
from okpca.kernels.base import Bound, Kernel, Trait
from okpca.kernels.wrapper import Wrapper


@dataclass(frozen=True, repr=False)
class _Pair(Kernel):
    left: Kernel
    right: Kernel

    @property
    def allows_sparse(self) -> bool:
        return self.left.allows_sparse and self.right.allows_sparse

    @property
    def any_thread(self) -> bool:
        return self.left.any_thread and self.right.any_thread

    @property
    def has_gradient(self) -> bool:
        return self.left.has_gradient and self.right.has_gradient

    @property
    def units(self) -> Any:
        return _shared(self.left.units, self.right.units, 1.0)

    @property
    def origin(self) -> Any:
        return _shared(self.left.origin, self.right.origin, 0.0)

    @property
    def of_any_columns(self) -> Kernel:
        return replace(self, left=self.left.of_any_columns, right=self.right.of_any_columns)

    def resolved(self, n_features: int) -> Kernel:
        left, right = self.left.resolved(n_features), self.right.resolved(n_features)
        return replace(self, left=left, right=right)

    @property
    def needs_rows(self) -> bool:
        return self.left.needs_rows or self.right.needs_rows

    def settled(self, X: Rows, weight: Array | None = None) -> Kernel:
        left, right = self.left.settled(X, weight), self.right.settled(X, weight)
        return replace(self, left=left, right=right)


@dataclass(frozen=True, repr=False)
class Sum(_Pair):
    """kappa(x, y) = left(x, y) + right(x, y)"""

    @property
    def traits(self) -> Trait:
        return self.left.traits & self.right.traits & ~Trait.GAUSSIAN

    def block(self, X: Rows, Y: Rows) -> Array:
        return _added(self.left.block(X, Y), self.right.block(X, Y))

    def diag(self, X: Rows) -> Array:
        return _added(self.left.diag(X), self.right.diag(X))

    def bind(self, atoms: Rows) -> Bound:
        return partial(_both, _added, self.left.bind(atoms), self.right.bind(atoms))

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        return _added(self.left.pullback(X, Y, W), self.right.pullback(X, Y, W))

    def __repr__(self) -> str:
        return f"{self.left!r} + {_wrapped(self.right, Sum)}"


@dataclass(frozen=True, repr=False)
class Product(_Pair):
    """kappa(x, y) = left(x, y) * right(x, y)"""

    @property
    def traits(self) -> Trait:
        kept = Trait.CONSTANT_NORM | Trait.ANY_COLUMNS
        return self.left.traits & self.right.traits & kept

    def block(self, X: Rows, Y: Rows) -> Array:
        return _multiplied(self.left.block(X, Y), self.right.block(X, Y))

    def diag(self, X: Rows) -> Array:
        return _multiplied(self.left.diag(X), self.right.diag(X))

    def bind(self, atoms: Rows) -> Bound:
        return partial(_both, _multiplied, self.left.bind(atoms), self.right.bind(atoms))

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):  # in the pullbacks too: W may be inf
            left = self.left.pullback(X, Y, W * self.right.block(X, Y))
            return left + self.right.pullback(X, Y, W * self.left.block(X, Y))

    def __repr__(self) -> str:
        return f"{_wrapped(self.left, Sum)} * {_wrapped(self.right, _Pair, Scaled)}"


@dataclass(frozen=True, repr=False)
class Scaled(Wrapper):
    """kappa(x, y) = scale * kernel(x, y), with scale > 0"""

    scale: float
    kernel: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", checks.positive("Scaled", "scale", self.scale))

    @property
    def traits(self) -> Trait:
        return self.kernel.traits

    @property
    def units(self) -> Any:
        return self.kernel.units

    @property
    def origin(self) -> Any:
        return self.kernel.origin

    @property
    def tells_distance(self) -> bool:
        return self.kernel.tells_distance

    def squared_distance(self, along: Array, square: Array, own: Array) -> Array:
        along, square, own = (value / self.scale for value in (along, square, own))
        return self.kernel.squared_distance(along, square, own)

    @property
    def of_any_columns(self) -> Kernel:
        return replace(self, kernel=self.kernel.of_any_columns)

    def settled(self, X: Rows, weight: Array | None = None) -> Kernel:
        return replace(self, kernel=self.kernel.settled(X, weight))

    def block(self, X: Rows, Y: Rows) -> Array:
        return _multiplied(self.kernel.block(X, Y), self.scale)

    def diag(self, X: Rows) -> Array:
        return _multiplied(self.kernel.diag(X), self.scale)

    def bind(self, atoms: Rows) -> Bound:
        return partial(_scaled, self.scale, self.kernel.bind(atoms))

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        return _multiplied(self.kernel.pullback(X, Y, W), self.scale)

    def __repr__(self) -> str:
        return f"{self.scale!r} * {_wrapped(self.kernel, _Pair, Scaled)}"


def add(left: Any, right: Any) -> Any:
    """`left + right`; a scalar stands for the constant kernel."""
    from okpca.kernels.constant import Constant

    kernels = [Constant(k) if _is_scalar(k) else k for k in (left, right)]
    if not all(isinstance(k, Kernel) for k in kernels):
        return NotImplemented
    return Sum(*kernels)


def multiply(left: Any, right: Any) -> Any:
    """`left * right`, where one of them may be a positive scalar."""
    if _is_scalar(left):
        return Scaled(left, right)
    if _is_scalar(right):
        return Scaled(right, left)
    if not (isinstance(left, Kernel) and isinstance(right, Kernel)):
        return NotImplemented
    return Product(left, right)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _wrapped(kernel: Kernel, *kinds: type) -> str:
    return f"({kernel!r})" if isinstance(kernel, kinds) else repr(kernel)


def _shared(left: Any, right: Any, otherwise: float) -> Any:
    return left if np.array_equal(left, right) else otherwise


def _added(left: Array, right: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return left + right


def _multiplied(left: Array, right: Array | float) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return left * right


def _both(join: Callable[[Array, Array], Array], left: Bound, right: Bound, X: Rows) -> Array:
    return join(left(X), right(X))


def _scaled(scale: float, kernel: Bound, X: Rows) -> Array:
    return _multiplied(kernel(X), scale)
