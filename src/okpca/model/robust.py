"""How far rows lie from a subspace, and what their robust weights are.

    e(x) = ½ (‖φ(x) − μ‖² − ‖V (z − z̄)‖²),     w(x) = Ψ̇(e(x))            (Huang & Yeh 2, 14-17)

Residual energy outside the dictionary counts. While the components of a step rule are not
orthonormal yet the difference may be negative; a squared distance is not, so it ends at zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from okpca._core.decay import decay_powers
from okpca._core.eigen import leading_pairs
from okpca._core.numerics import AFRESH, CENTRAL, FAINT, LOOK, MEDIAN, REWEIGHTED, REWEIGHTINGS
from okpca._core.threads import one_thread
from okpca._core.typing import Array
from okpca.dictionary import Encoded
from okpca.model.components import counted
from okpca.model.state import Model
from okpca.model.weights import Weight


@dataclass(frozen=True, eq=False)
class Reference:
    """The subspace that rows are judged by, until the stream has had `until` of them."""

    V: Array | None  # None: there is no subspace yet, and every row counts
    mean: Array
    until: int

    def recoded(self, P: Array) -> Self:
        V = None if self.V is None else self.V @ P[:, : self.V.shape[1]].T
        return replace(self, V=V, mean=P[:, : len(self.mean)] @ self.mean)

    def weights(self, rows: Encoded, weigh: Weight) -> Array:
        if self.V is None:
            return np.ones(len(rows.Z))
        # Never quite zero: a row without weight would leave sums of weights without meaning.
        return np.maximum(weigh(halved_residual(rows, self.V, self.mean)), FAINT)


def judge(model: Model) -> Reference:
    """What the next row is judged by."""
    reference, plan, learner = model.reference, model.plan, model.learner
    if reference is not None and model.n_steps < reference.until:
        return reference
    if learner is None or (plan.rule.averages and model.centre.weight == 0.0):
        return Reference(None, model.centre.mean, model.n_steps + 1)
    scatter, V = learner.spectrum(plan.max_components)
    gap = 1  # a step rule has its components at hand
    if plan.rule.averages:
        _, V = counted(model, scatter, V)
        gap = rows_between_looks(model.n_steps, model.centre.forgetting, plan.budget.max_atoms)
    return Reference(V, model.centre.mean, model.n_steps + gap)


def rows_between_looks(n_rows: int, forgetting: float, max_atoms: int | None) -> int:
    """For rules that average, eigenvectors at every row would cost far more than the rows. A
    subspace of n rows hardly changes with a few per cent of n. With a short memory it does, but
    then the more atoms there may be, the more a look costs."""
    memory = n_rows if forgetting == 1.0 else min(n_rows, 1.0 / (1.0 - forgetting))
    atoms = n_rows if max_atoms is None else min(n_rows, max_atoms)
    return max(1, int(AFRESH * memory), int(LOOK * atoms))


def halved_residual(rows: Encoded, V: Array, mean: Array) -> Array:
    old = len(mean)
    centred = rows.Z.copy()
    centred[:, :old] -= mean
    outputs = centred[:, :old] @ V.T
    square = np.einsum("ij,ij->i", centred, centred) + rows.residual
    return np.asarray(0.5 * np.maximum(square - np.einsum("ij,ij->i", outputs, outputs), 0.0))


@one_thread
def reweighted(
    rows: Encoded, weight: Array, r: int | None, weigh: Weight, *, center: bool, forgetting: float
) -> Array:
    """Robust weights of a whole batch: PCA and weights in turn until the weights stay (7).

    Every turn lowers Σ w Ψ(e), which is concave in e, towards a minimum that may be local: among
    rows that all follow an outlier, the outlier is none. So there are two starts, all rows alike
    and all rows on a sphere, and the end of lower loss counts.
    """
    if forgetting < 1.0:
        weight = weight * decay_powers(len(weight), forgetting)

    def settle(robust: Array) -> tuple[float, Array]:
        for _ in range(REWEIGHTINGS):
            e = halved_residual(rows, *_leading(rows.Z, weight * robust, r, center))
            before, robust = robust, np.maximum(weigh(e), FAINT)
            if np.abs(robust - before).max() <= REWEIGHTED:
                break
        return float(weight @ weigh.loss(e)), robust

    ends = [settle(start) for start in (np.ones(len(weight)), _on_a_sphere(rows, weight))]
    return min(ends, key=lambda end: end[0])[1]


def _on_a_sphere(rows: Encoded, weight: Array) -> Array:
    """Weights that put every row at the same distance from the spatial median: one row, however far
    away, moves neither the median nor the components of such rows by much (Locantore et al.)."""
    share = weight / weight.sum()
    for _ in range(MEDIAN):
        away = rows.Z - share @ rows.Z
        square = np.einsum("ij,ij->i", away, away) + rows.residual
        square = (
            np.maximum(square, CENTRAL * square.max()) if square.any() else np.ones(len(square))
        )
        share = weight / np.sqrt(square)
        share /= share.sum()
    return np.asarray(square.min() / square)


def _leading(Z: Array, weight: Array, r: int | None, center: bool) -> tuple[Array, Array]:
    """Components and mean of weighted rows."""
    mean = weight @ Z / weight.sum() if center else np.zeros(Z.shape[1])
    scaled = (Z - mean) * np.sqrt(weight)[:, None]
    m = Z.shape[1]
    return leading_pairs(scaled.T @ scaled, min(r or m, m))[1], mean
