"""Rows and a fitted estimator: projected, found again, completed, and how well all that fits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils._set_output import ADAPTERS_MANAGER, _get_output_config
from sklearn.utils.validation import _check_feature_names_in

from okpca import preimage as preimages
from okpca._core.blocks import filled_by_blocks
from okpca._core.missing_values import rows_lacking
from okpca._core.typing import Array, Floats
from okpca._core.validation import checked_rows, locate, plain_row, refuse_overflow
from okpca.estimator.attributes import Learned, model_of
from okpca.estimator.missing import around_gaps, completed
from okpca.estimator.user_warnings import announce_blur
from okpca.model import Model, components, projected
from okpca.preimage import PreImages
from okpca.preimage.reconstruction import (
    announced,
    denoised,
    found_for,
    squared_distances,
    squared_errors,
)


class Fitted(Learned):
    """An estimator that shows what its model makes of rows. Rows that lack values are refused,
    shown as NaN or filled in by it, as `missing` says."""

    preimage: Any

    def transform(self, X: Any) -> Floats:
        """Project rows on the components: ``<v_j, phi(x) - mean>``, unit norm v_j.

        Of shape (n_samples, n_components_); a data frame if `set_output` says so.
        """
        model = model_of(self)
        if not plain_row(self, X):
            X = self._checked(X, model, "transform")
        return self._by_blocks(projected, model, X, "transform")

    def inverse_transform(self, X: Any) -> Floats:
        """Rows whose images come near ``mean + sum_j X[:, j] v_j``, by the method `preimage`.

        A row whose search fails gets the nearest point that was seen; a ConvergenceWarning says
        how many did. With ``missing="skip"`` scores that are NaN give a row of NaN.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components_)
            Such as `transform` gives.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features_in_)
            A data frame, with the columns of the rows learned, if `set_output` says so.
        """
        found = self._searched(X, "inverse_transform")
        points = announced(found, preimages.make(self.preimage), "inverse_transform")
        return _framed(self, points, X)

    def pre_images(self, X: Any) -> PreImages:
        """As `inverse_transform`, with what is known of each search and without a warning.

        Returns
        -------
        found : PreImages
            `found.X`, `found.converged`, and `found.distance`, the squared distance in feature
            space between the image of each row and what was asked for.
        """
        return self._searched(X, "pre_images")

    def denoise(self, X: Any) -> Floats:
        """Rows whose images come near the projection of X's on the components, about the mean.

        The same as ``inverse_transform(transform(X))``, but each search starts at the row itself.
        A data frame if `set_output` says so. A :class:`okpca.KernelWarning` says, once in a fit,
        when the components are too few for that.
        """
        model = model_of(self)
        rows, method = self._checked(X, model, "denoise"), preimages.make(self.preimage)
        announce_blur(model)

        def of_rows(rows: Any) -> Any:
            return announced(denoised(model, rows, method), method, "denoise", deeper=2)

        return _framed(self, around_gaps(self.missing, model, rows, of_rows), X)

    def impute(self, X: Any) -> Floats:
        """Rows with their missing values (NaN) filled in; what is there stays as it is.

        By what the model has learned, whatever `missing` says: each value by a regression among
        the atoms that are like the row in the columns it has. A row without any value gets the
        mean. A data frame if `set_output` says so.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in_)
            Dense.
        """
        model = model_of(self)
        rows = checked_rows(self, X, "impute", finite="allow-nan")
        return _framed(self, np.array(completed(model, rows)), X)  # never the rows given

    def reconstruction_error(self, X: Any) -> Floats:
        """Squared distance in feature space between each row and its projection on the components.

        Unit-norm kernels such as "rbf" give values from 0 to little more than 1.
        """
        model = model_of(self)
        X = self._checked(X, model, "reconstruction_error")
        return self._by_blocks(squared_errors, model, X, "reconstruction_error")

    def score_samples(self, X: Any) -> Floats:
        """Minus the reconstruction error: the higher, the more a row is like those learned."""
        return -self.reconstruction_error(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The share of the kernel variance of rows, about the mean learned, that the components
        capture: 1 at best, 0 if they capture nothing. With rows that were not learned it tells a
        `GridSearchCV` how many components, how many atoms, which rule. Each kernel has a variance
        of its own: for kernels and widths see :func:`okpca.preimage.neg_preimage_error`. Rows that
        are skipped for what they lack have no part in it."""
        model = model_of(self)
        X = self._checked(X, model, "score")

        def of_rows(rows: Any) -> Any:
            return filled_by_blocks(partial(squared_distances, model), rows, "score")

        found = around_gaps(self.missing, model, X, of_rows)
        left, whole = found[~np.isnan(found).any(axis=1)].sum(axis=0)
        return float(1.0 - left / whole) if whole > 0 else 1.0

    def _checked(self, X: Any, model: Model, method: str) -> Any:
        return checked_rows(self, X, method, sparse=model.basis.kernel.allows_sparse)

    def _by_blocks(
        self, of: Callable[[Model, Any], Array], model: Model, X: Any, name: str
    ) -> Floats:
        """In the dtype of the rows, if that can hold it; around those that lack values."""

        def of_block(block: Any) -> Any:
            values = of(model, block)
            refuse_overflow(values, X.dtype)
            return values.astype(X.dtype, copy=False)

        def of_rows(rows: Any) -> Any:
            return filled_by_blocks(of_block, rows, name)

        return np.asarray(around_gaps(self.missing, model, X, of_rows))

    def _searched(self, X: Any, name: str) -> PreImages:
        model = model_of(self)
        finite = "allow-nan" if self.missing == "skip" else True
        try:
            X = check_array(
                X,
                dtype=[np.float64, np.float32],
                ensure_all_finite=finite,
                input_name="X",
                estimator=self,
            )
        except ValueError as error:
            raise locate(error, X, name, 0) from None
        expected = len(components(model).V)
        if X.shape[1] != expected:
            raise ValueError(
                f"X has {X.shape[1]} columns, but {name} of this {type(self).__name__} expects "
                f"{expected}: one for each component, as transform gives them."
            )
        lacking = rows_lacking(X)
        if lacking is None:
            return found_for(model, X, preimages.make(self.preimage), name)
        whole = np.where(lacking[:, None], 0.0, X).astype(X.dtype, copy=False)
        found = found_for(model, whole, preimages.make(self.preimage), name)
        found.X[lacking], found.distance[lacking] = np.nan, np.nan
        return found


def _framed(estimator: Any, rows: Floats, given: Any) -> Floats:
    """In the container that `set_output` asks for: what scikit-learn does for `transform`, for rows
    that have the columns of the input; the index is that of what was given."""
    library = _get_output_config("transform", estimator)["dense"]
    if library == "default":
        return rows
    columns = _check_feature_names_in(estimator)
    out: Floats = ADAPTERS_MANAGER.adapters[library].create_container(rows, given, columns=columns)
    return out
