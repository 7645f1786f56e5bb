"""What a model does not hold of its rows, in two sizes.

Row i is held as a_i while its true image is φ_i; Δ is the matrix of rows √w (φ_i − a_i).

- A row adds its squared distance to the span when it came, ε², to both sizes.
- A change of the dictionary moves every a_i: by the triangle inequality the norms grow by those of
  the change, √(Σ of what is lost) and √(what is lost in the worst direction).
- A row that is held as it is from some moment on takes back what it added, unless the dictionary
  has changed since.
- Forgetting scales all weights, hence both squares, by φ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.decay import decayed_sum
from okpca._core.numerics import TIE
from okpca._core.typing import Array


@dataclass(frozen=True)
class Loss:
    energy: float = 0.0  # ‖Δ‖²_F, a bound
    worst: float = 0.0  # ‖Δ‖²₂, likewise
    by_rows_alone: bool = True  # and not a bound: no change of the dictionary has added to it

    def after_row(self, distance: float, decay: float) -> Loss:
        energy, worst = decay * self.energy + distance, decay * self.worst + distance
        return Loss(energy, worst, self.by_rows_alone)

    def after_rows(self, distance: Array, decay: float) -> Loss:
        energy, worst = (decayed_sum(lost, distance, decay) for lost in (self.energy, self.worst))
        return Loss(energy, worst, self.by_rows_alone)

    def after_recoding(self, lost: float, worst: float) -> Loss:
        return Loss(
            float((np.sqrt(self.energy) + np.sqrt(lost)) ** 2),
            float((np.sqrt(self.worst) + np.sqrt(worst)) ** 2),
            by_rows_alone=False,
        )

    def given_back(self, distance: float) -> Loss:
        """With rows that came after the last change of the dictionary held nearer to what they are,
        by squared distances of so much in all."""
        sure = (1.0 - TIE) * distance
        energy, worst = (max(lost - sure, 0.0) for lost in (self.energy, self.worst))
        return Loss(energy, worst, self.by_rows_alone)

    def joined(self, other: Loss) -> Loss:
        """Of the rows of both."""
        alone = self.by_rows_alone and other.by_rows_alone
        return Loss(self.energy + other.energy, self.worst + other.worst, alone)
