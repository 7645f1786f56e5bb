"""What a rule is: linear online PCA on centred rows of ℝᵐ. It never sees a kernel.

A `Rule` is a choice (what the user passes); a `Learner` is what it has learned so far. Learners are
values: `updated` gives a new one, so an interrupted or refused block leaves the old one whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from okpca._core.cited import Cited
from okpca._core.typing import Array
from okpca.rules.schedules import Schedule
from okpca.rules.schedules import make as make_schedule


class Uncentred(NamedTuple):
    """Rows before the mean was taken off."""

    rows: Array  # z_t
    sums: Array  # 1ᵀβ_t, β_t the coefficients of z_t over the atoms


@dataclass(frozen=True, eq=False)
class Centred:
    """Rows ready for a rule."""

    rows: Array  # z_t − z̄_t, or z_t if uncentred
    weight: Array  # w_t
    gain: Array  # g_t: the scatter matrix is Σ w_t g_t c_t c_tᵀ (see `centre_rows`)
    share: Array  # w_t / W_t: the row's part in running averages
    decay: float  # φ, per row
    total: float  # W after the last row
    first: int  # number of the first row in the stream, from 1
    uncentred: Uncentred | None = None  # for rules that want it

    @property
    def root(self) -> Array:
        """√(w_t g_t). The product may overflow: after next to no weight a gain is huge."""
        return np.asarray(np.sqrt(self.weight) * np.sqrt(self.gain))


class Learner(ABC):
    """What a rule has learned so far: a value."""

    @abstractmethod
    def updated(self, block: Centred) -> Learner:
        """After these rows, which are used up; they may have more coordinates than those before."""

    def slot(self, m: int) -> tuple[Learner, Array] | None:
        """Where the next single row may be written as √(w g) c, and the learner to tell of it. The
        place is the caller's alone, and lost if `after_slot` does not follow.

        None where a single row is like any other block.
        """
        return None

    def after_slot(self, decay: float) -> Learner:
        """After the row written into `slot`."""
        raise NotImplementedError

    def with_scatter(self, S: Array) -> Learner | None:
        """With this S in place of its own, for rules that keep nothing but S. It is theirs then."""
        return None

    def grown(self, old: int, m: int) -> Learner:
        """With m coordinates instead of `old`, the new ones all zero."""
        return self.recoded(np.eye(m, old))

    @abstractmethod
    def recoded(self, P: Array) -> Learner:
        """In other coordinates, P v instead of v; what P does not keep is lost."""

    def absorbed(self, other: Learner, P: Array, between: Array) -> Learner:
        """With another learner's rows, its coordinates mapped by P, and the scatter between."""
        raise ValueError(
            f"{type(self).__name__} keeps no moments that could be merged: use rule='exact'."
        )

    def scatter(self) -> Array | None:
        """The scatter matrix S, if the learner keeps it."""
        return None

    def scatter_along(self, directions: Array) -> Array | None:
        """uᵀ S u for each row u, if the learner keeps S."""
        return None

    @property
    def truncation(self) -> tuple[float, float] | None:
        """What the rule itself has left out, as a bound: its energy, and that of its worst
        direction. None for rules that only approach the eigenvectors: nobody knows."""
        return None

    def glimpse(self, n: int, before: Array | None) -> tuple[Array, Array]:
        """Nearly `spectrum(n)`, where it takes less time: enough to tell later components by.
        `before`: components seen earlier, perhaps of fewer coordinates, if they are near."""
        return self.spectrum(n)

    @abstractmethod
    def spectrum(self, n_components: int | None) -> tuple[Array, Array]:
        """Scatter along each component (r,), largest first, and the components (r, m)."""


class Rule(Cited, ABC):
    """A choice of linear online PCA: it makes the learners."""

    names: ClassVar[tuple[str, ...]] = ()
    """Strings that stand for it: `rule="exact"`."""

    repeats: ClassVar[bool] = False
    """True if a row of weight 3 must come three times to count as three."""

    wants_uncentred: ClassVar[bool] = False
    """True if it needs rows as they were before the mean was taken off, too."""

    averages: ClassVar[bool]
    """True if rows enter by weighted sums: the components are free, and may be counted and signed
    when asked for. False if each row is a step: their number and signs are those of the start."""

    schedule: Schedule | float | None = None
    """Its step sizes, if it has any, and"""

    init: Any = None
    """where its components start, if that can be said."""

    def cited_in(self, n_components: int | float | None, center: bool) -> tuple[str, ...]:
        """What to cite for it in a model of so many components, centred or not."""
        return self.cited()

    @classmethod
    def named(cls, name: str) -> Rule:
        """What one of its names stands for."""
        return cls()

    def step_size(self, t: int) -> float:
        """η_t, the row number t counted from 1; NaN for rules that have none."""
        if self.schedule is None:
            return float("nan")
        return float(make_schedule(self.schedule)(np.array([t]))[0])

    @abstractmethod
    def born(self, n_components: int | None, L: Array, rng: np.random.RandomState) -> Learner:
        """A learner that has seen nothing; L is the factor of the first atoms."""

    @abstractmethod
    def continued(
        self, n_components: int | None, scatter: Array, V: Array, weight: float
    ) -> Learner:
        """A learner that goes on from a batch fit of total weight W: all its components that have
        variance, rows of V (unit norm, in coordinates), largest first, and the scatter along each.

        There may be more or fewer of them than `n_components`.
        """
