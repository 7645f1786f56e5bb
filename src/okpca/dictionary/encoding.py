"""Rows in, coordinates out; on the way some of the rows become atoms.

The result is that of going row by row. A row admitted in the middle of a block adds a coordinate
to the rows after it, and zeros to the rows before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from okpca._core import compiled
from okpca._core.errors import NOT_FINITE, RowError
from okpca._core.numerics import APART, CANDIDATES, INDEFINITE, NOISE, RANK, SUSPECT, TIE, UNJUDGED
from okpca._core.threads import worth_threads
from okpca._core.typing import Array, Index
from okpca.dictionary.admission.policy import Policy
from okpca.dictionary.basis import Basis
from okpca.dictionary.verdicts import candidates, first_doubtful, first_to_halt, joins
from okpca.kernels.rows import equal, stacked, width


@dataclass
class Encoded:
    """A block of rows seen from the dictionary, each at its own time."""

    basis: Basis
    Z: Array  # coordinates, (n, m)
    residual: Array  # squared distance to the span when the row had had its chance to join
    norm: Array  # κ(x, x)
    coherence: Array | None
    uncertain: Array  # the same as it must be reckoned with, rounding included
    K: Array  # kernel values against the atoms there were before these rows
    joined: tuple[int, ...] = ()  # the rows that became atoms after those, in their order
    strict: int | None = None  # from this row on the atoms are delicate
    founded: Basis | None = None  # what the atoms were exchanged for before the first row, if so
    X: Any = None  # the rows themselves, and
    nearest: Index | None = None  # the atom that each counts for, where that is kept

    def taken(self, which: Any) -> Encoded:
        """These rows, in this order; a row may come several times."""
        coherence = None if self.coherence is None else self.coherence[which]
        return replace(
            self,
            Z=self.Z[which],
            residual=self.residual[which],
            norm=self.norm[which],
            coherence=coherence,
            uncertain=self.uncertain[which],
            # A slice is a view and costs nothing; rows are repeated after the kernel has served.
            K=self.K[which] if isinstance(which, slice) else self.K[:0],
            X=None if self.X is None else self.X[which],
            nearest=None if self.nearest is None else self.nearest[which],
        )


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
    work = X.shape[0] * basis.m * (width(X) + basis.m / 2)
    rows = worth_threads(work, _project, basis, X, policy.uses_coherence)
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
            return _joined_alone(rows, X, limit)
        chunk = queue[: 1 if rows.basis.delicate else at_a_time]
        admitted, factor = _admit(rows, X, chunk, policy, room)
        joined = _join(rows, X, admitted, factor, limit)
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
    rows = _project(founded, X, False)
    here = np.flatnonzero(equal(founded.atoms, first))
    if len(here):
        rows.Z[0] = founded.L[here[0]]
        rows.residual[0] = 0.0
    strict = int(len(here) > 0) if founded.delicate else None
    return replace(rows, founded=founded, strict=strict)


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
        rows.Z[t, :m] = basis.strict_coordinates(X[t : t + 1], m)
        rows.residual[t] = rows.norm[t] - float(rows.Z[t, :m] @ rows.Z[t, :m])


def _joined_alone(rows: Encoded, X: Any, limit: int | None) -> Encoded:
    """The only row of a block becomes an atom: nobody comes after it."""
    factor = np.append(rows.Z[0], np.sqrt(rows.residual[0]))[None]
    basis = _with_atoms(rows.basis, X[:1], factor, limit)
    nothing = np.zeros(1)
    return replace(
        rows, basis=basis, Z=basis.L[-1:].copy(), residual=nothing, uncertain=nothing, joined=(0,)
    )


def _with_atoms(basis: Basis, points: Array, factor: Array, limit: int | None) -> Basis:
    if basis.delicate:
        return basis.joined_by(points, limit)  # they come one at a time
    return basis.grown(points, factor, limit).settled()


def _project(basis: Basis, X: Any, wants_coherence: bool) -> Encoded:
    K = basis.kernel_values(X)
    with np.errstate(over="ignore", invalid="ignore"):  # refused by name in the next line
        norm = basis.norms(X, K)
        Z = basis.coordinates(K)
        residual = norm - np.einsum("ij,ij->i", Z, Z)
    _refuse_bad(basis, Z, residual, norm, 0)
    coherence = None
    if wants_coherence:
        coherence = _coherence(K, norm, basis.kernel.diag(basis.atoms)).max(axis=1, initial=0.0)
    strict = 0 if basis.delicate else None
    return Encoded(basis, Z, residual, norm, coherence, residual, K, strict=strict)


def _admit(
    rows: Encoded, X: Any, chunk: Any, policy: Policy, room: int | None
) -> tuple[list[int], Array]:
    """Go through the chunk, whose first row joins, in order; the Schur complement G holds what the
    atoms leave over.

    Returns the admitted rows, and the rows of the factor that belong to them.
    """
    with _rows_are(chunk):
        gram = rows.basis.kernel(X[chunk])
    Z, norm = rows.Z[chunk], rows.norm[chunk]
    G = gram - Z @ Z.T
    G[np.diag_indices_from(G)] = rows.residual[chunk]
    at_once = _all_at_once(G, norm, policy, room)
    if at_once is not None:
        n = len(at_once)
        return chunk[:n].tolist(), _factor(Z, at_once, list(range(n)))
    alike: Array | None = None
    coherence: Any = None
    if rows.coherence is not None:
        alike = _coherence(gram, norm, norm)
        coherence = rows.coherence[chunk].copy()
    columns = np.zeros((len(chunk), 0))
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
        column = np.zeros(len(chunk))
        column[i:] = G[i:, i] / np.sqrt(pivot)
        G[i:, i:] -= np.outer(column[i:], column[i:])
        columns = np.column_stack([columns, column])
        if alike is not None:
            coherence = np.maximum(coherence, alike[:, i])
        admitted.append(i)
        start = i + 1
        if start == len(chunk) or pivot < SUSPECT * norm[i]:
            break  # those after it wait until it has joined
    return [int(i) for i in chunk[admitted]], _factor(Z, columns, admitted)


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
    residual = np.square(factor.diagonal())
    if not (policy.admits(residual, norm[:n], None) & (residual > APART * norm[:n])).all():
        return None
    return np.asarray(factor)


def _factor(Z: Array, columns: Array, admitted: list[int]) -> Array:
    """The new rows of L: along the old atoms, then along each other."""
    return np.hstack([Z[admitted], np.tril(columns[admitted])])


def _join(rows: Encoded, X: Any, admitted: list[int], factor: Array, limit: int | None) -> Encoded:
    """Make atoms of the admitted rows and give every later row its new coordinates."""
    points = X[admitted]
    basis = _with_atoms(rows.basis, points, factor, limit)
    first = admitted[0]
    later = slice(first, len(rows.Z))
    with _rows_are(range(first, len(rows.Z))):
        K = basis.kernel(X[later], points)
    Z = np.zeros((len(rows.Z), basis.m))
    Z[:, : rows.basis.m] = rows.Z
    added = basis.coordinates_in_new(K, rows.Z[later])
    # Rows before an atom never saw it.
    position = np.arange(first, len(rows.Z))
    added[position[:, None] < np.asarray(admitted)] = 0.0
    residual = rows.residual.copy()
    residual[later] -= np.einsum("ij,ij->i", added, added)
    Z[later, rows.basis.m :] = added
    # The atoms themselves lie in the span: their coordinates are their rows of L, to the digit.
    Z[admitted] = basis.L[rows.basis.m :]
    residual[admitted] = 0.0
    _refuse_bad(basis, Z[later], residual[later], rows.norm[later], first)
    coherence = rows.coherence
    if coherence is not None:
        alike = _coherence(K, rows.norm[later], rows.norm[admitted])
        alike[position[:, None] < np.asarray(admitted)] = 0.0
        coherence = coherence.copy()
        coherence[later] = np.maximum(coherence[later], alike.max(axis=1))
    strict = rows.strict
    if basis.delicate and strict is None:
        strict = admitted[-1]
    return replace(
        rows,
        basis=basis,
        Z=Z,
        residual=residual,
        coherence=coherence,
        joined=(*rows.joined, *admitted),
        strict=strict,
    )


def nearest_atoms(rows: Encoded, X: Any) -> Encoded:
    """With the atom nearest to each row in feature space, among those that are there when it comes,
    and itself if it becomes one."""
    basis, n, old = rows.basis, *rows.K.shape
    atom, norms = np.full(n, -1), basis.atom_norms
    noted = atom, np.zeros(n), np.zeros(n)  # and κ(x, d), κ(d, d) with that atom d
    compiled.nearest_rows(rows.K, norms[:old], np.full(old, -1), 0, TIE, *noted)
    if rows.joined:
        with _rows_are(range(n)):
            K = basis.kernel(X, basis.atoms[old:])
        joined = np.array(rows.joined)
        compiled.nearest_rows(K, norms[old:], joined, old, TIE, *noted)
        atom[joined] = np.arange(old, basis.m)
    return replace(rows, X=X, nearest=atom)


def _coherence(K: Array, row_norm: Array, atom_norm: Array) -> Array:
    scale = np.sqrt(np.outer(row_norm, atom_norm))
    return np.abs(np.divide(K, scale, out=np.zeros_like(K), where=scale > 0))


def _refuse_bad(basis: Basis, Z: Array, residual: Array, norm: Array, start: int) -> None:
    # NaN fails every comparison: one test serves values and definiteness.
    doubtful = np.flatnonzero(~((residual >= -INDEFINITE * norm) & (residual < np.inf)))
    for i in doubtful:
        if not (np.isfinite(norm[i]) and np.isfinite(residual[i])):
            raise RowError(NOT_FINITE, start + int(i))
        if norm[i] < 0 or residual[i] < -1e3 * NOISE * basis.noise(Z[[i]], norm[[i]])[0]:
            raise RowError(
                "the kernel is not positive definite: it gives a squared distance of "
                f"{residual[i]:.3g} where κ(x, x) = {norm[i]:.3g}",
                start + int(i),
            )


@contextmanager
def _rows_are(which: Sequence[int]) -> Iterator[None]:
    """The rows handed to the kernel are these rows of the block."""
    try:
        yield
    except RowError as error:
        raise error.moved(which) from None
