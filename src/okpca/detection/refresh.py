"""When a detector looks anew, counted in rows of the stream.

Every `refresh` rows there is a border, where limits are set by the scores so far; at every second
of them once as many rows have come as a large window holds, of which so few change little.
Components cost far more than limits: an eigenproblem of 500 atoms takes as long as 1500 rows, of
100 as long as 150. So they are taken anew only at borders where enough rows were learned since the
last time,

    n / 4 + m² / 500, up to 16 m     a young model changes with every row
    n / 20                           a subspace of n rows hardly changes with a few per cent of n

whichever is more, n being the rows that count: with forgetting no more than the memory holds.
"""

from __future__ import annotations

from okpca._core.decay import remembered
from okpca._core.numerics import AFRESH
from okpca.model import Model

YOUNG = 0.25
PER_PAIR = 1 / 500
PER_ATOM = 16.0
LITTLE = 1 / 7
"""Of the scores of a window: so many new ones hardly move its limits."""


def rows_to_border(n: int, refresh: int, window: int) -> int:
    """From n rows after the warm-up to the next border."""
    border = n + refresh - n % refresh
    few = 2 * refresh <= LITTLE * window
    if few and border > window and border % (2 * refresh):
        border += refresh
    return border - n


def rows_to_new_components(model: Model) -> int:
    """So many rows more are to be learned before components are taken anew."""
    m, memory = model.basis.m, remembered(model.n_rows, model.centre.forgetting)
    young = min(YOUNG * memory + PER_PAIR * m * m, PER_ATOM * m)
    return int(max(young, AFRESH * memory, 1))
