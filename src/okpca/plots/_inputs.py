"""What displays are made from: a fitted model or detector, alone or at the end of a pipeline."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from okpca._core.typing import Array
from okpca.detection import KernelNoveltyDetector
from okpca.detection.fitted import settings_of
from okpca.detection.lags import joined
from okpca.estimator import OnlineKernelPCA
from okpca.estimator.pipeline import split


def kernel_pca(estimator: Any) -> OnlineKernelPCA:
    """The fitted model itself, or the last step of a pipeline."""
    _, model = split(estimator)
    if not isinstance(model, OnlineKernelPCA):
        hint = ": take its estimator_" if isinstance(model, KernelNoveltyDetector) else ""
        raise TypeError(f"expected an OnlineKernelPCA, got {type(model).__name__}{hint}.")
    check_is_fitted(model)
    return model


class Judged(NamedTuple):
    judge: KernelNoveltyDetector
    rows: Any  # as the detector wants them
    names: list[str]  # of their columns


def judged(estimator: Any, X: Any) -> Judged:
    """A fitted detector, or the last step of a pipeline, and rows for it."""
    first, judge = split(estimator)
    if not isinstance(judge, KernelNoveltyDetector):
        raise TypeError(f"expected a KernelNoveltyDetector, got {type(judge).__name__}.")
    check_is_fitted(judge)
    if first is None:
        return Judged(judge, X, names_of(judge.n_features_in_, judge, X))
    rows, width = first.transform(X), judge.n_features_in_
    try:
        names = first.get_feature_names_out()
    except (AttributeError, ValueError):  # a step that does not tell
        names = names_of(width, judge)
    return Judged(judge, rows, [str(name) for name in names])


def learned_by(judge: KernelNoveltyDetector, X: Any) -> tuple[OnlineKernelPCA, Any]:
    """The model that a fitted detector learns by, and rows as that wants them: with their past."""
    check_is_fitted(judge)
    lags = settings_of(judge).lags
    return judge.estimator_, joined(dense(X), None, lags)[0] if lags else X


def twin(model: OnlineKernelPCA) -> OnlineKernelPCA:
    """One that can be compared with the model, for other rows: of width and scale that it takes
    from these it could not be."""
    same: OnlineKernelPCA = clone(model)
    whole = {"kernel": model.kernel_, "kernel_params": None}
    same.set_params(**whole, gamma=None, sigma=None, scale=None)
    return same


def chosen(components: Any, n_components: int) -> list[int]:
    """Components, counted from 0 as the columns of `transform`."""
    which = [int(j) for j in np.atleast_1d(components)]
    if not which:
        why = "" if n_components else ": the kernel sees no variance in the rows learned"
        raise ValueError(f"there is no component to draw{why}.")
    for j in which:
        if not 0 <= j < n_components:
            raise ValueError(
                f"there is no component {j}: the model has {n_components}, counted from 0."
            )
    return which


def dense(X: Any) -> Array:
    """Rows as they are drawn."""
    return np.asarray(check_array(X, dtype=np.float64))


def names_of(columns: int, *sources: Any) -> list[str]:
    """Names of the columns, from the first of the sources that has them."""
    for source in sources:
        names = getattr(source, "feature_names_in_", getattr(source, "columns", None))
        if names is not None:
            return [str(name) for name in names]
    return [f"column {i}" for i in range(columns)]


def named(feature_names: Any, otherwise: list[str], columns: int) -> list[str]:
    """The names that are given, or others, if there is one for each column."""
    names = otherwise if feature_names is None else [str(name) for name in feature_names]
    if len(names) != columns:
        raise ValueError(f"{len(names)} feature_names for {columns} columns.")
    return names


def reconstructed(estimator: Any, X: Any) -> tuple[Array, Array]:
    """Rows by the components of a model or of a pipeline that ends in one, and their squared
    distances in feature space."""
    model, (first, _) = kernel_pca(estimator), split(estimator)
    taken = X if first is None else first.transform(X)
    out = model.denoise(taken)
    out = out if first is None else first.inverse_transform(out)
    error = model.reconstruction_error(taken)
    return np.asarray(out, dtype=np.float64), np.asarray(error, dtype=np.float64)
