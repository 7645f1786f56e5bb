"""What every dictionary policy answers: which rows may become atoms?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from okpca._core.cited import Cited
from okpca._core.typing import Array, Rows
from okpca.dictionary.basis import Basis
from okpca.kernels import Kernel


class Policy(Cited, ABC):
    """A test that gets stricter as the dictionary grows: a row refused once stays refused.

    Policies are asked about many rows at once (arrays) or about one (floats).
    """

    names: ClassVar[tuple[str, ...]] = ()  # strings that stand for it
    uses_coherence: ClassVar[bool] = False
    grows: ClassVar[bool] = True  # False: the atoms are given, and stay

    @classmethod
    def with_threshold(cls, nu: float) -> Policy:
        """What its name stands for in a model with this ν."""
        return cls()

    @abstractmethod
    def admits(self, residual: Any, norm: Any, coherence: Any) -> Any:
        """May rows with ε²(x), κ(x, x) and coherence with the atoms join?

        The coherence is max_i |κ(x, d_i)| / √(κ(x, x) κ(d_i, d_i)), or None unless
        `uses_coherence`. Whoever is not independent of the atoms is refused elsewhere.
        """

    @property
    def doubt(self) -> float:
        """Rows of more rounding noise than this share of κ(x, x) call for an exchange of atoms."""
        return float("inf")

    def opening(self, kernel: Kernel, n_features: int) -> Basis:
        """The dictionary before the first row."""
        return Basis.empty(kernel, n_features)

    def empirical(self, kernel: Kernel, n_features: int) -> Basis:
        """The same with kernel values as coordinates."""
        raise ValueError(
            "geometry='empirical' needs a fixed dictionary: dictionary=okpca.dictionary.Fixed("
            "points), or Sampled or Clustered with burn_in rows to choose from."
        )

    def settled(
        self, rows: Rows, weight: Array, rng: np.random.RandomState, units: Any = 1.0
    ) -> Policy:
        """The policy after the warm-up; some choose their atoms from its rows, whose columns are
        measured by `units`."""
        return self

    @property
    def needs_rows(self) -> int:
        """Rows that the warm-up must have at least."""
        return 0


def as_points(points: Any, kernel: Kernel, n_features: int) -> Rows:
    """Points given by the user, checked against the width of the rows."""
    from sklearn.utils import check_array

    form = "csr" if kernel.allows_sparse else False
    name = "the fixed dictionary"
    checked: Rows = check_array(
        points, accept_sparse=form, dtype="float64", input_name=name, copy=True
    )
    if checked.shape[1] != n_features:
        raise ValueError(
            f"the fixed dictionary has {checked.shape[1]} columns, the rows have {n_features}: "
            "give both the same columns."
        )
    return checked
