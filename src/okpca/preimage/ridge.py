"""A learned map from scores to rows: kernel ridge regression on the atoms (Bakır et al. 2004).

    x(y) = κ(y, Y) (κ(Y, Y) + α I)⁻¹ D,    Y the scores of the atoms D

which is what `fit_inverse_transform` of scikit-learn's KernelPCA does with all training rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from okpca import kernels
from okpca._core.number_checks import checked_number
from okpca._core.typing import Array, Flags
from okpca.kernels import Kernel
from okpca.model import projected
from okpca.preimage.base import PreImage
from okpca.preimage.target import Target


@dataclass(frozen=True)
class Ridge(PreImage):
    """Kernel ridge regression from the scores of the atoms to the atoms. No search, no start.

    alpha: α, the penalty. scikit-learn's default of 1 makes nearly a constant of this map where
    κ(x, x) = 1 and the components are many.
    kernel: κ between scores, a name or a Kernel. None takes the model's, as scikit-learn does.
    """

    references = ("bakir2004",)
    names = ("ridge",)
    any_geometry = True
    alpha: float = 1e-3
    kernel: Any = None

    def __post_init__(self) -> None:
        checked_number("Ridge", "alpha", self.alpha)
        if self.kernel is not None:
            kernels.make(self.kernel)

    def find(self, target: Target, start: Array | None) -> tuple[Array, Flags]:
        Y = projected(target.model, target.model.basis.atoms)
        kernel = self._kernel(target)
        gram = kernel(Y)
        gram[np.diag_indices_from(gram)] += self.alpha
        with np.errstate(over="ignore", invalid="ignore"):
            rows = np.linalg.solve(gram, target.unit_atoms)
            return target.in_rows(kernel(target.scores, Y) @ rows)

    def _kernel(self, target: Target) -> Kernel:
        if self.kernel is not None:
            return kernels.make(self.kernel).resolved(target.scores.shape[1])
        return target.basis.kernel.of_any_columns  # scores are neither scaled nor signals
