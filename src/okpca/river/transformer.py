"""OnlineKernelPCA for River: dicts or data frames in, components out."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any

import numpy as np
from river import base
from river.utils import dataframe

from okpca._core.signatures import with_parameters_of
from okpca._core.typing import Array
from okpca.detection.refresh import rows_to_new_components
from okpca.estimator import OnlineKernelPCA as Estimator
from okpca.estimator import keeping, kept_by, model_of
from okpca.model import Model, projected
from okpca.river.adapter import Face, blamed, blamed_row, opened, validated
from okpca.river.columns import Columns, Features

YOUNG = 0.25
"""While first rows are held back, what is shown of them is a fit of its own: it is made anew when
there are so many more."""


class OnlineKernelPCA(Face, base.MiniBatchTransformer):
    """:class:`okpca.OnlineKernelPCA` as a transformer of River.

    A row is a dict; what comes out is a dict ``{"kpca0": ..., "kpca1": ...}``, zeros while nothing
    was learned. Features may come and go, see `absent`.

    Parameters
    ----------
    n_components : int, float or None, default=2
        As in :class:`okpca.OnlineKernelPCA`, whose other parameters are taken as well, with their
        defaults: `kernel`, `gamma`, `degree`, `coef0`, `kernel_params`, `sigma`, `scale`,
        `missing`, `rule`, `dictionary`, `nu`, `max_atoms`, `on_full`, `center`, `robust`,
        `forgetting`, `burn_in`, `geometry` and `random_state`. A fraction, or None, gives as many
        features as there are components at the time. ``gamma=None`` is one over the number of
        features of the first row.
    absent : {"zero", "missing"}, default="zero"
        What a feature is in a row that does not have it: 0, as in River's linear models, or a
        missing value, which `missing` says what to do about ("raise", "skip" or "impute", as for
        None and NaN). With "zero" features may appear later on, and were 0 so far; `scale` leaves
        such columns as they are. With "missing" those that the first row does not have are
        ignored, and so they are with kernels that are functions of one's own, ``gamma="scale"``,
        and atoms that are given (:class:`okpca.dictionary.Fixed`).
    max_features : int or None, default=None
        The most features there may be; those that come later are ignored. None: twice as many as
        the first row has.
    refresh : int or None, default=None
        Rows between two times that the components are taken anew which rows are shown by. None:
        after more rows the more were learned, as :class:`okpca.KernelNoveltyDetector` does, since
        to take them costs as much as to learn a hundred rows and they hardly change. 1: always.
    prefix : str, default="kpca"
        The features that come out are called by it and their number.

    Attributes
    ----------
    estimator : okpca.OnlineKernelPCA
        What was learned, a copy: its `atoms_`, `explained_variance_ratio_`, `certificate()` ...
    features : list
        The feature in each column of its rows. Columns beyond are 0, for features to come.

    Examples
    --------
    >>> from river import datasets, evaluate, linear_model, metrics, preprocessing
    >>> from okpca.river import OnlineKernelPCA
    >>> model = preprocessing.StandardScaler() | OnlineKernelPCA(20, gamma="median", max_atoms=50)
    >>> model |= ("again", preprocessing.StandardScaler())
    >>> model |= linear_model.LogisticRegression()
    >>> stream = datasets.Bananas().take(1000)  # classes that are bent around each other
    >>> evaluate.progressive_val_score(stream, model, metrics.Accuracy())
    Accuracy: 8...%
    """

    @with_parameters_of(
        Estimator,
        but=("epochs", "shuffle", "preimage", "verbose"),
        absent="zero",
        max_features=None,
        refresh=None,
        prefix="kpca",
    )
    def __init__(self) -> None:
        self._inner = validated(Estimator, self)
        self._columns: Columns | None = None
        self._shown: Estimator | None = None  # as it was when last taken anew
        self._due = 0  # the row when it is again

    def learn_one(self, x: Features) -> None:
        """Learn from a row. One that is refused changes nothing."""
        taught = self._taught(x)
        if taught is not None:
            self._take(*taught, *self._renewed(taught[0], self._shown, self._due))

    def learn_many(self, X: Any) -> None:
        """Learn from the rows of a data frame, in their order: the same as one by one."""
        features, values = _table(X)
        if not len(values) or not features:
            return
        inner, columns, shown, due = copy(self._inner), self._columns, self._shown, self._due
        if columns is None:
            inner, columns = opened(self, inner, features)
        columns = columns.and_more(features)
        rows, done = columns.rows(features, values), 0
        while done < len(rows):
            seen = kept_by(inner).n_rows if shown is not None else 0
            part = rows[done : done + max(due - seen, 1)]
            try:
                inner.partial_fit(part)
            except ValueError as error:
                raise blamed_row(error, columns, rows, done) from None
            shown, due = self._renewed(inner, shown, due)
            done += len(part)
        self._take(inner, columns, shown, due)

    def transform_one(self, x: Features) -> dict[Any, float]:
        """The row on the components; features that are not known yet count as if learned."""
        shown, columns = self._shown, self._columns
        if shown is None or columns is None:
            return dict.fromkeys(_names(self.prefix, self._n_at_first()), 0.0)
        columns, row = columns.taking(x)
        try:
            if np.isfinite(row).all():  # a third of the time of `transform`
                found = projected(model_of(shown), row)
            else:
                found = np.asarray(shown.transform(row))
        except ValueError as error:
            raise blamed(error, columns, x, row) from None
        values: list[float] = found[0].tolist()
        return dict(zip(_names(self.prefix, len(values)), values, strict=True))

    def transform_many(self, X: Any) -> Any:
        """The rows of a data frame, in one of the same kind and with the same index."""
        features, values = _table(X)
        shown, columns = self._shown, self._columns
        if shown is None or columns is None or not len(values):
            r = self._n_at_first() if shown is None else shown.n_components_
            out: Array = np.zeros((len(values), r))
        else:
            columns = columns.and_more(features)
            rows = columns.rows(features, values)
            try:
                out = np.asarray(shown.transform(rows))
            except ValueError as error:
                raise blamed_row(error, columns, rows, 0) from None
        names = _names(self.prefix, out.shape[1])
        return dataframe.to_native_frame(out, columns=names, like=dataframe.into_frame(X))

    @property
    def estimator(self) -> Estimator:
        """What was learned so far, for scikit-learn: a copy."""
        learned: Estimator = copy(self._inner)
        return learned

    def _n_at_first(self) -> int:
        return self.n_components if isinstance(self.n_components, int) else 0

    def _renewed(self, inner: Estimator, shown: Any, due: int) -> tuple[Estimator | None, int]:
        """What rows are shown by from here on, and until which row."""
        model = kept_by(inner)
        if not model.n_rows or model.n_rows < due:
            return shown, due
        return keeping(inner, model), model.n_rows + (self.refresh or _rows_between(model))

    def _take(self, inner: Any, columns: Columns, shown: Any, due: int) -> None:
        self.__dict__.update(_inner=inner, _columns=columns, _shown=shown, _due=due)  # at once


def _rows_between(model: Model) -> int:
    if model.held is not None:
        return max(int(YOUNG * model.n_rows), 1)
    return rows_to_new_components(model)


@cache
def _names(prefix: str, r: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{j}" for j in range(r))


def _table(X: Any) -> tuple[list[Any], Array]:
    """Features and values of a data frame."""
    frame = dataframe.into_frame(X)
    return list(frame.columns), dataframe.to_numpy(frame)
