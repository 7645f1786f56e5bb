"""Random lives with nearly dependent rows, against batch kernel PCA and by their own certificates.

A life is a stream of few columns under a smooth kernel, so that its Gram matrix falls below
rounding within a few dimensions; it is cut anywhere, perhaps learned in parts that are merged. Its
eigenvalues must be those of batch kernel PCA to `CLOSE` of the energy Σ w κ(x, x) where ν = 0, and
within the certificate, up to `BROKEN` of the energy, whatever ν.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca import OnlineKernelPCA, kernels

CLOSE = 1e-8
BROKEN = 1e-9


def excess_of(seed: int) -> float:
    """The error of a life over what it may be; infinite if the model is not finite."""
    rng = np.random.default_rng(seed)
    X, settings = smooth_rows(rng), smooth_settings(rng)
    model = lived(rng, X, settings)
    K = model.kernel_(X)
    energy = float(np.trace(K))
    truth = batch_eigenvalues(K, model.center)[: model.n_components_]
    found, certificate = model.eigenvalues_[: len(truth)], model.certificate()
    excess = [
        (certificate.eigenvalue_lower[: len(truth)] - truth) / (BROKEN * energy),
        (truth - certificate.eigenvalue_upper[: len(truth)]) / (BROKEN * energy),
    ]
    if settings["nu"] == 0:
        excess.append(np.abs(found - truth) / (CLOSE * energy))
    worst = float(np.max(excess))
    return worst if np.isfinite(worst) else float("inf")


def batch_eigenvalues(K: np.ndarray, center: bool) -> np.ndarray:
    if center:
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    return np.maximum(np.linalg.eigvalsh(K)[::-1], 0.0)


def smooth_rows(rng: np.random.Generator) -> np.ndarray:
    """One to three columns: a cloud, one that drifts, clusters, or copies with a little noise."""
    n, d = int(20 * 15 ** rng.random()), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-1, 0.3)
    kind = rng.integers(4)
    if kind == 1:
        X += np.linspace(0, rng.uniform(0, 8), n)[:, None]
    elif kind == 2:
        X = 0.1 * X + rng.normal(size=(4, d))[np.sort(rng.integers(4, size=n))]
    elif kind == 3:
        X = X[rng.integers(n // 2, size=n)] + 10 ** rng.uniform(-9, -2) * X
    return X


def smooth_settings(rng: np.random.Generator) -> dict[str, Any]:
    rbf = kernels.RBF(10 ** rng.uniform(-3, 0.5))
    polynomial = kernels.Polynomial(
        degree=int(rng.integers(3, 6)), gamma=10 ** rng.uniform(-1, 0), coef0=1
    )
    return {
        "n_components": int(rng.integers(1, 8)),
        "kernel": [rbf, rbf, polynomial, rbf + polynomial, rbf * polynomial][rng.integers(5)],
        "nu": [0.0, 0.0, 1e-12, 1e-10, 1e-8, 1e-6][rng.integers(6)],
        "max_atoms": None,
        "center": bool(rng.integers(2)),
    }


def lived(rng: np.random.Generator, X: np.ndarray, settings: dict[str, Any]) -> OnlineKernelPCA:
    """Learned whole, in tens, row by row or cut anywhere; one in four as parts that are merged."""
    borders = (
        np.sort(rng.integers(1, len(X), size=rng.integers(1, 3))) if rng.integers(4) == 0 else []
    )
    parts = [part for part in np.split(X, borders) if len(part)]
    first, *others = (_streamed(rng, part, settings) for part in parts)
    for other in others:
        first.merge(other)
    return first


def _streamed(rng: np.random.Generator, X: np.ndarray, settings: dict[str, Any]) -> OnlineKernelPCA:
    cut = rng.integers(4)
    step = (len(X), 10, 1, 0)[cut]
    borders = range(step, len(X), step) if step else np.sort(rng.integers(1, len(X) + 1, size=6))
    model = OnlineKernelPCA(**settings)
    for piece in np.split(X, borders):
        if len(piece):
            model.partial_fit(piece)
    return model
