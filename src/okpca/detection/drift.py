"""Has the stream drifted? What is learned row by row must not be absorbed unseen.

A detector that learns follows a slow drift, and no row is an alarm. So the rows that are learned
are also seen through a *lens* that does not follow: a few components as they were at one row. Every
second row x gives q bounded numbers,

    u_j = y_j / √λ_j, no farther out than ±3, and u_j²,  j = 1 … 5;   SPE / (SPE + its mean)

and all rows after the lens, if the stream stays as it is, are to it rows of one distribution. Means
over blocks of them are nearly normal. Twenty blocks are the reference, the last twenty are today:

    D = max over q of |mean of today − mean of the reference| / (s √(2/20))

with s² the variance of block means about a cubic curve in each of the two, since a drift is no
reason to see less of it. For each number D has a t distribution with 32 degrees of freedom, so at
look k it exceeds the limit by chance with probability ≤ a_k,

    a_k = 7 SHARE / ((k + 32) log₂² (k + 32)),    Σ a_k ≤ SHARE      (a union bound, for ever)

Rows depend on each other. So blocks of the reference are made longer as long as means of neighbours
are correlated. Twenty of them do not always show it, so streams with a memory of a hundred rows are
announced more often than is promised, and those that remember more than `LONGEST` rows, or have so
long a season, cannot be told from streams that drift. A drift that is over before the lens is set
is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from okpca._core.fast_replace import following
from okpca._core.numerics import STILL
from okpca._core.typing import Array, Rows
from okpca.detection.scores import Chart
from okpca.kernels import Kernel

SHARE = 0.01
"""Of all streams that do not drift, those that may ever be announced."""
LEADING = 5
"""Components that are looked at, the leading ones."""
FAR = 3.0
BLOCKS, CURVE = 20, 4
FREEDOM = 2 * (BLOCKS - CURVE)
SHORTEST, LONGEST = 32, 1024
"""Rows in a block. The first is enough for a mean of bounded numbers to be nearly normal."""
EVERY = 2
"""Rows that are learned to one that is looked at: neighbours tell much the same."""
GATHERED = 128
"""Rows that are looked at together, which takes less time."""
ALIKE = 0.2
"""Correlation of neighbours about the curve, the largest of all numbers, above which blocks are
made twice as long. By trial, 3 000 times: it is exceeded where the true correlation of four numbers
is 0.5, or 0.7, in 77 %, or 92 %, and in 25 % for eleven that are independent, which costs nothing
but the time until the first look."""


class Drift(NamedTuple):
    """How far the stream is from what it was, and how far chance would take it."""

    value: float  # D; NaN until there are blocks enough
    limit: float
    since: int | None  # the row of the stream before which it was announced, if it was
    what: str  # the number that has moved most


UNKNOWN = Drift(np.nan, np.inf, None, "")


@dataclass(frozen=True, eq=False)
class Lens:
    """Components and mean at one row, as functions of kernel values."""

    kernel: Kernel
    atoms: Rows
    A: Array  # (r + 1, m): coefficients of u_j, and of the mean
    shift: Array  # ⟨v_j, z̄⟩ / √λ_j, and half of ‖z̄‖²
    variance: Array  # λ_j
    usual: float  # the mean of SPE

    @classmethod
    def of(cls, chart: Chart) -> Lens:
        basis, mean, r = chart.basis, chart.model.centre.mean, min(LEADING, len(chart.V))
        V, variance = chart.V[:r] / np.sqrt(chart.variance[:r, None]), chart.variance[:r]
        A = basis.expansion(np.vstack([V, mean]))
        shift = np.append(V @ mean, 0.5 * mean @ mean)
        total = chart.model.variance / (chart.model.centre.weight or 1.0)
        usual = max(total - float(variance.sum()), np.finfo(float).tiny)
        return cls(basis.kernel, basis.atoms, A, shift, variance, usual)

    def seen(self, X: Array) -> Array:
        """The numbers of every row, (n, q)."""
        K = self.kernel(X, self.atoms) if self.A.shape[1] else np.zeros((len(X), 0))
        Y = K @ self.A.T - self.shift
        U = Y[:, :-1]
        spe = self.kernel.diag(X) - 2.0 * Y[:, -1] - np.square(U) @ self.variance
        spe = np.maximum(spe, 0.0)
        U = np.clip(U, -FAR, FAR)
        return np.column_stack([U, np.square(U), spe / (spe + self.usual)])

    def name(self, number: int) -> str:
        r = len(self.variance)
        if number == 2 * r:
            return "SPE"
        along = f"component {number % r + 1}"
        return along if number < r else f"spread along {along}"


@dataclass(frozen=True, eq=False)
class Drifting:
    wait: int  # rows learned before the lens is set
    n: int = 0  # rows learned so far
    lens: Lens | None = None
    rows: tuple[Array, ...] = ()  # to be looked at
    waiting: int = 0  # how many these are
    size: int = SHORTEST  # of a block
    count: int = 0  # rows in the block that is not whole yet, and
    total: Any = 0.0  # their sum
    reference: Array = field(default_factory=lambda: np.empty((0, 0)))
    today: tuple[Array, ...] = ()  # the last block means
    settled: bool = False  # is the reference whole?
    looks: int = 0
    found: Drift = UNKNOWN

    @property
    def announced(self) -> bool:
        return self.found.since is not None

    def anew(self) -> Drifting:
        return Drifting(self.wait)

    def and_more(self, X: Array) -> Drifting:
        """With rows that are learned; they are looked at together."""
        n = self.n + len(X)
        if self.lens is None:
            return following(self, n=n)
        rows = X[-self.n % EVERY :: EVERY]
        if not len(rows):
            return following(self, n=n)
        return following(self, n=n, rows=(*self.rows, rows), waiting=self.waiting + len(rows))

    def looked(self, chart: Chart, row: int) -> Drifting:
        """At a border, where `row` rows have come."""
        if self.lens is None:
            return self if self.n < self.wait else following(self, lens=Lens.of(chart))
        if self.waiting < GATHERED:
            return self
        numbers = self.lens.seen(np.concatenate(self.rows))
        after = following(self, rows=(), waiting=0)
        while len(numbers):
            missing = after.size - after.count
            part, numbers = numbers[:missing], numbers[missing:]
            count, total = after.count + len(part), after.total + part.sum(axis=0)
            if count == after.size:
                after = following(after, count=0, total=0.0)._with_block(total / count)
            else:
                after = following(after, count=count, total=total)
        new = len(after.today) == BLOCKS and after.today is not self.today
        return after._tested(row) if new else after

    def _with_block(self, mean: Array) -> Drifting:
        if self.settled:
            return following(self, today=(*self.today, mean)[-BLOCKS:])
        reference = np.vstack([self.reference, mean]) if len(self.reference) else mean[None]
        if len(reference) < BLOCKS:
            return following(self, reference=reference)
        if self.size < LONGEST and correlation(reference) > ALIKE:
            longer = 0.5 * (reference[::2] + reference[1::2])
            return following(self, reference=longer, size=2 * self.size)
        return following(self, reference=reference, settled=True)

    def _tested(self, row: int) -> Drifting:
        assert self.lens is not None
        looks = self.looks + 1
        values = distances(self.reference, np.array(self.today))
        most = int(values.argmax())
        value, limit = float(values[most]), limit_at(looks, len(values))
        since = row if self.found.since is None and value > limit else self.found.since
        found = Drift(value, limit, since, self.lens.name(most))
        return following(self, looks=looks, found=found)


def limit_at(look: int, q: int) -> float:
    """What the largest of q numbers exceeds by chance at this look with probability a_k."""
    chance = 7.0 * SHARE / ((look + 32) * np.log2(look + 32) ** 2)
    return -float(stdtrit(FREEDOM, chance / (2 * q)))


def distances(reference: Array, today: Array) -> Array:
    """|difference of means| in standard errors, of every number."""
    squares = sum(np.square(about_curve(means)).sum(axis=0) for means in (reference, today))
    s = np.maximum(np.sqrt(squares / (FREEDOM)), STILL)
    apart = np.abs(today.mean(axis=0) - reference.mean(axis=0))
    return np.asarray(apart / (s * np.sqrt(2 / BLOCKS)))


def about_curve(means: Array) -> Array:
    """What a cubic curve over time leaves of each column."""
    Q = _curves(len(means))
    return np.asarray(means - Q @ (Q.T @ means))


@cache
def _curves(n: int) -> Array:
    """An orthonormal basis of those of n points; there are two numbers of them."""
    return np.asarray(np.linalg.qr(np.vander(np.linspace(-1.0, 1.0, n), CURVE))[0])


def correlation(means: Array) -> float:
    """Of neighbours, the largest of all columns that move."""
    rest = about_curve(means)
    square = np.square(rest).sum(axis=0)
    moving = square > len(means) * STILL**2
    if not moving.any():
        return 0.0
    return float(((rest[1:] * rest[:-1]).sum(axis=0)[moving] / square[moving]).max())
