"""What both faces share: an estimator of okpca inside, and the columns of its rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

from okpca._core.errors import RowError
from okpca._core.number_checks import checked_count
from okpca._core.signatures import parameters_of
from okpca._core.typing import Array
from okpca.estimator import make_kernel
from okpca.kernels import Standardizing
from okpca.kernels.base import Trait
from okpca.kernels.gamma import counts_columns
from okpca.river.columns import Columns, Features, refuse_no_dict

E = TypeVar("E")


def validated(kind: type[E], face: Any) -> E:
    """An estimator of this kind with the parameters of a face, which are all checked."""
    inner: Any = kind(**parameters_of(kind, face))
    inner._validate_params()
    if face.absent not in ("zero", "missing"):
        raise ValueError(f"absent must be 'zero' or 'missing', got {face.absent!r}.")
    for name in ("max_features", "refresh"):
        value = getattr(face, name)
        if value is not None:
            checked_count(type(face).__name__, name, value, 1, more=", or None")
    return inner  # type: ignore[no-any-return]


def opened(face: Any, inner: E, features: Iterable[Any]) -> tuple[E, Columns]:
    """The estimator for rows that begin with these features, and their columns.

    Columns kept for others are 0 so far, and must not count: gamma=None is one over the number of
    the features.
    """
    n = len(set(features))
    most = face.max_features or 2 * n
    kernel = make_kernel(inner)
    plain = kernel.kernel if isinstance(kernel, Standardizing) else kernel
    any_columns = Trait.ANY_COLUMNS in plain.traits and not counts_columns(plain)
    points = getattr(face.dictionary, "points", None)  # atoms that are given have their columns
    room = face.absent == "zero" and any_columns and points is None
    absent = 0.0 if face.absent == "zero" else np.nan
    columns = Columns.of_first(features, most if room else min(n, most), absent)
    settled = {"kernel": kernel.resolved(len(columns.names)), "gamma": None, "sigma": None}
    settled |= {"scale": None, "kernel_params": None}
    return type(inner)(**parameters_of(type(inner), inner) | settled), columns


class Face:
    """A model of River that has an estimator of okpca inside."""

    _inner: Any
    _columns: Columns | None

    @property
    def features(self) -> list[Any]:
        """The feature in each column."""
        return [] if self._columns is None else list(self._columns.names)

    def _taught(self, x: Features) -> tuple[Any, Columns] | None:
        """The estimator, which has learned a row, and the columns with those that the row has; None
        for a row without any where nothing is known: it tells nothing."""
        inner, columns = self._inner, self._columns
        if columns is None:
            refuse_no_dict(x)
            if not x:
                return None
            inner, columns = opened(self, inner, x)
        columns, row = columns.taking(x)
        try:
            inner.partial_fit(row)
        except ValueError as error:
            raise blamed(error, columns, x, row) from None
        return inner, columns

    def __getattr__(self, name: str) -> Any:
        text = f"{type(self).__name__!r} of okpca.river has no attribute {name!r}"
        if name in ("fit", "partial_fit", "transform", "fit_transform", "predict", "score_samples"):
            text += (
                ". It is for River: learn_one, learn_many and so on; the estimators for "
                "scikit-learn are okpca.OnlineKernelPCA and okpca.KernelNoveltyDetector"
            )
        raise AttributeError(text + ".")


def blamed(error: ValueError, columns: Columns, x: Features, row: Array) -> ValueError:
    """An error about a row, or one that names the feature that is not finite, if one is."""
    if isinstance(error, RowError):
        return ValueError(f"{error.what}.")
    return error if np.isfinite(row).all() else columns.blamed(x)


def blamed_row(error: ValueError, columns: Columns, rows: Array, start: int) -> ValueError:
    """The same of a table, whose rows from `start` on were refused: the first that is not finite,
    or one that the error itself counts from there."""
    bad = np.flatnonzero(~np.isfinite(rows[start:]).all(axis=1))
    if not len(bad):
        return ValueError(f"rows from {start} on: {error}") if start else error
    row = start + int(bad[0])
    x = dict(zip(columns.names, rows[row].tolist(), strict=False))
    return ValueError(f"row {row}: {columns.blamed(x)}")
