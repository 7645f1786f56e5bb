"""Sums, products and positive multiples of kernels, which are kernels again.

(kappa_1 + kappa_2)(x, y) = kappa_1(x, y) + kappa_2(x, y)
(kappa_1 * kappa_2)(x, y) = kappa_1(x, y) * kappa_2(x, y)
(scale * kappa)(x, y)     = scale * kappa(x, y)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from okpca._core.number_checks import checked_number
from okpca._core.typing import Array, Rows
from okpca.kernels.base import Bound, ByBinding, Kernel, Trait


class _OfSameRows(ByBinding):
    """A kernel of others, each of which sees the rows as they are."""

    def _each(self, change: Callable[[Kernel], Kernel]) -> Kernel:
        parts = {name: part for name, part in vars(self).items() if isinstance(part, Kernel)}
        return replace(self, **{name: change(part) for name, part in parts.items()})  # type: ignore[type-var]

    @property
    def units(self) -> Any:
        return _shared([part.units for part in self.parts], 1.0)

    @property
    def origin(self) -> Any:
        return _shared([part.origin for part in self.parts], 0.0)

    @property
    def of_any_columns(self) -> Kernel:
        return self._each(lambda part: part.of_any_columns)

    def resolved(self, n_features: int) -> Kernel:
        return self._each(lambda part: part.resolved(n_features))

    def settled(self, X: Rows, weight: Array | None = None) -> Kernel:
        return self._each(lambda part: part.settled(X, weight))


@dataclass(frozen=True, repr=False)
class _Pair(_OfSameRows):
    left: Kernel
    right: Kernel
    join: ClassVar[np.ufunc]

    def diag(self, X: Rows) -> Array:
        return _joined(self.join, self.left.diag(X), self.right.diag(X))

    def bind(self, atoms: Rows) -> Bound:
        left, right = self.left.bind(atoms), self.right.bind(atoms)
        return lambda X: _joined(self.join, left(X), right(X))


@dataclass(frozen=True, repr=False)
class Sum(_Pair):
    """kappa(x, y) = left(x, y) + right(x, y)"""

    join = np.add

    @property
    def traits(self) -> Trait:
        return self.left.traits & self.right.traits & ~Trait.GAUSSIAN

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        return _joined(np.add, self.left.pullback(X, Y, W), self.right.pullback(X, Y, W))

    def __repr__(self) -> str:
        return f"{self.left!r} + {_wrapped(self.right, Sum)}"


@dataclass(frozen=True, repr=False)
class Product(_Pair):
    """kappa(x, y) = left(x, y) * right(x, y)"""

    join = np.multiply

    @property
    def traits(self) -> Trait:
        kept = Trait.CONSTANT_NORM | Trait.ANY_COLUMNS
        return self.left.traits & self.right.traits & kept

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):  # in the pullbacks too: W may be inf
            left = self.left.pullback(X, Y, W * self.right.block(X, Y))
            return left + self.right.pullback(X, Y, W * self.left.block(X, Y))

    def __repr__(self) -> str:
        return f"{_wrapped(self.left, Sum)} * {_wrapped(self.right, _Pair, Scaled)}"


@dataclass(frozen=True, repr=False)
class Scaled(_OfSameRows):
    """kappa(x, y) = scale * kernel(x, y), with scale > 0"""

    scale: float
    kernel: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", checked_number("Scaled", "scale", self.scale))

    @property
    def traits(self) -> Trait:
        return self.kernel.traits

    def squared_distance(self, along: Array, square: Array, own: Array) -> Array:
        along, square, own = (value / self.scale for value in (along, square, own))
        return self.kernel.squared_distance(along, square, own)

    def diag(self, X: Rows) -> Array:
        return _joined(np.multiply, self.kernel.diag(X), self.scale)

    def bind(self, atoms: Rows) -> Bound:
        kernel = self.kernel.bind(atoms)
        return lambda X: _joined(np.multiply, kernel(X), self.scale)

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        return _joined(np.multiply, self.kernel.pullback(X, Y, W), self.scale)

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


def _shared(values: list[Any], otherwise: float) -> Any:
    first, *others = values
    return first if all(np.array_equal(first, other) for other in others) else otherwise


def _joined(join: np.ufunc, left: Array, right: Array | float) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(join(left, right))
