"""What happens when the dictionary is full."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Project:
    """Nobody joins any more: every later row is projected on the span."""

    max_atoms: int | None = None

    def room(self, m: int) -> int | None:
        """How many atoms may still join; None means any number."""
        return None if self.max_atoms is None else max(self.max_atoms - m, 0)


def make(on_full: str, max_atoms: int | None) -> Project:
    if on_full != "project":
        raise ValueError(f"on_full must be 'project', got {on_full!r}.")
    return Project(max_atoms)
