"""What happens when the dictionary is full and a row asks to join."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from okpca.centre import Centre
from okpca.dictionary.basis import Array, Basis
from okpca.dictionary.encoding import Halt
from okpca.numerics import EMPTY, RESTLESS, SETTLED


class Living(Protocol):
    """What a budget needs of a model."""

    @property
    def basis(self) -> Basis: ...
    @property
    def centre(self) -> Centre: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def nominal(self) -> float:
        """The weight of all rows that count, as it was given."""

    def nominal_after(self, weight: Array) -> Array:
        """The same after each of the coming rows."""

    @property
    def unrelieved(self) -> float:
        """The weight of the rows since the dictionary was last made smaller."""

    def compressed(self: Model, n_atoms: int) -> Model: ...
    def reduced(self: Model, per_target: int, rank: int | None) -> Model: ...
    def without(self: Model, leaving: int) -> Model: ...
    def carried(self) -> Array | None: ...


Model = TypeVar("Model", bound=Living)


@dataclass(frozen=True)
class Budget(ABC):
    max_atoms: int | None = None

    def room(self, m: int) -> int | None:
        """How many atoms may still join; None means any number."""
        return None if self.max_atoms is None else max(self.max_atoms - m, 0)

    @property
    def kept(self) -> int:
        """The atoms left of two dictionaries that exceed the budget together."""
        assert self.max_atoms is not None
        return self.max_atoms

    def check(self, n_components: int | float | None) -> None:  # noqa: B027  # most have none
        """Refuse what cannot work, before the first row."""

    def is_full(self, m: int) -> bool:
        return self.max_atoms is not None and m >= self.max_atoms

    @abstractmethod
    def halt(self, model: Living, weight: Array) -> Halt | None:
        """Which of the coming rows, of these weights, must not simply be projected if there is no
        room? Asked again when the dictionary has become full in the middle of a block."""

    @abstractmethod
    def relieved(self, model: Model) -> Model:
        """A full dictionary with room for such a row."""

    def sweeps(self, model: Living) -> bool:
        """Does it look after the dictionary every `SWEEP` rows of the stream?"""
        return False

    def swept(self, model: Model) -> Model:
        """After such a look."""
        return model


@dataclass(frozen=True)
class Project(Budget):
    """Nobody joins any more: every later row is projected on the span."""

    def halt(self, model: Living, weight: Array) -> Halt | None:
        return None

    def relieved(self, model: Model) -> Model:
        return model


@dataclass(frozen=True)
class Drop(Budget):
    """The atom nearest to the span of the others makes room, if the newcomer is farther away.

    SubKHA's exchange (Washizawa 2012, as Souza Filho & Diniz describe it): ε²(x) against α times
    the smallest leave-one-out distance 1 / (K⁻¹)_ii. With forgetting, atoms whose rows are
    forgotten, so that they carry no energy any more, leave before that, without waiting to be
    asked.
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        if not self.alpha >= 0:
            raise ValueError(f"alpha of Drop must be >= 0, got {self.alpha}.")

    def halt(self, model: Living, weight: Array) -> Halt | None:
        # A property of the atoms alone, so it does not matter where a block ends.
        if not self.is_full(model.basis.m):
            return Halt()
        return Halt(distance=self.alpha * float(model.basis.leave_one_out.min()))

    def relieved(self, model: Model) -> Model:
        return model.without(_smallest(model.basis.leave_one_out))

    def sweeps(self, model: Living) -> bool:
        return model.centre.forgetting < 1.0

    def swept(self, model: Model) -> Model:
        while model.basis.m > 1:
            carried = model.carried()
            if carried is None or carried.min() >= EMPTY * carried.mean():
                break
            model = model.without(_smallest(carried))
        return model


def _smallest(values: Array) -> int:
    """The first of those that are smallest up to rounding: a tie must not depend on it."""
    return int(np.argmax(values <= values.min() * (1 + 1e-9)))


