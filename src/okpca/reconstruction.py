"""Back from the components: pre-images, denoising, and how well a row is reconstructed.

    ‖φ(x) − μ − P(φ(x) − μ)‖² = ‖(I − QᵀQ)(z − z̄)‖² + ε²(x)

P projects on the span of the components, Q is an orthonormal basis of it in the coordinates of the
dictionary, ε²(x) the squared distance of φ(x) to the span of the atoms. For orthonormal components
this is κ(x, x) − 2 μ(x) + ‖μ‖² − ‖y‖², which cancels where the residual is small.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from okpca import preimage as preimages
from okpca.errors import NOT_FINITE, RowError
from okpca.kernels.rows import width
from okpca.model import Model
from okpca.numerics import ROWS
from okpca.preimage import PreImage, PreImages
from okpca.preimage.target import spanned
from okpca.preimage.wide import WayBack
from okpca.threads import blocks_on_one_thread, worth_threads
from okpca.validation import locate, refuse_overflow, translated

Array = NDArray[np.float64]


class Reconstruction:
    """The estimator's way back. It supplies `preimage`, and the model through `_fitted`."""

    if TYPE_CHECKING:
        preimage: str | PreImage

        def _fitted(self, name: str) -> Model: ...
        def _validated(
            self, X: Any, kernel: Any, method: str, call: int, *, reset: bool, finite: bool = True
        ) -> Any: ...

    def inverse_transform(self, X: Any) -> Any:
        """Rows whose images come near ``mean + sum_j X[:, j] v_j``, by the method `preimage`.

        A row whose search fails gets the nearest point that was seen; a ConvergenceWarning says
        how many did.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components_)
            Such as `transform` gives.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features_in_)
        """
        return self._announced(self._searched(X, "inverse_transform"), "inverse_transform")

    def pre_images(self, X: Any) -> PreImages:
        """As `inverse_transform`, with what is known of each search and without a warning.

        Returns
        -------
        found : PreImages
            `found.X`, `found.converged`, and `found.distance`, the squared distance in feature
            space between the image of each row and what was asked for.
        """
        return self._searched(X, "pre_images")

    def denoise(self, X: Any) -> Any:
        """Rows whose images come near the projection of X's on the components, about the mean.

        The same as ``inverse_transform(transform(X))``, but each search starts at the row itself.
        """
        check_is_fitted(self)
        model = self._fitted("denoise")
        X = self._validated(X, model.basis.kernel, "denoise", 0, reset=False)
        method, way = preimages.make(self.preimage), WayBack.of(model, X.shape[0], "denoise")
        found = []
        for part, block in _blocks(X, way.step):
            with translated(range(part.start, X.shape[0]), "denoise", 0):
                scores = model.projected(block)
            found.append(way.searched(method, scores, block))
        return self._announced(_joined(found, X.dtype), "denoise")

    def reconstruction_error(self, X: Any) -> Any:
        """Squared distance in feature space between each row and its projection on the components.

        Unit-norm kernels such as "rbf" give values from 0 to little more than 1.
        """
        check_is_fitted(self)
        model = self._fitted("reconstruction_error")
        X = self._validated(X, model.basis.kernel, "reconstruction_error", 0, reset=False)
        out = np.empty(X.shape[0], dtype=X.dtype)
        for part, block in _blocks(X):
            with translated(range(part.start, X.shape[0]), "reconstruction_error", 0):
                residuals = _residuals(model, block)
                refuse_overflow(residuals, out.dtype)
                out[part] = residuals
        return out

    def score_samples(self, X: Any) -> Any:
        """Minus the reconstruction error: the higher, the more a row is like those learned."""
        return -self.reconstruction_error(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of `score_samples`, in the units of the kernel: it compares components, atoms
        and rules under one kernel, not kernels or widths (the widest would always win)."""
        return float(np.mean(self.score_samples(X), dtype=np.float64))

    def _searched(self, X: Any, name: str) -> PreImages:
        check_is_fitted(self)
        model = self._fitted(name)
        try:
            X = check_array(X, dtype=[np.float64, np.float32], input_name="X", estimator=self)
        except ValueError as error:
            raise locate(error, X, name, 0) from None
        expected = len(model.components.V)
        if X.shape[1] != expected:
            raise ValueError(
                f"X has {X.shape[1]} columns, but {name} of this {type(self).__name__} expects "
                f"{expected}: one for each component, as transform gives them."
            )
        method, way = preimages.make(self.preimage), WayBack.of(model, X.shape[0], name)
        found = [way.searched(method, block) for _, block in _blocks(X, way.step)]
        return _joined(found, X.dtype)

    def _announced(self, found: PreImages, name: str) -> Any:
        failed = int(np.sum(~found.converged))
        if failed:
            warnings.warn(
                f"{name}: the search for a pre-image by {preimages.make(self.preimage)!r} did not "
                f"converge for {failed} of {len(found.X)} rows. These are the nearest points that "
                "were seen; raise max_iter, or try another method. pre_images tells which rows.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return found.X


@blocks_on_one_thread
def _residuals(model: Model, X: Any) -> Array:
    basis = model.basis
    K = worth_threads(X.shape[0] * width(X) * basis.m, basis.kernel_values, X)
    norm = basis.norms(X, K)
    with np.errstate(over="ignore", invalid="ignore"):
        Z = basis.coordinates(K)
        outside = norm - np.einsum("ij,ij->i", Z, Z)
        C = Z - model.centre.mean
        V = model.components.V
        Q = V if model.plan.rule.averages else spanned(V)[0]
        C -= (C @ Q.T) @ Q
        error = np.einsum("ij,ij->i", C, C) + np.maximum(outside, 0.0)
    good = np.isfinite(error)
    if not good.all():
        raise RowError(NOT_FINITE, int(np.argmin(good)))
    return np.asarray(error)


def _blocks(X: Any, step: int = ROWS) -> Iterator[tuple[slice, Any]]:
    for start in range(0, X.shape[0], step):
        part = slice(start, start + step)
        yield part, X[part].astype(np.float64, copy=False)


def _joined(found: list[PreImages], dtype: Any) -> PreImages:
    return PreImages(
        np.concatenate([f.X for f in found]).astype(dtype, copy=False),
        np.concatenate([f.converged for f in found]),
        np.concatenate([f.distance for f in found]),
    )
