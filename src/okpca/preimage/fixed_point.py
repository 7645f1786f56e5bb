"""The fixed point of the Gaussian kernel (Mika et al. 1999; Schölkopf et al. 1999).

κ(x, x) is constant, so the nearest φ(x) is where g(x) = Σ_i γ_i κ(x, d_i) is largest. There its
slope vanishes, which reads

    x = Σ_i w_i d_i / Σ_i w_i,    w_i = γ_i κ(x, d_i),    Σ_i w_i = g(x)

From x this leads along the slope of g, uphill as long as g(x) > 0, but not always to a higher g:
then the step is halved. Where the weights cancel (g(x) ≤ 0, or a small rest of large weights) the
search has collapsed, and starts again from the nearest atom.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.number_checks import checked_count, checked_number
from okpca._core.numerics import CANCELLED
from okpca._core.typing import Array, Flags, Index
from okpca.kernels.base import Trait
from okpca.preimage.base import PreImage
from okpca.preimage.gradient import Gradient
from okpca.preimage.target import Target, norms


@dataclass(frozen=True)
class FixedPoint(PreImage):
    """Fixed-point iteration; for kernels other than the Gaussian, :class:`Gradient` instead.

    max_iter: at most this many steps, halved ones included.
    tol: a step shorter than this share of the spread of the atoms is the last.
    restarts: how many other starts a collapsed search is given: the nearest atoms.
    """

    references = ("mika1999", "schoelkopf1999")
    names = ("fixed_point",)

    max_iter: int = 300
    tol: float = 1e-6
    restarts: int = 2

    def __post_init__(self) -> None:
        checked_count("FixedPoint", "max_iter", self.max_iter, 1)
        checked_number("FixedPoint", "tol", self.tol)
        checked_count("FixedPoint", "restarts", self.restarts, 0)

    def find(self, target: Target, start: Array | None) -> tuple[Array, Flags]:
        if Trait.GAUSSIAN not in target.basis.kernel.traits:
            return Gradient(self.max_iter, self.tol).find(target, start)
        begin = target.start() if start is None else start
        X, converged, collapsed = self._climb(target, begin, np.arange(len(begin)))
        for rank in range(self.restarts):
            again = np.flatnonzero(collapsed)
            if not len(again):
                break
            X[again], converged[again], collapsed[again] = self._climb(
                target, target.atom(rank, again), again
            )
        failed = np.flatnonzero(~converged)
        if len(failed):
            # What a search that failed has reached may be worse than an atom.
            atoms, rest = target.atom(0, failed), X[failed]
            nearer = target.half_distance(atoms, failed) < target.half_distance(rest, failed)
            X[failed] = np.where(nearer[:, None], atoms, rest)
        return X, converged

    def _climb(self, target: Target, X: Array, rows: Index) -> tuple[Array, Flags, Flags]:
        """From X, one row for each of the targets `rows`: where to, converged, collapsed."""
        atoms, dual, units = target.basis.atoms, target.dual, target.basis.kernel.units
        found = X.copy()
        converged, collapsed = np.zeros((2, len(X)), dtype=bool)
        live = np.arange(len(X))
        x, new, height = X, X, np.full(len(X), -np.inf)
        for _ in range(self.max_iter + 1):
            w = dual[rows[live]] * target.basis.kernel_values(new)
            g = w.sum(axis=1)
            higher = g >= height
            lost = higher & (g <= CANCELLED * np.abs(w).sum(axis=1))
            x = np.where(higher[:, None], new, x)
            height = np.where(higher, g, height)
            found[live] = x
            total = np.where(higher & ~lost, g, 1.0)[:, None]
            new = np.where(higher[:, None], w @ atoms / total, 0.5 * (x + new))
            collapsed[live[lost]] = True
            near = norms((new - x) / units) <= self.tol * target.reach
            converged[live[near & ~lost]] = True
            going = ~near & ~lost
            if not going.any():
                break
            live, x, new, height = live[going], x[going], new[going], height[going]
        return found, converged, collapsed
