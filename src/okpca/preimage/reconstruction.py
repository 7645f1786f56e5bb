"""Back from the components: pre-images, denoising, and how well a row is reconstructed.

    ‖φ(x) − μ − P(φ(x) − μ)‖² = ‖(I − QᵀQ)(z − z̄)‖² + ε²(x)

P projects on the span of the components, Q is an orthonormal basis of it in the coordinates of the
dictionary, ε²(x) the squared distance of φ(x) to the span of the atoms. For orthonormal components
this is κ(x, x) − 2 μ(x) + ‖μ‖² − ‖y‖², which cancels where the residual is small.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from okpca._core.blas_threads import blocks_on_one_thread
from okpca._core.blocks import by_blocks
from okpca._core.typing import Array
from okpca.dictionary.parallel import only_finite, rows_in_pieces
from okpca.model import Model, components, projected
from okpca.model.geometry import squared_residual
from okpca.preimage.base import PreImage, PreImages
from okpca.preimage.sparse_atoms import WayBack


def found_for(model: Model, scores: Any, method: PreImage, name: str) -> PreImages:
    """Pre-images of what the scores stand for."""
    way = WayBack.of(model, len(scores), name)
    found = by_blocks(lambda block: way.searched(method, block), scores, name, step=way.step)
    return _joined(found, scores.dtype)


def denoised(model: Model, X: Any, method: PreImage) -> PreImages:
    """Pre-images of the projections of rows, each search beginning at its row."""
    way = WayBack.of(model, X.shape[0], "denoise")

    def of_block(block: Any) -> PreImages:
        return way.searched(method, projected(model, block), block)

    return _joined(by_blocks(of_block, X, "denoise", step=way.step), X.dtype)


def announced(found: PreImages, method: PreImage, name: str, *, deeper: int = 0) -> Array:
    """The points; a warning to the caller of a method, or so much deeper, says how many searches
    failed."""
    failed = int(np.sum(~found.converged))
    if failed:
        warnings.warn(
            f"{name}: the search for a pre-image by {method!r} did not "
            f"converge for {failed} of {len(found.X)} rows. These are the nearest points that "
            "were seen; raise max_iter, or try another method. pre_images tells which rows.",
            ConvergenceWarning,
            stacklevel=3 + deeper,
        )
    return found.X


def squared_errors(model: Model, X: Any) -> Array:
    """Squared distance in feature space of each row to its projection on the components."""
    return squared_distances(model, X)[:, 0]


@blocks_on_one_thread
def squared_distances(model: Model, X: Any) -> Array:
    """In feature space, of each row to its projection on the components and to the mean, (n, 2)."""
    basis = model.basis
    Q = components(model).Q

    def of(rows: Any) -> Array:
        K = basis.kernel_values(rows)
        norm = basis.norms(rows, K)
        with np.errstate(over="ignore", invalid="ignore"):
            Z = basis.coordinates(K)
            outside = np.maximum(norm - np.einsum("ij,ij->i", Z, Z), 0.0)
            Z -= model.centre.mean
            error = squared_residual(Z, Q) + outside
            spread = np.einsum("ij,ij->i", Z, Z) + outside
        return only_finite(np.column_stack([error, spread]))

    return rows_in_pieces(basis, X, of)


def _joined(found: list[PreImages], dtype: Any) -> PreImages:
    return PreImages(
        np.concatenate([f.X for f in found]).astype(dtype, copy=False),
        np.concatenate([f.converged for f in found]),
        np.concatenate([f.distance for f in found]),
    )
