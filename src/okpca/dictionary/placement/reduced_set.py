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
from scipy.linalg import lstsq
from scipy.optimize import minimize

from okpca._core.numerics import ROUNDING, SEARCHED, TIE, TINY
from okpca._core.typing import Array
from okpca.dictionary.basis import Basis
from okpca.kernels import Kernel
from okpca.kernels.base import Trait

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
    kernel, atoms = basis.kernel, basis.atoms
    points = np.empty((0, atoms.shape[1]))
    for dual in map(_without_last_digits, basis.expansion(targets)):
        for _ in range(per_target):
            sigma = _coefficients(kernel, points, atoms, dual)
            # What is left of u, over the atoms and the pre-images so far (28).
            support, left = np.vstack([atoms, points]), np.concatenate([dual, -sigma])
            points = np.vstack([points, _pre_image(kernel, support, left, atoms, rng, search)])
    return Basis.of_points(kernel, points)


def _without_last_digits(dual: Array) -> Array:
    """Searches amplify the last digits, which depend on how the stream was cut."""
    grain = SEARCHED * np.exp2(np.ceil(np.log2(np.abs(dual).max(initial=TINY))))
    return np.asarray(np.round(dual / grain) * grain)


def _coefficients(kernel: Kernel, points: Array, atoms: Array, dual: Array) -> Array:
    """(29), by least squares: pre-images may coincide."""
    if not len(points):
        return np.empty(0)
    return np.asarray(lstsq(kernel(points), kernel(points, atoms) @ dual)[0])


def _pre_image(
    kernel: Kernel,
    support: Array,
    dual: Array,
    atoms: Array,
    rng: np.random.RandomState,
    search: Search,
) -> Array:
    """The best of a few searches, each started from an atom (27)."""

    def closeness(y: Array) -> float:
        y = y[None]
        return float((kernel(y, support) @ dual)[0] ** 2 / kernel.diag(y)[0])

    # Atoms that already come close are better starts than random ones.
    values = np.square(kernel(atoms, support) @ dual) / kernel.diag(atoms)
    likely = np.argsort(values)[-min(LIKELY, search.starts) :]
    drawn = rng.choice(len(atoms), min(max(search.starts - LIKELY, 0), len(atoms)), False)
    starts = np.unique(np.r_[likely, drawn])
    way = _fixed_point if Trait.GAUSSIAN in kernel.traits else _ascent
    found = [way(kernel, support, dual, atoms[i], search.iterations) for i in starts]
    places = [*found, *atoms[starts]]
    close = np.array([closeness(y) for y in places])
    # The first of those that are best up to rounding: searches often end at the same place.
    return np.asarray(places[int(np.argmax(close >= (1 - TIE) * close.max()))])


def _fixed_point(kernel: Kernel, support: Array, dual: Array, y: Array, iterations: int) -> Array:
    """y ← Σ α_i κ(x_i, y) x_i / Σ α_i κ(x_i, y), for the Gaussian kernel (Schölkopf et al.)."""
    for _ in range(iterations):
        weight = dual * kernel(y[None], support)[0]
        total = weight.sum()
        if abs(total) < 1e-12 * np.abs(weight).sum() or total == 0:
            return y  # it would be thrown to infinity
        following = weight @ support / total
        # To the end: where it stops must not depend on the last digits of where it started.
        if np.abs(following - y).max() <= ROUNDING * np.abs(following).max():
            return np.asarray(following)
        y = following
    return y


def _ascent(kernel: Kernel, support: Array, dual: Array, y: Array, iterations: int) -> Array:
    """A general optimiser, for kernels with a gradient; others stay with the atom."""
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

    found = minimize(objective, y, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    return np.asarray(found.x) if np.isfinite(found.x).all() else y
