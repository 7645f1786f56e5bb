"""What an estimator does about rows that lack values, as its parameter `missing` says.

"raise"    they are refused
"skip"     they are not learned, and what is asked about them is NaN
"impute"   they are filled in by the model, and then are rows like any other
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from okpca._core.missing_values import rows_lacking
from okpca._core.typing import Flags
from okpca.estimator.parameters import MISSING
from okpca.kernels.rows import is_sparse
from okpca.model import Model, imputed


def checked(missing: str) -> str:
    """It may be set anew at any time."""
    if missing not in MISSING:
        raise ValueError(f"missing must be one of {MISSING}, got {missing!r}.")
    return missing


def left_out(missing: str, X: Any) -> Flags | None:
    """The rows that are not learned for what they lack: with "impute" those that have no value at
    all, which tell nothing. None: there are none."""
    if checked(missing) == "raise":
        return None
    if missing == "impute":
        refuse_sparse_gaps(X)
    return rows_lacking(X, all_values=missing == "impute")


def refuse_sparse_gaps(X: Any) -> None:
    if is_sparse(X) and np.isnan(X.data).any():
        raise ValueError(
            "Input X contains NaN: values of CSR rows cannot be filled in. missing='skip' leaves "
            "such rows out; or give dense rows."
        )


def around_gaps(missing: str, model: Model, X: Any, function: Callable[[Any], Any]) -> Any:
    """An array of the function of rows that are whole; it need not know that others lack values."""
    lacking = None if checked(missing) == "raise" else rows_lacking(X)
    if lacking is None:
        return function(X)
    if missing == "impute":
        return function(completed(model, X))
    out = function(_stood_in(model, X, lacking))
    out[lacking] = np.nan
    return out


def completed(model: Model, X: Any) -> Any:
    """The rows filled in by the model, in their dtype."""
    refuse_sparse_gaps(X)
    return imputed(model, X.astype(np.float64, copy=False)).astype(X.dtype, copy=False)


def _stood_in(model: Model, X: Any, lacking: Flags) -> Any:
    """Rows to compute with where there are none, so that an error names the row it is about."""
    X = X.copy()
    if is_sparse(X):
        X.data[np.isnan(X.data)] = 0.0
    elif model.basis.m:
        atom = model.basis.atoms[:1]
        X[lacking] = atom.toarray() if is_sparse(atom) else atom
    else:
        X[lacking] = 0.0
    return X
