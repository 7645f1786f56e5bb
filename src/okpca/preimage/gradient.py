"""Descent on ‖φ(x) − g‖² (Honeine 5.3), for every kernel that has a gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from okpca.preimage.base import (
    PreImage,
    checked_count,
    checked_number,
    refuse_without_gradient,
)
from okpca.preimage.descent import Problem, descend
from okpca.preimage.kinds import has_constant_norm
from okpca.preimage.target import Array, Flags, Indices, Target

BLOCK = 128  # rows at a time where the slope of κ(x, x) needs a matrix of their square


@dataclass(frozen=True)
class Gradient(PreImage):
    """Spectral gradient descent, see :mod:`okpca.preimage.descent`.

    max_iter: at most this many steps.
    tol: a step shorter than this share of the spread of the atoms is the last.
    """

    max_iter: int = 300
    tol: float = 1e-6

    def __post_init__(self) -> None:
        checked_count("Gradient", "max_iter", self.max_iter, 1)
        checked_number("Gradient", "tol", self.tol)

    def find(self, target: Target, start: Array | None) -> tuple[Array, Flags]:
        refuse_without_gradient(self, target.basis.kernel)
        begin = target.start() if start is None else start
        return in_blocks(target, begin, self.max_iter, self.tol)


def in_blocks(
    target: Target, start: Array, max_iter: int, tol: float, non_negative: bool = False
) -> tuple[Array, Flags]:
    n = len(start)
    size = n if has_constant_norm(target.basis.kernel) else BLOCK
    X, converged = np.empty_like(start), np.zeros(n, dtype=bool)
    for first in range(0, n, max(size, 1)):
        part = slice(first, first + size)
        problem = Problem(
            partial(_moved, target.half_distance, first),
            partial(_moved, target.slope, first),
            target.reach,
            non_negative,
        )
        with np.errstate(all="ignore"):  # a step too far is taken back
            X[part], converged[part] = descend(problem, start[part], max_iter, tol)
    return X, converged


def _moved(f: Callable[[Array, Indices], Array], first: int, x: Array, rows: Indices) -> Array:
    return f(x, first + rows)
