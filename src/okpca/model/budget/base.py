"""A budget: which rows may not simply be projected by a full dictionary, and who makes room."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from okpca._core.cited import Cited
from okpca.dictionary import Halt
from okpca.model.state import Model


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

    def crowd(self, n_rows: int, forgetting: float) -> float:
        """How many must ask to join a dictionary that has been full before any of them does."""
        return 0.0

    def youth(self, forgetting: float) -> int:
        """For so many rows it is another number than later."""
        return 0

    def aim(self, m: int, n_rows: int, forgetting: float) -> tuple[int, float] | None:
        """How many of m atoms are to be left after so many rows by clustering them, and how thrifty
        it is then; None if it does something else."""
        return None

    def of_parts(self, n: int) -> Budget:
        """For one of n streams whose models are merged in the end."""
        return self

    def next_sweep(self, model: Model, n_rows: int) -> int | None:
        """The row of the stream, of those after `n_rows`, after which it looks after the
        dictionary, full or not; None if it never does."""
        return None

    def swept(self, model: Model) -> Model:
        """After such a look."""
        return model
