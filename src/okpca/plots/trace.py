"""What happened along the stream: one record every so many rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from okpca._core.number_checks import checked_count
from okpca.estimator import OnlineKernelPCA, model_of
from okpca.model import imputed, projected
from okpca.plots._axes import frame, from_zero, panels, styled
from okpca.subspace import subspace_distance
from okpca.subspace.measures import captured_variance, leading_cosine

LABELS = {
    "atoms": "atoms",
    "variance": "variance along\nthe component",
    "error": "reconstruction\nerror",
    "cosine": "average cosine\nwith the reference",
    "distance": "subspace distance\nto the reference, rad",
    "weight": "weight of\nthe row",
    "step": "step size",
    "output": "output",
}
ALWAYS = ("atoms", "variance")
BY_DEFAULT = (*ALWAYS, "error", "cosine", "distance", "weight")
LOOKS = 100


class Trace:
    """A callback for `fit` and `partial_fit` that writes a diary of the model.

    Parameters
    ----------
    every : int, default=1
        Rows of the stream from one record to the next.
    rows : array of shape (n, n_features), default=None
        On these the variance along each component is measured (Honeine's (23); the mean square
        where the model is not centred), and the mean reconstruction error. If None the variance is
        the model's own running estimate, and there is no error.
    reference : fitted model or Subspace, default=None
        The subspace distance to it (:func:`okpca.subspace.subspace_distance`) and the average
        cosine with it (:func:`okpca.subspace.average_cosine`, of as many components as both have)
        are recorded. A model in the empirical geometry is compared with another one over the same
        atoms.

    Attributes
    ----------
    records : list of dict
        Each with the `row` number, the number of `atoms`, the `output` for the row, the `variance`
        along each component, the robust `weight` of the row and the `step` size of the rule; with
        `rows` the `error`, with a `reference` its `distance` and `cosine`.

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
        checked_count("Trace", "every", every, 1)
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
        self.records.append(record | self._on_rows(estimator) | self._against(estimator))

    def _on_rows(self, estimator: Any) -> dict[str, Any]:
        if self.rows is None:
            return {}
        return {"error": float(np.mean(estimator.reconstruction_error(self.rows)))}

    def _against(self, estimator: Any) -> dict[str, Any]:
        if self.reference is None:
            return {}
        if model_of(estimator).basis.m == 0:  # it spans nothing yet
            return {"distance": np.nan, "cosine": np.nan}
        return {
            "distance": subspace_distance(estimator, self.reference),
            "cosine": leading_cosine(estimator, self.reference),
        }

    def _variance(self, estimator: Any) -> Any:
        if self.rows is None or model_of(estimator).basis.m == 0:
            return estimator.explained_variance_
        return captured_variance(estimator, self.rows)

    def to_frame(self) -> Any:
        """A pandas data frame, one line a record; vectors take a column per component."""
        lines = [_line(record) for record in self.records]
        return frame({name: [line.get(name, np.nan) for line in lines] for name in _names(lines)})

    def plot(self, *names: str, ax: Any = None, **kwargs: Any) -> Any:
        """Draw what was recorded against rows seen, one panel for each of the names.

        By default all that changes: atoms, variance, and error, cosine, distance and weight where
        they are there. `kwargs` are those of `Axes.plot`; returns the axes.
        """
        known = [name for name in LABELS if any(name in record for record in self.records)]
        unknown = [name for name in names if name not in known]
        if unknown or not known:
            raise ValueError(
                f"this Trace has recorded {', '.join(known) or 'nothing'}; there is no "
                f"{', '.join(unknown) or 'curve to draw'}."
            )
        shown = names or [name for name in known if name in BY_DEFAULT and self._changes(name)]
        all_axes = panels(ax, len(shown), size=(7.4, 1.9))
        rows = [record["row"] for record in self.records]
        for name, axes in zip(shown, all_axes, strict=True):
            axes.plot(rows, curves(self.records, name), **styled({"lw": 1.6}, kwargs))
            axes.set_ylabel(LABELS[name])
            if name != "output":
                from_zero(axes)
        all_axes[-1].set_xlabel("rows seen")
        return np.array(all_axes, dtype=object)

    def _changes(self, name: str) -> bool:
        return name in ALWAYS or len(np.unique(curves(self.records, name))) > 1


def curves(records: list[dict[str, Any]], name: str) -> Any:
    """One column a component, NaN where there were fewer."""
    entries = [np.atleast_1d(record[name]) for record in records]
    found = np.full((len(entries), max(map(len, entries))), np.nan)
    for line, entry in zip(found, entries, strict=True):
        line[: len(entry)] = entry
    return found


def checked(trace: Trace) -> list[dict[str, Any]]:
    if not isinstance(trace, Trace):
        raise TypeError(f"expected an okpca.Trace, got {type(trace).__name__}.")
    if not trace.records:
        raise ValueError(
            "this Trace holds no record: give it to fit or partial_fit as callback=, with fewer "
            f"rows from one record to the next than now (every={trace.every})."
        )
    return trace.records


def traced(estimator: Any, X: Any, every: int | None, **options: Any) -> Trace:
    """The diary of a copy of the estimator, fitted to X."""
    if not isinstance(estimator, OnlineKernelPCA):
        raise TypeError(f"expected an OnlineKernelPCA, got {type(estimator).__name__}.")
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    trace = Trace(max(1, n // LOOKS) if every is None else every, **options)
    clone(estimator).fit(X, callback=trace)
    return trace


def _line(record: dict[str, Any]) -> dict[str, float]:
    """Vectors take a column per component."""
    return {
        column: value for name, entry in record.items() for column, value in _columns(name, entry)
    }


def _names(lines: list[dict[str, float]]) -> list[str]:
    return list(dict.fromkeys(name for line in lines for name in line))


def _columns(name: str, entry: Any) -> list[tuple[str, float]]:
    if np.ndim(entry) == 0:
        return [(name, entry)]
    return [(f"{name}{j}", float(value)) for j, value in enumerate(entry)]
