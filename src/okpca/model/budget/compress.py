"""Atoms that stand for much the same rows are merged: `dictionary.placement.clustering`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from okpca.dictionary import Halt
from okpca.model.budget.base import Budget
from okpca.model.state import Model
from okpca.model.surgery import cluster

FREE = 1 / 8
"""The share of a budget that is free after atoms were merged for the first time."""

YOUNG, YOUNG_AT_MOST, YOUNG_OF_MANY = 40, 2000, 10
"""A stream of fewer rows per atom of the budget is young, and no longer after 2000 rows, or ten per
atom: nearly everything in it is new, and to wait for many newcomers keeps nobody waiting long."""

CROWD, ENOUGH, OF_MANY = 1.5, 75, 0.25
"""In a young stream those that ask to join wait until they are 1.5 times the budget, and join
together: all of the budget is in use, and merging costs no more for each of them. 75 are enough, or
a quarter of 300 atoms and more: what is new is not to wait for hundreds."""

LATE_CROWD, LATE_ATOMS = (1 / 12, 1 / 4), 800
"""Later a smaller share of the budget is worth merging for, the atoms over 800, between these: what
is new in a long stream is not to be kept waiting, and merging many atoms takes long."""

OF_MEMORY = 1 / 16
"""Nor a larger share of the rows that a model remembers: one that forgets has to follow."""

EARLY_THRIFT, LATE_THRIFT = 0.2, 2.0
"""The price of an atom in a young stream, in costs of the last merge: between these."""

MANY = 240
"""It is the cube of the atoms over this number, as the time that merging takes."""

OF_PARTS = 3.0
"""So many times the thrift for a stream that is merged with others, each of which has atoms of its
own: as much is kept, in half of the time."""

YOUNG_OF_TWO, YOUNG_OF_MORE = 3.0, 5.0
"""And so many times while it is young, of two streams or of four and more. One of two is so long
that it must not be slow to take in what begins in its midst, where rows are sorted."""


@dataclass(frozen=True)
class Compress(Budget):
    """Atoms that stand for much the same rows are merged, all move to the mean of their rows, and
    growth goes on (`dictionary.placement.clustering`).

    Newcomers wait until they are a twelfth of the budget, a quarter of 200 atoms and more (or, with
    forgetting, a sixteenth of the rows that count), join together, and as many are merged, so that
    all of the budget is in use.
    With `free`, that share of it is free after a merge, newcomers wait for nobody, and less is
    kept. (When a dictionary is full for the first time, an eighth is set free.) `thrift` makes a
    newcomer wait until the rows it stands for have lost so many times what the last merge cost: the
    larger, the fewer merges; `early` makes that more, or less, while a stream is young. (When rows
    join is counted in rows, so under a full dictionary a row of weight three is not quite that row
    three times.)

    In the first 40 rows per atom, but no more than 2000 or ten per atom (whichever is more), of a
    stream that nothing is forgotten of, more newcomers wait for each other, and need to have lost
    less, unless there are 240 atoms or more; whoever looks at the model meanwhile sees it as it
    were if they joined now (`model.waiting_rows`), which costs what a merge does. What rows lost
    before is given back as far as it is known when atoms join (`model.moment_correction`).
    """

    references: ClassVar[tuple[str, ...]] = ()

    names: ClassVar[tuple[str, ...]] = ("compress",)

    free: float | None = None
    thrift: float = 1.0
    early: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        if self.free is not None and not 0 < self.free < 1:
            raise ValueError(f"free of Compress must lie in (0, 1), got {self.free}.")
        if not self.thrift >= 0:
            raise ValueError(f"thrift of Compress must be >= 0, got {self.thrift}.")
        if not self.early > 0:
            raise ValueError(f"early of Compress must be > 0, got {self.early}.")

    @property
    def clusters(self) -> bool:
        return self.max_atoms is not None

    def of_parts(self, n: int) -> Compress:
        if n == 1:
            return self
        young = float(np.interp(np.log2(n), [1, 2], [YOUNG_OF_TWO, YOUNG_OF_MORE]))
        early = young / OF_PARTS * self.early
        return replace(self, thrift=OF_PARTS * self.thrift, early=early)

    def halt(self, model: Model) -> Halt | None:
        return Halt()

    def relieved(self, model: Model) -> Model:
        aim = self.aim(model.basis.m, model.n_rows, model.centre.forgetting)
        return model if aim is None or model.basis.m == 1 else cluster(model, *aim)

    def aim(self, m: int, n_rows: int, forgetting: float) -> tuple[int, float] | None:
        if self.max_atoms is None:
            return None
        free = max(1, int((self.free or FREE) * self.max_atoms))
        thrift = self.thrift
        if n_rows < self.youth(forgetting):
            usual = float(np.clip((self.max_atoms / MANY) ** 3, EARLY_THRIFT, LATE_THRIFT))
            thrift *= self.early * usual
        if self.free is None and m > self.max_atoms:  # the newcomers are in
            free = 0
        return max(1, self.max_atoms - free), thrift

    def crowd(self, n_rows: int, forgetting: float) -> float:
        m = self.max_atoms or 0
        if n_rows < self.youth(forgetting):
            return min(CROWD * m, max(ENOUGH, OF_MANY * m))
        if self.free is not None:
            return 0.0
        least, most = LATE_CROWD
        late = min(max(m / LATE_ATOMS, least), most) * m
        return late if forgetting == 1.0 else min(late, OF_MEMORY / (1.0 - forgetting))

    def youth(self, forgetting: float) -> int:
        """A model that forgets is never young: it has to follow."""
        m = self.max_atoms or 0
        return max(min(YOUNG * m, YOUNG_AT_MOST), YOUNG_OF_MANY * m) if forgetting == 1.0 else 0
