"""The columns that a stream takes: chosen by the first rows, and held on to."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from okpca._core.typing import Array
from okpca.io.sources.numbers import chosen, refuse_absent, refuse_doubled, some
from okpca.io.sources.tables import Table, as_number


class ChosenColumns:
    """`names` are None before the first rows. Others that come later are told of, and so is a
    column that never has a value: rows of which any may lack a name cannot tell a wrong one."""

    def __init__(self, settings: dict[str, Any], names: list[str] | None) -> None:
        self.names, self._wanted = names, settings["columns"]
        self.carried = [settings[name] for name in ("id", "time") if settings[name] is not None]
        self._last: list[str] | None = None  # names that were looked at
        self._known: set[str] | None = None  # that were there at first
        self._empty: set[int] | None = None  # columns without a value so far

    def of(self, names: list[str], free: bool = False) -> list[str]:
        """Of these names, those that are learned. If names are free a row may have others."""
        if self.names is None:
            return chosen(names, self._wanted, self.carried, free)
        wanted = [*self.names, *self.carried]
        if not free:
            refuse_absent(names, wanted, before=True)
        refuse_doubled(names, wanted)
        return self.names

    def of_table(self, file: str, table: Table) -> list[str]:
        if self.names is not None and table.names is self._last and not table.others:
            return self.names
        self.names, self._last = self.of(table.names, table.free), table.names
        if self._wanted is None:
            self._warn_of_others(file, table)
        return self.names

    def look_at(self, rows: Array) -> None:
        if self._empty is None:
            self._empty = set(range(rows.shape[1]))
        if self._empty and len(rows):
            gap = np.isnan(rows[0])  # a column is looked through only if it begins with one
            self._empty = {j for j in self._empty if gap[j] and np.isnan(rows[:, j]).all()}

    def warn_of_empty(self) -> None:
        if self._empty and self.names is not None:
            empty = some([self.names[j] for j in sorted(self._empty)])
            warnings.warn(f"no row has a value of {empty}: is that its name?", stacklevel=2)

    def _warn_of_others(self, file: str, table: Table) -> None:
        if self._known is None:
            self._known = set(table.names)
            _warn_of_numbers(file, table)
        late = [name for name in (*table.names, *table.others) if name not in self._known]
        if late:
            self._known.update(late)
            text = f"{file}: {some(late)} not there at first, and not taken: choose columns=."
            warnings.warn(text, stacklevel=2)


def _warn_of_numbers(file: str, table: Table) -> None:
    """A first line of numbers may be a row. (0, 1, 2 ... are names, which pandas gives.)"""
    if table.line is None or table.free or not table.named:
        return
    found = [as_number(name, table.decimal) for name in table.names]
    if np.isfinite(np.array(found, dtype=np.float64)).all() and found != [*range(len(found))]:
        warnings.warn(
            f"{file}: the first line is taken for names, and is all numbers: "
            f"{some(table.names)}. If it is a row, say header=False; if not, choose columns=.",
            stacklevel=2,
        )
