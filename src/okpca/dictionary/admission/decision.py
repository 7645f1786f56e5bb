"""Who may join, and whose coordinates are rounding.

Squared distances are compared with ν, with their own rounding error, and with each other. Where
that error might decide, and with it the cut of the stream, the answer is computed once more in a
way that depends on the atoms and the row alone (`dictionary.reproducible`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca._core.numerics import NOISE, NOTHING, RANK, SUSPECT, UNLIKELY, UNSURE
from okpca._core.typing import Array
from okpca.dictionary.admission.policy import Policy
from okpca.dictionary.coordinates import Encoded
from okpca.dictionary.reproducible import judged
from okpca.kernels.rows import equal


def candidates(policy: Policy, rows: Encoded, start: int) -> Any:
    """Rows from `start` on that may still join, or may for all that rounding lets us tell; only
    they need a closer look."""
    left = slice(start, None)
    coherence = None if rows.coherence is None else rows.coherence[left]
    residual, norm = rows.residual[left], rows.norm[left]
    may_join = policy.admits(residual, norm, coherence) & (residual > RANK * norm)
    suspects = np.flatnonzero(
        policy.admits(residual + SUSPECT * norm, norm, coherence)
        & (residual > UNLIKELY * norm)
        & (residual < SUSPECT * norm)
    )
    if len(suspects):
        some, size = residual[suspects], norm[suspects]
        noise = rows.basis.noise(rows.Z[left][suspects], size)
        coherence = None if coherence is None else coherence[suspects]
        may_join[suspects] = _passes(policy, some + UNSURE * noise, size, coherence, noise)
    return start + np.flatnonzero(may_join)


def joins(rows: Encoded, X: Any, i: int, policy: Policy) -> bool:
    """Does the first of the candidates join? Where rounding might decide, the atoms and the row
    alone do, so that it is the same for every slicing."""
    one = slice(i, i + 1)
    residual, norm = rows.residual[one], rows.norm[one]
    coherence = None if rows.coherence is None else rows.coherence[one]
    if residual[0] >= SUSPECT * norm[0]:
        return True
    if equal(rows.basis.atoms, X[one]).any():
        return False  # whatever rounding, that of the kernel too, has left of it
    noise = rows.basis.noise(rows.Z[one], norm)
    if _passes(policy, residual - UNSURE * noise, norm, coherence, noise)[0]:
        return True
    left, its_noise = judged(rows.basis, X[one])
    if not _passes(policy, np.array([left]), norm, coherence, its_noise)[0]:
        return False
    rows.residual[i] = max(residual[0], RANK * norm[0])  # it is the pivot that goes with Z
    return True


def _passes(policy: Policy, residual: Array, norm: Array, coherence: Any, noise: Any) -> Any:
    """Are they new, and more than noise?"""
    real = (residual > RANK * norm) & (residual > NOISE * noise)
    return policy.admits(residual, norm, coherence) & real


def first_doubtful(rows: Encoded, X: Any, start: int, queue: Any, doubt: float) -> int | None:
    """The first row, up to the next that joins, which the atoms span with such large coefficients
    that its coordinates are rounding."""
    basis = rows.basis
    if not basis.delicate or basis.most_noise <= doubt:
        return None
    part = slice(start, int(queue[0]) if queue.size else None)
    share = basis.noise(rows.Z[part], rows.norm[part]) / np.maximum(rows.norm[part], NOTHING)
    for i in np.flatnonzero(share > doubt / UNSURE):
        if share[i] <= UNSURE * doubt:
            share[i] = judged(basis, X[start + i : start + i + 1])[1] / rows.norm[start + i]
        if share[i] > doubt:
            return start + int(i)
    return None


def first_to_halt(rows: Encoded, X: Any, queue: Any, policy: Policy, distance: float) -> int | None:
    """The first of the candidates that is farther away than that."""
    residual, norm = rows.residual[queue], rows.norm[queue]
    close = np.abs(residual - distance) < SUSPECT * norm
    reach = np.zeros(len(queue))
    reach[close] = UNSURE * rows.basis.noise(rows.Z[queue[close]], norm[close])
    for n in np.flatnonzero(residual + reach > distance):
        i, far = int(queue[n]), float(residual[n])
        if far - reach[n] <= distance:
            far, _ = judged(rows.basis, X[i : i + 1])
        if far > distance and joins(rows, X, i, policy):
            return i
    return None
