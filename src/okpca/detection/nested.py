"""Strange at a coarse look, or at a fine one: what few components leave of a row, and what all do.

    R_r(x) = ‖φ(x) − μ‖² − Σ_{j ≤ r} y_j²       r = 0, 1, 2, 4; of all components it is SPE
    u_r    = (R_r − m_r) / (q_r − m_r)          m_r its median over the window, q_r what one row in
                                                ten exceeds

    s = max(SPE, m + (q − m) (2 + 5 (max_r u_r − 2))) / q

SPE tells most, if nothing strange was learned. Where one row in twenty is strange, some of them are
learned, and who has learned a few of a kind leaves little of the others: SPE is blind to them. Few
components follow the many, so what they leave still tells. But of most rows it tells nothing, and
that would drown SPE. So it is heard only where it is twice as far out as one row in ten, and then
it is louder than SPE: where no other row ever is, five times as much.

Gauges are taken with the components, from all rows of the window, whose scores are then by it too.

(Not where all rows leave the same but for rounding: there it tells nothing. And where components
explain all of nearly all rows, q − m of SPE is taken for a trillionth of what a stranger scores, or
nobody would be heard.) All of it is affine in the residuals, so the gauge is an offset and a slope
for each:

    s = max_i (offset_i + slope_i R_i)          and the residual that it is decides the row
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from okpca._core.numerics import BELIEVED, EIGENVALUE
from okpca._core.typing import Array
from okpca.detection.scores import Chart

COARSE = (0, 1, 2, 4)
"""Numbers of components: more leave what SPE leaves, and 1 tells what 0 and 2 do not."""
USUAL, HIGH = 0.5, 0.9
"""Median, and a quantile which strangers that are one in twenty do not move far."""
HEARD, LOUDER = 2.0, 5.0
"""From where on a coarse look is heard, and how loud. Chosen on other streams than those that are
judged in docs/uses.md; 2 to 2.5 and 3 to 10 are hardly different, less of both costs clean rows."""
ENOUGH = 100
"""Rows for a gauge, ten of them beyond its high quantile; all of a shorter window. With fewer, and
where single scores decide (`Window.thin`) or are averaged, the score is SPE alone, in units of what
a stranger scores."""


@dataclass(frozen=True)
class Gauge:
    """Offset and slope for the columns of a chart's scores; T² has none, and never decides."""

    offset: Array
    slope: Array
    known: bool  # whether there were rows to take it from

    @classmethod
    def of(cls, pairs: Array, chart: Chart, *, enough: bool) -> Gauge:
        """From scores of the past, if they are enough."""
        most, columns = chart.strangers, len(chart.strangers)
        slope, offset = np.zeros(columns), np.zeros(columns)
        if not enough:
            slope[0] = 1.0 / (most[0] or 1.0)  # 1 is what a stranger scores
            return cls(offset, slope, False)
        order = np.sort(pairs[:, :columns].T)
        middle, high = (order[:, int(share * len(pairs))] for share in (USUAL, HIGH))
        least = EIGENVALUE * most[0]
        unit, spread = max(high[0], least) or 1.0, high - middle
        spread[0] = max(spread[0], least)
        tells = spread > BELIEVED * most
        tells[:2] = False
        slope[tells] = LOUDER * spread[0] / (spread[tells] * unit)
        heard = (middle[0] - (LOUDER - 1) * HEARD * spread[0]) / unit
        offset[tells] = heard - slope[tells] * middle[tells]
        slope[0] = 1.0 / unit
        return cls(offset, slope, True)

    def refuse_unsound(self) -> None:
        """A ValueError if this is none."""
        if not self.offset.shape == self.slope.shape == (2 + len(COARSE),):
            raise ValueError(f"a gauge of {self.offset.shape} and {self.slope.shape}")

    def scores(self, pairs: Array) -> Array:
        """s of rows with these scores by a chart."""
        if len(pairs) == 1:  # the same, in less time
            return np.asarray((pairs * self.slope + self.offset).max(axis=1))
        return np.asarray(self._each(pairs).max(axis=0))

    def weights(self, pairs: Array) -> Array:
        """1 for the column that decides a row, 0 for the others, shape of the pairs."""
        return np.asarray(np.eye(pairs.shape[1])[self._each(pairs).argmax(axis=0)])

    def _each(self, pairs: Array) -> Array:
        return np.asarray(pairs.T * self.slope[:, None] + self.offset[:, None])  # rows side by side
