"""kappa(x, y) = kernel(T x, T y), with T the discrete wavelet transform of a signal or image"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from okpca._core.typing import Array, Rows
from okpca.kernels import parameters
from okpca.kernels.base import Bound, ByBinding, Kernel, Trait
from okpca.kernels.linear import Linear
from okpca.kernels.rows import dense

MODE = "periodization"  # the border mode that keeps orthogonal wavelets orthogonal
BLOCK = 256  # unit vectors transformed at a time


@dataclass(frozen=True)
class Wavelet(ByBinding):
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

    names = ("wavelet",)

    wavelet: str = "haar"
    level: int = 1
    kernel: Kernel = Linear()  # noqa: RUF009  (immutable)
    shape: tuple[int, int] | None = None
    details: bool = True

    def __post_init__(self) -> None:
        check_wavelet(self.wavelet)
        object.__setattr__(self, "level", parameters.at_least_one("Wavelet", "level", self.level))
        object.__setattr__(self, "details", bool(self.details))
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"Wavelet: kernel must be a Kernel, got {self.kernel!r}.")
        if self.shape is not None:
            object.__setattr__(self, "shape", _checked_shape(self.shape))

    @property
    def traits(self) -> Trait:
        return self.kernel.traits & (Trait.AFFINE | Trait.CONSTANT_NORM)

    @property
    def of_any_columns(self) -> Kernel:
        return self.kernel.of_any_columns

    def resolved(self, n_features: int) -> Kernel:
        n_coefficients = self._transform(n_features).shape[1]
        return replace(self, kernel=self.kernel.resolved(n_coefficients))

    def settled(self, X: Rows, weight: Array | None = None) -> Kernel:
        rows = X @ self._transform(X.shape[1])
        return replace(self, kernel=self.kernel.settled(rows, weight))

    def bind(self, atoms: Rows) -> Bound:
        T = self._transform(atoms.shape[1])
        kernel = self.kernel.bind(atoms @ T)
        return lambda X: kernel(X @ T)

    def diag(self, X: Rows) -> Array:
        return self.kernel.diag(X @ self._transform(X.shape[1]))

    def pullback(self, X: Rows, Y: Array, W: Array, K: Array | None = None) -> Array:
        # d kappa / dx = T^t (d kernel)(T x, T y)
        T = self._transform(Y.shape[1])
        return dense(self.kernel.pullback(X @ T, dense(Y @ T), W, K) @ T.T)

    def _transform(self, n_features: int) -> Any:
        return transform_matrix(n_features, self.wavelet, self.level, self.shape, self.details)


def _checked_shape(shape: Any) -> tuple[int, int]:
    try:
        height, width = (parameters.at_least_one("Wavelet", "shape", side) for side in shape)
    except (TypeError, ValueError):
        raise ValueError(
            f"Wavelet: shape must be (height, width) in pixels, or None, got {shape!r}."
        ) from None
    return height, width


def load_pywt() -> Any:
    try:
        import pywt
    except ImportError:
        raise ImportError(
            "The wavelet kernel needs PyWavelets: pip install 'okpca[wavelet]'."
        ) from None
    return pywt


def check_wavelet(name: Any) -> None:
    pywt = load_pywt()
    if name not in pywt.wavelist(kind="discrete"):
        raise ValueError(
            f"Wavelet: wavelet must name a discrete wavelet of PyWavelets "
            f"(such as 'haar' or 'sym4'), got {name!r}."
        )


@lru_cache(maxsize=16)
def transform_matrix(
    n_features: int, wavelet: str, level: int, shape: tuple[int, int] | None, details: bool
) -> Any:
    """T, (d, q) and sparse: X @ T are the wavelet coefficients of the rows of X. A transform is
    linear, so it is what it does to the unit vectors."""
    sides = (n_features,) if shape is None else shape
    if np.prod(sides) != n_features:
        raise ValueError(
            f"Wavelet: shape {shape} has {np.prod(sides)} pixels, "
            f"but rows have {n_features} features."
        )
    if level > 62 or min(sides) < 2**level:  # 2^level itself may not fit in memory
        raise ValueError(
            f"Wavelet: level {level} needs sides of at least {2 ** min(level, 62)}, got {sides}; "
            "lower the level."
        )
    blocks = []
    for start in range(0, n_features, BLOCK):
        units = np.eye(min(BLOCK, n_features - start), n_features, k=start)
        coefficients = _coefficients(units.reshape(-1, *sides), wavelet, level)
        kept = coefficients if details else coefficients[:1]
        blocks.append(sparse.csr_array(np.concatenate(kept, axis=1)))
    return sparse.vstack(blocks, format="csr")


def _coefficients(rows: Array, wavelet: str, level: int) -> list[Array]:
    """Coarse coefficients, then details from coarse to fine, each (n, some)."""
    pywt, coarse, details = load_pywt(), rows, []
    axes = tuple(range(1, rows.ndim))
    for _ in range(level):
        parts = pywt.dwtn(coarse, wavelet, mode=MODE, axes=axes)
        coarse = parts.pop("a" * len(axes))
        details.append(np.concatenate([_flat(parts[key]) for key in sorted(parts)], axis=1))
    return [_flat(coarse), *reversed(details)]


def _flat(parts: Array) -> Array:
    return parts.reshape(len(parts), -1)
