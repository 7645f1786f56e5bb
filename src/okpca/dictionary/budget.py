"""What happens when the dictionary is full and a row asks to join."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from okpca.centre import Centre
from okpca.dictionary.basis import Array, Basis
from okpca.dictionary.encoding import Halt
from okpca.numerics import EMPTY


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


@dataclass(frozen=True)
class Project(Budget):
    """Nobody joins any more: every later row is projected on the span."""

    def halt(self, model: Living, weight: Array) -> Halt | None:
        return None

    def relieved(self, model: Model) -> Model:
        return model


@dataclass(frozen=True)
class Drop(Budget):
    """The atom nearest to the span of the others goes, if the newcomer is farther than α times.

    SubKHA's exchange (Washizawa 2012, as Souza Filho & Diniz describe it): squared leave-one-out
    distances 1 / (K⁻¹)_ii against α times ε²(x). An atom that no longer carries energy, because its
    rows are forgotten, goes before all others and whatever the newcomer.
    """

    alpha: float = 1.0

    def halt(self, model: Living, weight: Array) -> Halt | None:
        return Halt(distance=self._leaving(model)[1] if self.is_full(model.basis.m) else 0.0)

    def relieved(self, model: Model) -> Model:
        return model.without(self._leaving(model)[0])

    def _leaving(self, model: Living) -> tuple[int, float]:
        """Who goes next, and the distance that a newcomer must exceed."""
        carried = model.carried()
        if carried is not None and carried.min() < EMPTY * carried.mean():
            return int(np.argmin(carried)), 0.0
        distance = model.basis.leave_one_out
        nearest = int(np.argmin(distance))
        return nearest, self.alpha * float(distance[nearest])


@dataclass(frozen=True)
class Compress(Budget):
    """All atoms are moved at once, into `fraction` of the budget, and growth goes on.

    Between two times the dictionary stays full until the rows since the last time weigh `patience`
    of all rows that count: a stream of n rows is compressed O(log n) times, and one with forgetting
    at a constant rate.
    """

    fraction: float = 0.5
    patience: float = 0.1

    def halt(self, model: Living, weight: Array) -> Halt | None:
        if len(weight) == 1:  # as below, for rows that come one at a time
            return Halt(int(model.unrelieved < self.patience * model.centre.weight))
        # Before each row: the weight since the last time, and the weight of all that counts.
        since = model.unrelieved + np.concatenate([[0.0], np.cumsum(weight[:-1])])
        total = np.concatenate([[model.centre.weight], model.centre.running_weight(weight[:-1])])
        due = since >= self.patience * total
        return Halt(start=int(np.argmax(due)) if due.any() else len(weight))

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


NAMES = {"project": Project, "drop": Drop, "compress": Compress}


def make(on_full: Any, max_atoms: int | None) -> Budget:
    """Strings are shorthand; an object is taken with the budget of `max_atoms`."""
    if isinstance(on_full, Budget):
        from dataclasses import replace

        return replace(on_full, max_atoms=max_atoms)
    if on_full not in NAMES:
        raise ValueError(f"on_full must be one of {sorted(NAMES)} or a budget, got {on_full!r}.")
    budget: Budget = NAMES[on_full](max_atoms)
    return budget
