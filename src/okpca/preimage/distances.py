"""Pre-images by distances (Kwok & Tsang 2003, 2004): where must x lie to be as far from its
neighbours as g is from their images? No search, no start.

The distance of g to an atom, ‖φ(d_i) − g‖², tells that of the pre-image in the input space where
the kernel can be solved for it,

    κ = f(‖x − y‖²):    f(δ_i²) = κ₀ − ½ ‖φ(d_i) − g‖²,    κ₀ = κ(x, x)
    κ = f(x · y):       δ_i² = f⁻¹(‖g‖²) + f⁻¹(κ(d_i, d_i)) − 2 f⁻¹(g(d_i))

and x is placed at the distances δ_i from the nearest atoms by least squares. With X their rows
about the mean x̄, and δ₀ their distances to it (Gower's addition of a point to a configuration):

    x = x̄ + ½ Xᵀ (X Xᵀ)⁺ (δ₀² − δ²)

The pseudo-inverse leaves out directions in which the neighbours hardly differ: they would amplify
what distances have of error. A neighbour at which g is so small that no distance belongs to it is
left out, too; if all are, the answer is the nearest atom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from okpca._core.checked import checked_count
from okpca._core.typing import Array, Flags, Index
from okpca.kernels import RBF, Exponential, Kernel, Polynomial, Scaled, Standardized
from okpca.kernels.checks import gamma_for
from okpca.preimage.base import PreImage
from okpca.preimage.target import Target, all_finite

FLAT = 1e-3
"""Singular values of the neighbours below this share of the largest are none."""

Inverse = Callable[[Array, Array, Array], Array]
"""δ² from the inner product ⟨φ(x), φ(d)⟩, ‖φ(x)‖² and κ(d, d); NaN where there is none."""


@dataclass(frozen=True)
class Distances(PreImage):
    """For RBF, exponential and polynomial kernels of odd degree, also scaled by a factor or with
    standardised columns.

    n_neighbors: how many of the nearest atoms x is placed by; the paper takes 10.
    """

    references: ClassVar[tuple[str, ...]] = ("kwok2004",)

    names: ClassVar[tuple[str, ...]] = ("distances",)

    n_neighbors: int = 10

    def __post_init__(self) -> None:
        checked_count("Distances", "n_neighbors", self.n_neighbors, 1)

    def find(self, target: Target, start: Array | None) -> tuple[Array, Flags]:
        kernel = target.basis.kernel
        atoms = (target.basis.atoms - kernel.origin) / kernel.units
        inverse = inverse_of(kernel, atoms.shape[1])
        with np.errstate(all="ignore"):  # what is not finite is an atom in the end
            near, along, own, square = _neighbours(target, self.n_neighbors)
            X = _placed(atoms[near], inverse(along, square, own))
        X = np.asarray(X * kernel.units + kernel.origin)
        return X, all_finite(X)


def _neighbours(target: Target, most: int) -> tuple[Index, Array, Array, Array]:
    """Which atoms are nearest to each g, g(d) and κ(d, d) there, and ‖g‖²: (n, k) or (n, 1)."""
    g = target.coordinates @ target.basis.L.T
    own = target.basis.kernel.diag(target.basis.atoms)
    near = np.argsort(0.5 * own - g, axis=1, kind="stable")[:, :most]
    square = np.square(target.coordinates).sum(axis=1, keepdims=True)
    return near, np.take_along_axis(g, near, axis=1), own[near], square


def _placed(rows: Array, squared: Array) -> Array:
    """Points (n, d) at the given squared distances (n, k) from the rows (n, k, d)."""
    known = np.isfinite(squared)[:, :, None]
    count = known.sum(axis=1)
    mean = (known * rows).sum(axis=1) / count  # NaN if none is known
    X = known * (rows - mean[:, None])
    top = np.abs(X).max(axis=(1, 2), keepdims=True)
    top = np.where(top > 0.0, top, 1.0)
    X = X / top  # the squares cannot overflow
    gram = X @ X.swapaxes(1, 2)
    own = np.diagonal(gram, axis1=1, axis2=2)
    missed = np.where(known[:, :, 0], own - squared / top[:, :, 0] ** 2, 0.0)
    gram = np.where(np.isfinite(gram), gram, 0.0)
    pull = 0.5 * np.linalg.pinv(gram, rcond=FLAT**2, hermitian=True) @ missed[:, :, None]
    return np.asarray(mean + top[:, 0] * (X * pull).sum(axis=1))


def inverse_of(kernel: Kernel, n_features: int) -> Inverse:
    """In the kernel's own units; refused where the value does not tell the distance."""
    if isinstance(kernel, Standardized):
        return inverse_of(kernel.kernel, n_features)
    if isinstance(kernel, Scaled):
        inside, factor = inverse_of(kernel.kernel, n_features), kernel.scale
        return lambda along, square, own: inside(along / factor, square / factor, own / factor)
    if isinstance(kernel, RBF):
        gamma = gamma_for(kernel.gamma, n_features)
        return lambda along, square, own: -_log(_cosine(along, square)) / gamma
    if isinstance(kernel, Exponential):
        sigma = float(kernel.sigma)
        return lambda along, square, own: np.square(sigma * _log(_cosine(along, square)))
    if isinstance(kernel, Polynomial) and kernel.degree % 2:
        return _polynomial(kernel, gamma_for(kernel.gamma, n_features))
    raise ValueError(
        f"preimage='distances' needs a kernel whose value tells the distance of two rows: 'rbf', "
        f"'exponential' or 'poly' of odd degree, and {kernel!r} is none of them: use "
        "preimage='fixed_point' or preimage='ridge'."
    )


def _cosine(along: Array, square: Array) -> Array:
    """f(δ²) = 1 − ½ ‖φ(d) − g‖², both images being of norm one: at most 1."""
    return np.minimum(1.0 - 0.5 * (1.0 + square - 2.0 * along), 1.0)


def _log(value: Array) -> Array:
    return np.log(np.where(value > 0.0, value, np.nan))


def _polynomial(kernel: Polynomial, gamma: float) -> Inverse:
    def product(value: Array) -> Array:
        """x · y from (γ x · y + c)^p"""
        root = np.sign(value) * np.abs(value) ** (1.0 / kernel.degree)
        return np.asarray((root - kernel.coef0) / gamma)

    def inverse(along: Array, square: Array, own: Array) -> Array:
        return np.maximum(product(square) + product(own) - 2.0 * product(along), 0.0)

    return inverse
