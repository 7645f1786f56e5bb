"""A fit on many machines, put together."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from okpca.estimator.online import OnlineKernelPCA


def merge(models: Iterable[OnlineKernelPCA]) -> OnlineKernelPCA:
    """One new model of the rows of all `models`; the given ones stay as they are.

    All need the same kernel, width and centring, and a rule that keeps moments.
    """
    parts = list(models)
    if not parts:
        raise ValueError("merge needs at least one model, got none.")
    for part in parts:
        if not isinstance(part, OnlineKernelPCA):
            raise TypeError(f"merge takes models (OnlineKernelPCA), got {part!r:.60}.")
    merged = copy(parts[0])  # what a model has learned is a value: nobody changes it
    for other in parts[1:]:
        merged.merge(other)
    return merged
