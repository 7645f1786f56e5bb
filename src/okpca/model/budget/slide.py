"""A window over the rows that were independent."""

from __future__ import annotations

from dataclasses import dataclass

from okpca.dictionary import Halt
from okpca.model.budget.base import Budget
from okpca.model.state import Model
from okpca.model.surgery import drop


@dataclass(frozen=True)
class Slide(Budget):
    """The oldest atom makes room: with ν = 0 the atoms are the last rows that were independent.

    Kashima's bounded memory of past data (his last remark). What the oldest atom carried is
    projected on the others, rather than cut off. Every row that joins exchanges an atom by itself,
    O(m³): with 60 atoms a row that does takes some fifty times as long as under `Compress`, which
    makes room for many at a time.
    """

    references = ("kashima2001",)
    names = ("slide",)

    def halt(self, model: Model) -> Halt | None:
        return Halt()

    def relieved(self, model: Model) -> Model:
        return drop(model, 0)
