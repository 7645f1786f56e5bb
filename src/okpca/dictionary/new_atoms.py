"""Rows that become atoms in the middle of a block.

Each adds a coordinate to the rows after it, and zeros to those before it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from okpca._core.errors import rows_numbered
from okpca._core.numerics import APART, RANK, SUSPECT, UNJUDGED
from okpca._core.typing import Array, Flags
from okpca.dictionary.admission.policy import Policy
from okpca.dictionary.basis import Basis
from okpca.dictionary.coordinates import Encoded, coherence_of, refuse_bad
from okpca.dictionary.reproducible import with_atoms


def admit(
    rows: Encoded, X: Any, chunk: Any, policy: Policy, room: int | None
) -> tuple[list[int], Array, Array]:
    """Go through the chunk, whose first row joins, in order; the Schur complement G holds what the
    atoms leave over.

    Returns the admitted rows, the rows of the factor that belong to them, and the kernel values of
    the chunk against them.
    """
    with rows_numbered(chunk):
        gram = rows.basis.kernel(X[chunk])
    Z, norm = rows.Z[chunk], rows.norm[chunk]
    G = gram - Z @ Z.T
    G[np.diag_indices_from(G)] = rows.residual[chunk]
    columns = _all_at_once(G, norm, policy, room)
    if columns is not None:
        admitted = list(range(len(columns)))
    else:
        alike = coherence = None
        if rows.coherence is not None:
            alike, coherence = coherence_of(gram, norm, norm), rows.coherence[chunk].copy()
        admitted, columns = _one_by_one(G, norm, policy, room, coherence, alike)
    # The new rows of L: along the old atoms, then along each other.
    factor = np.hstack([Z[admitted], np.tril(columns[admitted])])
    return chunk[admitted].tolist(), factor, gram[:, admitted]


def _one_by_one(
    G: Array, norm: Array, policy: Policy, room: int | None, coherence: Any, alike: Array | None
) -> tuple[list[int], Array]:
    """Who joins, the first row for certain, and the columns of the factor: a Cholesky step of G, in
    place, for each. `coherence` with the atoms so far, `alike` of the rows with each other."""
    columns = np.zeros((len(G), 0))
    admitted: list[int] = []
    start = 0
    while room is None or len(admitted) < room:
        residual, size = G.diagonal()[start:], norm[start:]
        # Too close to the newest atoms to judge from here: it waits until they have joined.
        waits = (residual < SUSPECT * size) if admitted else np.zeros(len(size), dtype=bool)
        reach = np.where(waits, residual + UNJUDGED * size, residual)
        may_join = policy.admits(reach, size, None if coherence is None else coherence[start:])
        may_join &= reach > RANK * size
        i = int(may_join.argmax()) if admitted else 0
        if admitted and (not may_join[i] or waits[i]):
            break
        i += start
        pivot = G[i, i]
        column = np.zeros(len(G))
        column[i:] = G[i:, i] / np.sqrt(pivot)
        G[i:, i:] -= np.outer(column[i:], column[i:])
        columns = np.column_stack([columns, column])
        if alike is not None:
            coherence = np.maximum(coherence, alike[:, i])
        admitted.append(i)
        start = i + 1
        if start == len(G) or pivot < SUSPECT * norm[i]:
            break  # those after it wait until it has joined
    return admitted, columns


def joining_with_ease(basis: Basis, other: Basis, policy: Policy) -> tuple[Array, int]:
    """The kernel values of another dictionary's atoms against those of this one, and how many of
    them would join it with ease: none if that cannot be told by one Cholesky factor."""
    K = basis.kernel_values(other.atoms)
    if policy.uses_coherence:
        return K, 0
    Z = basis.coordinates(K)
    try:
        factor = np.linalg.cholesky(other.L @ other.L.T - Z @ Z.T)
    except np.linalg.LinAlgError:  # one of them depends on the others
        return K, 0
    return K, int(np.count_nonzero(_with_ease(factor, other.atom_norms, policy)))


def _all_at_once(G: Array, norm: Array, policy: Policy, room: int | None) -> Array | None:
    """The columns of the first rows, as many as there is room for, if all of them join with ease.

    A Cholesky factor has on its diagonal what the rows before leave of each. Where little is left,
    and where coherence decides, rows are looked at one by one.
    """
    n = len(G) if room is None else min(room, len(G))
    if policy.uses_coherence:
        return None
    try:
        factor = np.linalg.cholesky(G[:n, :n])
    except np.linalg.LinAlgError:  # a row depends on those before it
        return None
    return np.asarray(factor) if _with_ease(factor, norm[:n], policy).all() else None


def _with_ease(factor: Any, norm: Array, policy: Policy) -> Flags:
    residual = np.square(factor.diagonal())
    return np.asarray(policy.admits(residual, norm, None) & (residual > APART * norm))


def join(
    rows: Encoded, X: Any, admitted: list[int], factor: Array, K: Array, limit: int | None
) -> Encoded:
    """Make atoms of the admitted rows and give every later row its new coordinates. K: the kernel
    values of a chunk of rows, from the first admitted one on, against these atoms."""
    points = X[admitted]
    basis = with_atoms(rows.basis, points, factor, limit)
    first = admitted[0]
    later = slice(first, len(rows.Z))
    if len(K) < len(rows.Z) - first:  # there are rows beyond the chunk
        with rows_numbered(range(first, len(rows.Z))):
            K = basis.kernel(X[later], points)
    Z = np.zeros((len(rows.Z), basis.m))
    Z[:, : rows.basis.m] = rows.Z
    added = basis.coordinates_in_new(K, rows.Z[later])
    # Rows before an atom never saw it.
    unseen = np.arange(first, len(rows.Z))[:, None] < np.asarray(admitted)
    added[unseen] = 0.0
    residual = rows.residual.copy()
    residual[later] -= np.einsum("ij,ij->i", added, added)
    Z[later, rows.basis.m :] = added
    # The atoms themselves lie in the span: their coordinates are their rows of L, to the digit.
    Z[admitted] = basis.L[rows.basis.m :]
    residual[admitted] = 0.0
    refuse_bad(basis, Z[later], residual[later], rows.norm[later], first)
    strict = rows.strict
    if basis.delicate and strict is None:
        strict = admitted[-1]
    return replace(
        rows,
        basis=basis,
        Z=Z,
        residual=residual,
        coherence=_coherence_with(rows, later, admitted, K, unseen),
        joined=(*rows.joined, *admitted),
        strict=strict,
    )


def _coherence_with(
    rows: Encoded, later: slice, admitted: list[int], K: Array, unseen: Flags
) -> Array | None:
    """With the atoms so far and with the new ones, if it is asked for."""
    if rows.coherence is None:
        return None
    alike = coherence_of(K, rows.norm[later], rows.norm[admitted])
    alike[unseen] = 0.0
    coherence = rows.coherence.copy()
    coherence[later] = np.maximum(coherence[later], alike.max(axis=1))
    return coherence


def join_alone(rows: Encoded, X: Any, limit: int | None) -> Encoded:
    """The only row of a block becomes an atom: nobody comes after it."""
    factor = np.append(rows.Z[0], np.sqrt(rows.residual[0]))[None]
    basis = with_atoms(rows.basis, X[:1], factor, limit)
    nothing = np.zeros(1)
    return replace(
        rows, basis=basis, Z=basis.L[-1:].copy(), residual=nothing, uncertain=nothing, joined=(0,)
    )
