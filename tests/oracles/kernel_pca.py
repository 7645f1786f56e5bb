"""Kernel PCA of all rows at once, and where a model stands to it.

[S]   B. Schoelkopf, A. Smola, K.-R. Mueller, "Nonlinear component analysis as a kernel eigenvalue
      problem", Neural Computation 1998 (through [H] (21)); [H]: `honeine`.
"""

from typing import NamedTuple

import numpy as np


class BatchKPCA(NamedTuple):
    """What `batch_kpca` returns: (r,), (n, r), (n, r)."""

    eigenvalues: np.ndarray
    dual_coef: np.ndarray
    projections: np.ndarray


def batch_kpca(K, n_components=None, center=True, weights=None):
    """Kernel PCA of all rows at once ([S]; [H] (2), (3), (21)), with optional row weights.

    With weights w, W = sum w and D = diag(w): mean mu = sum_i w_i phi(x_i) / W, operator
    sum_i w_i (phi(x_i) - mu)(phi(x_i) - mu)', whose non-zero eigenvalues are those of
    D^1/2 Kc D^1/2. (All ones give the eigenvalues of the centred Gram matrix: scikit-learn's
    scale.) Component j is psi_j = sum_i dual_coef[i, j] phi(x_i), of norm one. If centred, every
    column of dual_coef sums to zero, so it does not matter whether the phi(x_i) in that expansion
    are centred. A component with zero eigenvalue has no expansion: its columns are zero.
    """
    n = len(K)
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    r = n if n_components is None else n_components
    Kc = _center(K, K, w) if center else K
    root = np.sqrt(w)
    eigenvalues, U = _eigh_descending(root[:, None] * Kc * root[None, :])
    eigenvalues, U = eigenvalues[:r], U[:, :r]
    dual_coef = np.zeros((n, len(eigenvalues)))
    for j, value in enumerate(eigenvalues):
        if value > 1e-12 * eigenvalues[0]:
            dual_coef[:, j] = root * U[:, j] / np.sqrt(value)
    return BatchKPCA(eigenvalues, dual_coef, Kc @ dual_coef)


def batch_kpca_project(K_new, K, dual_coef, center=True, weights=None):
    """Projections <psi_j, phi(x) - mu> of new rows; K_new[q, i] = kappa(new_q, x_i).

    Centring as in [S], appendix: new rows are centred by the mean of the training rows.
    """
    w = np.ones(len(K)) if weights is None else np.asarray(weights, dtype=float)
    return (_center(K_new, K, w) if center else K_new) @ dual_coef


def _center(K_rows, K, w):
    """<phi(a) - mu, phi(x_i) - mu> from K_rows = <phi(a), phi(x_i)>, mu the w-mean; [H] (21)."""
    p = w / w.sum()
    return K_rows - (K_rows @ p)[:, None] - (K @ p)[None, :] + p @ K @ p


def _eigh_descending(S):
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    return values[::-1], vectors[:, ::-1]


def truth(kappa, X, weights, center, r, atoms, dual):
    """Batch kernel PCA of all rows, and where the model stands to it.

    Returns eigenvalues (r,), the largest principal angle between the leading r-subspaces, and the
    squared distance of each true unit component to the span of the atoms (nan where the true
    eigenvalue is zero: there is no such component).
    """
    batch = batch_kpca(kappa(X, X), r, center=center, weights=weights)
    values = np.zeros(r)
    values[: len(batch.eigenvalues)] = np.maximum(batch.eigenvalues, 0.0)
    cross = kappa(atoms, X) @ batch.dual_coef  # <phi(d_i), v_j>
    s = np.linalg.svd(dual @ cross, compute_uv=False)
    angle = float(np.arccos(np.clip(s.min(), 0.0, 1.0))) if len(s) == r else np.pi / 2
    gram = kappa(atoms, atoms)
    away = np.full(r, np.nan)
    for j, value in enumerate(batch.eigenvalues):
        if value > 1e-9 * values[0]:
            c, h = np.linalg.pinv(gram, rcond=1e-13) @ cross[:, j], cross[:, j]
            away[j] = 1 - 2 * c @ h + c @ gram @ c  # ||v - sum c_i phi(d_i)||^2
    return values, angle, away
