"""kappa(x, y) = kernel(T x, T y), with T the discrete wavelet transform of a signal or image"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from okpca.kernels import checks
from okpca.kernels.base import Kernel
from okpca.kernels.linear import Linear
from okpca.kernels.rows import Array, Rows, dense
from okpca.kernels.transform import check_wavelet, transform_matrix


@dataclass(frozen=True)
class Wavelet(Kernel):
    """kappa(x, y) = kernel(T x, T y)

    T x: the wavelet coefficients of the row x, level by level, periodic at the borders, so T is
    linear, and orthogonal for an orthogonal wavelet and sizes divisible by 2^level.
    wavelet: a name of PyWavelets; Huang & Yeh use level 1 of "haar" and "sym4".
    level: how many times the signal is halved.
    kernel: the kernel of the coefficients.
    shape: (height, width) when a row is an image, else a row is a signal.
    details: False keeps the coarse coefficients only (the "main resolution" of Huang & Yeh).
    With an orthogonal T and all coefficients, linear and RBF kernels are those of the rows.
    """

    wavelet: str = "haar"
    level: int = 1
    kernel: Kernel = Linear()  # noqa: RUF009  (immutable)
    shape: tuple[int, int] | None = None
    details: bool = True

    def __post_init__(self) -> None:
        check_wavelet(self.wavelet)
        object.__setattr__(self, "level", checks.at_least_one("Wavelet", "level", self.level))
        object.__setattr__(self, "details", bool(self.details))
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"Wavelet: kernel must be a Kernel, got {self.kernel!r}.")
        if self.shape is not None:
            object.__setattr__(self, "shape", _checked_shape(self.shape))

    @property
    def allows_sparse(self) -> bool:
        return self.kernel.allows_sparse

    @property
    def has_gradient(self) -> bool:
        return self.kernel.has_gradient

    def resolved(self, n_features: int) -> Kernel:
        n_coefficients = self._transform(n_features).shape[1]
        return replace(self, kernel=self.kernel.resolved(n_coefficients))

    def bind(self, atoms: Rows) -> Callable[[Rows], Array]:
        T = self._transform(atoms.shape[1])
        return partial(_after, T, self.kernel.bind(atoms @ T))

    def block(self, X: Rows, Y: Rows) -> Array:
        T = self._transform(Y.shape[1])
        return self.kernel.block(X @ T, Y @ T)

    def diag(self, X: Rows) -> Array:
        return self.kernel.diag(X @ self._transform(X.shape[1]))

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        # d kappa / dx = T^t (d kernel)(T x, T y)
        T = self._transform(Y.shape[1])
        return dense(self.kernel.pullback(X @ T, dense(Y @ T), W, K) @ T.T)

    def _transform(self, n_features: int) -> Any:
        return transform_matrix(n_features, self.wavelet, self.level, self.shape, self.details)


def _after(T: Any, kernel: Callable[[Rows], Array], X: Rows) -> Array:
    return kernel(X @ T)


def _checked_shape(shape: Any) -> tuple[int, int]:
    try:
        height, width = (checks.at_least_one("Wavelet", "shape", side) for side in shape)
    except (TypeError, ValueError):
        raise ValueError(
            f"Wavelet: shape must be (height, width) in pixels, or None, got {shape!r}."
        ) from None
    return height, width
