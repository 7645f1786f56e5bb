"""The first `burn_in` rows are held back and fitted as a batch; then the stream goes on.

A batch sees all its rows at once: it may choose a dictionary from them, and give them robust
weights that do not depend on their order (Huang & Yeh 3.2: a stream that begins with outliers would
take the good rows for them). While the warm-up lasts, whoever looks sees the batch fit of the rows
so far. One that is never exceeded is batch robust kernel PCA.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from okpca.centre import decayed_sum
from okpca.dictionary import encode
from okpca.dictionary.recode import transition
from okpca.errors import NOT_FINITE, RowError
from okpca.kernels import Kernel
from okpca.model import Model
from okpca.plan import Plan
from okpca.rules import Exact, Learner
from okpca.weighing import reweighted

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WarmUp:
    """The rows so far. Like a `Model` it is a value: `absorbed` gives the next one."""

    plan: Plan
    kernel: Kernel
    n_features: int
    center: bool
    forgetting: float
    blocks: tuple[Any, ...] = ()
    weight: Array = field(default_factory=lambda: np.empty(0))
    looked: Model | None = None  # what was last seen, for the signs of what is seen next

    @property
    def n_rows(self) -> int:
        return len(self.weight)

    def absorbed(self, X: Any, weight: Array) -> WarmUp | Model:
        if not len(weight):
            return self
        norm = self.kernel.diag(X)
        if not np.isfinite(norm).all():
            raise RowError(NOT_FINITE, int(np.argmin(np.isfinite(norm))))
        missing = self.plan.burn_in - self.n_rows
        held = replace(
            self,
            blocks=(*self.blocks, X[:missing].copy()),
            weight=np.concatenate([self.weight, weight[:missing]]),
            looked=self.__dict__.get("matured", self.looked),
        )
        if held.n_rows < self.plan.burn_in:
            return held
        rest = slice(missing, None)
        model = held.matured
        if X.shape[0] <= missing:
            return model
        try:
            return model.absorbed(X[rest], weight[rest])
        except RowError as error:
            raise error.moved(range(missing, X.shape[0])) from None

    def absorbed_row(self, x: Array) -> WarmUp | Model:
        return self.absorbed(x, np.ones(1))

    @cached_property
    def matured(self) -> Model:
        """The batch fit of these rows, ready to go on by the rule of the plan."""
        try:
            return self._matured(_stacked(self.blocks))
        except RowError as error:
            raise ValueError(
                f"the warm-up cannot be fitted: {error.what}, in row {error.row} of its "
                f"{self.n_rows} rows. Fit anew without it."
            ) from None

    def _matured(self, rows: Any) -> Model:
        plan = self.plan
        if plan.policy.needs_rows:
            rng = np.random.RandomState(plan.seed)
            plan = replace(plan, policy=plan.policy.settled(_dense(rows), self.weight, rng))
        model = self._fitted(plan, rows)
        model = replace(model, earlier=_as_seen(self.looked, model))
        centre = model.centre
        centre = plan.centre_kind(centre.mean, centre.weight, centre.forgetting, centre.moving)
        return replace(model, plan=plan, centre=centre, learner=_continued(plan, model))

    def _fitted(self, plan: Plan, rows: Any) -> Model:
        """By the exact rule, whatever the rule is afterwards."""
        exact = replace(plan, rule=Exact(), robust=None)
        opened = Model.opened(
            exact, self.kernel, self.n_features, center=self.center, forgetting=self.forgetting
        )
        basis = opened.absorbed(rows, self.weight).basis
        # Once more over the atoms that all rows together chose, with the weights they earn there.
        seen = encode(basis, rows, plan.policy, 0)
        robust = np.ones(self.n_rows)
        if plan.robust is not None and basis.m:
            robust = reweighted(
                seen,
                self.weight,
                plan.max_components,
                plan.robust,
                center=self.center,
                forgetting=self.forgetting,
            )
        model = replace(opened, basis=basis, learner=exact.born(basis.L))
        model = model._added(seen, self.weight * robust)
        nominal = decayed_sum(0.0, self.weight, self.forgetting)
        return replace(model, nominal=nominal, robust_weight=float(robust[-1]))


def _continued(plan: Plan, model: Model) -> Learner | None:
    if model.learner is None:
        return None
    if plan.rule.averages:
        scatter, V = model.learner.spectrum(None)
    else:  # the signs that the components are born with
        scatter, V = model.components.scatter, model.components.V
    real = scatter > 0
    return plan.rule.continued(plan.max_components, scatter[real], V[real], model.centre.weight)


def _as_seen(looked: Model | None, model: Model) -> Array | None:
    """The components that were last seen, in the coordinates of today."""
    if looked is None or looked.shown is None or not model.basis.m:
        return None
    if looked.plan.empirical:
        return looked.shown if looked.basis.m == model.basis.m else None
    return np.asarray(looked.shown @ transition(looked.basis, model.basis).T)


def _stacked(blocks: tuple[Any, ...]) -> Any:
    if sparse.issparse(blocks[0]):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate(blocks)


def _dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows)
