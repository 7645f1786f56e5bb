"""One-pass clustering: which rows an atom stands for, when a row joins, and which atoms merge.

Every atom carries the weight w of the rows it stands for and, where rows can be averaged, their sum
(a clustering feature: Zhang, Ramakrishnan & Livny 1996). A row that does not join counts for the
atom nearest to it in feature space, and what the dictionary lacks of it, w ε², is what that atom
owes.

- A row asks to join a dictionary that has been full if the debt of its atom, the row included, has
  reached the price of an atom: what the last merge cost. (Online facility location: Meyerson 2001.)
  Those that ask join together at a border of the stream (`model.waiting_rows`).
- When one finds no room the pairs cheapest by Ward's criterion are merged,

      w_i w_j / (w_i + w_j) · ‖φ(a_i) − φ(a_j)‖²

  every atom moves to the mean of its rows, debts are forgiven, and the last pair sets the price.
  A newcomer counts for more than the one row it is: merging it with the atom that was nearest to it
  costs about what that atom owed; by its own weight it would be merged again at once. (What was
  owed tells, too, what rows before it lack: `model.moment_correction`.)

So the price grows with the weights, and a long stream merges ever more rarely. Where something new
begins, debts gather fast at the atoms nearest to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from okpca._core import compiled
from okpca._core.decay import decay_powers
from okpca._core.fast_replace import following
from okpca._core.numerics import PENDING, TIE
from okpca._core.typing import Array, Index, Rows
from okpca.dictionary.coordinates import Encoded
from okpca.kernels import Kernel
from okpca.kernels.rows import is_sparse, stacked

_ONE = np.ones(1)


class _Waiting(NamedTuple):
    """Rows that still have to be added to the sums of their atoms, those before them first."""

    X: Array
    nearest: Index
    weight: Array
    decay: float
    before: _Waiting | None
    n_rows: int  # of this and all before


@dataclass(frozen=True, eq=False)
class Clusters:
    """A value, like all that a model consists of."""

    debt: Array  # (m,)
    _weight: Array  # (m,), without the rows that wait
    _total: Array | None  # Σ w x of each atom, (m, d); None: rows cannot be averaged
    price: float = 0.0  # of an atom; 0 until the dictionary has been full
    asking: tuple[tuple[Any, Array], ...] = ()  # rows that want to join, and their weights
    claims: tuple[Array, ...] = ()  # and the weights that they claim
    # What the newest atoms claimed, those at the end: since the last merge others only joined with
    # them, and whatever else changes the atoms forgets it (`carried`).
    newest: tuple[Array, ...] = ()
    _waiting: _Waiting | None = None

    @classmethod
    def empty(cls, n_features: int, kernel: Kernel) -> Clusters:
        """Rows of a kernel without a gradient may be anything, and have no mean."""
        total = np.empty((0, n_features)) if kernel.has_gradient else None
        return cls(np.empty(0), np.empty(0), total)

    @classmethod
    def alike(cls, atoms: Rows, weight: float) -> Clusters:
        """Of atoms whose rows nobody counted: the same weight each."""
        m = atoms.shape[0]
        share = np.full(m, weight / max(m, 1))
        return cls(np.zeros(m), share, None if is_sparse(atoms) else share[:, None] * atoms)

    # -- rows -------------------------------------------------------------------------------------

    def charged(self, rows: Encoded, may_join: Any, weight: Array, decay: float) -> Clusters:
        """With the debts after these rows. Those of them that ask to join count for nobody yet."""
        debt = np.zeros(rows.basis.m)
        debt[: len(self.debt)] = self.debt
        if self.price == 0.0:
            return replace(self._aged(decay ** len(weight)), debt=debt)
        claims, price = compiled.charge_rows(
            may_join, rows.residual, rows.nearest, rows.apart, weight, debt, self.price, decay, TIE
        )
        here, asks = self._aged(decay ** len(weight)), claims > 0.0
        if asks.any():
            assert rows.nearest is not None
            fade = decay_powers(len(weight), decay)
            here = here._asked_by(rows.X[np.flatnonzero(asks)], *(fade * [weight, claims])[:, asks])
            rows.nearest[asks] = -1
        return replace(here, debt=debt, price=float(price))

    def _aged(self, fade: float) -> Clusters:
        """With less of what those count for who ask to join, or have done so."""
        if fade == 1.0 or not (self.asking or self.newest):
            return self
        asking = tuple((X, fade * weight) for X, weight in self.asking)
        claims, newest = (tuple(fade * c for c in of) for of in (self.claims, self.newest))
        return replace(self, asking=asking, claims=claims, newest=newest)

    def _asked_by(self, X: Any, weight: Array, claim: Array) -> Clusters:
        asking, claims = (*self.asking, (X, weight)), (*self.claims, claim)
        return replace(self, asking=asking, claims=claims)

    @property
    def n_asking(self) -> int:
        """How many rows ask to join."""
        return sum(len(weight) for _, weight in self.asking)

    def asked(self) -> tuple[Any, Array, Array, Clusters]:
        """The rows that ask to join, their weights, those that they claim, and the others."""
        X, weights = zip(*self.asking, strict=True)
        weight, claim = np.concatenate(weights), np.concatenate([*self.claims, np.empty(0)])
        if len(claim) < len(weight):  # an old file has none
            claim = np.append(np.zeros(len(weight) - len(claim)), claim)
        return stacked(X), weight, claim, replace(self, asking=(), claims=())

    def after_rows(self, rows: Encoded, weight: Array, decay: float) -> Clusters:
        """With these rows, each counted for its atom."""
        assert rows.nearest is not None
        return self._after(rows.X, rows.nearest, weight.copy(), decay)  # it may be the caller's

    def after_row(
        self, x: Array, nearest: int, apart: float, lost: float, may_join: bool, decay: float
    ) -> Clusters:
        """`charged` and `after_rows`, for one row of weight 1."""
        here, debt, price = self, self.debt, self.price
        if price > 0.0:
            here, debt = self._aged(decay), debt.copy()
            row = may_join, lost, nearest, apart, 1.0
            claim, price = compiled.charge_row(*row, debt, price, decay, TIE)
            if claim > 0.0:
                here, nearest = here._asked_by(x.copy(), _ONE, np.array([claim])), -1
        return here._after(x, np.array([nearest]), _ONE, decay, debt=debt, price=price)

    def _after(
        self, X: Any, nearest: Index, weight: Array, decay: float, **changes: Any
    ) -> Clusters:
        """A few rows wait, since to add them means to copy the sums."""
        before, n = self._waiting, len(nearest)
        n_rows = n + (before.n_rows if before else 0)
        total = None if is_sparse(X) else self._total  # their sums would fill up
        if total is None:
            X = np.empty((n, 0))
        elif n_rows < PENDING:
            X = X.copy()  # it may be the caller's
        after = following(
            self,
            _total=total,
            _waiting=_Waiting(X, nearest, weight, decay, before, n_rows),
            **changes,
        )
        return after if n_rows < PENDING else after.settled()

    def settled(self) -> Clusters:
        """With no row waiting."""
        m = len(self.debt)
        if self._waiting is None and len(self._weight) == m:
            return self
        weight = _lengthened(self._weight, m)
        total = None if self._total is None else _lengthened(self._total, m)
        waiting, parts = self._waiting, []
        while waiting is not None:
            parts.append(waiting)
            waiting = waiting.before
        sums = np.empty((m, 0)) if total is None else total
        for part in reversed(parts):
            X = part.X[:, : sums.shape[1]]
            compiled.add_rows(X, part.nearest, part.weight, part.decay, weight, sums)
        return replace(self, _weight=weight, _total=total, _waiting=None)

    # -- atoms ------------------------------------------------------------------------------------

    @property
    def weight(self) -> Array:
        """Of the rows that each atom stands for."""
        return self.settled()._weight

    @property
    def total(self) -> Array | None:
        """The sum of these rows; None: they cannot be averaged."""
        return self.settled()._total

    def merged(self, gram: Array, n_left: int, thrift: float) -> tuple[Clusters, Index]:
        """With the cheapest pairs merged until `n_left` are, and which of the old atoms they were:
        the heavier of two lends its place."""
        here = self.settled()
        size = gram.diagonal()
        square = np.maximum(size[:, None] + size - 2.0 * gram, 0.0)
        heir, weight = np.arange(len(gram)), here._weight.copy()
        if here.newest:
            claim = np.concatenate(here.newest)
            last = weight[len(weight) - len(claim) :]
            # The price is `thrift` times a cost: a claim at that price would raise the next one.
            np.maximum(last, claim / max(thrift, 1.0), out=last)
        cost = compiled.merge_cheapest(square, weight, here._weight.copy(), n_left, TIE, heir)
        left = np.flatnonzero(heir == np.arange(len(gram)))
        while not np.array_equal(heir, heir[heir]):
            heir = heir[heir]
        onto = np.searchsorted(left, heir)
        return replace(here.carried(onto, len(left)), price=thrift * cost), left

    def carried(self, onto: Index, m: int) -> Clusters:
        """What stood for atom i stands for atom onto[i] of m others, and owes nothing. Nobody asks
        to join any more: what was asked for was a place among the old atoms."""
        here = self.settled()
        weight = np.zeros(m)
        np.add.at(weight, onto, here._weight)
        total = None
        if here._total is not None:
            total, once = np.zeros((m, here._total.shape[1])), np.ones(len(onto))
            compiled.add_rows(here._total, onto, once, 1.0, np.zeros(m), total)
        nobody = replace(here, asking=(), claims=(), newest=())
        return replace(nobody, debt=np.zeros(m), _weight=weight, _total=total)

    def grown(self, X: Any, weight: Array, claim: Array) -> Clusters:
        """With rows of these weights as new atoms, and what they claim."""
        m, more = len(self.debt), len(weight)
        debt = np.append(self.debt, np.zeros(more))
        wider = replace(self, debt=debt, newest=(*self.newest, claim))
        return wider.counting(X, np.arange(m, m + more), weight) if more else wider

    def counting(self, X: Any, nearest: Index, weight: Array) -> Clusters:
        """With rows that asked to join."""
        return self._after(X, nearest, weight, 1.0)

    def emptied(self) -> Clusters:
        """The same atoms, and no rows: those that come only count."""
        m = len(self.debt)
        total = None if self._total is None else np.zeros((m, self._total.shape[1]))
        return Clusters(np.zeros(m), np.zeros(m), total)

    def joined(self, onto: Index, m: int, other: Clusters) -> Clusters:
        """With those of another model, whose atom i is or is nearest to atom onto[i] of m."""
        mine, theirs = self.carried(np.arange(len(self.debt)), m), other.carried(onto, m)
        total = None
        if mine._total is not None and theirs._total is not None:
            total = mine._total + theirs._total
        weight, price = mine._weight + theirs._weight, max(mine.price, theirs.price)
        return Clusters(np.zeros(m), weight, total, price)

    def means(self, atoms: Rows) -> Rows:
        """The mean of each atom's rows; the atom itself where there is none."""
        here = self.settled()
        if here._total is None:
            return atoms.copy()
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            means = here._total / here._weight[:, None]
            real = here._weight > np.finfo(np.float64).tiny
            if real.all() and np.isfinite(means.sum()):  # as nearly always
                return means
        real &= np.isfinite(means).all(axis=1)
        return np.where(real[:, None], means, atoms)

    def __getstate__(self) -> dict[str, Any]:
        here = self.settled()
        state = here.__dict__ | {"newest": (np.concatenate([*here.newest, np.empty(0)]),)}
        if here.asking:
            X, weight, claim, _ = here.asked()
            state |= {"asking": ((X, weight),), "claims": (claim,)}
        return state


def _lengthened(A: Array, m: int) -> Array:
    """A copy with zeros up to m rows."""
    out = np.empty((m, *A.shape[1:]))
    out[: len(A)], out[len(A) :] = A, 0.0
    return out
