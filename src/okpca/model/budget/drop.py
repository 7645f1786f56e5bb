"""One atom leaves for each that joins:  ε²(x) > α · min_i 1 / (K⁻¹)_ii"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.numerics import AS_FAR, EMPTY, ROUNDING, SWEEP, TIE
from okpca._core.typing import Array
from okpca.dictionary import Halt
from okpca.model.budget.base import Budget
from okpca.model.state import Model
from okpca.model.surgery import drop, scatter_of_atoms


@dataclass(frozen=True)
class Drop(Budget):
    """The atom nearest to the span of the others makes room, if the newcomer is farther away.

    SubKHA's exchange (Washizawa 2012, as Souza Filho & Diniz describe it): ε²(x) against `alpha`
    times the smallest leave-one-out distance 1 / (K⁻¹)_ii. With forgetting, atoms whose rows are
    forgotten, so that they carry no energy any more, leave before that, without waiting to be
    asked.
    """

    references = ("washizawa2012", "souzafilho2017")
    names = ("drop",)

    alpha: float = 1.0

    def __post_init__(self) -> None:
        if not self.alpha >= 0:
            raise ValueError(f"alpha of Drop must be >= 0, got {self.alpha}.")

    def halt(self, model: Model) -> Halt | None:
        # A property of the atoms alone, so it does not matter where a block ends.
        if not self.is_full(model.basis.m):
            return Halt()
        # On a lattice a newcomer is often exactly as far away: then everything stays as it is.
        return Halt(distance=(1 + AS_FAR) * self.alpha * float(model.basis.leave_one_out.min()))

    def relieved(self, model: Model) -> Model:
        return drop(model, _smallest(model.basis.leave_one_out))

    def next_sweep(self, model: Model, n_rows: int) -> int | None:
        return None if model.centre.forgetting == 1.0 else (n_rows // SWEEP + 1) * SWEEP

    def swept(self, model: Model) -> Model:
        if not self.is_full(model.basis.m):
            return model
        while model.basis.m > 1:
            carried = scatter_of_atoms(model)
            if carried is None or carried.min() >= EMPTY * carried.mean():
                break
            model = drop(model, _smallest(carried))
        return model


def _smallest(values: Array) -> int:
    """The first of those that are smallest up to rounding: a tie must not depend on it."""
    return int(np.argmax(values <= (1 + TIE) * values.min() + ROUNDING * values.max()))
