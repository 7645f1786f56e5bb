"""Reduced sets as Chin & Suter build them (IV-B, IV-C): one pre-image after another.

`variable_projection` places all atoms together and keeps more; this is their construction, to
compare with.

For each function u in turn (the components, then the mean), p times: find the y whose image comes
closest to what is left of u (their 27, 28),

    max_y (u⊥ · φ(y))² / κ(y, y)

and take off everything that the pre-images found so far can say about u (29). Those of earlier
functions are used for later ones (30). The second pass (31), coefficients of every function over
all pre-images, is what recoding to the new atoms does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from okpca._core.numerics import FIRM, RANK, ROUNDING, SEARCHED, TIE, TINY
from okpca._core.typing import Array
from okpca.dictionary.basis import Basis
from okpca.kernels import Kernel
from okpca.kernels.base import Trait

# A general optimiser ends where (27), at most 1, rises by less than this along a column (SciPy's
# figure). It is in the units of the rows on purpose: searches that go on, whatever the units, say
# more of their own function and less of the others, and sets of large images drift: see
# docs/errata.md.
LEVEL = 1e-5
LIKELY = 2  # starts that are the atoms which come closest; the others are drawn


class Search(NamedTuple):
    """How a pre-image is searched for: from so many atoms, for so many iterations each."""

    starts: int = 5
    iterations: int = 100


def reduced_set(
    basis: Basis,
    targets: Array,
    per_target: int,
    rng: np.random.RandomState,
    search: Search = Search(),  # noqa: B008  (a value)
) -> Basis:
    """per_target pre-images for each target, coordinates (q, m)."""
    kernel, m = basis.kernel.resolved(basis.atoms.shape[1]), basis.m
    atoms, columns = _in_few_columns(kernel, basis.atoms)
    # The atoms, then the pre-images so far; no kernel value between them is computed twice.
    support, K = atoms, kernel(atoms)
    factor = Factor(len(targets) * per_target)
    for dual in map(_without_last_digits, basis.expansion(targets)):
        for _ in range(per_target):
            # What is left of u (28).
            left = np.concatenate([dual, -factor.solved(K[m:, :m] @ dual)])
            starts = atoms[_starts(K[:m] @ left, K.diagonal()[:m], rng, search)]
            y = _pre_image(kernel, support, left, starts, search.iterations)
            K = _bordered(K, kernel(y, support)[0], kernel.diag(y)[0])
            factor.grow(K[-1, m:])
            support = np.vstack([support, y])
    found = support[m:] if columns is None else support[m:] @ columns.T
    return Basis.of_points(basis.kernel, found)


def _in_few_columns(kernel: Kernel, atoms: Array) -> tuple[Array, Array | None]:
    """The atoms in orthonormal coordinates of their span, if these are fewer, and the columns that
    they stand for: weighted means of rows, the steps of a search with a Gaussian kernel, do not
    leave it."""
    m, d = atoms.shape
    if d <= m or (Trait.GAUSSIAN | Trait.ROTATED) not in kernel.traits:
        return atoms, None
    columns = np.linalg.qr(atoms.T)[0]
    return atoms @ columns, columns


class Factor:
    """Of the Gram matrix of pre-images, L Lᵀ, growing by one after another; those that coincide
    with what others say have no row in it, and the coefficient 0."""

    def __init__(self, capacity: int) -> None:
        self._L = np.zeros((capacity, capacity))
        self._kept: list[int] = []
        self._n = 0

    @property
    def _inner(self) -> Array:
        k = len(self._kept)
        return self._L[:k, :k]

    def grow(self, values: Array) -> None:
        """By one whose kernel values with those before it and with itself are `values`."""
        k, norm = len(self._kept), values[-1]
        z = _solved(self._inner, values[self._kept])
        left = norm - z @ z
        if left > RANK * norm:
            self._L[k, :k], self._L[k, k] = z, np.sqrt(left)
            self._kept.append(self._n)
        self._n += 1

    def solved(self, values: Array) -> Array:
        """Coefficients (29) of the projection of a function with these values at the pre-images."""
        alpha = np.zeros(self._n)
        z = _solved(self._inner, values[self._kept])
        alpha[self._kept] = _solved(self._inner, z, trans="T")
        return alpha


def _solved(L: Array, b: Array, trans: str = "N") -> Array:
    if not len(b):
        return b
    return np.asarray(solve_triangular(L, b, lower=True, trans=trans, check_finite=False))


def _without_last_digits(dual: Array) -> Array:
    """Searches amplify the last digits, which depend on how the stream was cut."""
    grain = SEARCHED * np.exp2(np.ceil(np.log2(np.abs(dual).max(initial=TINY))))
    return np.asarray(np.round(dual / grain) * grain)


def _bordered(K: Array, side: Array, corner: float) -> Array:
    return np.block([[K, side[:, None]], [side, corner]])


def _starts(
    values: Array, norms: Array, rng: np.random.RandomState, search: Search
) -> NDArray[np.intp]:
    """Atoms that already come close are better starts than random ones."""
    likely = np.argsort(np.square(values) / norms)[-min(LIKELY, search.starts) :]
    drawn = rng.choice(len(values), min(max(search.starts - LIKELY, 0), len(values)), False)
    return np.unique(np.r_[likely, drawn])


def _pre_image(
    kernel: Kernel, support: Array, dual: Array, starts: Array, iterations: int
) -> Array:
    """The best of a few searches, one from each start (27), as a row."""
    values = kernel.bind(support)
    if Trait.GAUSSIAN in kernel.traits:
        found = _fixed_points(values, support, dual, starts, iterations)
    else:
        found = np.array([_ascent(kernel, support, dual, y, iterations) for y in starts])
    places = np.vstack([found, starts])
    close = np.square(values(places) @ dual) / kernel.diag(places)
    # The first of those that are best up to rounding: searches often end at the same place.
    return places[[int(np.argmax(close >= (1 - TIE) * close.max()))]]


def _fixed_points(
    values: Callable[[Array], Array], support: Array, dual: Array, starts: Array, iterations: int
) -> Array:
    """y ← Σ α_i κ(x_i, y) x_i / Σ α_i κ(x_i, y), for the Gaussian kernel (Schölkopf et al.): all
    searches side by side, each to its own end."""
    Y, going = starts.copy(), np.arange(len(starts))
    for _ in range(iterations):
        weight = dual * values(Y[going])
        total = weight.sum(axis=1)
        # Others would be thrown to infinity: they stay.
        firm = (np.abs(total) >= FIRM * np.abs(weight).sum(axis=1)) & (total != 0)
        going, weight = going[firm], weight[firm] / total[firm, None]
        if not going.size:
            break
        following = weight @ support
        # To the end: where it stops must not depend on the last digits of where it started.
        step, size = np.abs(following - Y[going]).max(axis=1), np.abs(following).max(axis=1)
        Y[going] = following
        going = going[step > ROUNDING * size]
    return Y


def _ascent(kernel: Kernel, support: Array, dual: Array, y: Array, iterations: int) -> Array:
    """A general optimiser, for kernels with a gradient; others stay with the atom. Where the slope
    in every column is below `LEVEL` it ends: rows of large numbers are searched next to atoms."""
    if not kernel.has_gradient:
        return y

    def objective(flat: Array) -> tuple[float, Array]:
        Y = flat[None]
        value = float((kernel(Y, support) @ dual)[0])
        norm = float(kernel.diag(Y)[0])
        slope = kernel.pullback(Y, support, dual[None])[0]
        own = 2.0 * kernel.pullback(Y, Y, np.ones((1, 1)))[0]  # of κ(y, y), both arguments
        gradient = 2.0 * value * slope / norm - value**2 * own / norm**2
        return -(value**2) / norm, -gradient

    options = {"maxiter": iterations, "gtol": LEVEL}
    found = minimize(objective, y, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x) if np.isfinite(found.x).all() else y
