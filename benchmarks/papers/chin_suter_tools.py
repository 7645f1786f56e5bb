"""What the sections on Chin & Suter share: their data, their models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from benchmarks.living.common import Array

from okpca import OnlineKernelPCA, kernels, presets
from okpca.subspace import Subspace, subspace_distance

GAUSSIAN = kernels.RBF.from_sigma(1)
SQUARE = kernels.Polynomial(degree=2, gamma=1.0, coef0=1.0)
BLOCK = 30  # their i


def parabola(seed: int, n: int = 1000) -> Array:
    """x uniform in [−1, 1], y = x² + ξ, ξ normal of standard deviation 0.2 (V-A1)."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    return np.column_stack([x, x**2 + rng.normal(0, 0.2, n)])


def ikpca_rs(
    kernel: kernels.Kernel, r: int, p: int, *, quick: bool = False, **more: int
) -> OnlineKernelPCA:
    """Table I to the letter: reduced sets after every block. Each pre-image is searched from fewer
    starts than by default, so that a page is written in minutes."""
    search = {"starts": 2, "iterations": 3} if quick else {"starts": 3, "iterations": 30}
    settings = {"block": BLOCK} | search | more
    return presets.ikpca_rs(r, kernel=kernel, per_component=p, **settings)


def one_pass(model: OnlineKernelPCA, X: Array, stops: Sequence[int]) -> Iterator[OnlineKernelPCA]:
    done = 0
    for stop in stops:
        if stop > done:
            model.partial_fit(X[done:stop])
        done = stop
        yield model


def apart(
    model: OnlineKernelPCA | Subspace, reference: OnlineKernelPCA | Subspace, r: int
) -> float:
    """(36), of the leading r components."""
    return subspace_distance(Subspace.of(model).leading(r), Subspace.of(reference).leading(r))


def angle_of_means(model: OnlineKernelPCA, reference: OnlineKernelPCA) -> float:
    """Between the means in feature space, in radians."""
    kernel = model.kernel_
    a, A, b, B = model.mean_, model.atoms_, reference.mean_, reference.atoms_
    inner = [
        float(u @ kernel(U, V) @ v) for u, U, v, V in ((a, A, b, B), (a, A, a, A), (b, B, b, B))
    ]
    return float(np.arccos(min(inner[0] / np.sqrt(inner[1] * inner[2]), 1.0)))


def spread(values: Sequence[float] | Array) -> str:
    """Mean ± standard deviation over the runs."""
    if len(values) == 1:
        return f"{values[0]:.2g}"
    return f"{np.mean(values):.2g} ± {np.std(values):.1g}"
