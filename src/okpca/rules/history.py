"""History PCA: the components stand for all rows before them, O(m r) a row.

    A = V diag(s) Vᵀ + XᵀX,    V ← orthonormal( V A ),   `iterations` times,    s_j = ‖A v_j‖

Yang, Hsieh & Wang, "History PCA: a new algorithm for streaming PCA" (2018), in the form
for several components that Henriksen & Ward compare with. They write it with means, ((n−B)/n) λ_j
and XᵀX/n for n rows so far: with sums, s = n λ, no n is needed. X holds the B rows of a block; A is
never formed. One step of orthogonal iteration instead of the SVD that `IncrementalSVD` takes of the
same matrix: what A couples between the components is dropped, so that a subspace is found long
before the components in it.

Derived: a component's first direction, see `okpca.rules.block_rule`; s fades with forgetting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.number_checks import checked_count
from okpca._core.typing import Array
from okpca.rules.block_rule import BlockRule, orthonormal


@dataclass(frozen=True)
class History(BlockRule):
    """`block`: B rows per step, counted in rows of the stream. `iterations`: how often the step is
    taken for one block."""

    references = ("yang2018",)
    names = ("history",)

    block: int = 10
    iterations: int = 1

    n_sums = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_count("History", "iterations", self.iterations, 1)

    def stepped(self, V: Array, sums: Array, rows: Array) -> tuple[Array, Array]:
        new, AV = V, V
        for _ in range(self.iterations):
            AV = (new @ V.T * sums[0]) @ V + new @ rows.T @ rows
            new = orthonormal(AV)
        return new, np.sqrt(np.square(AV).sum(axis=1))[None]
