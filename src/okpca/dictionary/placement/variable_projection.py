"""Atoms that are not samples: all of them placed together, by variable projection.

Functions g_j = Σ_i A_ji φ(d_i) are to be kept by n new atoms Y. Whatever Y, their best
approximation over it is the projection, so only Y is searched for. With H = K(Y, D) Aᵀ, the inner
products ⟨φ(y_a), g_j⟩, and B = K_Y⁻¹ H,

    f(Y) = Σ_j ‖P_Y g_j‖² = tr(Bᵀ H),     ∂f = 2 tr(Bᵀ ∂H) − tr(Bᵀ ∂K_Y B)

which L-BFGS maximises. It starts from the old atoms that keep most or from k-means centres of the
old atoms, weighted by what they carry: whichever keeps more.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize

from okpca._core.numerics import CONVERGED, GRID, RIDGE, TINY, UNUSED
from okpca._core.typing import Array
from okpca.dictionary.basis import Basis
from okpca.dictionary.placement.greedy_subset import best_subset
from okpca.kernels import Kernel

Progress = Callable[[int, float], None]


def moved(
    basis: Basis,
    targets: Array,
    n_atoms: int,
    rng: np.random.RandomState,
    *,
    max_iter: int,
    progress: Progress | None = None,
) -> Basis:
    """A dictionary of at most n_atoms that keeps the targets, coordinates (q, m), best.

    It ends when an iteration gains less than `CONVERGED` of the targets' energy. `progress` is told
    the iteration and the share of the energy that is kept.
    """
    largest = float(np.abs(targets).max(initial=0.0))
    if largest == 0.0:
        return Basis.of_points(basis.kernel, basis.atoms[:n_atoms])
    targets = targets / largest  # only shares matter, and squares must not overflow
    energy = float(np.einsum("ij,ij->", targets, targets))
    units = basis.kernel.units
    scale = _spacing(basis.atoms / units) * units
    search = _Search(basis.kernel, basis.atoms, basis.expansion(targets), scale, energy)
    chosen = best_subset(basis, targets, n_atoms).atoms / scale
    centres = _centres(basis, targets, search.dual, n_atoms, scale, rng)
    best = min((chosen, centres), key=search.value)
    if max_iter:
        found = _searched(search, best, max_iter, progress)
        if np.isfinite(found).all() and search.value(found) < search.value(best):
            best = found
    return Basis.of_points(basis.kernel, best * scale)


def _searched(search: _Search, start: Array, max_iter: int, progress: Progress | None) -> Array:
    steps = 0

    def tell(intermediate_result: object) -> None:
        nonlocal steps
        steps += 1
        if progress is not None:
            progress(steps, -float(intermediate_result.fun))  # type: ignore[attr-defined]

    found = minimize(
        search,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=tell,
        # The gradient spreads over all coordinates of all atoms, so scipy's bound on its largest
        # entry would stop a wide problem before it starts.
        options={"maxiter": max_iter, "maxcor": 10, "gtol": 0.0, "ftol": CONVERGED},
    )
    # A search amplifies the last digit of its start. On a grid too fine to matter the same rows,
    # cut into other calls, give the same atoms again.
    return np.asarray(np.round(found.x.reshape(start.shape) / GRID) * GRID)


class _Search:
    """−f(Y) / Σ‖g_j‖² and its gradient, as a function of Y / scale."""

    def __init__(
        self, kernel: Kernel, atoms: Array, dual: Array, scale: Any, energy: float
    ) -> None:
        self.kernel = kernel
        self.atoms = atoms
        self.dual = dual
        self.scale = scale
        self.energy = energy
        self.values = kernel.bind(atoms)
        self._last: tuple[Array, tuple[Array, Array, Array, Array]] | None = None

    def __call__(self, flat: Array) -> tuple[float, Array]:
        """As scipy wants it, for atoms laid out flat."""
        unit = flat.reshape(-1, self.atoms.shape[1])
        value = self.value(unit)
        Y = unit * self.scale
        gram, K, _, B = self._solved(unit)
        slope = self.kernel.pullback(Y, self.atoms, B @ self.dual, K)
        slope -= self.kernel.pullback(Y, Y, B @ B.T, gram)
        return value, ((-2.0 * self.scale / self.energy) * slope).ravel()

    def value(self, unit: Array) -> float:
        _, _, H, B = self._solved(unit)
        return -float(np.einsum("ij,ij->", B, H)) / self.energy

    def _solved(self, unit: Array) -> tuple[Array, Array, Array, Array]:
        """At the atoms asked for last there is nothing to do again: a search starts there."""
        if self._last is None or not np.array_equal(self._last[0], unit):
            self._last = unit.copy(), self._solve(unit * self.scale)
        return self._last[1]

    def _solve(self, Y: Array) -> tuple[Array, Array, Array, Array]:
        gram, K = np.array(self.kernel.block(Y, Y)), self.values(Y)
        # Atoms that meet would make the Gram matrix singular; the ridge only blunts that corner.
        gram.flat[:: len(Y) + 1] = (1.0 + RIDGE) * self.kernel.diag(Y)
        H = K @ self.dual.T
        _, B, failed = lapack.dposv(gram, H, lower=1)
        return gram, K, H, np.asarray(np.linalg.solve(gram, H) if failed else B, dtype=np.float64)


def _centres(
    basis: Basis,
    targets: Array,
    dual: Array,
    n_atoms: int,
    scale: Any,
    rng: np.random.RandomState,
) -> Array:
    """k-means of atoms / scale, weighted by their parts Σ_j A_ji ⟨φ(d_i), g_j⟩ in the energy."""
    if n_atoms >= basis.m:
        return np.asarray(basis.atoms / scale)
    from sklearn.cluster import k_means
    from sklearn.exceptions import ConvergenceWarning

    carried = np.einsum("ji,ji->i", dual, targets @ basis.L.T)
    weight = np.maximum(carried, UNUSED * np.abs(carried).max(initial=0.0)) + TINY
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # atoms that coincide: fewer centres
        centres = k_means(
            basis.atoms / scale,
            n_atoms,
            sample_weight=weight / weight.max(),
            init="random",
            n_init=1,
            max_iter=20,
            random_state=rng,
        )[0]
    return np.asarray(centres, dtype=np.float64)


def _spacing(atoms: Array) -> float:
    """The usual distance between neighbours: one outlier or far cluster does not change it."""
    largest = float(np.abs(atoms - atoms.mean(axis=0)).max())  # the squares cannot overflow
    if largest == 0.0:
        return 1.0
    unit = (atoms - atoms.mean(axis=0)) / largest
    norms = np.einsum("ij,ij->i", unit, unit)
    squares = norms[:, None] + norms - 2.0 * (unit @ unit.T)
    np.fill_diagonal(squares, np.inf)
    nearest = np.maximum(squares.min(axis=1), 0.0)
    return largest * (float(np.sqrt(np.median(nearest))) or 1.0)
