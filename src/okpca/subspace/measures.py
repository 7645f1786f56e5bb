"""How near two subspaces are, and how well one holds the rows.

Kernel principal angles θ_1 ≤ … ≤ θ_r (Wolf & Shashua; Chin & Suter's [25]) between subspaces with
orthonormal functions Q_A, Q_B: cos θ are the singular values of Q_Aᵀ Q_B, and sin θ those of
Q_B − Q_A Q_Aᵀ Q_B. The cosine loses small angles, the sine those near π/2: each is used where it is
good (Knyazev & Argentati, as `scipy.linalg.subspace_angles`).

    d(A, B) = √(Σ θ_i²)                                              Chin & Suter (36)
    AC      = 1/p Σ_i |⟨w_i, w_i'⟩| / (‖w_i‖ ‖w_i'‖)                 Souza Filho & Diniz (61)-(63)
    Var(ψ_j) = E ψ_j(x)² − (E ψ_j(x))²                               Honeine (23)
    mean of ‖φ(x) − μ − P (φ(x) − μ)‖²                               Chin & Suter, Table III

In the empirical geometry (Huang & Yeh) components are vectors of ℝᵐ, one entry an atom: two models
over the same atoms are compared there.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from okpca._core.typing import Array
from okpca.estimator import OnlineKernelPCA, model_of
from okpca.model import Model, components, projected
from okpca.subspace.space import Subspace, coordinates, orthonormal_rows

Spanning: TypeAlias = OnlineKernelPCA | Subspace
"""A fitted model, or a `Subspace`."""


def principal_angles(A: Spanning, B: Spanning) -> Array:
    """Angles between two subspaces in radians, ascending, as many as the smaller has dimensions.

    The components need not be orthonormal (those of Hebbian rules are not): only their span
    counts. One without variance (zeros) is no dimension.
    """
    Q, R = (orthonormal_rows(V) for V in _vectors(A, B))
    return angles_between(Q, R)


def angles_between(Q: Array, R: Array) -> Array:
    """Of the spans of orthonormal rows."""
    if len(Q) < len(R):
        Q, R = R, Q
    if len(R) == 0:
        return np.zeros(0)
    common = R @ Q.T
    cosine = np.linalg.svd(common, compute_uv=False)  # descending: angles ascend
    sine = np.linalg.svd(R - common @ Q, compute_uv=False)[::-1]
    by_cosine = np.arccos(np.clip(cosine, -1.0, 1.0))
    by_sine = np.arcsin(np.clip(sine, -1.0, 1.0))
    return np.asarray(np.where(np.square(cosine) < 0.5, by_cosine, by_sine))


def subspace_distance(A: Spanning, B: Spanning) -> float:
    """√(Σ θ_i²) of the principal angles, Chin & Suter (36); at most √r π/2, 0 for equal spans.

    A dimension that only one of the two has counts as a right angle.
    """
    Q, R = (orthonormal_rows(V) for V in _vectors(A, B))
    alone = abs(len(Q) - len(R)) * (np.pi / 2) ** 2
    return float(np.sqrt(np.square(angles_between(Q, R)).sum() + alone))


def average_cosine(A: Spanning, B: Spanning) -> float:
    """Mean |cosine| between component i of A and component i of B, (61) and (62).

    Their sign, which (61) keeps, is arbitrary and does not count here; a component without
    variance has cosine 0.
    """
    V, W = _vectors(A, B)
    if len(V) != len(W):
        raise ValueError(
            f"average_cosine compares component by component, got {len(V)} and {len(W)}: take "
            "Subspace.of(model).leading(n) of the larger."
        )
    return float(_cosines(V, W).mean())


def leading_cosine(A: Spanning, B: Spanning) -> float:
    """`average_cosine` of as many components as both have."""
    V, W = _vectors(A, B)
    r = min(len(V), len(W))
    return float(_cosines(V[:r], W[:r]).mean()) if r else np.nan


def _cosines(V: Array, W: Array) -> Array:
    size = np.linalg.norm(V, axis=1) * np.linalg.norm(W, axis=1)
    inner = np.abs(np.einsum("ij,ij->i", V, W))
    return np.asarray(inner / np.where(size > 0, size, np.inf))


def _vectors(A: Spanning, B: Spanning) -> list[Array]:
    """The components of both, as rows of one Euclidean space."""
    a, b = _empirical(A), _empirical(B)
    if a is None or b is None:
        return coordinates(Subspace.of(A), Subspace.of(B))
    if a.basis.kernel != b.basis.kernel or not np.array_equal(a.basis.atoms, b.basis.atoms):
        raise ValueError(
            "in the empirical geometry models are compared over the same atoms, by the same "
            "kernel: give both dictionary=Fixed(points)."
        )
    return [components(model).V for model in (a, b)]


def _empirical(model: Spanning) -> Model | None:
    """The model, if its components are vectors of kernel values."""
    fitted = model_of(model) if isinstance(model, OnlineKernelPCA) else None
    return fitted if fitted is not None and fitted.plan.empirical else None


def captured_variance(model: Spanning, X: Any, reference: Spanning | None = None) -> Array:
    """The variance of the rows along each component as it is, unit norm or not: Honeine (23).

    For an uncentred model the mean square. With a reference (batch kernel PCA), as a share of what
    the reference captures with the same component; NaN where that is nothing.
    """
    fitted = _empirical(model)
    if fitted is None:
        space = Subspace.of(model)
        y, centred = space.transform(X), space.mean is not None
    else:
        y, centred = projected(fitted, np.asarray(X, dtype=np.float64)), fitted.centre.moving
    captured = y.var(axis=0) if centred else np.square(y).mean(axis=0)
    if reference is None:
        return np.asarray(captured)
    best = captured_variance(reference, X)
    if len(best) != len(captured):
        raise ValueError(
            f"the reference has {len(best)} components, the model {len(captured)}: take "
            "Subspace.of(reference).leading(n) of the larger."
        )
    share = np.full(len(best), np.nan)
    np.divide(captured, best, out=share, where=best > 0)
    return share


def residual_error(model: Spanning, X: Any, *, squared: bool = True) -> float:
    """Mean squared distance of the rows to the subspace through the mean; what kernel PCA
    minimises. `squared=False`: the mean distance."""
    residual = Subspace.of(model).residuals(X)
    return float((residual if squared else np.sqrt(residual)).mean())
