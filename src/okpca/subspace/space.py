"""A subspace of the feature space, as functions over points.

    v_j = Σ_i dual[j, i] φ(points_i),   μ = Σ_i mean[i] φ(points_i)

Online models, batch kernel PCA and hand-made functions become the same thing, to be compared. The
functions need be neither orthogonal nor of unit norm.

Inner products are taken in coordinates: a pivoted Cholesky factor K = F Fᵀ of the Gram matrix of
all points concerned gives v_j the coordinates dual[j] F. A difference of two functions is then a
difference of vectors, with its digits, where αᵀK α would have lost half of them. Where the Gram
matrix is numerically singular, functions with large coefficients are themselves only good to √eps
times these: a smooth kernel on few columns tells angles of 1e-4 apart, not less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack
from sklearn.utils.validation import check_array

from okpca._core.blocks import in_blocks
from okpca._core.eigen import leading_pairs
from okpca._core.numerics import DEPENDENT, EIGENVALUE
from okpca._core.typing import Array, Rows
from okpca.estimator import OnlineKernelPCA, model_of
from okpca.kernels import Kernel
from okpca.kernels.rows import stacked


@dataclass(frozen=True, eq=False)
class Subspace:
    """Functions Σ_i dual[j, i] φ(points_i) under a `kernel`, and a mean over the same points, the
    origin if None."""

    kernel: Kernel
    points: Rows
    dual: Array
    mean: Array | None = None

    def __post_init__(self) -> None:
        points = _checked(self.kernel, self.points, "points")
        dual = check_array(self.dual, dtype=np.float64, ensure_min_samples=0, input_name="dual")
        shapes = [("dual", dual.shape[1])]
        if self.mean is not None:
            mean = check_array(self.mean, dtype=np.float64, ensure_2d=False, input_name="mean")
            shapes.append(("mean", mean.size))
            object.__setattr__(self, "mean", mean)
        for name, width in shapes:
            if width != points.shape[0]:
                n = points.shape[0]
                raise ValueError(f"{name} has {width} coefficients for {n} points.")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "dual", dual)
        object.__setattr__(self, "kernel", self.kernel.resolved(points.shape[1]))

    @classmethod
    def of(cls, model: OnlineKernelPCA | Subspace) -> Subspace:
        """The components of a fitted model; a subspace is one already."""
        if isinstance(model, Subspace):
            return model
        if not isinstance(model, OnlineKernelPCA):
            raise TypeError(
                f"expected a fitted OnlineKernelPCA or a Subspace, got {type(model).__name__}."
            )
        fitted = model_of(model)
        if fitted.plan.empirical:
            raise ValueError(
                "a model in the empirical geometry has no subspace of the feature space: its "
                "components are vectors of kernel values. Use geometry='rkhs'."
            )
        mean = model.mean_ if fitted.centre.moving else None
        if model.n_atoms_ == 0:
            raise ValueError(
                "this model has no atom yet, so it spans nothing: all its rows have "
                "kernel(x, x) = 0."
            )
        return cls(model.kernel_, model.atoms_, model.dual_coef_, mean)

    @classmethod
    def batch(
        cls,
        kernel: Kernel,
        X: Any,
        n_components: int,
        *,
        center: bool = True,
        weight: Array | None = None,
    ) -> Subspace:
        """Kernel PCA of all rows at once, the reference. Components without variance are zero."""
        X = _checked(kernel, X)
        n = X.shape[0]
        w = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
        kernel = kernel.resolved(X.shape[1]).settled(X, w)
        K = kernel(X)
        if center:
            along = K @ w / w.sum()
            K = K - along[:, None] - along[None, :] + w @ along / w.sum()
        root, r = np.sqrt(w), min(n_components, n)
        values, U = leading_pairs(root[:, None] * K * root, r)
        real = values > EIGENVALUE * max(values[0], 0.0)
        dual = np.zeros((n_components, n))
        dual[:r][real] = root * U[real] / np.sqrt(values[real])[:, None]
        if center:  # over φ(x), not φ(x) − μ
            dual -= np.outer(dual.sum(axis=1), w / w.sum())
        return cls(kernel, X, dual, w / w.sum() if center else None)

    @property
    def n_components(self) -> int:
        """How many functions there are."""
        return len(self.dual)

    def leading(self, n_components: int) -> Subspace:
        """The first components alone."""
        if not 1 <= n_components <= len(self.dual):
            raise ValueError(f"there are {len(self.dual)} components, not {n_components}.")
        return Subspace(self.kernel, self.points, self.dual[:n_components], self.mean)

    def orthonormal(self) -> Subspace:
        """The same span over as many orthonormal functions as it has dimensions."""
        (V,) = coordinates(self)
        return Subspace(self.kernel, self.points, _whitening(V) @ self.dual, self.mean)

    def transform(self, X: Any) -> Array:
        """⟨v_j, φ(x) − μ⟩ for every row and function."""
        return np.concatenate([y for _, y in self._projected(X)])

    def residuals(self, X: Any) -> Array:
        """‖(φ(x) − μ) − P (φ(x) − μ)‖², the squared distance of every row to μ + span."""
        whole = self.orthonormal()
        out = [size - np.square(y).sum(axis=1) for size, y in whole._projected(X)]
        return np.asarray(np.maximum(np.concatenate(out), 0.0))

    def _projected(self, X: Any) -> Iterator[tuple[Array, Array]]:
        """‖φ(x) − μ‖² and ⟨v_j, φ(x) − μ⟩, block by block."""
        X = _checked(self.kernel, X)
        if X.shape[1] != self.points.shape[1]:
            raise ValueError(
                f"X has {X.shape[1]} columns, the subspace was built on {self.points.shape[1]}."
            )
        offset, square = np.zeros(len(self.dual)), 0.0
        if self.mean is not None:
            at_points = self.kernel(self.points) @ self.mean
            offset, square = self.dual @ at_points, float(self.mean @ at_points)
        for _, block in in_blocks(X):
            K = self.kernel(block, self.points)
            size = self.kernel.diag(block)
            if self.mean is not None:
                size = size - 2.0 * K @ self.mean + square
            yield size, K @ self.dual.T - offset


def coordinates(*spaces: Subspace) -> list[Array]:
    """The functions of each, as rows in one orthonormal system."""
    first = spaces[0]
    for other in spaces[1:]:
        for what, mine, theirs in (
            ("kernel", first.kernel, other.kernel),
            ("number of columns", first.points.shape[1], other.points.shape[1]),
        ):
            if mine != theirs:
                raise ValueError(
                    f"cannot compare subspaces of a different {what}: {mine} and {theirs}. "
                    "They lie in different feature spaces."
                )
    points = stacked([space.points for space in spaces])
    factor = gram_factor(first.kernel, points)
    ends = np.cumsum([space.points.shape[0] for space in spaces])
    parts = np.split(factor, ends[:-1])
    return [space.dual @ part for space, part in zip(spaces, parts, strict=True)]


def _checked(kernel: Kernel, X: Any, name: str = "") -> Rows:
    form = "csr" if kernel.allows_sparse else False
    return check_array(X, accept_sparse=form, dtype=np.float64, input_name=name)


def gram_factor(kernel: Kernel, points: Rows) -> Array:
    """F with F Fᵀ = K, (n, rank), by pivoted Cholesky: most independent points first."""
    scale = np.sqrt(kernel.diag(points))
    if not np.isfinite(scale).all():
        raise ValueError("the kernel is not finite at some point: scale the columns.")
    safe = np.where(scale > 0, scale, 1.0)
    factor, pivot, rank, _ = lapack.dpstrf(kernel(points) / safe / safe[:, None], lower=1)
    F = np.empty((points.shape[0], rank))
    F[pivot - 1] = np.tril(factor)[:, :rank]
    return F * scale[:, None]


def orthonormal_rows(V: Array) -> Array:
    """An orthonormal basis of the span of the rows, (dimension, k)."""
    return _whitening(V) @ V


def _whitening(V: Array) -> Array:
    """T such that the rows of T V are orthonormal and span those of V."""
    norm = np.linalg.norm(V, axis=1)
    # Of unit norm first: a Hebbian component may be short and still be a direction.
    scale = np.where(norm > 0, 1.0 / np.where(norm > 0, norm, 1.0), 0.0)
    U, sigma, _ = np.linalg.svd(scale[:, None] * V, full_matrices=False)
    kept = sigma > DEPENDENT * sigma.max(initial=0.0)
    return np.asarray((U[:, kept] / sigma[kept]).T * scale)
