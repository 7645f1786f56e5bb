"""The dictionary stays as it is."""

from __future__ import annotations

from dataclasses import dataclass

from okpca.dictionary import Halt
from okpca.model.budget.base import Budget
from okpca.model.state import Model


@dataclass(frozen=True)
class Project(Budget):
    """Nobody joins any more: every later row is projected on the span."""

    references = ()
    names = ("project",)

    def halt(self, model: Model) -> Halt | None:
        return None

    def relieved(self, model: Model) -> Model:
        return model
