"""Pre-images by distances (Kwok & Tsang 2003, 2004): where must x lie to be as far from its
neighbours as g is from their images? No search, no start.

The distance of g to an atom, ‖φ(d_i) − g‖², tells that of the pre-image in the input space where
the kernel can be solved for it (its `squared_distance`),

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

from dataclasses import dataclass

import numpy as np

from okpca._core.number_checks import checked_count
from okpca._core.typing import Array, Flags, Index
from okpca.kernels import Kernel
from okpca.preimage.base import PreImage
from okpca.preimage.target import Target

FLAT = 1e-3
"""Singular values of the neighbours below this share of the largest are none."""


@dataclass(frozen=True)
class Distances(PreImage):
    """For kernels that tell the distance of two rows: RBF, exponential and polynomial ones of odd
    degree, also scaled by a factor or with standardised columns.

    n_neighbors: how many of the nearest atoms x is placed by; the paper takes 10.
    """

    references = ("kwok2004",)
    names = ("distances",)

    n_neighbors: int = 10

    def __post_init__(self) -> None:
        checked_count("Distances", "n_neighbors", self.n_neighbors, 1)

    def find(self, target: Target, start: Array | None) -> tuple[Array, Flags]:
        kernel = target.basis.kernel
        _refuse_unsure(kernel)
        with np.errstate(all="ignore"):  # what is not finite is an atom in the end
            near, along, own, square = _neighbours(target, self.n_neighbors)
            X = _placed(target.unit_atoms[near], kernel.squared_distance(along, square, own))
        return target.in_rows(X)


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


def _refuse_unsure(kernel: Kernel) -> None:
    if not kernel.tells_distance:
        raise ValueError(
            f"preimage='distances' needs a kernel whose value tells the distance of two rows: "
            f"'rbf', 'exponential' or 'poly' of odd degree, and {kernel!r} is none of them: use "
            "preimage='fixed_point' or preimage='ridge'."
        )
