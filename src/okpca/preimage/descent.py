"""Gradient descent on many rows at once, each with steps of its own.

Spectral projected gradient (Birgin, Martínez & Raydan 2000) with the averaged reference value of
Zhang & Hager (2004):

    p = P(x − a s) − x,    x ← x + t p,    t = 1, ½, ¼, … until f(x + t p) ≤ c + 1e-4 t s·p

s is the slope, P sets what is negative to zero (or does nothing), a = Δx·Δx / Δx·Δs the step of
Barzilai and Borwein, and c a running average of f.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from okpca._core.numerics import HUGE
from okpca._core.typing import Array, Flags, Index
from okpca.preimage.target import norms

ARMIJO = 1e-4
MEMORY = 0.85  # of the running average; 0 would make every step go down
FIRST = 0.1  # length of the first step, in units of the reach
LONGEST = 1e10  # likewise, before projection: what it blocks does not count


@dataclass(frozen=True, eq=False)
class Problem:
    value: Callable[[Array, Index], Array]
    slope: Callable[[Array, Index], Array]
    reach: float  # unit of length; no step is longer
    non_negative: bool = False

    def direction(self, x: Array, slope: Array, a: Array) -> Array:
        a = np.minimum(a, LONGEST * self.reach / _positive(norms(slope)))
        p = -a[:, None] * slope
        if self.non_negative:
            p = np.maximum(x + p, 0.0) - x
        return np.asarray(p * np.minimum(1.0, self.reach / _positive(norms(p)))[:, None])


@dataclass(eq=False)
class State:
    """Rows that are still moving."""

    rows: Index  # which they are
    x: Array
    f: Array  # value at x
    s: Array  # slope at x
    p: Array  # where to
    t: Array  # how much of it
    c: Array  # reference value
    q: Array  # its weight

    @classmethod
    def at(cls, problem: Problem, X: Array) -> State:
        rows, one = np.arange(len(X)), np.ones(len(X))
        f, s = problem.value(X, rows), problem.slope(X, rows)
        a = FIRST * problem.reach / _positive(norms(s))
        return cls(rows, X.copy(), f, s, problem.direction(X, s, a), one, f.copy(), one.copy())

    def only(self, mask: Flags) -> State:
        return State(*(value[mask] for value in vars(self).values()))

    def step(self, problem: Problem) -> None:
        """Every row either moves and turns, or halves its step."""
        new = self.x + self.t[:, None] * self.p
        f_new = problem.value(new, self.rows)
        goal = self.c + ARMIJO * self.t * np.einsum("ij,ij->i", self.s, self.p)
        took = f_new <= goal  # False, too, where it is NaN
        self.t = np.where(took, 1.0, 0.5 * self.t)
        if not took.any():
            return
        x, f = new[took], f_new[took]
        s = problem.slope(x, self.rows[took])
        a = _spectral(x - self.x[took], s - self.s[took])
        self.x[took], self.f[took], self.s[took] = x, f, s
        self.p[took] = problem.direction(x, s, a)
        old = MEMORY * self.q[took]
        self.q[took] = old + 1.0
        self.c[took] = (old * self.c[took] + f) / self.q[took]


def descend(problem: Problem, X: Array, max_iter: int, tol: float) -> tuple[Array, Flags]:
    """Until the next step is shorter than tol × reach; the best point seen on the way."""
    state = State.at(problem, X)
    best, best_f = X.copy(), state.f.copy()
    converged = np.zeros(len(X), dtype=bool)
    for step in range(max_iter + 1):
        moving = state.t * norms(state.p) > tol * problem.reach
        alive = np.isfinite(state.f) & np.isfinite(state.s).all(axis=1)
        converged[state.rows[alive & ~moving]] = True
        state = state.only(alive & moving)
        if step == max_iter or not len(state.rows):
            break
        state.step(problem)
        better = state.f < best_f[state.rows]
        best[state.rows[better]] = state.x[better]
        best_f[state.rows[better]] = state.f[better]
    return best, converged


def _spectral(moved: Array, change: Array) -> Array:
    """The step that a parabola through the last two slopes suggests; very long if it opens down."""
    curvature = np.einsum("ij,ij->i", moved, change)
    square = np.einsum("ij,ij->i", moved, moved)
    longest = np.full(len(moved), HUGE)
    return np.asarray(np.divide(square, curvature, out=longest, where=curvature > 0))


def _positive(x: Array) -> Array:
    return np.where(x > 0, x, 1.0)
