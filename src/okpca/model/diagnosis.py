"""Kernel, columns and budget that do not suit the rows: noticed, and said with a remedy.

Looked for where the stream is cut anyway, when its rows have doubled (`components.anchored`), so
that the cuts of the calls do not matter, and at the end of a `fit`. From what the model knows by
then, for kernels that fall off with the distance:

    n ‖μ‖² / κ(x, x) − 1     the kernel between a row and all others, in the mean: orthogonal rows
    ‖Pφ(x)‖² / κ(x, x)       of rows that are no atoms, in the mean: the same under a full
                             dictionary, over which the mean is short
    ε² / κ(x, x)             of the atoms when they joined, L_ii² / κ(d_i, d_i): rows that are alone
                             after first rows that lay close together
    tr S / variance          what the atoms hold: too few of them, or rows that look alike

and from columns of the first rows (`first_columns`). A look changes nothing but `troubles`, and the
first rows are given up after it. Rows that are to say how wide the kernel
is, and do not (`one_point`), are told of when they are all there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from okpca._core.decay import remembered
from okpca._core.plural import several_hold
from okpca._core.typing import Array, Rows
from okpca._core.warning_thresholds import (
    FEWEST_LATER,
    FEWEST_SEEN,
    FIRST_LOOK,
    HELD,
    NEARLY_ALIKE,
    NEIGHBOURS,
    NO_ROWS,
    OF_OTHERS,
    OUTSIDE,
    STRANDED,
    TOLD_APART,
)
from okpca.kernels.base import Trait
from okpca.kernels.rows import dense, dense_blocks, is_sparse
from okpca.model.first_columns import columns_at_fault
from okpca.model.state import THE_COLUMN, Model, Trouble, next_state


def diagnosed(model: Model) -> Model:
    """With what is found wrong now and was not before."""
    if model.learner is None or model.held is not None or model.plan.empirical:
        return model
    if model.n_rows < FEWEST_SEEN:
        return model
    known = {trouble.name for trouble in model.troubles}
    # These explain the rest; and the rows that showed unequal columns may be given up.
    found = None if known & {"counter", "columns", "one point"} else _found(model)
    if model.first is not None and model.n_rows >= FIRST_LOOK:
        model = next_state(model, first=None)
    if found is None or found.name in known:
        return model
    return next_state(model, troubles=(*model.troubles, found))


def one_point(model: Model, rows: Rows) -> Trouble | None:
    """First rows that are all the same: no width or scale can be taken from them."""
    n = rows.shape[0]
    if not model.basis.kernel.needs_rows or n < min(FEWEST_SEEN, model.plan.first_rows):
        return None
    first = dense(rows[:1])
    if any((part != first).any() for part in dense_blocks(rows)):
        return None
    which = f"the first {n} rows are all the same and say" if n > 1 else "one row says"
    return Trouble(
        "one point",
        f"{which} nothing of how wide the kernel or the columns are: 1 is taken. Give gamma as a "
        "number and scale the columns beforehand, a larger burn_in, or begin the stream where "
        "rows differ.",
    )


def without_scale(fitted: Model, blocks: Sequence[Rows]) -> Trouble | None:
    """Columns that no first row had a value in, where the kernel took their scales from these."""
    if not np.ndim(fitted.basis.kernel.units) or any(map(is_sparse, blocks)):
        return None
    n = sum(len(rows) for rows in blocks)
    silent = np.flatnonzero(np.all([np.isnan(rows).all(axis=0) for rows in blocks], axis=0))
    if n < FEWEST_SEEN or not len(silent):
        return None
    others = f" and {len(silent) - 1} more" if len(silent) > 1 else ""
    return Trouble(
        "no scale",
        f"none of the first {n} rows has a value in {THE_COLUMN}{others}, so no scale could be "
        "taken there: 1 is. Scale the columns beforehand, or give a larger burn_in.",
        int(silent[0]),
    )


class _Sight(NamedTuple):
    """What a look sees. In the middle of a block atoms that join later are there already: only
    those that rows have been projected on count."""

    model: Model
    used: int  # atoms
    norm: float  # κ(x, x), in the mean
    full: bool
    inside: float | None  # the scatter that the atoms hold; None where nobody can tell

    @classmethod
    def of(cls, model: Model) -> _Sight:
        learner, basis = model.learner, model.basis
        assert learner is not None
        S = learner.scatter()
        if S is not None:
            carried = S.diagonal()
        else:
            carried = np.abs(learner.spectrum(None)[1]).sum(axis=0)
            mean = np.abs(model.centre.mean)
            carried = np.pad(carried, (0, max(len(mean) - len(carried), 0)))
            carried[: len(mean)] += mean
        used = 1 + int(np.flatnonzero(carried).max(initial=0))
        most = model.plan.budget.max_atoms
        full = most is not None and (model.relieved_at > 0 or used >= most)
        norm = float(basis.atom_norms[:used].mean())
        return cls(model, used, norm, full, model.scatter_held)

    @property
    def held(self) -> float | None:
        """The atoms' share of the variance."""
        return None if self.inside is None else self.inside / self.model.variance


