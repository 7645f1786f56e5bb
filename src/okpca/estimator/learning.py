"""Rows that an estimator is given to learn: checked, cut into blocks, and taken into its model."""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca._core.blocks import float64
from okpca._core.callbacks import Callback, pieces
from okpca._core.typing import Array, Flags
from okpca._core.validation import checked_rows, checked_weight, refuse_infinite, translated
from okpca.estimator.attributes import begin_call, calls_of, keep, kept_by, kept_if_any
from okpca.estimator.missing import left_out
from okpca.estimator.parameters import make_kernel
from okpca.estimator.progress import Along
from okpca.kernels import Kernel
from okpca.model import Model, absorb, opened, planned, skipped
from okpca.model.state import next_state


def learn(
    estimator: Any,
    X: Any,
    sample_weight: Any,
    method: str,
    fresh: bool,
    callback: Callback | None,
    along: Along,
) -> None:
    """Give the estimator, block by block, the model of these rows too."""
    known = kept_if_any(estimator) if method == "partial_fit" or not fresh else None
    call = 1 if known is None else calls_of(estimator) + 1
    if fresh:
        estimator._validate_params()
    kernel = make_kernel(estimator) if fresh else kept_by(estimator).basis.kernel
    X, weight, lacking = _checked(estimator, X, sample_weight, kernel, method, call, fresh)
    model = _begun(estimator, kernel, X.shape[1], known) if fresh else kept_by(estimator)
    model = planned(model, estimator.missing == "impute")  # which may change from call to call
    begin_call(estimator, call)
    order = np.arange(len(weight))
    if method == "fit" and estimator.shuffle:
        refuse_infinite(estimator, float64(X), 0, method, call)  # by the first such row of X
        order = np.random.RandomState([model.plan.seed, call]).permutation(order)
        X, weight = X[order], weight[order]
        lacking = None if lacking is None else lacking[order]
    for start, stop, told in along(pieces(weight, model.n_rows, callback), len(weight)):
        block, w = float64(X[start:stop]), weight[start:stop]
        # Here, while the block is in the cache; a call refused late is taken back whole.
        refuse_infinite(estimator, block, start, method, call)
        if lacking is not None:
            model = skipped(model, lacking[start:stop], w > 0, model.n_rows)
        model = _absorbed(model, block, w, order[start:stop], method, call)
        keep(estimator, model)
        if callback is not None and told:
            callback(estimator, X[stop - 1 : stop])


def _checked(
    estimator: Any, X: Any, sample_weight: Any, kernel: Kernel, method: str, call: int, fresh: bool
) -> tuple[Any, Array, Flags | None]:
    """Rows, their weights, and which of them are left out for what they lack: their weight is 0."""
    X = checked_rows(
        estimator, X, method, call, reset=fresh, sparse=kernel.allows_sparse, finite=False
    )
    weight = checked_weight(sample_weight, X, method, call)
    if fresh and not weight.any():
        raise ValueError("every sample_weight is zero: there is no row to start from.")
    lacking = left_out(estimator.missing, X)
    if lacking is not None:
        lacking &= weight > 0  # those without weight do not count
        weight = np.where(lacking, 0.0, weight)
    if method == "fit" and not weight.any():
        raise ValueError("every row lacks values: there is no row to start from.")
    return X, weight, lacking


def _begun(estimator: Any, kernel: Kernel, n_features: int, known: Model | None) -> Model:
    """Before the first row. `known`: what there was, of which all rows were left out."""
    model = opened(estimator, kernel, n_features)
    if known is None:
        return model
    return next_state(model, gaps=known.gaps, troubles=known.troubles)


def _absorbed(
    model: Model, block: Any, weight: Array, numbers: Any, method: str, call: int
) -> Model:
    """After those rows that have a weight; a refused one is named by its number in the call."""
    if weight.all():
        with translated(numbers, method, call):
            return absorb(model, block, weight)
    used = np.flatnonzero(weight)
    with translated(numbers[used], method, call):
        return absorb(model, block[used], weight[used])
