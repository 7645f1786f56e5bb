"""What happens when the dictionary is full and a row asks to join.

This is the registry of budgets: one is its file and one line here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from okpca._core.naming import by_name, looked_up
from okpca.model.budget.base import Budget as Budget
from okpca.model.budget.compress import Compress as Compress
from okpca.model.budget.drop import Drop as Drop
from okpca.model.budget.project import Project as Project
from okpca.model.budget.reduced_set import ReducedSet as ReducedSet
from okpca.model.budget.slide import Slide as Slide
from okpca.model.state import Model, next_state

NAMES: dict[str, type[Budget]] = by_name(globals())


def make(on_full: Any, max_atoms: int | None) -> Budget:
    """Strings are shorthand; an object is taken with the budget of `max_atoms`."""
    if isinstance(on_full, Budget):
        if on_full.max_atoms not in (None, max_atoms):
            raise ValueError(
                f"on_full={on_full!r} names another budget than max_atoms={max_atoms}: give "
                "max_atoms to the model, and leave it out here."
            )
        return replace(on_full, max_atoms=max_atoms)
    return looked_up(NAMES, on_full, "on_full", "a budget")(max_atoms=max_atoms)


def relieve(model: Model) -> Model:
    """With room made in a full dictionary, if its budget can make any."""
    relieved = model.plan.budget.relieved(model)
    return next_state(relieved, relieved_at=model.n_rows, pace=model.n_rows - model.relieved_at)
