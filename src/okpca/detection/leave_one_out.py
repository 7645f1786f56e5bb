"""What a row that was learned would score today, had it not been.

Rows score high while their kind is new. On a slow cycle, row after row, nearly all of the first
turn does, and limits by what rows scored when they came would be blind until it has left the
window. A model that has learned the turn leaves little of its rows, but they have taught it, so
that is less than new ones score. Without a row x, to first order, a component v_j turns away from
the residual e of x by y_j e / (W λ_j), hence

    SPE without x = SPE / (1 − h)²,   h = 1 / W + Σ_j y_j² / (W λ_j)

W being the weight of all rows; and no more than (W / (W − 1))² ‖φ(x) − μ‖², which x scores if no
component knows it, as one that is still alone in its direction does: h is near 1 there.

Those scores are for rows in any order: the model knows what came before x and what came after. Rows
to come know only a past. So they are believed only if they are *borne out*, twice. First, by the
model without all of the last rows, n of them, a quarter of those there are: of the variance of the
others along components, about their mean ȳ = −Σ y / (W − n),

    (W diag(λ) − Σ y yᵀ) / (W − n) − ȳ ȳᵀ,   the sums over the last rows,

what is less than the least λ_j belongs to none any more, and these rows score as much more as they
have there. No more of them may be beyond the limit than chance has it. Where a cycle is on its
first turn, or a slow walk goes on, they are; once it has come back they are not. Second, by the
last rows as they scored when they came. And in an event nothing is believed (`Watch.limits_by`):
alarms do not count among the scores of the window, which would go on to bear out what they belie.
"""

from __future__ import annotations

import numpy as np

from okpca._core.blas_threads import blocks_on_one_thread
from okpca._core.numerics import EPS, ROWS
from okpca._core.typing import Array
from okpca.detection.limits import exceeds
from okpca.detection.scores import Chart

RECENT = 100
"""These rows, or half of a short window: fewer say little, more make the wait longer."""
LAST = 4
"""One of so many rows are the last ones: as many as come, at most, before components are taken
anew (see `refresh`)."""
CHANCE = 2.0
"""Times as many as promised may be beyond, and one more, or the cluster that one makes; twice that
for rows that are left out together, which a model of fewer rows knows less well."""


@blocks_on_one_thread
def without_itself(chart: Chart, X: Array) -> Array:
    """SPE of each of these rows, all of them learned, by a model that has learned the others."""
    W = _weight(chart)
    out = np.empty(len(X))
    for start in range(0, len(X), ROWS):
        rows = X[start : start + ROWS]
        squares, spe = np.square(chart.projected(rows)), chart.scores(rows)[:, 0]
        h = (1.0 + squares @ (1.0 / chart.variance)) / W
        unknown = (spe + squares.sum(axis=1)) * (W / (W - 1.0)) ** 2
        out[start : start + ROWS] = np.minimum(spe / np.maximum(1.0 - h, EPS) ** 2, unknown)
    return out


@blocks_on_one_thread
def without_each_other(chart: Chart, X: Array) -> Array:
    """SPE of these rows, all of them learned, by a model that has learned none of them."""
    Y, W = chart.projected(X), _weight(chart)
    others = max(W - len(X), 1.0)
    mean = -Y.sum(axis=0) / others
    scatter = W * np.diag(chart.variance) - Y.T @ Y
    left, U = np.linalg.eigh(scatter / others - np.outer(mean, mean))
    lost = (Y - mean) @ U[:, left < chart.variance.min()]
    return np.asarray(chart.scores(X)[:, 0] + np.square(lost).sum(axis=1))


def _weight(chart: Chart) -> float:
    return max(chart.model.centre.weight, 2.0)


def borne_out(scores: Array, limit: float, alpha: float, memory: float) -> bool:
    """Are scores beyond the limit as seldom as promised? An alarm may be the work of `memory`
    rows."""
    beyond = int(np.count_nonzero(exceeds(scores, limit)))
    return beyond <= CHANCE * alpha * len(scores) + memory
