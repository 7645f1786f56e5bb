"""What a fitted estimator has learned: scikit-learn's trailing-underscore attributes, and what all
that may be off."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from okpca._core.typing import Array, Rows
from okpca.estimator.description import Description, described
from okpca.estimator.parameters import make_kernel
from okpca.estimator.user_warnings import announce_nothing
from okpca.io import Saving
from okpca.kernels import Kernel
from okpca.kernels.gamma import gamma_of
from okpca.model import (
    Certificate,
    Components,
    Gaps,
    Model,
    certificate,
    components,
    kernel_so_far,
    matured,
    shown,
)

E = TypeVar("E", bound="Learned")


class Learned(Saving, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that keeps a model, which is a value: nobody changes it."""

    _learns_by_value = True  # a copy that learns leaves this one as it is
    _model: Model
    _calls: int
    n_features_in_: int
    gamma: float | str | None
    missing: str

    def certificate(self) -> Certificate:
        """How far this model may be from batch kernel PCA of all rows it has seen, weighted as the
        model weighs them. A :class:`okpca.KernelWarning` says, once in a fit, if its bounds say
        nothing, and what would help."""
        model = model_of(self)
        refuse_empirical(model, "compared with kernel PCA")
        found = certificate(model)
        announce_nothing(model, found)
        return found

    def describe(self) -> Description:
        """The model in a few lines: rows, atoms, spectrum, what is left out, memory.

        Returns
        -------
        description : Description
            Printed it is text; its attributes and `to_dict()` are the numbers.
        """
        check_is_fitted(self)
        return described(type(self).__name__, self._model, names_of(self))

    @property
    def kernel_(self) -> Kernel:
        """The kernel, with its width settled."""
        return kernel_so_far(self._kept("kernel_"))

    @property
    def gamma_(self) -> float:
        """The width of the kernel that is used; as in scikit-learn 1 / n_features where none was
        given to a kernel that has none."""
        gamma = gamma_of(kernel_so_far(self._kept("gamma_")))
        if gamma is None and (isinstance(self.gamma, str) or self.sigma is not None):
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
    def n_samples_skipped_(self) -> int:
        """Rows left out of learning for the values they lack (`missing`)."""
        return self._gaps("n_samples_skipped_").skipped

    @property
    def n_values_imputed_(self) -> int:
        """Values that rows lacked and that were filled in before they were learned."""
        return self._gaps("n_values_imputed_").imputed

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
        return shown(matured(self._kept(name)))

    def _kept(self, name: str) -> Model:
        """What is kept, which a warm-up need not be fitted for."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted.")
        return self._model

    def _gaps(self, name: str) -> Gaps:
        # Known before any row is learned: all so far may have been left out.
        return self._model.gaps if "_model" in self.__dict__ else self._kept(name).gaps

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_is_fitted__(self) -> bool:
        """Not by rows that were all left out."""
        return "_model" in self.__dict__ and self._model.n_rows > 0

    def _refuse_unsound(self) -> None:
        if self.__sklearn_is_fitted__() and self._model.basis.atoms.shape[1] != self.n_features_in_:
            raise ValueError(f"{self.n_features_in_} columns, and atoms of another number")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.allow_nan = self.missing != "raise"
        try:
            tags.input_tags.sparse = make_kernel(self).allows_sparse
        except (ImportError, TypeError, ValueError):  # refused with its reason at fit
            tags.input_tags.sparse = False
        return tags


def model_of(estimator: Learned) -> Model:
    """What a fitted estimator has learned, rows that wait for something included."""
    return shown(matured_model_of(estimator))


def matured_model_of(estimator: Learned) -> Model:
    """The same, to go on from: rows that wait for others still do, and only a warm-up has ended."""
    if not isinstance(estimator, Learned) or not estimator.__sklearn_is_fitted__():
        check_is_fitted(estimator)  # which takes as long as a row does
    return matured(estimator._model)


def kept_by(estimator: Learned) -> Model:
    """The same with the rows of a warm-up still held back."""
    return estimator._model


def keeping(estimator: E, model: Model) -> E:
    """A copy of the estimator that has learned this, whatever it was before."""
    other = object.__new__(type(estimator))  # `copy` would take as long as to score a row
    other.__dict__.update(estimator.__dict__)
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
