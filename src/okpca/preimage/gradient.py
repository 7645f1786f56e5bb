"""Descent on ‖φ(x) − g‖² (Honeine 5.3), for every kernel that has a gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.number_checks import checked_count, checked_number
from okpca._core.typing import Array, Flags, Index
from okpca.kernels.base import Trait
from okpca.preimage.base import PreImage, refuse_without_gradient
from okpca.preimage.descent import Problem, descend
from okpca.preimage.target import Target

BLOCK = 128  # rows at a time where the slope of κ(x, x) needs a matrix of their square


@dataclass(frozen=True)
class Gradient(PreImage):
    """Spectral gradient descent, see :mod:`okpca.preimage.descent`.

    max_iter: at most this many steps.
    tol: a step shorter than this share of the spread of the atoms is the last.
    """

    references = ("honeine2012",)
    names = ("gradient",)

    max_iter: int = 300
    tol: float = 1e-6

    def __post_init__(self) -> None:
        checked_count("Gradient", "max_iter", self.max_iter, 1)
        checked_number("Gradient", "tol", self.tol)

    def find(self, target: Target, start: Array | None) -> tuple[Array, Flags]:
        refuse_without_gradient(self, target.basis.kernel)
        begin = target.start() if start is None else start
        return guarded(target, begin, self.max_iter, self.tol)


def guarded(
    target: Target, start: Array, max_iter: int, tol: float, non_negative: bool = False
) -> tuple[Array, Flags]:
    """Descent; where it ends at an image that has nothing of g, once more from the nearest atom.

    Far from all atoms a kernel such as the Gaussian has no slope to follow.
    """
    everything = np.arange(len(start))
    X, converged = descend_parts(target, start, everything, max_iter, tol, non_negative)
    again = np.flatnonzero(target.misses(X))
    if len(again):
        begin = target.atom(0, again)
        begin = np.maximum(begin, 0.0) if non_negative else begin
        X[again], converged[again] = descend_parts(
            target, begin, again, max_iter, tol, non_negative
        )
        converged[again] &= ~target.misses(X[again], again)
    return X, converged


def descend_parts(
    target: Target, start: Array, which: Index, max_iter: int, tol: float, non_negative: bool
) -> tuple[Array, Flags]:
    """From `start`, one row for each of the targets `which`."""
    n, units = len(start), target.basis.kernel.units
    size = n if Trait.CONSTANT_NORM in target.basis.kernel.traits else BLOCK
    X, converged = np.empty_like(start), np.zeros(n, dtype=bool)
    for first in range(0, n, max(size, 1)):
        part = slice(first, first + size)
        problem = _problem(target, which[part], non_negative)
        with np.errstate(all="ignore"):  # a step too far is taken back
            found, converged[part] = descend(problem, start[part] / units, max_iter, tol)
        X[part] = found * units
    return X, converged


def _problem(target: Target, which: Index, non_negative: bool) -> Problem:
    """Of these targets, in the kernel's units."""
    units = target.basis.kernel.units

    def value(x: Array, rows: Index) -> Array:
        return target.half_distance(x * units, which[rows])

    def slope(x: Array, rows: Index) -> Array:
        return np.asarray(target.slope(x * units, which[rows]) * units)

    return Problem(value, slope, target.reach, non_negative)
