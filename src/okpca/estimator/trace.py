"""What happened along the stream: one record every so many rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca.estimator.learned import model_of
from okpca.model import imputed, projected
from okpca.subspace import subspace_distance


class Trace:
    """A callback for `fit` and `partial_fit` that writes a diary of the model.

    Parameters
    ----------
    every : int, default=1
        Rows of the stream from one record to the next.
    rows : array of shape (n, n_features), default=None
        The variance per component is measured on these; if None it is the model's own running
        estimate.
    reference : fitted model or Subspace, default=None
        Its subspace distance (:func:`okpca.subspace.subspace_distance`) is recorded.

    Examples
    --------
    >>> import numpy as np
    >>> from okpca import OnlineKernelPCA, Trace
    >>> trace = Trace(every=100)
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> _ = OnlineKernelPCA(2, gamma=1.0).partial_fit(X, callback=trace)
    >>> [record["row"] for record in trace.records]
    [100, 200, 300, 400, 500]
    """

    def __init__(self, every: int = 1, *, rows: Any = None, reference: Any = None) -> None:
        if every != int(every) or every < 1:
            raise ValueError(f"every of Trace must be an integer >= 1, got {every}.")
        self.every = int(every)
        self.rows = rows
        self.reference = reference
        self.records: list[dict[str, Any]] = []

    def __call__(self, estimator: Any, row: Any) -> None:
        model = model_of(estimator)
        # A call that was taken back may have left records of rows that come again.
        while self.records and self.records[-1]["row"] >= model.n_rows:
            self.records.pop()
        record = {
            "row": model.n_rows,
            "atoms": model.basis.m,
            "output": projected(model, imputed(model, row.astype(np.float64)))[0],
            "variance": self._variance(estimator),
            "weight": model.robust_weight,
            "step": model.plan.rule.step_size(max(model.n_steps, 1)),
        }
        if self.reference is not None:
            spans = model.basis.m > 0
            record["distance"] = subspace_distance(estimator, self.reference) if spans else np.nan
        self.records.append(record)

    def _variance(self, estimator: Any) -> Any:
        if self.rows is None:
            return estimator.explained_variance_
        return np.square(np.asarray(estimator.transform(self.rows))).mean(axis=0)

    def to_frame(self) -> Any:
        """A pandas data frame, one line a record; vectors take a column per component."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "Trace.to_frame needs pandas: pip install pandas. Trace.records has the same "
                "numbers without it."
            ) from None

        lines = [
            {
                column: value
                for name, entry in record.items()
                for column, value in _columns(name, entry)
            }
            for record in self.records
        ]
        return pd.DataFrame(lines)


def _columns(name: str, entry: Any) -> list[tuple[str, float]]:
    if np.ndim(entry) == 0:
        return [(name, entry)]
    return [(f"{name}{j}", float(value)) for j, value in enumerate(entry)]
