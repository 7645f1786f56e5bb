"""Every kernel beside its formula for one pair, written again and independently."""

from __future__ import annotations

import math

import numpy as np
import pytest
import pywt

from okpca.kernels import (
    RBF,
    Constant,
    Cosine,
    Exponential,
    Function,
    Laplacian,
    Linear,
    Polynomial,
    Standardized,
    Wavelet,
)

D = 6
WIDE, SHIFT = np.array([0.5, 1, 2, 3, 0.7, 1.5]), np.array([0.0, 1, -1, 0.3, 2, -0.5])


def squared_dot(X, Y):
    return (X @ Y.T) ** 2


def haar(x):
    """Level 1: scaled sums of neighbours, then their differences."""
    return np.concatenate([x[0::2] + x[1::2], x[0::2] - x[1::2]]) / math.sqrt(2)


def sym4_image(x):
    return np.concatenate(
        [
            np.ravel(c)
            for parts in pywt.wavedec2(x.reshape(2, 3), "sym4", mode="periodization", level=1)
            for c in (parts if isinstance(parts, tuple) else (parts,))
        ]
    )


def bior(x):
    return np.concatenate(pywt.wavedec(x, "bior2.2", mode="periodization", level=2))


# kernel -> the formula for one pair, written again and independently
FORMULAS = {
    RBF(): lambda x, y: math.exp(-sum((x - y) ** 2) / D),
    RBF(gamma=0.3): lambda x, y: math.exp(-0.3 * sum((x - y) ** 2)),
    RBF.from_sigma(2.0): lambda x, y: math.exp(-sum((x - y) ** 2) / (2 * 2.0**2)),
    Exponential(sigma=1.7): lambda x, y: math.exp(-math.sqrt(sum((x - y) ** 2)) / 1.7),
    Laplacian(): lambda x, y: math.exp(-sum(abs(x - y)) / D),
    Laplacian(gamma=0.4): lambda x, y: math.exp(-0.4 * sum(abs(x - y))),
    Polynomial(): lambda x, y: (sum(x * y) / D + 1) ** 3,
    Polynomial(degree=4, gamma=0.5, coef0=0): lambda x, y: (0.5 * sum(x * y)) ** 4,
    Polynomial(degree=1, gamma=2.0): lambda x, y: 2 * sum(x * y) + 1,
    Linear(): lambda x, y: sum(x * y),
    Cosine(): lambda x, y: sum(x * y) / math.sqrt(sum(x**2) * sum(y**2)),
    Constant(2.5): lambda x, y: 2.5,
    Wavelet(): lambda x, y: sum(haar(x) * haar(y)),
    Wavelet(kernel=Laplacian()): lambda x, y: math.exp(-sum(abs(haar(x) - haar(y))) / D),
    Wavelet("haar", kernel=RBF(), details=False): lambda x, y: math.exp(
        -sum((haar(x) - haar(y))[:3] ** 2) / 3
    ),
    Wavelet("sym4", kernel=RBF(gamma=0.2)): lambda x, y: math.exp(-0.2 * sum((x - y) ** 2)),
    Wavelet("bior2.2", 2): lambda x, y: sum(bior(x) * bior(y)),
    Wavelet("sym4", shape=(2, 3), kernel=Polynomial(2, 1.0)): lambda x, y: (
        (sum(sym4_image(x) * sym4_image(y)) + 1) ** 2
    ),
    Standardized(RBF(), WIDE, SHIFT): lambda x, y: math.exp(-sum(((x - y) / WIDE) ** 2) / D),
    Standardized(Laplacian(0.3) + Linear(), WIDE): lambda x, y: (
        math.exp(-0.3 * sum(abs(x - y) / WIDE)) + sum(x * y / WIDE**2)
    ),
    Standardized(Polynomial(2, 0.5), WIDE, SHIFT): lambda x, y: (
        (0.5 * sum((x - SHIFT) / WIDE * (y - SHIFT) / WIDE) + 1) ** 2
    ),
    Function(squared_dot): lambda x, y: sum(x * y) ** 2,
    RBF(0.5) + 2 * Linear(): lambda x, y: math.exp(-0.5 * sum((x - y) ** 2)) + 2 * sum(x * y),
    RBF(0.5) * Polynomial(2, 1.0) * 3.0: lambda x, y: (
        3 * math.exp(-0.5 * sum((x - y) ** 2)) * (sum(x * y) + 1) ** 2
    ),
    (Linear() + 1.0) * (0.5 * (Cosine() + RBF())): lambda x, y: (
        (sum(x * y) + 1)
        * 0.5
        * (sum(x * y) / math.sqrt(sum(x**2) * sum(y**2)) + math.exp(-sum((x - y) ** 2) / D))
    ),
    Function(squared_dot) + Exponential(): lambda x, y: (
        sum(x * y) ** 2 + math.exp(-math.sqrt(sum((x - y) ** 2)))
    ),
}


EVERY = pytest.mark.parametrize("kernel", FORMULAS, ids=repr)
SMOOTH = pytest.mark.parametrize("kernel", [k for k in FORMULAS if k.has_gradient], ids=repr)
ROUGH = pytest.mark.parametrize("kernel", [k for k in FORMULAS if not k.has_gradient], ids=repr)
SPARSE = pytest.mark.parametrize("kernel", [k for k in FORMULAS if k.allows_sparse], ids=repr)


def brute(kernel, X, Y):
    return np.array([[FORMULAS[kernel](x, y) for y in Y] for x in X])


def gradient(kernel, X, Y):
    """d kappa(x_i, y_j) / d x_i, (n, m, d)"""
    return np.stack([kernel.pullback(X, y[None], np.ones((len(X), 1))) for y in Y], axis=1)
