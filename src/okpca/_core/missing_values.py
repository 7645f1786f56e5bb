"""Rows that lack values: which they are, and how to say so."""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca._core.numerics import ROWS
from okpca._core.typing import Flags

REMEDIES = (
    "missing='skip' leaves such rows out, missing='impute' fills them in by what the model has "
    "learned; or fill them in beforehand, by sklearn.impute for example."
)


def rows_lacking(X: Any, *, all_values: bool = False) -> Flags | None:
    """Which rows lack a value, or all of them? None: not one row does. What CSR does not store is 0
    and not missing."""
    lacking = np.zeros(X.shape[0], dtype=bool)
    if hasattr(X, "indptr"):
        missing = np.isnan(X.data)
        if missing.any() and not all_values:
            lacking[np.repeat(np.arange(len(lacking)), np.diff(X.indptr))[missing]] = True
    else:
        for start in range(0, len(X), ROWS):
            missing = np.isnan(X[start : start + ROWS])
            if missing.any():
                lacking[start : start + ROWS] = missing.all(1) if all_values else missing.any(1)
    return lacking if lacking.any() else None


def column_of_gap(X: Any, row: int, names: Any = None) -> str:
    """The first column that has no number in a row, with its name if there are any."""
    values = X.tocsr()[[row]].toarray()[0] if hasattr(X, "tocsr") else np.asarray(X)[row]
    column = next(j for j, value in enumerate(values) if _is_gap(value))
    return f"column {column}" if names is None else f"column {column} ({str(names[column])!r})"


def _is_gap(value: Any) -> bool:
    try:
        return bool(np.isnan(float(value)))
    except (TypeError, ValueError):  # None, pandas' NA
        return True