def _found(model: Model) -> Trouble | None:
    """The first alone: what comes after it is often its consequence, and the remedy is the same."""
    if not model.variance > 0:
        return _rounded(model)
    sight = _Sight.of(model)
    found = columns_at_fault(model) or _orthogonal(sight) or _stranded(sight)
    return found or _budget(sight) or _alike(sight)


def _orthogonal(sight: _Sight) -> Trouble | None:
    if not _is_local(sight.model):
        return None
    centre = sight.model.centre
    n = float(remembered(sight.model.n_rows, centre.forgetting))
    if n < FEWEST_SEEN:
        return None
    # Atoms that had to make room may miss most of the mean.
    of_mean = centre.moving and not sight.full
    found = _few_neighbours(sight, n) if of_mean else _few_like_atoms(sight)
    if found is None:
        return None
    return Trouble(
        "orthogonal",
        f"rows are nearly orthogonal to each other: {found}, so each is a direction of its own and "
        "no component stands for many. Widen the kernel (a smaller gamma, or gamma='median'), or "
        "scale the columns down.",
    )


def _few_neighbours(sight: _Sight, n: float) -> str | None:
    mean = sight.model.centre.mean
    neighbours = n * float(mean @ mean) / sight.norm - 1
    if neighbours >= NEIGHBOURS:
        return None
    return f"the kernel between a row and all of {n:.0f} others sums to {max(neighbours, 0.0):.1g}"


def _few_like_atoms(sight: _Sight) -> str | None:
    """By the rows that are no atoms, if there are enough of them: what atoms hold of themselves
    says nothing. Not where atoms are no rows, and hold less than that of themselves: points that
    were given, or moved."""
    model, others = sight.model, sight.model.n_rows - sight.used
    if model.centre.forgetting < 1.0 or model.centre.weight <= 0.0 or not model.plan.policy.grows:
        return None
    if others < FEWEST_SEEN:
        return _few_joined_with_less(sight)
    if sight.inside is None:
        return None
    mean = model.weighty_mean
    per_row = (sight.inside + float(mean @ mean)) / model.centre.weight * model.n_rows
    share = (per_row / sight.norm - sight.used) / others
    if not -NO_ROWS < share < OF_OTHERS:
        return None
    return f"{several_hold(sight.used, 'atoms')} {max(share, 0.0):.1g} of the rows that are none"


def _few_joined_with_less(sight: _Sight) -> str | None:
    if sight.full:
        return None
    alone = int((_outside(sight) > OUTSIDE).sum())
    if alone <= STRANDED * sight.model.n_rows:
        return None
    return f"{alone} of {sight.model.n_rows} had hardly anything in common with those before them"


def _outside(sight: _Sight) -> Array:
    """The shares of κ(d, d) that atoms had outside the span of those before them."""
    basis = sight.model.basis
    return np.asarray((np.square(np.diagonal(basis.L)) / basis.atom_norms)[: sight.used])


def _stranded(sight: _Sight) -> Trouble | None:
    """The many that the first rows had beside them hide the few that the others have. Of the rows
    after them those that joined are the last atoms."""
    model, first = sight.model, sight.model.plan.first_rows
    later = model.n_rows - first
    if not first or later < FEWEST_LATER or sight.full or not _is_local(model):
        return None
    if int((_outside(sight)[-later:] > OUTSIDE).sum()) <= STRANDED * later:
        return None
    return Trouble(
        "stranded",
        f"most rows after the first {first} are nearly orthogonal to all before them: the kernel "
        "is too narrow, as it is where gamma or scale is taken from first rows that lie closer "
        "together than the others. Give gamma as a number, or a burn_in of so many rows that they "
        "show what is usual.",
    )


def _budget(sight: _Sight) -> Trouble | None:
    if sight.held is None or not sight.full or sight.held >= HELD:
        return None
    most = sight.model.plan.budget.max_atoms
    return Trouble(
        "budget",
        f"{several_hold(most or 0, 'atoms')} {100 * sight.held:.0f} % of the variance: components "
        "of the rest are not seen. Raise max_atoms, or widen the kernel (a smaller gamma).",
    )


def _alike(sight: _Sight) -> Trouble | None:
    model, per_row = sight.model, sight.model.variance / sight.model.centre.weight
    if sight.held is None or sight.full or sight.held >= TOLD_APART:
        return None
    if per_row >= NEARLY_ALIKE * sight.norm:
        return None
    return Trouble(
        "alike",
        f"rows are nearly alike to the kernel: its variance is {per_row / sight.norm:.1g} of "
        f"k(x, x), and by this nu {several_hold(model.basis.m, 'atoms')} {100 * sight.held:.0f} % "
        "of it. Narrow the kernel (a larger gamma, or gamma='median'), or lower nu.",
    )


def _rounded(model: Model) -> Trouble | None:
    rows = np.concatenate(model.first) if model.first else np.empty((1, 0))
    if not (np.fmax.reduce(rows) > np.fmin.reduce(rows)).any():
        return None
    if not _is_local(model):
        return Trouble("alike", "rows differ, and are all the same to the kernel: take another.")
    return Trouble(
        "alike",
        "rows differ, but by so little that the kernel rounds to k(x, x) between them. Narrow it "
        "(a larger gamma, or gamma='median'), or scale the columns: scale='standard'.",
    )


def _is_local(model: Model) -> bool:
    return Trait.LOCAL in model.basis.kernel.traits
