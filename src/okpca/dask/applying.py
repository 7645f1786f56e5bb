"""What a fitted model makes of rows, block by block and when it is asked for."""

from __future__ import annotations

import os
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize
from sklearn.utils.validation import check_is_fitted

from okpca._core.blas_threads import only_one_thread
from okpca.dask.partitions import partitions_of, whole_rows
from okpca.detection import KernelNoveltyDetector
from okpca.detection.fitted import settings_of
from okpca.estimator.pipeline import split


def transform(model: Any, X: Any) -> da.Array:
    """Rows on the components of a fitted model: a lazy array, (n_samples, n_components_).

    X is a dask array, a dask data frame or a list of delayed blocks; the result has the same
    blocks, of unknown length where theirs is.
    """
    check_is_fitted(model)
    return _blockwise(model, X, "transform", model.n_components_)


def score_samples(model: Any, X: Any) -> da.Array:
    """The `score_samples` of a fitted model or detector, a lazy array, (n_samples,)."""
    check_is_fitted(model)
    _, judge = split(model)
    known = settings_of(judge) if isinstance(judge, KernelNoveltyDetector) else None
    if known is not None and (known.lags or known.ewma < 1):
        raise ValueError(
            "lags and ewma join a row with those before it, which may be in another block: take "
            "score_samples of the detector itself, with rows in their order."
        )
    return _blockwise(model, X, "score_samples", None)


def denoise(model: Any, X: Any) -> da.Array:
    """The `denoise` of a fitted model, a lazy array of the shape of X."""
    check_is_fitted(model)
    return _blockwise(model, X, "denoise", model.n_features_in_)


@only_one_thread
def _of_block(block: Any, model: Any, method: str, like: Any) -> Any:
    """`like` has no rows, and is otherwise what comes out."""
    if not block.shape[0]:
        return like
    return np.asarray(getattr(model, method)(block)).astype(like.dtype, copy=False)


def _blockwise(model: Any, X: Any, method: str, width: int | None) -> da.Array:
    if isinstance(X, str | os.PathLike):
        raise TypeError("files are for fit: read them by dask.dataframe, or apply at the prompt.")
    token = tokenize(model, X, method)
    shared = dask.delayed(model, name=f"okpca-model-{token}", traverse=False)
    single = isinstance(X, da.Array) and X.dtype == np.float32 and hasattr(model, "transform")
    like = np.empty((0,) if width is None else (0, width), np.float32 if single else np.float64)
    given, name = {"model": shared, "method": method, "like": like}, f"okpca-{method}-{token}"
    if not isinstance(X, da.Array):
        return _of_partitions(X, given, name)
    if X.ndim != 2 or X.shape[1] != model.n_features_in_:
        raise ValueError(f"X of {X.shape} has not the {model.n_features_in_} columns of the model.")
    X = whole_rows(X)
    return da.map_blocks(
        _of_block,
        X,
        **given,
        dtype=like.dtype,
        chunks=(X.chunks[0],) if width is None else (X.chunks[0], (width,)),
        drop_axis=1 if width is None else None,
        meta=like,
        name=name,
    )


def _of_partitions(X: Any, given: dict[str, Any], name: str) -> da.Array:
    """Of data frames and delayed blocks, nobody knows how long they are."""
    like, blocks = given["like"], []
    for i, part in enumerate(partitions_of(X)):
        block = dask.delayed(_of_block)(part.rows, **given, dask_key_name=(f"{name}-part", i))
        blocks.append(
            da.from_delayed(block, (np.nan, *like.shape[1:]), meta=like, name=f"{name}-{i}")
        )
    return da.concatenate(blocks, allow_unknown_chunksizes=True)
