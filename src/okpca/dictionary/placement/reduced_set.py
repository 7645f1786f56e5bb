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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtrsv
from scipy.optimize import minimize

from okpca._core import compiled
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
    support = Support(kernel, atoms, len(targets) * per_target)
    factor = Factor(len(targets) * per_target)
    for dual in map(_without_last_digits, basis.expansion(targets)):
        for _ in range(per_target):
            # What is left of u (28).
            left = np.concatenate([dual, -factor.solved(support.K[m:, :m] @ dual)])
            support.grow(*_pre_image(support, left, rng, search))
            factor.grow(support.K[-1, m:])
    found = support.rows[m:] if columns is None else support.rows[m:] @ columns.T
    return Basis.of_points(basis.kernel, found)


class Support:
    """The m atoms, then the pre-images so far, and room for those to come; no kernel value between
    them is computed twice."""

    def __init__(self, kernel: Kernel, atoms: Array, more: int) -> None:
        self.kernel, self.m, self.n = kernel, len(atoms), len(atoms)
        room = self.m + more
        self._rows = np.empty((room, atoms.shape[1]))
        self._K = np.empty((room, room))
        self._norms = np.empty(room)
        self.rows[:], self.K[:], self.norms[:] = atoms, kernel(atoms), kernel.diag(atoms)
        self.rate = _rate(kernel, self.norms[:1])

    @property
    def rows(self) -> Array:
        return self._rows[: self.n]

    @property
    def K(self) -> Array:
        return self._K[: self.n, : self.n]

    @property
    def norms(self) -> Array:
        """κ(x, x)"""
        return self._norms[: self.n]

    def grow(self, y: Array, values: Array, norm: float) -> None:
        """By y, whose kernel values with those before it are `values`."""
        n = self.n
        self._rows[n], self._norms[n], self._K[n, n] = y, norm, norm
        self._K[n, :n] = self._K[:n, n] = values
        self.n += 1


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
        alpha[self._kept] = _solved(self._inner, z, transposed=True)
        return alpha


def _solved(L: Array, b: Array, *, transposed: bool = False) -> Array:
    """L⁻¹ b or L⁻ᵀ b, for so few numbers that whatever comes before BLAS takes longer."""
    return np.asarray(dtrsv(L.T, b, trans=not transposed)) if len(b) else b


def _without_last_digits(dual: Array) -> Array:
    """Searches amplify the last digits, which depend on how the stream was cut."""
    grain = SEARCHED * np.exp2(np.ceil(np.log2(np.abs(dual).max(initial=TINY))))
    return np.asarray(np.round(dual / grain) * grain)


def _starts(
    values: Array, norms: Array, rng: np.random.RandomState, search: Search
) -> NDArray[np.intp]:
    """Atoms that already come close are better starts than random ones."""
    likely = np.argsort(np.square(values) / norms)[-min(LIKELY, search.starts) :]
    if search.starts <= LIKELY:
        return np.sort(likely)
    drawn = rng.choice(len(values), min(search.starts - LIKELY, len(values)), False)
    return np.unique(np.concatenate([likely, drawn]))


def _pre_image(
    support: Support, left: Array, rng: np.random.RandomState, search: Search
) -> tuple[Array, Array, float]:
    """The best of a few searches, one from each start (27): the row, its kernel values with the
    support, and with itself."""
    kernel, m = support.kernel, support.m
    at_atoms = support.K[:m] @ left
    starts = _starts(at_atoms, support.norms[:m], rng, search)
    if Trait.GAUSSIAN in kernel.traits:
        found, values = _fixed_points(support, left, starts, search.iterations)
    else:
        found, values = _ascents(support, left, starts, at_atoms[starts], search.iterations)
    norms = kernel.diag(found)
    own = np.concatenate([norms, support.norms[starts]])
    close = np.square(np.concatenate([values @ left, at_atoms[starts]])) / own
    # The first of those that are best up to rounding: searches often end at the same place.
    best = int(np.argmax(close >= (1 - TIE) * close.max()))
    if best < len(found):
        return found[best], values[best], float(norms[best])
    atom = starts[best - len(found)]
    return support.rows[atom], support.K[atom], float(support.norms[atom])


