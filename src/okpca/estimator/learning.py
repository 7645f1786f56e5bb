"""An estimator takes rows: checked, cut into blocks, and learned by its model."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from okpca._core.blocks import float64
from okpca._core.callbacks import Callback, pieces
from okpca._core.typing import Array, Flags, Floats
from okpca._core.validation import (
    checked_rows,
    checked_weight,
    plain_row,
    refuse_infinite,
    taken_back_on_error,
    translated,
)
from okpca.estimator.attributes import names_of
from okpca.estimator.missing import left_out
from okpca.estimator.parameters import make_kernel
from okpca.estimator.progress import Along, progress_bar
from okpca.estimator.surgery import Alterable
from okpca.estimator.user_warnings import announce
from okpca.kernels import Kernel
from okpca.model import Model, absorb, absorb_row, at_end_of_fit, opened, planned, skipped


class Learning(Alterable):
    """An estimator that learns from rows."""

    epochs: int
    shuffle: bool
    verbose: Any

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> Self:
        """Forget everything, then learn from the rows of X, in their order unless `shuffle`.

        `callback` and `progress` are those of `partial_fit`.
        """
        told = progress or bool(self.verbose)
        with taken_back_on_error(self, but_for="_model"), progress_bar(self, told) as along:
            self._learn(X, sample_weight, "fit", True, callback, along)
            for _ in range(1, self.epochs):
                self._learn(X, sample_weight, "fit", False, callback, along)
            self._model = at_end_of_fit(self._model)
            announce((), self._model.troubles, names_of(self))
            return self

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        callback: Callback | None = None,
        progress: bool = False,
    ) -> Self:
        """Learn from more rows, one or many: only their order matters, not the calls.

        A call that is refused leaves the model as it was. An interrupted one (Ctrl-C) leaves a
        model of the rows done so far. `callback(self, row)` is called after every row, or after
        every `callback.every` rows of the stream; see :class:`okpca.Trace`. `progress=True` shows
        rows, rows per second, atoms and explained variance on stderr, by tqdm.
        """
        fresh = not self.__sklearn_is_fitted__()
        alone = sample_weight is None and callback is None and not progress
        if not fresh and alone and plain_row(self, X):
            call = self._calls + 1
            with translated((0,), "partial_fit", call):
                model = absorb_row(self._model, X)
            if model.troubles is not self._model.troubles:
                announce(self._model.troubles, model.troubles)
            self.__dict__.update(_model=model, _calls=call)  # one step: nothing comes between
            return self
        with taken_back_on_error(self, but_for="_model"), progress_bar(self, progress) as along:
            known = self._model.troubles if "_model" in self.__dict__ else ()
            self._learn(X, sample_weight, "partial_fit", fresh, callback, along)
            announce(known, self._model.troubles, names_of(self))
            return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Fit, then project the same rows on the components as they are after the last row."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def _learn(
        self,
        X: Any,
        sample_weight: Any,
        method: str,
        fresh: bool,
        callback: Callback | None,
        along: Along,
    ) -> None:
        """Keep, block by block, the model of these rows too."""
        known = self.__dict__.get("_model") if method == "partial_fit" or not fresh else None
        call = 1 if known is None else self._calls + 1
        if fresh:
            self._validate_params()
        kernel = make_kernel(self) if fresh else self._model.basis.kernel
        X, weight, lacking = _checked(self, X, sample_weight, kernel, method, call, fresh)
        model = opened(self, kernel, X.shape[1], known) if fresh else self._model
        model = planned(model, self.missing == "impute")  # which may change from call to call
        self._calls = call
        order = np.arange(len(weight))
        if method == "fit" and self.shuffle:
            refuse_infinite(self, float64(X), 0, method, call)  # by the first such row of X
            order = np.random.RandomState([model.plan.seed, call]).permutation(order)
            X, weight = X[order], weight[order]
            lacking = None if lacking is None else lacking[order]
        for start, stop, told in along(pieces(weight, model.n_rows, callback), len(weight)):
            block, w = float64(X[start:stop]), weight[start:stop]
            # Here, while the block is in the cache; a call refused late is taken back whole.
            refuse_infinite(self, block, start, method, call)
            if lacking is not None:
                model = skipped(model, lacking[start:stop], w > 0, model.n_rows)
            model = _absorbed(model, block, w, order[start:stop], method, call)
            self._model = model  # whatever interrupts us finds a whole one
            if callback is not None and told:
                callback(self, X[stop - 1 : stop])


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
