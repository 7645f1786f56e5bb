"""Diaries of streams, for the displays of time."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from okpca.estimator import OnlineKernelPCA
from okpca.plots.trace import Trace

LOOKS = 100


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
