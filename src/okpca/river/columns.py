"""Rows of a River stream are dicts, whose features come and go; a model has columns.

- A feature gets a column when it is first learned, those that come together in the order of their
  names, so that the order of a dict does not matter.
- A feature that a row does not have is 0 in it (`absent="zero"`), as in River's linear models. So
  the column of one that appears was 0 so far, which changes nothing learned: a kernel is the same
  without a column where both rows are 0 (`Trait.ANY_COLUMNS`). Columns are kept for such features
  from the first row on, until there are `max_features`; those beyond are left out.
- Or it is a value that is missing (`absent="missing"`), and the model does about it what its
  `missing` says. Then features that no row had so far cannot join: they are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from okpca._core.cached import derived
from okpca._core.missing_values import REMEDIES
from okpca._core.typing import Array

Features: TypeAlias = Mapping[Hashable, Any]


@dataclass(frozen=True, eq=False)
class Columns:
    """A value: which feature is in which column, and how many columns there are."""

    names: tuple[Hashable, ...]
    width: int
    absent: float  # 0, or NaN

    @classmethod
    def of_first(cls, features: Iterable[Hashable], width: int, absent: float) -> Columns:
        """For these, as far as there is room, and for those that join them."""
        return cls(in_order(features)[:width], width, absent)

    def and_more(self, features: Iterable[Hashable]) -> Columns:
        """With those that are new, as far as there is room."""
        new = in_order(set(features).difference(self.names))
        names = self.names + new[: self.width - len(self.names)]
        return self if len(names) == len(self.names) else Columns(names, self.width, self.absent)

    def taking(self, x: Features) -> tuple[Columns, Array]:
        """The row of a dict, (1, width), and the columns it is in: new features have theirs."""
        refuse_no_dict(x)
        row, n = np.zeros((1, self.width)), len(self.names)
        try:
            if len(x) == n:
                row[0, :n] = self._all(x)
                return self, row
        except KeyError:
            pass
        except (TypeError, ValueError):
            raise self.blamed(x) from None
        columns = self.and_more(x)
        try:
            row[0, : len(columns.names)] = [x.get(name, self.absent) for name in columns.names]
        except (TypeError, ValueError):
            raise columns.blamed(x) from None
        return columns, row

    def rows(self, features: list[Hashable], values: Array) -> Array:
        """The rows of a table, whose columns are features, (n, width)."""
        out = np.zeros((len(values), self.width))
        at = {feature: column for column, feature in enumerate(features)}
        for column, name in enumerate(self.names):
            out[:, column] = values[:, at[name]] if name in at else self.absent
        return out

    @derived
    def _all(self) -> Callable[[Features], Any]:
        return itemgetter(*self.names) if self.names else lambda x: ()

    def __getstate__(self) -> dict[str, Any]:
        return {"names": self.names, "width": self.width, "absent": self.absent}

    def blamed(self, x: Features) -> ValueError:
        """What is wrong with a row that cannot be taken."""
        values = {name: x.get(name, self.absent) for name in self.names}
        numbers = {name: _number(value) for name, value in values.items()}
        for name, number in numbers.items():
            if number is None:
                return ValueError(
                    f"feature {name!r} is {values[name]!r}, which is no number: select those that "
                    "are, compose.SelectType(numbers.Number) | ..., or encode it before."
                )
        for name, number in numbers.items():
            if number is not None and np.isinf(number):
                return ValueError(f"feature {name!r} is {values[name]}: leave such rows out.")
        gap = next(name for name, number in numbers.items() if number != number)
        which = f"is {values[gap]!r}" if gap in x else "is not there"
        return ValueError(f"feature {gap!r} {which}. {REMEDIES}")


def refuse_no_dict(x: Any) -> None:
    if not isinstance(x, Mapping):
        raise TypeError(
            f"a row is a dict of its features, {{'a': 1.0, 'b': 2.5}}, got {x!r:.60}: for arrays "
            "there are okpca.OnlineKernelPCA and okpca.KernelNoveltyDetector."
        )


def in_order(features: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """By name; features may be of types that cannot be compared."""
    return tuple(sorted(features, key=lambda name: (type(name).__name__, str(name))))


def _number(value: Any) -> float | None:
    if value is None:
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
