"""A scorer for scikit-learn: how near rows come back."""

from __future__ import annotations

from typing import Any

import numpy as np

from okpca.kernels.rows import dense


def neg_preimage_error(estimator: Any, X: Any, y: Any = None) -> float:
    """Minus the mean squared distance between rows and what comes back of them, averaged over the
    columns: the higher, the better.

    In the units of the rows whatever the kernel, so it compares kernels and widths, where `score`
    compares what they capture of variances that are not the same. For
    ``GridSearchCV(..., scoring=okpca.preimage.neg_preimage_error)``; the estimator is anything that
    has `transform` and `inverse_transform`, such as a pipeline. Rows that lack values do not count.
    """
    back = np.asarray(estimator.inverse_transform(estimator.transform(X)), dtype=np.float64)
    rows = np.asarray(dense(X) if hasattr(X, "tocsr") else X, dtype=np.float64)
    errors = np.mean(np.square(rows - back), axis=1)
    known = ~np.isnan(errors)
    if not known.any():
        raise ValueError("every row lacks values: there is none to score by.")
    return -float(np.mean(errors[known]))
