"""The pre-image of every target, whatever the method and the kernel."""

from __future__ import annotations

import numpy as np

from okpca._core.blas_threads import one_thread
from okpca._core.typing import Array, Flags
from okpca.kernels.base import Trait
from okpca.preimage.base import PreImage, PreImages
from okpca.preimage.target import Target, all_finite


@one_thread
def find(method: PreImage, target: Target, start: Array | None = None) -> PreImages:
    """Rows that fail in every other way fall back on the nearest atom and are not converged."""
    _refuse_other_geometry(method, target)
    X, converged = _found(method, target, start)
    bad = np.flatnonzero(~all_finite(X))
    if len(bad):
        converged[bad] = False
        atoms = target.atom(0, bad)
        X[bad] = np.maximum(atoms, 0.0) if method.non_negative else atoms
    return PreImages(X, converged, np.maximum(target.distance(X), 0.0))


def _found(method: PreImage, target: Target, start: Array | None) -> tuple[Array, Flags]:
    basis, n = target.basis, len(target.scores)
    if n == 0 or basis.m == 0:  # no atom: every row so far had κ(x, x) = 0
        return np.zeros((n, basis.atoms.shape[1])), np.ones(n, dtype=bool)
    if Trait.AFFINE in basis.kernel.traits:
        # Known in closed form, so not searched for.
        with np.errstate(over="ignore", invalid="ignore"):
            X = target.dual @ basis.atoms
        return np.maximum(X, 0.0) if method.non_negative else X, np.ones(n, dtype=bool)
    return method.find(target, start)


def _refuse_other_geometry(method: PreImage, target: Target) -> None:
    if target.model.plan.empirical and not method.any_geometry:
        raise ValueError(
            f"{method!r} needs geometry='rkhs': with geometry='empirical' the components are no "
            "unit vectors of the feature space, and only preimage='ridge' can go back from them."
        )
