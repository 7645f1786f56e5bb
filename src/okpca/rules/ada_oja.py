"""AdaOja: Oja's rule by blocks, with step sizes that find themselves, O(m r) a row.

    g_j = XᵀX v_j / B,    b_j² += ‖g_j‖²,    V ← orthonormal( v_j + g_j / b_j )

Henriksen & Ward, "AdaOja: adaptive learning rates for streaming PCA" (2019), with a b for each
component, as their published program has it; X holds the B rows of a block. Like AdaGrad it sums up
the squares of all slopes so far.

Derived: a component's first direction, see `okpca.rules.block_rule`; forgetting, by which the sum
b² fades as all sums do, so that steps stay as large as a change needs them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.number_checks import checked_number
from okpca._core.typing import Array
from okpca.rules.block_rule import BlockRule, orthonormal


@dataclass(frozen=True)
class AdaOja(BlockRule):
    """`block`: B rows per step, counted in rows of the stream. `b0`: what the sum starts from, in
    the unit of a variance; so small that it does not matter."""

    references = ("henriksen2019",)
    names = ("ada-oja",)

    block: int = 10
    b0: float = 1e-5

    n_sums = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_number("AdaOja", "b0", self.b0)

    def stepped(self, V: Array, sums: Array, rows: Array) -> tuple[Array, Array]:
        Y = rows @ V.T
        G = Y.T @ rows / self.block
        squares = sums[0] + np.square(G).sum(axis=1)
        scatter = sums[1] + np.square(Y).sum(axis=0)  # outputs as they came
        new = orthonormal(V + G / np.sqrt(self.b0**2 + squares)[:, None])
        return new, np.array([squares, scatter])
