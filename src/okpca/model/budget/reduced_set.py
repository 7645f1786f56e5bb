"""Pre-images of the components and of the mean instead of atoms: Chin & Suter's Table I."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral

from okpca._core.number_checks import checked_count
from okpca.dictionary import Halt
from okpca.dictionary.placement.reduced_set import Search
from okpca.model.budget.base import Budget
from okpca.model.state import Model
from okpca.model.surgery import reduce


@dataclass(frozen=True)
class ReducedSet(Budget):
    """`per_component` pre-images for every component and for the mean, found one after another.

    Chin & Suter's Table I: with r components (`rank`, those kept between updates; `n_components` if
    None) and p pre-images each, the library becomes (r + 1) p atoms. It does so when it is full;
    and, as in the table, after `every` so many rows of the stream, if that is not None, that come
    after the `first` ones: their i, and (r + 1) p if None. A pre-image is the best of `starts`
    searches from atoms, of at most `iterations` steps.
    """

    references = ("chin2007", "schoelkopf1999")

    per_component: int = 10
    rank: int | None = None
    every: int | None = field(default=None, kw_only=True)
    first: int | None = field(default=None, kw_only=True)
    starts: int = field(default=Search().starts, kw_only=True)
    iterations: int = field(default=Search().iterations, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("per_component", "rank", "every", "first", "starts", "iterations"):
            value = getattr(self, name)
            if value is not None or name not in ("rank", "every", "first"):
                checked_count("ReducedSet", name, value, 1)

    def check(self, n_components: int | float | None) -> None:
        rank = self.rank or n_components
        if not isinstance(rank, Integral):
            raise ValueError("ReducedSet needs a whole number of n_components.")
        least = (rank + 1) * self.per_component + 1
        if self.max_atoms is not None and self.max_atoms < least:
            raise ValueError(
                f"ReducedSet with {rank} components and {self.per_component} pre-images "
                f"each needs max_atoms >= {least}, got {self.max_atoms}."
            )

    def halt(self, model: Model) -> Halt | None:
        return Halt()

    def relieved(self, model: Model) -> Model:
        search = Search(self.starts, self.iterations)
        return reduce(model, self.per_component, self.rank, search)

    def next_sweep(self, model: Model, n_rows: int) -> int | None:
        if self.every is None:
            return None
        rank = self.rank or model.plan.max_components or 0
        first = self.first or (rank + 1) * self.per_component
        return first + max((n_rows - first) // self.every + 1, 1) * self.every

    def swept(self, model: Model) -> Model:
        return self.relieved(model)
