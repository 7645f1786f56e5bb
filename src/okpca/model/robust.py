"""How far rows lie from a subspace, and what their robust weights are.

    e(x) = ½ (‖φ(x) − μ‖² − ‖V (z − z̄)‖²),     w(x) = Ψ̇(e(x))            (Huang & Yeh 2, 14-17)

Residual energy outside the dictionary counts. While the components of a step rule are not
orthonormal yet the difference may be negative; a squared distance is not, so it ends at zero,
unless the weight says otherwise (`clipped`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from okpca._core.blas_threads import one_thread
from okpca._core.decay import decay_powers, remembered
from okpca._core.eigen import leading_pairs
from okpca._core.numerics import (
    AFRESH,
    AT_MEAN,
    CENTRAL,
    FAINT,
    IN_SUBSPACE,
    LOOK,
    REWEIGHTED,
    SAME_SIZE,
    TIE,
)
from okpca._core.typing import Array
from okpca.dictionary import Encoded
from okpca.kernels.first_rows import quantile
from okpca.model.components import as_many_as_asked, n_sharing
from okpca.model.residual_quantiles import Residuals
from okpca.model.state import Model
from okpca.model.weights import Weight
from okpca.rules import Learner

REWEIGHTINGS = 100  # turns, at the latest, until batch weights are settled
TO_MEDIAN = 30  # steps towards the spatial median of a batch, which is only a place to start from
MOST, CONCENTRATIONS = 0.75, 10  # the share of a batch that is surely normal, and steps towards it


@dataclass(frozen=True, eq=False)
class Reference:
    """What rows are judged by, until the stream has had `until` of them."""

    V: Array | None  # None: there is no subspace yet, and every row counts
    mean: Array
    until: int
    weigh: Weight | None = None  # None: nothing is known of residuals yet, and every row counts

    def recoded(self, P: Array) -> Self:
        V = None if self.V is None else self.V @ P[:, : self.V.shape[1]].T
        return replace(self, V=V, mean=P[:, : len(self.mean)] @ self.mean)

    def judged(self, rows: Encoded) -> tuple[Array, Array]:
        """Robust weights, and the residuals that say how large they usually are."""
        if self.V is None:
            return np.ones(len(rows.Z)), np.zeros(len(rows.Z))
        clipped = self.weigh is None or self.weigh.clipped
        e, least = halved_residual(rows, self.V, self.mean, clipped=clipped)
        return _weights(self.weigh, e), np.maximum(e, least)


def _weights(weigh: Weight | None, e: Array) -> Array:
    # Never quite zero: a row without weight would leave sums of weights without meaning.
    return np.ones(len(e)) if weigh is None else np.maximum(weigh(e), FAINT)


def judge(model: Model) -> Reference:
    """What the next row is judged by."""
    reference, plan, learner = model.reference, model.plan, model.learner
    assert plan.robust is not None
    if reference is not None and model.n_steps < reference.until:
        return reference
    if learner is None or (plan.rule.averages and model.centre.weight == 0.0):
        return Reference(None, model.centre.mean, model.n_steps + 1)
    if plan.rule.averages:
        V = _with_ties(model, learner)
        gap = rows_between_looks(model.n_steps, model.centre.forgetting, plan.budget.max_atoms)
    else:
        V, gap = learner.spectrum(plan.max_components)[1], 1  # components are at hand
    weigh = plan.robust.at(model.residuals)
    return Reference(V, model.centre.mean, model.n_steps + gap, weigh)


def _with_ties(model: Model, learner: Learner) -> Array:
    """The components. Which of those that tie is the last would be for rounding to say: so there
    are all of them, and each counts for the share of them that is asked for."""
    most = model.plan.max_components
    scatter, V = learner.spectrum(None if most is None else most + 1)
    asked = as_many_as_asked(model, scatter, V)[1]
    if _tied(scatter, len(asked) - 1)[1] <= len(asked) or not asked[-1:].any():
        return asked
    scatter, V = learner.spectrum(V.shape[1])
    start, stop = _tied(scatter, len(asked) - 1)
    V = V[:stop].copy()  # they are the learner's
    V[start:] *= np.sqrt((len(asked) - start) / (stop - start))
    return V


def _tied(scatter: Array, i: int) -> tuple[int, int]:
    """From where to where eigenvalues tie with the i-th, each with the next."""
    apart = 1 + np.flatnonzero(scatter[1:] <= (1 - SAME_SIZE) * scatter[:-1])
    group = int(np.searchsorted(apart, i, "right"))
    edges = [0, *apart.tolist(), len(scatter)]
    return edges[group], edges[group + 1]


def rows_between_looks(n_rows: int, forgetting: float, max_atoms: int | None) -> int:
    """For rules that average, eigenvectors at every row would cost far more than the rows. A
    subspace of n rows hardly changes with a few per cent of n. With a short memory it does, but
    then the more atoms there may be, the more a look costs."""
    atoms = n_rows if max_atoms is None else min(n_rows, max_atoms)
    return max(1, int(AFRESH * remembered(n_rows, forgetting)), int(LOOK * atoms))


def counted_in(
    weigh: Weight, residuals: Residuals, e: Array, weight: Array, forgetting: float = 1.0
) -> Residuals:
    """With those of these rows, if the weight depends on how large residuals usually are."""
    return residuals.after(e, weight, forgetting) if weigh.relative else residuals


def halved_residual(
    rows: Encoded, V: Array, mean: Array, *, clipped: bool = True
) -> tuple[Array, Array]:
    """e(x), and the least that it counts as where the usual residual is asked for: below that,
    rounding says how large it is."""
    old = len(mean)
    centred = rows.Z.copy()
    centred[:, :old] -= mean
    outputs = centred[:, :old] @ V.T
    square = np.einsum("ij,ij->i", centred, centred) + rows.residual
    e = 0.5 * (square - np.einsum("ij,ij->i", outputs, outputs))
    e = np.maximum(e, 0.0) if clipped else e
    norm = np.einsum("ij,ij->i", rows.Z, rows.Z) + rows.residual
    return np.asarray(e), 0.5 * np.maximum(IN_SUBSPACE * square, AT_MEAN * norm)


@one_thread
def reweighted(
    rows: Encoded, weight: Array, wanted: float, weigh: Weight, *, center: bool, forgetting: float
) -> tuple[Array, Residuals]:
    """Robust weights of a whole batch: PCA and weights in turn until the weights stay (7); and the
    residuals that they come from.

    Every turn lowers Σ w Ψ(e), which is concave in e, towards a minimum that may be local: among
    rows that all follow an outlier, the outlier is none. So there are two starts, all rows alike
    and all rows on a sphere, and the end of lower loss counts. A weight that is relative has a loss
    of its own beside every subspace, and starts where most rows are: with the half nearest to the
    spatial median, then a few times with the three quarters nearest to the subspace of those before
    (the steps of least trimmed squares). So does the count of the components that hold a share of
    the variance, which outliers would have.
    """
    if forgetting < 1.0:
        weight = weight * decay_powers(len(weight), forgetting)
    if weigh.plain_start:
        V, mean = _leading(rows, weight, wanted, center)
        usual = np.maximum(*halved_residual(rows, V, mean))
        return np.ones(len(weight)), counted_in(weigh, Residuals(), usual, weight)

    def settle(robust: Array, wanted: float) -> _End:
        for _ in range(REWEIGHTINGS):
            V, mean = _leading(rows, weight * robust, wanted, center)
            e, least = halved_residual(rows, V, mean)
            residuals = counted_in(weigh, Residuals(), np.maximum(e, least), weight)
            measured = weigh.at(residuals)
            before, robust = robust, _weights(measured, e)
            if np.abs(robust - before).max() <= REWEIGHTED:
                break
        loss = 0.0 if measured is None else float(weight @ measured.loss(e))
        return _End(loss, robust, residuals, len(V))

    def concentrated(robust: Array) -> Array:
        for _ in range(CONCENTRATIONS):
            V, mean = _leading(rows, weight * robust, wanted, center)
            robust = _smaller(halved_residual(rows, V, mean)[0], weight, MOST)
        return robust

    sphere, ends = _on_a_sphere(rows, weight), []
    if weigh.relative or not isinstance(wanted, int):
        ends = [settle(concentrated(_smaller(1 / sphere, weight, 0.5)), wanted)]
        wanted = ends[0].n_components  # the same for all, so that they can be compared
    if not weigh.relative:
        ends += [settle(start, wanted) for start in (np.ones(len(weight)), sphere)]
    best = min(ends, key=lambda end: end.loss)
    return best.robust, best.residuals


class _End(NamedTuple):
    """Where reweighting ends."""

    loss: float
    robust: Array
    residuals: Residuals
    n_components: int


def _on_a_sphere(rows: Encoded, weight: Array) -> Array:
    """Weights that put every row at the same distance from the spatial median: one row, however far
    away, moves neither the median nor the components of such rows by much (Locantore et al.)."""
    share = weight / weight.sum()
    for _ in range(TO_MEDIAN):
        away = rows.Z - share @ rows.Z
        square = np.einsum("ij,ij->i", away, away) + rows.residual
        square = (
            np.maximum(square, CENTRAL * square.max()) if square.any() else np.ones(len(square))
        )
        share = weight / np.sqrt(square)
        share /= share.sum()
    return np.asarray(square.min() / square)


def _smaller(values: Array, weight: Array, share: float) -> Array:
    """Weights of next to nothing for all rows but this share of them, of the smallest values."""
    most = quantile(values[:, None], weight, share)
    return np.where(values <= most * (1 + TIE), 1.0, FAINT)


def _leading(rows: Encoded, weight: Array, wanted: float, center: bool) -> tuple[Array, Array]:
    """Components and mean of weighted rows: so many, or as many as hold this share of variance."""
    Z, m = rows.Z, rows.Z.shape[1]
    weight = weight / weight.max()  # as large as they are, sums of squares might overflow
    mean = weight @ Z / weight.sum() if center else np.zeros(m)
    scaled = (Z - mean) * np.sqrt(weight)[:, None]
    if isinstance(wanted, int):
        return leading_pairs(scaled.T @ scaled, min(wanted, m))[1], mean
    scatter, V = leading_pairs(scaled.T @ scaled, m)
    variance = np.einsum("ij,ij->", scaled, scaled) + weight @ rows.residual
    return V[: n_sharing(scatter, wanted, variance)], mean
