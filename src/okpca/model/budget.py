"""What happens when the dictionary is full and a row asks to join."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from okpca._core.cited import Cited
from okpca._core.naming import by_name
from okpca._core.numerics import (
    AS_FAR,
    CROWD,
    EARLY_THRIFT,
    EMPTY,
    FREE,
    FREE_OF_MANY,
    LATE_THRIFT,
    MANY,
    ROUNDING,
    SWEEP,
    TIE,
    YOUNG,
)
from okpca._core.typing import Array
from okpca.dictionary import Halt
from okpca.dictionary.placement.reduced_set import Search
from okpca.model.state import Model, next_state
from okpca.model.surgery import cluster, drop, reduce, scatter_of_atoms

OF_PARTS = 3.0
"""So many times the thrift for a stream that is merged with others, each of which has atoms of its
own: as much is kept, in half of the time."""


@dataclass(frozen=True)
class Budget(Cited, ABC):
    """What makes room when `max_atoms`, those of the estimator if None, are there."""

    max_atoms: int | None = field(default=None, kw_only=True)
    names: ClassVar[tuple[str, ...]] = ()  # strings that stand for it

    @property
    def clusters(self) -> bool:
        """Does it need to know which rows every atom stands for?"""
        return False

    def room(self, m: int) -> int | None:
        """How many atoms may still join; None means any number."""
        return None if self.max_atoms is None else max(self.max_atoms - m, 0)

    def check(self, n_components: int | float | None) -> None:  # most have none
        """Refuse what cannot work, before the first row."""

    def is_full(self, m: int) -> bool:
        """Is there no room beside m atoms?"""
        return self.max_atoms is not None and m >= self.max_atoms

    @abstractmethod
    def halt(self, model: Model) -> Halt | None:
        """Which rows must not simply be projected if there is no room? Asked again when the
        dictionary has become full in the middle of a block."""

    @abstractmethod
    def relieved(self, model: Model) -> Model:
        """A full dictionary with room for such a row."""

    def crowd(self, model: Model) -> float:
        """How many must ask to join a dictionary that has been full before any of them does."""
        return 0.0

    def of_parts(self) -> Budget:
        """For one of several streams whose models are merged in the end."""
        return self

    def next_sweep(self, model: Model, n_rows: int) -> int | None:
        """The row of the stream, of those after `n_rows`, after which it looks after the
        dictionary, full or not; None if it never does."""
        return None

    def swept(self, model: Model) -> Model:
        """After such a look."""
        return model


@dataclass(frozen=True)
class Project(Budget):
    """Nobody joins any more: every later row is projected on the span."""

    references: ClassVar[tuple[str, ...]] = ()

    names: ClassVar[tuple[str, ...]] = ("project",)

    def halt(self, model: Model) -> Halt | None:
        return None

    def relieved(self, model: Model) -> Model:
        return model


@dataclass(frozen=True)
class Drop(Budget):
    """The atom nearest to the span of the others makes room, if the newcomer is farther away.

    SubKHA's exchange (Washizawa 2012, as Souza Filho & Diniz describe it): ε²(x) against `alpha`
    times the smallest leave-one-out distance 1 / (K⁻¹)_ii. With forgetting, atoms whose rows are
    forgotten, so that they carry no energy any more, leave before that, without waiting to be
    asked.
    """

    references: ClassVar[tuple[str, ...]] = ("washizawa2012", "souzafilho2017")

    names: ClassVar[tuple[str, ...]] = ("drop",)

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


@dataclass(frozen=True)
class Compress(Budget):
    """Atoms that stand for much the same rows are merged, all move to the mean of their rows, and
    growth goes on (`dictionary.placement.clustering`).

    `free` is the share of the budget that is free after a merge: None for an eighth of up to 125
    atoms and more of more, up to a quarter, since a merge of many costs much. `thrift` makes a
    newcomer wait until the rows it stands for have lost so many times what the last merge cost: the
    larger, the fewer merges. (When rows join is counted in rows, so under a full dictionary a row
    of weight three is not quite that row three times.)

    In the first 40 rows per atom of a stream that nothing is forgotten of, newcomers wait for each
    other, nothing is left free once they are in (unless `free` is given), and they need to have
    lost less.
    """

    references: ClassVar[tuple[str, ...]] = ()

    names: ClassVar[tuple[str, ...]] = ("compress",)

    free: float | None = None
    thrift: float = 1.0

    def __post_init__(self) -> None:
        if self.free is not None and not 0 < self.free < 1:
            raise ValueError(f"free of Compress must lie in (0, 1), got {self.free}.")
        if not self.thrift >= 0:
            raise ValueError(f"thrift of Compress must be >= 0, got {self.thrift}.")

    @property
    def clusters(self) -> bool:
        return self.max_atoms is not None

    def of_parts(self) -> Compress:
        return replace(self, thrift=OF_PARTS * self.thrift)

    def halt(self, model: Model) -> Halt | None:
        return Halt()

    def relieved(self, model: Model) -> Model:
        assert self.max_atoms is not None
        if model.basis.m == 1:
            return model
        share = self.free or min(max(FREE, self.max_atoms / 1000), FREE_OF_MANY)
        free = max(1, int(share * self.max_atoms))
        thrift = self.thrift
        if self._is_young(model):
            thrift *= float(np.clip((self.max_atoms / MANY) ** 3, EARLY_THRIFT, LATE_THRIFT))
            if self.free is None and model.basis.m > self.max_atoms:  # the newcomers are in
                free = 0
        return cluster(model, max(1, self.max_atoms - free), thrift)

    def crowd(self, model: Model) -> float:
        return CROWD * (self.max_atoms or 0) if self._is_young(model) else 0.0

    def _is_young(self, model: Model) -> bool:
        """A model that forgets never is: it has to follow."""
        return model.centre.forgetting == 1.0 and model.n_rows < YOUNG * (self.max_atoms or 0)


@dataclass(frozen=True)
class ReducedSet(Budget):
    """`per_component` pre-images for every component and for the mean, found one after another.

    Chin & Suter's Table I: with r components (`rank`, those kept between updates; `n_components` if
    None) and p pre-images each, the library becomes (r + 1) p atoms. It does so when it is full;
    and, as in the table, after `every` so many rows of the stream, if that is not None, that come
    after the `first` ones: their i, and (r + 1) p if None. A pre-image is the best of `starts`
    searches from atoms, of at most `iterations` steps.
    """

    references: ClassVar[tuple[str, ...]] = ("chin2007", "schoelkopf1999")

    per_component: int = 10
    rank: int | None = None
    every: int | None = field(default=None, kw_only=True)
    first: int | None = field(default=None, kw_only=True)
    starts: int = field(default=Search().starts, kw_only=True)
    iterations: int = field(default=Search().iterations, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("per_component", "rank", "every", "first", "starts", "iterations"):
            value = getattr(self, name)
            whole = isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1
            if not whole and not (value is None and name in ("rank", "every", "first")):
                raise ValueError(f"{name} of ReducedSet must be an integer >= 1, got {value!r}.")

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


@dataclass(frozen=True)
class Slide(Budget):
    """The oldest atom makes room: with ν = 0 the atoms are the last rows that were independent.

    Kashima's bounded memory of past data (his last remark). What the oldest atom carried is
    projected on the others, rather than cut off.
    """

    references: ClassVar[tuple[str, ...]] = ("kashima2001",)

    names: ClassVar[tuple[str, ...]] = ("slide",)

    def halt(self, model: Model) -> Halt | None:
        return Halt()

    def relieved(self, model: Model) -> Model:
        return drop(model, 0)


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
    if on_full not in NAMES:
        raise ValueError(f"on_full must be one of {sorted(NAMES)} or a budget, got {on_full!r}.")
    return NAMES[on_full](max_atoms=max_atoms)


def relieve(model: Model) -> Model:
    """With room made in a full dictionary, if its budget can make any."""
    relieved = model.plan.budget.relieved(model)
    return next_state(relieved, relieved_at=model.n_rows, pace=model.n_rows - model.relieved_at)
