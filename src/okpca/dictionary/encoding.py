"""Rows in, coordinates out; on the way some of the rows become atoms.

The result is that of going row by row. A row admitted in the middle of a block adds a coordinate
to the rows after it, and zeros to the rows before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from okpca._core.numerics import CANDIDATES
from okpca.dictionary import reproducible
from okpca.dictionary.admission.decision import candidates, first_doubtful, first_to_halt, joins
from okpca.dictionary.admission.policy import Policy
from okpca.dictionary.basis import Basis
from okpca.dictionary.coordinates import Encoded, project
from okpca.dictionary.new_atoms import admit, join, join_alone
from okpca.kernels.rows import equal, stacked


@dataclass(frozen=True)
class Halt:
    """Stop before a row that would join but finds no room, if its squared distance to the span
    exceeds `distance`."""

    distance: float = 0.0


def encode(
    basis: Basis,
    X: Any,
    policy: Policy,
    room: int | None,
    halt: Halt | None = None,
    limit: int | None = None,
) -> Encoded:
    """Encode a block; at most `room` of its rows join. With `halt`, or if atoms are to be exchanged
    for a row in the middle of it, perhaps not the whole block. Storage is made for no more than
    `limit` atoms, if that can be, or for those that find room."""
    rows = project(basis, X, policy.uses_coherence)
    limit = limit if room is None else basis.m + room
    seen, at_a_time = 0, CANDIDATES
    nobody: Any = np.empty(0, dtype=np.intp)
    queue = candidates(policy, rows, 0) if room != 0 or halt else nobody
    while room != 0:
        doubtful = first_doubtful(rows, X, seen, queue, policy.doubt)
        if doubtful == 0:
            rows, seen = _exchanged(basis, X), 1
            room = None if room is None else basis.m + room - rows.basis.m
            queue = candidates(policy, rows, seen)
            continue
        if doubtful is not None:
            rows, queue = rows.taken(slice(doubtful)), nobody
        if not queue.size:
            break
        if not joins(rows, X, int(queue[0]), policy):
            queue = queue[1:]
            continue
        if len(rows.Z) == 1:
            return join_alone(rows, X, limit)
        chunk = queue[: 1 if rows.basis.delicate else at_a_time]
        admitted, factor, K = admit(rows, X, chunk, policy, room)
        joined = join(rows, X, admitted, factor, K, limit)
        if joined.basis.delicate and len(admitted) > 1:
            at_a_time = len(admitted) // 2  # the row that makes it so must be the last to join
            continue
        rows, seen = joined, admitted[-1] + 1
        room = None if room is None else room - len(admitted)
        queue = candidates(policy, rows, seen)
    if halt is not None and queue.size:
        stopped = first_to_halt(rows, X, queue, policy, halt.distance)
        if stopped is not None:
            rows = rows.taken(slice(stopped))
    return _settled(rows, X)


def _exchanged(basis: Basis, X: Any) -> Encoded:
    """The rows over a dictionary founded anew on the atoms and the first row, most independent
    first: those that depend on the others, in this better order, leave.

    A row far from where the atoms crowd is spanned by them with coefficients of all sizes. With it
    for an atom, the same space needs small ones only.
    """
    first = X[:1]
    founded = Basis.of_points(basis.kernel, stacked([basis.atoms, first]))
    rows = project(founded, X, False)
    here = np.flatnonzero(equal(founded.atoms, first))
    if len(here):
        rows.Z[0] = founded.L[here[0]]
        rows.residual[0] = 0.0
    since = int(len(here) > 0) if founded.delicate else None
    return replace(rows, founded=founded, strict=since)


def _settled(rows: Encoded, X: Any) -> Encoded:
    """With what rounding adds to the distances. No image is longer than √κ(x, x): where rounding
    says so, the nearest that is not is nearer to the truth too."""
    if rows.strict is not None:
        _encode_strictly(rows, X, rows.strict)
    rows.uncertain = np.abs(rows.residual)
    if rows.basis.delicate:
        rows.uncertain = np.maximum(rows.uncertain, rows.basis.noise(rows.Z, rows.norm))
        long = rows.residual < 0
        square = rows.norm[long] - rows.residual[long]
        rows.Z[long] *= np.sqrt(rows.norm[long] / square)[:, None]
    rows.residual = np.maximum(rows.residual, 0.0)
    return rows


def _encode_strictly(rows: Encoded, X: Any, start: int) -> None:
    """One row after another, so that no digit depends on the others in the block: atoms so close to
    dependence amplify the last ones."""
    basis, joined = rows.basis, rows.joined
    m = basis.m - len(joined) + int(np.searchsorted(joined, start))
    for t in range(start, len(rows.Z)):
        if t in joined:
            m += 1
            rows.Z[t] = np.pad(basis.L[m - 1, :m], (0, basis.m - m))
            continue
        rows.Z[t, :m] = reproducible.coordinates(basis, X[t : t + 1], m)
        rows.residual[t] = rows.norm[t] - float(rows.Z[t, :m] @ rows.Z[t, :m])
