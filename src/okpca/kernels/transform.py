"""T, (d, q) and sparse: X @ T are the wavelet coefficients of the rows of X.

A transform is linear, so it is what it does to the unit vectors.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from okpca.kernels.rows import Array

MODE = "periodization"  # the border mode that keeps orthogonal wavelets orthogonal
BLOCK = 256  # unit vectors transformed at a time


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
    sides = (n_features,) if shape is None else shape
    if np.prod(sides) != n_features:
        raise ValueError(
            f"Wavelet: shape {shape} has {np.prod(sides)} pixels, "
            f"but rows have {n_features} features."
        )
    if min(sides) < 2**level:
        raise ValueError(
            f"Wavelet: level {level} needs sides of at least {2**level}, got {sides}; "
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
