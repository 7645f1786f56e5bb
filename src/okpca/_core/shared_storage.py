"""Who may write at the end of storage that several values share.

Values that grow from one another share storage: writing beyond the end of the older ones does not
disturb them. Two that have the same end must not both write there, whichever threads they live in.
"""

from __future__ import annotations


class End:
    """One of those who see the end at n may claim it, write, and move it. It stays claimed if that
    is never done, so an interrupted one costs a copy and nothing else."""

    def __init__(self, n: int) -> None:
        self._open = {n}

    def claimed(self, n: int) -> bool:
        """True for one caller in all: removing from a set is atomic."""
        try:
            self._open.remove(n)
        except KeyError:
            return False
        return True

    def moved(self, n: int) -> None:
        self._open.add(n)