@dataclass(frozen=True)
class Compress(Budget):
    """All atoms are moved at once, into `fraction` of the budget, and growth goes on.

    Between two times the dictionary stays full until the rows since the last time weigh `patience`
    of all rows that count: newcomers that few rows have met would only be lost again. At first that
    is short, since every time lets more rows be tried as atoms. Once all rows are `SETTLED` times
    the budget there is less to gain, and the wait is half of them; but never more than `RESTLESS`
    rows per atom of the budget, so that a long stream goes on at an even pace and what is new in it
    is not kept waiting. Each time costs as much as 15 to 25 rows per atom. (A row of weight three
    is that row three times, as long as its time does not come between the copies.)
    """

    fraction: float = 0.5
    patience: float = 0.15

    def __post_init__(self) -> None:
        if not 0 < self.fraction <= 1:
            raise ValueError(f"fraction of Compress must lie in (0, 1], got {self.fraction}.")
        if not 0 <= self.patience < 1:
            raise ValueError(f"patience of Compress must lie in [0, 1), got {self.patience}.")

    def halt(self, model: Living, weight: Array) -> Halt | None:
        decay, before = model.centre.forgetting, model.n_rows
        if len(weight) == 1:  # as below, for rows that come one at a time
            return Halt(int(model.unrelieved < self._wanted(model.nominal, before, decay)))
        # Before each row: the weight since the last time, and the weight of all that counts.
        since = model.unrelieved + np.concatenate([[0.0], np.cumsum(weight[:-1])])
        running = model.nominal_after(weight[:-1])
        total = np.concatenate([[model.nominal], running])
        due = since >= self._wanted(total, np.arange(before, before + len(weight)), decay)
        return Halt(start=int(np.argmax(due)) if due.any() else len(weight))

    def _wanted(self, total: Any, n_rows: Any, decay: float) -> Any:
        """The weight to wait for. What there is to learn early on is learned by then."""
        atoms = self.max_atoms or 0
        share = np.where(total > SETTLED * atoms, max(self.patience, 0.5), self.patience)
        if decay == 1.0:  # otherwise what counts is bounded, and so is the wait
            share = np.minimum(share, RESTLESS * atoms / np.maximum(n_rows, 1))
        return (1 - 1e-9) * share * total  # a tie must not depend on the last digit

    @property
    def kept(self) -> int:
        assert self.max_atoms is not None
        return max(1, int(self.fraction * self.max_atoms))

    def relieved(self, model: Model) -> Model:
        return model.compressed(self.kept)


@dataclass(frozen=True)
class ReducedSet(Budget):
    """`per_component` pre-images for every component and for the mean, found one after another.

    Chin & Suter's Table I: with r components and p pre-images each, the library is compressed to
    (r + 1) p atoms whenever it exceeds them by the block of the incremental SVD.
    """

    per_component: int = 10
    rank: int | None = None  # their r, the components kept between updates; None: n_components

    def check(self, n_components: int | float | None) -> None:
        rank = self.rank or n_components
        if not isinstance(rank, int):
            raise ValueError("ReducedSet needs a whole number of n_components.")
        least = (rank + 1) * self.per_component + 1
        if self.max_atoms is not None and self.max_atoms < least:
            raise ValueError(
                f"ReducedSet with {rank} components and {self.per_component} pre-images "
                f"each needs max_atoms >= {least}, got {self.max_atoms}."
            )

    def halt(self, model: Living, weight: Array) -> Halt | None:
        return Halt()

    def relieved(self, model: Model) -> Model:
        return model.reduced(self.per_component, self.rank)


@dataclass(frozen=True)
class Slide(Budget):
    """The oldest atom makes room: with ν = 0 the atoms are the last rows that were independent.

    Kashima's bounded memory of past data (his last remark). What the oldest atom carried is
    projected on the others, rather than cut off.
    """

    def halt(self, model: Living, weight: Array) -> Halt | None:
        return Halt()

    def relieved(self, model: Model) -> Model:
        return model.without(0)


NAMES = {"project": Project, "drop": Drop, "compress": Compress, "slide": Slide}


def make(on_full: Any, max_atoms: int | None) -> Budget:
    """Strings are shorthand; an object is taken with the budget of `max_atoms`."""
    if isinstance(on_full, Budget):
        from dataclasses import replace

        return replace(on_full, max_atoms=max_atoms)
    if on_full not in NAMES:
        raise ValueError(f"on_full must be one of {sorted(NAMES)} or a budget, got {on_full!r}.")
    budget: Budget = NAMES[on_full](max_atoms)
    return budget
