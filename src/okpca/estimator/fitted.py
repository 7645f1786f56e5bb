"""What a fitted estimator shows and does: scikit-learn's trailing-underscore attributes, rows
projected and found again, and what all that may be off."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from okpca import preimage as preimages
from okpca._core.blocks import filled_by_blocks
from okpca._core.typing import Array, Floats, Rows
from okpca._core.validation import checked_rows, locate, plain_row, refuse_overflow
from okpca.estimator.containers import framed
from okpca.estimator.description import Description, described
from okpca.estimator.parameters import make_kernel
from okpca.io import Saving
from okpca.kernels import Kernel
from okpca.kernels.width import gamma_of
from okpca.model import (
    Certificate,
    Components,
    Model,
    certificate,
    components,
    kernel_so_far,
    matured,
    projected,
)
from okpca.preimage import PreImages
from okpca.preimage.reconstruction import announced, denoised, found_for, squared_errors

E = TypeVar("E", bound="Fitted")


class Fitted(Saving, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that keeps a model, which is a value: nobody changes it."""

    _learns_by_value = True  # a copy that learns leaves this one as it is
    _model: Model
    _calls: int
    n_features_in_: int
    gamma: float | str | None
    preimage: Any

    # -- rows -------------------------------------------------------------------------------------

    def transform(self, X: Any) -> Floats:
        """Project rows on the components: ``<v_j, phi(x) - mean>``, unit norm v_j.

        Of shape (n_samples, n_components_); a data frame if `set_output` says so.
        """
        model = model_of(self)
        if not plain_row(self, X):
            X = self._checked(X, model, "transform")

        def of_block(block: Any) -> Any:
            return _fitting(projected(model, block), X.dtype)

        return np.asarray(filled_by_blocks(of_block, X, "transform"))

    def inverse_transform(self, X: Any) -> Floats:
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
            A data frame, with the columns of the rows learned, if `set_output` says so.
        """
        found = self._searched(X, "inverse_transform")
        points = announced(found, preimages.make(self.preimage), "inverse_transform")
        return framed(self, points, X)

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
        A data frame if `set_output` says so.
        """
        model = model_of(self)
        rows, method = self._checked(X, model, "denoise"), preimages.make(self.preimage)
        return framed(self, announced(denoised(model, rows, method), method, "denoise"), X)

    def reconstruction_error(self, X: Any) -> Floats:
        """Squared distance in feature space between each row and its projection on the components.

        Unit-norm kernels such as "rbf" give values from 0 to little more than 1.
        """
        model = model_of(self)
        X = self._checked(X, model, "reconstruction_error")

        def of_block(block: Any) -> Any:
            return _fitting(squared_errors(model, block), X.dtype)

        return np.asarray(filled_by_blocks(of_block, X, "reconstruction_error"))

    def score_samples(self, X: Any) -> Floats:
        """Minus the reconstruction error: the higher, the more a row is like those learned."""
        return -self.reconstruction_error(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of `score_samples`, in the units of the kernel: it compares components, atoms
        and rules under one kernel, not kernels or widths (the widest would always win)."""
        return float(np.mean(self.score_samples(X), dtype=np.float64))

    def _checked(self, X: Any, model: Model, method: str) -> Any:
        return checked_rows(self, X, method, sparse=model.basis.kernel.allows_sparse)

    def _searched(self, X: Any, name: str) -> PreImages:
        model = model_of(self)
        try:
            X = check_array(X, dtype=[np.float64, np.float32], input_name="X", estimator=self)
        except ValueError as error:
            raise locate(error, X, name, 0) from None
        expected = len(components(model).V)
        if X.shape[1] != expected:
            raise ValueError(
                f"X has {X.shape[1]} columns, but {name} of this {type(self).__name__} expects "
                f"{expected}: one for each component, as transform gives them."
            )
        return found_for(model, X, preimages.make(self.preimage), name)

    # -- what was learned -------------------------------------------------------------------------

    def certificate(self) -> Certificate:
        """How far this model may be from batch kernel PCA of all rows it has seen, weighted as the
        model weighs them."""
        model = model_of(self)
        refuse_empirical(model, "compared with kernel PCA")
        return certificate(model)

    def describe(self) -> Description:
        """The model in a few lines: rows, atoms, spectrum, what is left out, memory.

        Returns
        -------
        description : Description
            Printed it is text; its attributes and `to_dict()` are the numbers.
        """
        check_is_fitted(self)
        return described(type(self).__name__, self._model)

    @property
    def kernel_(self) -> Kernel:
        """The kernel, with its width settled."""
        return kernel_so_far(self._kept("kernel_"))

    @property
    def gamma_(self) -> float:
        """The width of the kernel that is used, 1 / n_features where none was given."""
        gamma = gamma_of(kernel_so_far(self._kept("gamma_")))
        if gamma is None and isinstance(self.gamma, str):
            raise AttributeError(f"{self.kernel_!r} has no gamma, or more than one.")
        return float(gamma or self.gamma or 1 / self.n_features_in_)

    @property
    def atoms_(self) -> Rows:
        """The dictionary, (n_atoms_, n_features_in_): a copy, CSR if the rows were."""
        return self._shown("atoms_").basis.atoms.copy()

    @property
    def n_atoms_(self) -> int:
        """How many atoms there are."""
        return self._shown("n_atoms_").basis.m

    @property
    def n_samples_seen_(self) -> int:
        """Rows learned so far; those of weight zero do not count."""
        return self._kept("n_samples_seen_").n_rows

    @property
    def mean_(self) -> Array:
        """Coefficients of the mean over the atoms, (n_atoms_,)."""
        model = self._shown("mean_")
        return np.asarray(model.basis.expansion(model.centre.mean[None])[0])

    @property
    def n_components_(self) -> int:
        """How many components there are."""
        return len(self._components("n_components_").scatter)

    @property
    def dual_coef_(self) -> Array:
        """Coefficients of the components over the atoms, (n_components_, n_atoms_)."""
        return self._components("dual_coef_").dual.copy()

    @property
    def eigenvalues_(self) -> Array:
        """Of the centred Gram matrix of all rows, largest first, (n_components_,)."""
        return self._components("eigenvalues_").scatter.copy()

    @property
    def explained_variance_(self) -> Array:
        """The variance along each component: `eigenvalues_` over the sum of the weights."""
        model = self._shown("explained_variance_")
        return np.asarray(components(model).scatter / model.centre.weight)

    @property
    def explained_variance_ratio_(self) -> Array:
        """The share of the whole kernel variance that each component explains."""
        model = self._shown("explained_variance_ratio_")
        return np.asarray(components(model).scatter / (model.variance or 1.0))

    def _components(self, name: str) -> Components:
        return components(self._shown(name))

    def _shown(self, name: str) -> Model:
        return matured(self._kept(name))

    def _kept(self, name: str) -> Model:
        """What is kept, which a warm-up need not be fitted for."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted.")
        return self._model

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _refuse_unsound(self) -> None:
        if self.__sklearn_is_fitted__() and self._model.basis.atoms.shape[1] != self.n_features_in_:
            raise ValueError(f"{self.n_features_in_} columns, and atoms of another number")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        try:
            tags.input_tags.sparse = make_kernel(self).allows_sparse
        except (ImportError, TypeError, ValueError):  # refused with its reason at fit
            tags.input_tags.sparse = False
        return tags


def model_of(estimator: Fitted) -> Model:
    """What a fitted estimator has learned, the rows of a warm-up included."""
    if not isinstance(estimator, Fitted) or "_model" not in estimator.__dict__:
        check_is_fitted(estimator)  # which takes as long as a row does
    return matured(estimator._model)


def kept_by(estimator: Fitted) -> Model:
    """The same with the rows of a warm-up still held back."""
    return estimator._model


def keeping(estimator: E, model: Model) -> E:
    """A copy of the estimator that has learned this, whatever it was before."""
    other = copy(estimator)
    other._model, other._calls = model, getattr(estimator, "_calls", 0)
    other.n_features_in_ = model.basis.atoms.shape[1]
    return other


def names_of(estimator: Any) -> list[str] | None:
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else list(names)


def refuse_empirical(model: Model, done: str) -> None:
    if model.plan.empirical:
        raise ValueError(
            f"a model in the empirical geometry cannot be {done}: its coordinates are the kernel "
            "values of its atoms. Use geometry='rkhs'."
        )


def _fitting(values: Array, dtype: Any) -> Any:
    """In the dtype of the rows, if that can hold them."""
    refuse_overflow(values, dtype)
    return values.astype(dtype, copy=False)
