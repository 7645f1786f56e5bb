"""CCIPCA: candid covariance-free incremental PCA, O(m r) a row.

    u_1 = c,   v_j ← (n−1−l)/n v_j + (1+l)/n u_j (u_j·v_j)/‖v_j‖,   u_{j+1} = u_j − (u_j·v̂_j) v̂_j

Weng, Zhang & Hwang, "Candid covariance-free incremental principal component analysis" (TPAMI
2003): v_j tends to λ_j times the j-th eigenvector, so that its length is the variance and sets the
step by itself. l is the amnesic parameter. A component that has not begun starts with what those
before it leave of a row, as theirs do with rows 1, 2, …

Derived:

- 1/n is w/W, the row's share in all weights, which with forgetting stays above 1 − φ. It is n rows
  for rows of weight one without forgetting.
- (1+l)/n is at most ½ (their n−1−l is negative in the first rows): no row counts for more than all
  before it, and none can wipe a component out.
- A start is ‖u‖ u, not u: the length of a v is a variance (for rows of norm one the same). One that
  begins after row r + 1 (rows before had nothing left for it, or atoms that left took it along)
  begins with (r + 1)/n of that: it is not what all n rows are like.
- A row begins a component if a thousandth of its length is left, not on rounding; and its mean is
  the running one, with which the row has been centred.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core import compiled
from okpca._core.number_checks import checked_number
from okpca._core.numerics import BEGINNING
from okpca._core.typing import Array
from okpca.rules.base import Centred, Learner
from okpca.rules.step_rule import StepRule, refuse_overflow, widened


@dataclass(frozen=True)
class CCIPCA(StepRule):
    """`amnesic`: l ≥ 0, by how many rows the newest one counts for more than its share; the paper
    advises 2 to 4. 0 weighs all rows alike, and what came before components were found with them.
    """

    references = ("weng2003",)
    names = ("ccipca",)

    amnesic: float = 2.0

    def __post_init__(self) -> None:
        checked_number("CCIPCA", "amnesic", self.amnesic, positive=False)

    def born(self, n_components: int | None, L: Array, rng: np.random.RandomState) -> CCIPCALearner:
        assert n_components is not None
        V, level = np.zeros((n_components, len(L))), np.zeros(n_components)
        return CCIPCALearner(self, V, level, 0.0)

    def continued(
        self, n_components: int | None, scatter: Array, V: Array, weight: float
    ) -> CCIPCALearner:
        assert n_components is not None
        missing = max(n_components - len(V), 0)
        V = np.pad(V[:n_components], ((0, missing), (0, 0)))
        level = np.pad(scatter[:n_components] / weight, (0, missing))
        return CCIPCALearner(self, V, level, weight)


@dataclass(frozen=True, eq=False)
class CCIPCALearner(Learner):
    rule: CCIPCA
    V: Array  # directions; zeros where a component has not begun
    level: Array  # λ_j = ‖v_j‖
    weight: float  # W

    def updated(self, block: Centred) -> CCIPCALearner:
        V, level = widened(self.V, block.rows.shape[1]), self.level.copy()
        with np.errstate(all="ignore"):  # overflow is reported below, once
            compiled.ccipca_rows(V, level, block.rows, block.weight, block.share, self.rule.amnesic)
        refuse_overflow("CCIPCA", len(block.rows), V, level)
        return CCIPCALearner(self.rule, V, level, block.total)

    def recoded(self, P: Array) -> CCIPCALearner:
        """The scatter λ u uᵀ becomes that along P u: λ ‖P u‖². One of which P keeps next to nothing
        begins again: what is left of its direction is rounding."""
        V = self.V @ P.T
        square = np.einsum("ij,ij->i", V, V)
        square[square <= BEGINNING] = 0.0
        V *= np.divide(1.0, np.sqrt(square), out=np.zeros(len(V)), where=square > 0.0)[:, None]
        return CCIPCALearner(self.rule, V, self.level * square, self.weight)

    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        return self.weight * self.level, self.V
