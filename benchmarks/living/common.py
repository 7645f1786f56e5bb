"""What the sections share: batch kernel PCA, shares of variance, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.spatial.distance import pdist

from okpca import OnlineKernelPCA
from okpca.kernels import Kernel

Array = NDArray[np.float64]


def batch(
    kernel: Kernel, X: Array, r: int, *, center: bool = True, weight: Array | None = None
) -> tuple[Array, Array]:
    """Eigenvalues, and coefficients (n, r) of unit-norm components over the rows, all at once."""
    w = np.ones(len(X)) if weight is None else weight
    K = kernel.resolved(X.shape[1])(X)
    if center:
        along = K @ w / w.sum()
        K = K - along[:, None] - along[None, :] + w @ along / w.sum()
    root = np.sqrt(w)
    n, r = len(X), min(r, len(X))
    values, U = eigh(root[:, None] * K * root, subset_by_index=(n - r, n - 1))
    values, U = np.maximum(values[::-1], 0.0), U[:, ::-1]
    real = values > 1e-12 * values[0]
    coef = np.zeros((n, r))
    coef[:, real] = root[:, None] * U[:, real] / np.sqrt(values[real])
    if center:
        coef -= np.outer(w / w.sum(), coef.sum(axis=0))  # over φ(x), not φ(x) − μ
    return values, coef


def captured(model: OnlineKernelPCA, X: Array, total: float) -> float:
    """Scatter of the rows along the model's components, as a share of batch kernel PCA's."""
    return float(model.transform(X).var(axis=0).sum() * len(X) / total)


def cosines(model: OnlineKernelPCA, X: Array, coef: Array) -> Array:
    """⟨v_i, w_j⟩ of the model's components with functions Σ_k coef[k, j] φ(x_k)."""
    cross = model.kernel_(model.atoms_, X)
    return np.asarray(model.dual_coef_ @ cross @ coef)


def median_gamma(X: Array) -> float:
    """1 / the median squared distance."""
    rows = X[np.random.default_rng(0).permutation(len(X))[:1000]]
    return float(1 / np.median(pdist(rows, "sqeuclidean")))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def verdict(target: str, reached: bool) -> str:
    return f"Target: {target} — {'reached' if reached else '**missed**'}."
