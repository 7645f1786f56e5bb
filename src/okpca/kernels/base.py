"""What a kernel is: kappa(x, y) in blocks, its diagonal, and the pull-back of its gradient.

A kernel implements `block` and `diag`, and `pullback` where it has a gradient; one that has much to
prepare for its atoms inherits `ByBinding`, and implements `bind` in place of `block`. Rows X may be
CSR, unless `allows_sparse` says that they may not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Flag, auto
from functools import partial
from typing import Any, ClassVar

import numpy as np

from okpca._core.typing import Array, Rows
from okpca.kernels.equality import same
from okpca.kernels.rows import handy, is_sparse

Bound = Callable[[Rows], Array]
"""`X -> kappa(X, Y)` with everything prepared that depends on Y alone."""


class Trait(Flag):
    """What may be known of a kernel beforehand."""

    AFFINE = auto()
    """φ(x) = A x + b, so Σ γ_i d_i is the pre-image of Σ γ_i φ(d_i): nothing is nearer."""
    CONSTANT_NORM = auto()
    """κ(x, x) is the same for all x: its slope need not be computed."""
    GAUSSIAN = auto()
    """exp(−Σ_k γ_k (x_k − y_k)²) or a multiple: pre-images are fixed points of a weighted mean."""
    ANY_COLUMNS = auto()
    """κ(x, y) is the same without a column where both are 0."""
    LOCAL = auto()
    """κ falls from κ(x, x) to 0 with the distance between x and y, and is never negative."""
    ROTATED = auto()
    """κ(x, y) is that of x and y in any orthonormal coordinates of a space that holds both: where
    it is GAUSSIAN, too, few rows of many columns are searched in as many columns as there are."""


class Kernel(ABC):
    """A positive definite function of two rows. Kernels add and multiply; so do scalars.

    Kernels are immutable values: equal when their parameters are, and printed as the code
    that builds them.
    """

    names: ClassVar[tuple[str, ...]] = ()
    """Strings that stand for it, its parameters being those of the estimator."""

    own_traits: ClassVar[Trait] = Trait(0)

    @property
    def traits(self) -> Trait:
        """What holds for it, with its parameters, that saves work."""
        return self.own_traits

    @property
    def parts(self) -> list[Kernel]:
        """The kernels that it is made of, such as those of a sum."""
        return [part for part in vars(self).values() if isinstance(part, Kernel)]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and same(vars(self), vars(other))

    def __hash__(self) -> int:
        return hash(type(self))

    @property
    def allows_sparse(self) -> bool:
        """Whether rows may be CSR, X as well as Y; only gradients have a dense Y."""
        return all(part.allows_sparse for part in self.parts)

    @property
    def any_thread(self) -> bool:
        """Whether another thread may compute some of its values."""
        return all(part.any_thread for part in self.parts)

    @property
    def has_gradient(self) -> bool:
        """A kernel has one if it says how to pull back: nobody has to declare it."""
        own = type(self).pullback is not Kernel.pullback
        return own and all(part.has_gradient for part in self.parts)

    @property
    def tells_distance(self) -> bool:
        """Whether its value says how far apart two rows are: by `squared_distance`."""
        own = type(self).squared_distance is not Kernel.squared_distance
        return own and all(part.tells_distance for part in self.parts)

    @property
    def of_any_columns(self) -> Kernel:
        """Without what it says of the rows' own columns, such as their scales."""
        return self

    def resolved(self, n_features: int) -> Kernel:
        """The same kernel with nothing left to the data: gamma=None is 1 / n_features."""
        return self

    @property
    def needs_rows(self) -> bool:
        """Whether something is left to the first rows, such as gamma="median"."""
        return any(part.needs_rows for part in self.parts)

    def settled(self, X: Rows, weight: Array | None = None) -> Kernel:
        """The same kernel with nothing left to the rows: these say it."""
        return self

    @property
    def units(self) -> Any:
        """What a step is measured by where points are searched for: a number, or one a column."""
        return 1.0

    @property
    def origin(self) -> Any:
        """The point that a guess shrinks to where it knows nothing, in the same form."""
        return 0.0

    @abstractmethod
    def block(self, X: Rows, Y: Rows) -> Array:
        """kappa(x_i, y_j), shape (n, m)."""

    @abstractmethod
    def diag(self, X: Rows) -> Array:
        """kappa(x_i, x_i), shape (n,), exact."""

    def bind(self, atoms: Rows) -> Bound:
        """`X -> kappa(X, atoms)` with everything that depends on the atoms alone prepared."""
        return partial(self.block, Y=atoms)

    def __call__(self, X: Rows, Y: Rows = None) -> Array:
        """kappa(x_i, y_j); with one argument exactly symmetric, its diagonal `diag(X)`."""
        X = X if is_sparse(X) else np.asarray(X)
        if Y is not None:
            return self.block(X, handy(Y))
        return self.among(X, self.bind(handy(X)))

    def among(self, X: Rows, bound: Bound) -> Array:
        """The same of rows with each other, `bound` being what `bind` gives for them."""
        K = bound(X)
        K = 0.5 * K + 0.5 * K.T
        np.fill_diagonal(K, self.diag(X))
        return K

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        """sum_j W_ij d kappa(x_i, y_j) / d x_i, shape (n, d); (n, m, d) is never formed.

        K: kappa(x_i, y_j) if it is at hand; some kernels need not compute it again then.
        """
        raise NotImplementedError(f"{self!r} has no gradient.")

    def squared_distance(self, along: Array, square: Array, own: Array) -> Array:
        """|x - y|^2, in `units`, from <phi(x), phi(y)>, |phi(x)|^2 and kappa(y, y); NaN where no
        distance belongs to them. The kernel must be `resolved`."""
        raise NotImplementedError(f"{self!r} tells no distance.")

    def __add__(self, other: Any) -> Kernel:
        return _algebra().add(self, other)  # type: ignore[no-any-return]

    def __radd__(self, other: Any) -> Kernel:
        if isinstance(other, int) and other == 0:  # sum([...]) starts from 0
            return self
        return _algebra().add(other, self)  # type: ignore[no-any-return]

    def __mul__(self, other: Any) -> Kernel:
        return _algebra().multiply(self, other)  # type: ignore[no-any-return]

    def __rmul__(self, other: Any) -> Kernel:
        return _algebra().multiply(other, self)  # type: ignore[no-any-return]


class ByBinding(Kernel):
    """A kernel given by `bind`: `block` binds it to Y for one call."""

    @abstractmethod
    def bind(self, atoms: Rows) -> Bound:
        """`X -> kappa(X, atoms)`"""

    def block(self, X: Rows, Y: Rows) -> Array:
        return self.bind(Y)(X)


def _algebra() -> Any:
    """Sums and products are kernels themselves, so they are imported late."""
    from okpca.kernels import algebra

    return algebra