def _fixed_points(
    support: Support, dual: Array, starts: NDArray[np.intp], iterations: int
) -> tuple[Array, Array]:
    """y ← Σ α_i κ(x_i, y) x_i / Σ α_i κ(x_i, y), for the Gaussian kernel (Schölkopf et al.): all
    searches side by side, each to its own end. Its ends, and kernel values with the support."""
    rows, Y = support.rows, support.rows[starts]
    if support.rate is not None:
        values = np.empty((len(Y), len(rows)))
        compiled.fixed_points(rows, support.rate, dual, Y, iterations, FIRM, ROUNDING, values)
        return Y, values * support.norms[0]
    bound, going = support.kernel.bind(rows), np.arange(len(starts))
    for _ in range(iterations):
        weight = dual * bound(Y[going])
        total = weight.sum(axis=1)
        # Others would be thrown to infinity: they stay.
        firm = (np.abs(total) >= FIRM * np.abs(weight).sum(axis=1)) & (total != 0)
        going, weight = going[firm], weight[firm] / total[firm, None]
        if not going.size:
            break
        following = weight @ rows
        # To the end: where it stops must not depend on the last digits of where it started.
        step, size = np.abs(following - Y[going]).max(axis=1), np.abs(following).max(axis=1)
        Y[going] = following
        going = going[step > ROUNDING * size]
    return Y, bound(Y)


def _rate(kernel: Kernel, norm: Array) -> float | None:
    """γ, if κ(x, y) = c exp(−γ |x − y|²), c the norm, and the kernel can say so: one over the
    squared distance at which it has fallen to c / e. None if columns differ, or it cannot."""
    if (Trait.GAUSSIAN | Trait.ROTATED) not in kernel.traits or not kernel.tells_distance:
        return None
    return 1.0 / float(kernel.squared_distance(norm / np.e, norm, norm)[0])


def _ascents(
    support: Support, dual: Array, starts: NDArray[np.intp], at: Array, iterations: int
) -> tuple[Array, Array]:
    """A general optimiser, for kernels with a gradient; others stay with the atoms. Where the slope
    in every column is below `LEVEL` it ends: rows of large numbers are searched next to atoms.
    `at`: what the function is there. Ends of searches that were begun, and their kernel values."""
    kernel, rows = support.kernel, support.rows
    if not kernel.has_gradient:
        return rows[:0], support.K[:0]

    def gradients(Y: Array, values: Array, norms: Array) -> Array:
        slope = kernel.pullback(Y, rows, np.tile(dual, (len(Y), 1)))
        own = 2.0 * kernel.pullback(Y, Y, np.eye(len(Y)))  # of κ(y, y), both arguments
        share = (values / norms)[:, None]
        return np.asarray(2.0 * share * slope - share**2 * own)

    def objective(flat: Array) -> tuple[float, Array]:
        Y = flat[None]
        value, norm = kernel(Y, rows) @ dual, kernel.diag(Y)
        return -float(value[0] ** 2 / norm[0]), -gradients(Y, value, norm)[0]

    Y = rows[starts]
    steep = np.abs(gradients(Y, at, support.norms[starts])).max(axis=1) > LEVEL
    options = {"maxiter": iterations, "gtol": LEVEL}
    found = [
        minimize(objective, y, jac=True, method="L-BFGS-B", options=options).x for y in Y[steep]
    ]
    ends = np.reshape(found, (-1, rows.shape[1]))
    ends = ends[np.isfinite(ends).all(axis=1)]
    return ends, kernel(ends, rows) if len(ends) else support.K[:0]
