"""What the distance criterion promises about any dictionary it has built (Honeine 3.2).

Every atom is at least ν κ(d, d) from the span of those before it, in squared distance. For kernels
of unit norm therefore

    |κ(d_i, d_j)| ≤ 1 − ν/2                                          Lemma 3
    ‖d_i − d_j‖² ≥ −2 σ² ln(1 − ν/2)                                 for the Gaussian kernel
    1 − (m − 1)(1 − ν/2) ≤ λ(K) ≤ 1 + (m − 1)(1 − ν/2)               Theorem 4

His proof of the lemma takes the distance of two atoms, and so bounds κ but not −κ. The distance of
one atom to the line through the other tells more: 1 − κ² ≥ ν, so that |κ| ≤ √(1 − ν), which is at
most 1 − ν/2. That one is the default; `printed=True` is the paper's. (It has equality in Theorem 4
for ν = 2, which no atom can reach; at ν = 1 all are orthogonal already.)
"""

from __future__ import annotations

import math

from okpca._core.number_checks import checked_count, checked_number


def coherence_bound(nu: float, *, printed: bool = False) -> float:
    """The largest |κ(d_i, d_j)| of two atoms, for a kernel of unit norm."""
    _checked(nu)
    return 1.0 - nu / 2.0 if printed else math.sqrt(1.0 - nu)


def eigenvalue_bounds(n_atoms: int, nu: float, *, printed: bool = False) -> tuple[float, float]:
    """Between which all eigenvalues of the atoms' Gram matrix lie, for a kernel of unit norm.

    The lower one is negative, and says nothing, unless there are few atoms or ν is near 1.
    """
    checked_count("eigenvalue_bounds", "n_atoms", n_atoms, 1)
    radius = (n_atoms - 1) * coherence_bound(nu, printed=printed)
    return 1.0 - radius, 1.0 + radius


def least_distance(nu: float, sigma: float, *, printed: bool = False) -> float:
    """The smallest distance of two atoms under exp(−‖x − y‖² / 2σ²)."""
    checked_number("least_distance", "sigma", sigma)
    c = coherence_bound(nu, printed=printed)
    if c == 1.0:
        return 0.0
    return math.inf if c == 0.0 else sigma * math.sqrt(-2.0 * math.log(c))


def _checked(nu: float) -> None:
    checked_number("a bound", "nu", nu, positive=False)
    if nu > 1.0:
        raise ValueError(
            f"nu must lie in [0, 1], got {nu}: no row is farther from the span than from the "
            "origin."
        )
