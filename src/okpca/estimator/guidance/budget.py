"""How many atoms, and which rows may join: by models of half of the sample, tried on the other.

    kept(m) = Σ v_j under max_atoms = m / Σ v_j without a bound     m = r, 1.5 r, ...
    ν       = λ_r / 10

v_j is the variance of rows held back along component j. The error of a component is at most ν/λ_j
(Honeine 2012, Theorem 5), so that of the last one at most a tenth.
"""

from __future__ import annotations

import warnings

import numpy as np

from okpca._core.errors import KernelWarning
from okpca._core.typing import Array, Rows
from okpca.estimator import OnlineKernelPCA
from okpca.estimator.guidance.suggestion import Choice, Trial, rounded

KEPT = 0.98
"""Of what the components hold without a bound."""
STEP = 1.5
"""From one number of atoms that is tried to the next."""
FEWEST, USUAL, MOST = 20, 500, 1000
"""Atoms: with fewer nothing is saved, and with more a row costs a millisecond; the default."""
NU = 0.1
"""Times the variance along the last component."""
LEAST_NU, MOST_NU = 1e-6, 1e-3
"""Below the one a dictionary of a few hundred atoms is full anyway; the other is the default."""


def budget_for(gamma: float, r: int, learned: Rows, held: Rows) -> dict[str, Choice]:
    """`max_atoms` and `nu`."""
    n = learned.shape[0]
    free = fitted(gamma, r, LEAST_NU, None, learned)
    least = float(free.explained_variance_[-1])
    nu = rounded(float(np.clip(NU * least, LEAST_NU, MOST_NU)), 1)
    sizes = _sizes(r, n)
    whole = _captured(free, held)
    kept = [_captured(fitted(gamma, r, nu, m, learned), held) / whole for m in sizes]
    atoms = _atoms(np.array(sizes, dtype=float), np.array(kept), n)
    return {"max_atoms": atoms, "nu": _nu(nu, least)}


def _sizes(r: int, n: int) -> list[int]:
    """Tens, from as many as there are components to fewer than there are rows."""
    sizes = [max(FEWEST, _tens(r))]
    while _tens(STEP * sizes[-1]) < min(n, MOST):
        sizes.append(_tens(STEP * sizes[-1]))
    return sizes


def _tens(m: float) -> int:
    return 10 * int(np.ceil(m / 10))


def _atoms(sizes: Array, kept: Array, n: int) -> Choice:
    enough = np.flatnonzero(kept >= KEPT)
    if len(enough):
        m, share = int(sizes[enough[0]]), kept[enough[0]]
        why = f"they keep {100 * share:.1f} % of what the components hold without a bound"
    else:
        m = USUAL if sizes[-1] < USUAL else MOST
        why = f"{sizes[-1]:.0f} keep {100 * kept[-1]:.0f} % only, and {n} rows cannot tell more"
    meaning = "share kept of what the components\nhold without a bound"
    return Choice(min(m, MOST), why, Trial("max_atoms", sizes, kept, min(m, MOST), meaning))


def _nu(nu: float, least: float) -> Choice:
    if nu == MOST_NU:
        return Choice(nu, f"the default: the last component has a variance of {least:.1g}")
    if nu == LEAST_NU:
        return Choice(nu, f"the least: the last component has a variance of {least:.1g}")
    return Choice(nu, f"a tenth of the variance along the last component ({least:.1g})")


def fitted(
    gamma: float, r: int | None, nu: float, max_atoms: int | None, rows: Rows
) -> OnlineKernelPCA:
    model = OnlineKernelPCA(r, gamma=gamma, nu=nu, max_atoms=max_atoms)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelWarning)  # of what is only tried
        return model.fit(rows)


def _captured(model: OnlineKernelPCA, rows: Rows) -> float:
    return float(np.square(model.transform(rows)).mean(axis=0).sum())
