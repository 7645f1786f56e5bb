"""What a fitted estimator shows: scikit-learn's trailing-underscore attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from okpca.kernels import Kernel
from okpca.kernels.rows import Rows
from okpca.model import Components, Model
from okpca.warmup import WarmUp

Array = NDArray[np.float64]


class FittedAttributes:
    """Read-only views of `_model`, which the estimator keeps."""

    if TYPE_CHECKING:
        gamma: float | None
        n_features_in_: int

    def _fitted(self, name: str) -> Model:
        model = self._state(name)
        return model.matured if isinstance(model, WarmUp) else model

    def _components(self, name: str) -> Components:
        return self._fitted(name).components

    def _state(self, name: str) -> Model | WarmUp:
        """What is kept, which a warm-up need not be fitted for."""
        if "_model" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted.")
        return self.__dict__["_model"]  # type: ignore[no-any-return]

    @property
    def kernel_(self) -> Kernel:
        model = self._state("kernel_")
        return model.kernel if isinstance(model, WarmUp) else model.basis.kernel

    @property
    def gamma_(self) -> float:
        self._state("gamma_")
        gamma = getattr(self.kernel_, "gamma", self.gamma)
        return 1 / self.n_features_in_ if gamma is None else float(gamma)

    @property
    def atoms_(self) -> Rows:
        return self._fitted("atoms_").basis.atoms.copy()

    @property
    def n_atoms_(self) -> int:
        return self._fitted("n_atoms_").basis.m

    @property
    def n_samples_seen_(self) -> int:
        return self._state("n_samples_seen_").n_rows

    @property
    def mean_(self) -> Array:
        model = self._fitted("mean_")
        return np.asarray(model.basis.expansion(model.centre.mean[None])[0])

    @property
    def n_components_(self) -> int:
        return len(self._components("n_components_").scatter)

    @property
    def dual_coef_(self) -> Array:
        return self._components("dual_coef_").dual.copy()

    @property
    def eigenvalues_(self) -> Array:
        return self._components("eigenvalues_").scatter.copy()

    @property
    def explained_variance_(self) -> Array:
        model = self._fitted("explained_variance_")
        return np.asarray(model.components.scatter / model.centre.weight)

    @property
    def explained_variance_ratio_(self) -> Array:
        model = self._fitted("explained_variance_ratio_")
        return np.asarray(model.components.scatter / (model.variance or 1.0))
