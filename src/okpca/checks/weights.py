"""Weights of rows, for transformers whose `partial_fit` takes `sample_weight`."""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca.checks._tools import (
    assert_close,
    fed,
    fresh,
    need_weights,
    refuses,
    rows,
    seen_by,
    state,
)


def check_refused_weights_change_nothing(estimator: Any) -> None:
    """Weights that are negative, not finite or of the wrong number are refused like bad rows."""
    need_weights(estimator)
    X = rows(20)
    model = fed(estimator, [rows(40, seed=1)])
    before = state(model)
    for what, weight in {
        "a negative weight": np.where(np.arange(20) == 7, -1.0, 1.0),
        "a weight of NaN": np.where(np.arange(20) == 7, np.nan, 1.0),
        "an infinite weight": np.where(np.arange(20) == 7, np.inf, 1.0),
        "a weight too few": np.ones(19),
        "a weight too many": np.ones(21),
        "weights in two columns": np.ones((20, 2)),
    }.items():
        assert refuses(model, "partial_fit", X, sample_weight=weight), f"accepts {what}"
        assert state(model) == before, f"the refused batch ({what}) changes the model"


def check_unit_weight_is_no_weight(estimator: Any) -> None:
    """Weights of one are the same as none."""
    need_weights(estimator)
    X = rows(60)
    weighted = fresh(estimator).partial_fit(X, sample_weight=np.ones(60))
    assert_close(seen_by(weighted, X), seen_by(fed(estimator, [X]), X), "unit weights and none")


def check_zero_weight_is_no_row(estimator: Any) -> None:
    """A row of weight zero might as well not be there, be it first, last or a whole batch."""
    need_weights(estimator)
    X = rows(60)
    weight = (np.arange(60) % 3 == 1).astype(np.float64)
    model = fresh(estimator).partial_fit(X[:40], sample_weight=weight[:40])
    model.partial_fit(10.0 * X[:5], sample_weight=np.zeros(5))
    model.partial_fit(X[40:], sample_weight=weight[40:])
    plain = fed(estimator, [X[weight > 0]])
    assert_close(seen_by(model, X), seen_by(plain, X), "rows of weight zero, or left out")


def check_whole_weight_is_repetition(estimator: Any) -> None:
    """A row of weight three is the same row three times."""
    need_weights(estimator)
    X = rows(60)
    times = np.arange(60) % 3 + 1
    weighted = fresh(estimator).partial_fit(X, sample_weight=times.astype(np.float64))
    repeated = fed(estimator, [np.repeat(X, times, axis=0)])
    assert_close(seen_by(weighted, X), seen_by(repeated, X), "rows with weights, or repeated")
