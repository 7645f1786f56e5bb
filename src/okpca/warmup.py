"""The first `burn_in` rows are held back and fitted as a batch; then the stream goes on.

A batch sees all its rows at once: it may choose a dictionary from them, and give them robust
weights that do not depend on their order (Huang & Yeh 3.2: a stream that begins with outliers would
take the good rows for them). While the warm-up lasts, whoever looks sees the batch fit of the rows
so far. One that is never exceeded is batch robust kernel PCA.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca.derived import derived
from okpca.dictionary import encode
from okpca.dictionary.encoding import counted
from okpca.dictionary.recode import transition
from okpca.errors import NOT_FINITE, RowError
from okpca.kernels import Kernel
from okpca.kernels.rows import stacked
from okpca.model import Model
from okpca.numerics import MOST_STEPS
from okpca.plan import Plan
from okpca.rules import Exact, Learner
from okpca.threads import one_thread
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

    @derived
    def matured(self) -> Model:
        """The batch fit of these rows, ready to go on by the rule of the plan."""
        try:
            return self._matured(stacked(self.blocks))
        except RowError as error:
            raise ValueError(
                f"the warm-up cannot be fitted: {error.what}, in row {error.row} of its "
                f"{self.n_rows} rows. Fit anew without it."
            ) from None

    @one_thread
    def _matured(self, rows: Any) -> Model:
        plan = self.plan
        if plan.policy.needs_rows:
            rng = np.random.RandomState(plan.seed)
            plan = replace(plan, policy=plan.policy.settled(rows, self.weight, rng))
        model = self._fitted(plan, rows)
        model = replace(model, anchor=self._anchor(rows, model)).anchored()
        centre = model.centre
        centre = plan.centre_kind(centre.mean, centre.weight, centre.forgetting, centre.moving)
        return replace(model, plan=plan, centre=centre, learner=_continued(plan, model))

    def _anchor(self, rows: Any, model: Model) -> Array | None:
        """The components when the rows had last doubled, whose signs these ones keep, in the
        coordinates of the model."""
        n = 2 ** max((self.n_rows - 1).bit_length() - 1, 0)
        if n < 2 or n < self.plan.policy.needs_rows or not model.basis.m:
            return None
        before = replace(self, blocks=(rows[:n],), weight=self.weight[:n]).matured
        if before.anchor is None:
            return None
        if before.plan.empirical:
            return before.anchor if before.basis.m == model.basis.m else None
        return np.asarray(before.anchor @ transition(before.basis, model.basis).T)

    def __getstate__(self) -> dict[str, Any]:
        # What can be derived is not stored: a look leaves no trace.
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def _fitted(self, plan: Plan, rows: Any) -> Model:
        """By the exact rule, whatever the rule is afterwards."""
        exact = replace(plan, rule=Exact(), robust=None)
        opened = Model.opened(
            exact, self.kernel, self.n_features, center=self.center, forgetting=self.forgetting
        )
        learned = opened.absorbed(rows, self.weight)
        basis = learned.basis
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
        if learned.clusters is not None:
            seen = counted(seen, rows)
            model = replace(model, clusters=learned.clusters.emptied())
        model = model._added(seen, self.weight * robust)
        if learned.clusters is not None and model.clusters is not None:
            clusters = replace(model.clusters, price=learned.clusters.price)
            model = replace(model, clusters=clusters)
        return replace(
            model,
            n_steps=self._n_steps,
            relieved_at=learned.relieved_at,
            pace=learned.pace,
            robust_weight=float(robust[-1]),
        )

    @property
    def _n_steps(self) -> int:
        """As many as the rows would be in the stream; beyond `MOST_STEPS` none is taken there."""
        if not (self.plan.rule.repeats or self.plan.robust):
            return self.n_rows
        return int(np.minimum(np.ceil(self.weight), MOST_STEPS).sum())


def _continued(plan: Plan, model: Model) -> Learner | None:
    if model.learner is None:
        return None
    if plan.rule.averages:
        scatter, V = model.learner.spectrum(None)
    else:  # the signs that the components are born with
        scatter, V = model.components.scatter, model.components.V
    real = scatter > 0
    return plan.rule.continued(plan.max_components, scatter[real], V[real], model.centre.weight)
