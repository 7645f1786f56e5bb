"""How many atoms, and which rows may join: by models of half of the sample, tried on the other.

    kept(m) = Σ v_j under max_atoms = m / Σ v_j without a bound     m = r, 1.5 r, ...
    ν       = λ_r / 10

v_j is the variance of rows held back along component j. A goal may say what else is to be kept. The
error of a component is at most ν/λ_j (Honeine 2012, Theorem 5), so that of the last one at most a
tenth.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

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


class Worth(NamedTuple):
    """What a budget is to keep, and how much of it."""

    of: Callable[[OnlineKernelPCA], float]
    kept: float
    what: str


def captured(held: Rows) -> Worth:
    def of(model: OnlineKernelPCA) -> float:
        return float(np.square(model.transform(held)).mean(axis=0).sum())

    return Worth(of, KEPT, "what the components hold")


def budget_for(gamma: float, r: int, learned: Rows, *worths: Worth) -> dict[str, Choice]:
    """`max_atoms` and `nu`; all that is given is to be kept, and of the first a plot is drawn."""
    n = learned.shape[0]
    free = fitted(gamma, r, LEAST_NU, None, learned)
    least = float(free.explained_variance_[-1])
    nu = rounded(float(np.clip(NU * least, LEAST_NU, MOST_NU)), 1)
    sizes = _sizes(r, n)
    whole = np.array([worth.of(free) for worth in worths])
    models = (fitted(gamma, r, nu, m, learned) for m in sizes)
    kept = np.array([[worth.of(model) for worth in worths] for model in models]) / whole
    atoms = _atoms(np.array(sizes, dtype=float), kept, n, worths)
    return {"max_atoms": atoms, "nu": _nu(nu, least)}


def _sizes(r: int, n: int) -> list[int]:
    """Tens, from as many as there are components to fewer than there are rows."""
    sizes = [max(FEWEST, _tens(r))]
    while _tens(STEP * sizes[-1]) < min(n, MOST):
        sizes.append(_tens(STEP * sizes[-1]))
    return sizes


def _tens(m: float) -> int:
    return 10 * int(np.ceil(m / 10))


def _atoms(sizes: Array, kept: Array, n: int, worths: Sequence[Worth]) -> Choice:
    enough = np.flatnonzero((kept >= [worth.kept for worth in worths]).all(axis=1))
    place = enough[0] if len(enough) else -1
    shares = zip(np.clip(100 * kept[place], 0.0, 100.0), worths, strict=True)
    if len(enough):
        m = int(sizes[place])
        told = " and ".join(f"{share:.1f} % of {worth.what}" for share, worth in shares)
        why = f"they keep {told} without a bound"
    else:
        m = USUAL if sizes[-1] < USUAL else MOST
        told = " and ".join(f"{share:.0f} % of {worth.what}" for share, worth in shares)
        why = f"{sizes[-1]:.0f} keep {told} only, and {n} rows cannot tell more"
    meaning = f"share kept of {worths[0].what}\nwithout a bound"
    return Choice(min(m, MOST), why, Trial("max_atoms", sizes, kept[:, 0], min(m, MOST), meaning))


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
