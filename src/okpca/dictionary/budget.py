"""What happens when the dictionary is full and a row asks to join."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from okpca.centre import Centre
from okpca.dictionary.basis import Array, Basis
from okpca.dictionary.encoding import Halt
from okpca.numerics import EMPTY, SETTLED


class Living(Protocol):
    """What a budget needs of a model."""

    @property
    def basis(self) -> Basis: ...
    @property
    def centre(self) -> Centre: ...
    @property
    def unrelieved(self) -> float:
        """The weight of the rows since the dictionary was last made smaller."""

    def compressed(self: Model, n_atoms: int) -> Model: ...
    def reduced(self: Model, per_target: int) -> Model: ...
    def without(self: Model, leaving: int) -> Model: ...
    def carried(self) -> Array | None: ...


Model = TypeVar("Model", bound=Living)


@dataclass(frozen=True)
class Budget(ABC):
    max_atoms: int | None = None

    def room(self, m: int) -> int | None:
        """How many atoms may still join; None means any number."""
        return None if self.max_atoms is None else max(self.max_atoms - m, 0)

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
    of all rows that count, or half of them once these are many times the atoms: a stream of n rows
    is compressed O(log n) times, and one with forgetting at a constant rate.
    """

    fraction: float = 0.5
    patience: float = 0.15

    def __post_init__(self) -> None:
        if not 0 < self.fraction <= 1:
            raise ValueError(f"fraction of Compress must lie in (0, 1], got {self.fraction}.")
        if not 0 <= self.patience < 1:
            raise ValueError(f"patience of Compress must lie in [0, 1), got {self.patience}.")

    def halt(self, model: Living, weight: Array) -> Halt | None:
        if len(weight) == 1:  # as below, for rows that come one at a time
            return Halt(int(model.unrelieved < self._wanted(model.centre.weight)))
        # Before each row: the weight since the last time, and the weight of all that counts.
        since = model.unrelieved + np.concatenate([[0.0], np.cumsum(weight[:-1])])
        total = np.concatenate([[model.centre.weight], model.centre.running_weight(weight[:-1])])
        due = since >= self._wanted(total)
        return Halt(start=int(np.argmax(due)) if due.any() else len(weight))

    def _wanted(self, total: Any) -> Any:
        """The weight to wait for. What there is to learn early on is learned by then."""
        late = total > SETTLED * (self.max_atoms or 0)
        return np.where(late, max(self.patience, 0.5), self.patience) * total

    def relieved(self, model: Model) -> Model:
        assert self.max_atoms is not None
        return model.compressed(max(1, int(self.fraction * self.max_atoms)))


@dataclass(frozen=True)
class ReducedSet(Budget):
    """`per_component` pre-images for every component and for the mean, found one after another.

    Chin & Suter's Table I: with r components and p pre-images each, the library is compressed to
    (r + 1) p atoms whenever it exceeds them by the block of the incremental SVD.
    """

    per_component: int = 10

    def check(self, n_components: int | float | None) -> None:
        if not isinstance(n_components, int):
            raise ValueError("ReducedSet needs a whole number of n_components.")
        least = (n_components + 1) * self.per_component + 1
        if self.max_atoms is not None and self.max_atoms < least:
            raise ValueError(
                f"ReducedSet with {n_components} components and {self.per_component} pre-images "
                f"each needs max_atoms >= {least}, got {self.max_atoms}."
            )

    def halt(self, model: Living, weight: Array) -> Halt | None:
        return Halt()

    def relieved(self, model: Model) -> Model:
        return model.reduced(self.per_component)


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
