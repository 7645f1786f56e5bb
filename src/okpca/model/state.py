"""What a model is: what the stream has taught up to some row.

A `Model` is a value. Everything that happens to it is a function `f(model) -> model` in a file of
this room, and all of them make the next state by `next_state`, so whoever holds a model may be
interrupted, or refuse a block, at any point: theirs is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from okpca._core.fast_replace import following
from okpca._core.numerics import FIRST_ANCHOR
from okpca._core.typing import Array
from okpca.dictionary import Basis, Clusters, Donors, Policy
from okpca.kernels import Kernel
from okpca.model.centre import Centre, LaggedCentre
from okpca.model.discarded_energy import Loss
from okpca.model.empirical import Empirical
from okpca.model.residual_quantiles import Residuals
from okpca.model.weights import Weight
from okpca.rules import Learner, Rule

if TYPE_CHECKING:
    from okpca.model.budget import Budget
    from okpca.model.robust import Reference
    from okpca.model.warmup import Held


THE_COLUMN = "column {}"  # in a text: the one to blame


class Trouble(NamedTuple):
    """Something that does not suit the rows, and what could be done."""

    name: str
    text: str
    column: int = -1  # the one to blame, if one is

    def told(self, names: Sequence[str] | None = None) -> str:
        """With the column by its name, where columns have names. (Lagged rows have several of a
        name, which is that of the sensor.)"""
        name = repr(str(names[self.column % len(names)])) if names else str(self.column)
        return self.text.replace(THE_COLUMN, THE_COLUMN.format(name))


class Gaps(NamedTuple):
    """What became of rows that lack values."""

    skipped: int = 0  # rows left out
    imputed: int = 0  # values filled in
    donors: Donors | None = None  # what values are filled in from,
    until: int = 0  # up to this row of the stream


@dataclass(frozen=True, eq=False)
class Plan:
    """What is known before the first row."""

    policy: Policy
    budget: Budget
    rule: Rule
    n_components: int | float | None
    seed: int  # of the start of rules that take steps
    placement_seed: int  # of the search for new atoms
    robust: Weight | None = None
    burn_in: int = 0  # rows fitted as a batch first
    first_rows: int = 0  # rows held back: these, or those that the kernel is settled by
    empirical: bool = False  # kernel values as coordinates
    geometry: Empirical = field(default_factory=Empirical)  # and how, for rules that take steps
    imputes: bool = False  # rows may lack values, which are filled in

    def born(self, L: Array) -> Learner | None:
        """What the rule starts as, given the factor of the first atoms, if there are any."""
        if not len(L):
            return None
        return self.rule.born(self.max_components, L, np.random.RandomState(self.seed))

    def centre(self, mean: Array, weight: float, forgetting: float, moving: bool) -> Centre:
        """In the empirical geometry steps are taken in the order of Huang & Yeh's Algorithm 1."""
        if not self.empirical or self.rule.averages:
            return Centre(mean, weight, forgetting, moving)
        shared = self.rule.schedule if self.geometry.shared_steps else None
        return LaggedCentre(mean, weight, forgetting, moving, shared)

    def first_centre(self, m: int, forgetting: float, moving: bool) -> Centre:
        """Before the first row."""
        mean = self.geometry.mean(m) if m and moving else np.zeros(m)
        return self.centre(mean, 0.0, forgetting, moving)

    @property
    def repeats(self) -> bool:
        """Must a row of weight 3 come three times to count as three?"""
        return self.rule.repeats or self.robust is not None

    @property
    def max_components(self) -> int | None:
        """The number of components if it is known beforehand."""
        return int(self.n_components) if isinstance(self.n_components, int) else None


@dataclass(frozen=True, eq=False)
class Model:
    """What the stream has taught up to some row."""

    plan: Plan
    basis: Basis
    centre: Centre
    learner: Learner | None = None  # None until there is an atom
    variance: float = 0.0  # Σ w ‖φ(x) − μ‖²: all of it, in the span and outside
    loss: Loss = field(default_factory=Loss)  # what the model does not hold of its rows
    n_rows: int = 0
    n_steps: int = 0  # rows, an integer weight counted as repetition by rules that take steps
    clusters: Clusters | None = None  # which rows the atoms stand for, if the budget needs it
    relieved_at: int = 0  # n_rows when room was last made in a full dictionary
    pace: int = 0  # rows from the time before to that one
    reference: Reference | None = None  # for robust weights: what rows are judged by
    robust_weight: float = 1.0  # of the last row
    residuals: Residuals = field(default_factory=Residuals)  # so far, if weights are relative
    anchor: Array | None = None  # components at an earlier row, which signs are told by
    anchor_at: int = FIRST_ANCHOR  # the row of the stream where they are taken anew
    held: Held | None = None  # rows of a warm-up that is not over
    first: tuple[Array, ...] | None = ()  # some of the first rows, until columns are compared
    troubles: tuple[Trouble, ...] = ()  # found so far: `diagnosis.diagnosed`, `missing.skipped`
    gaps: Gaps = field(default_factory=Gaps)  # rows that lack values
    known: dict[str, Any] = field(default_factory=dict, init=False, repr=False)  # see `once`

    @property
    def energy(self) -> float:
        """Σ w ‖φ(x)‖², about the origin: what rounding errors are relative to."""
        mean = self.weighty_mean
        return self.variance + float(mean @ mean)

    @property
    def weighty_mean(self) -> Array:
        """√W times the mean: a row of the root of all rows' moments about the origin."""
        return np.asarray(np.sqrt(self.centre.weight) * self.centre.mean)

    @property
    def scatter_held(self) -> float | None:
        """Of its rows, in all directions; None where nobody can tell, or where the rule keeps a
        part of it by choice."""
        S = None if self.learner is None else self.learner.scatter()
        if self.learner is not None and S is not None:
            return float(np.trace(S)) if self.learner.truncation == (0.0, 0.0) else None
        return self.variance - self.loss.energy if self.loss.by_rows_alone else None

    def __getstate__(self) -> dict[str, Any]:
        # What can be derived is not stored: a look leaves no trace. The anchor is as wide as it
        # would be if taken now, so that a model whose dictionary has stopped growing is of one
        # size.
        state = self.__dict__ | {"known": {}}
        if self.first:
            state["first"] = (np.concatenate(self.first),)
        if self.anchor is not None:
            missing = self.basis.m - self.anchor.shape[1]
            state["anchor"] = np.pad(self.anchor, ((0, 0), (0, missing)))
        return state


def next_state(model: Model, **changes: Any) -> Model:
    """With these changes; what was derived from the old state is not that of the new one."""
    return following(model, **changes, known={})


def first_state(
    plan: Plan, kernel: Kernel, n_features: int, *, center: bool, forgetting: float
) -> Model:
    """Before the first row."""
    opening = plan.policy.empirical if plan.empirical else plan.policy.opening
    basis = opening(kernel, n_features)
    centre = plan.first_centre(basis.m, forgetting, center)
    clusters = Clusters.empty(n_features, kernel) if plan.budget.clusters else None
    return Model(plan, basis, centre, plan.born(basis.L), clusters=clusters)
