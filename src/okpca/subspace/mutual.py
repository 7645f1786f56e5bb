"""Recognition by subspaces: one online model per class (Chin & Suter V-C2).

A query is a set of rows, such as the frames of a video. Its own kernel subspace is compared with
that of every class by the kernel principal angles between them,

    class of a set = argmin_c d(query, class c),     d of (36)

which is the kernel mutual subspace method. A single row x goes to the class whose subspace is
nearest to φ(x); without centring that is the same with a subspace of one dimension.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from okpca._core.cited import Cited
from okpca._core.typing import Array
from okpca._core.validation import taken_back_on_error
from okpca.estimator import OnlineKernelPCA
from okpca.io import Saving
from okpca.subspace.measures import subspace_distance
from okpca.subspace.space import Subspace


class MutualSubspaceClassifier(Saving, Cited, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classes as kernel subspaces, learned from a stream, for single rows and for sets of rows.

    Parameters
    ----------
    estimator : OnlineKernelPCA or None, default=None
        The model of every class, and of every query set. None: ``OnlineKernelPCA(5,
        center=False)``, five components without centring as in the paper.

    Attributes
    ----------
    classes_ : ndarray of the class labels, sorted. A new class may appear at any time.
    models_ : list of OnlineKernelPCA, one per class; None for one announced and not yet seen.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from okpca import OnlineKernelPCA
    >>> from okpca.subspace import MutualSubspaceClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> looks = OnlineKernelPCA(5, gamma=0.001, center=False)
    >>> model = MutualSubspaceClassifier(looks).fit(X[:1000], y[:1000])
    >>> bool(model.score(X[1000:], y[1000:]) > 0.9)
    True
    >>> model.predict_sets([X[1000:][y[1000:] == 7]])
    array([7])
    """

    references = ("sakano2005", "wolf2003", "chin2007")

    _learns_by_value = True  # a copy that learns leaves this one as it is

    def __init__(self, estimator: OnlineKernelPCA | None = None) -> None:
        self.estimator = estimator

    classes_: NDArray[Any]
    models_: list[OnlineKernelPCA | None]

    # -- learning ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Forget everything, then learn every class from its rows, in their order."""
        with taken_back_on_error(self):
            X, y = validate_data(self, X, y, dtype=np.float64)
            check_classification_targets(y)
            return self._learn(X, y, np.unique(y), {})

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from more rows. `classes` may announce labels that have not come yet."""
        fresh = not self.__sklearn_is_fitted__()
        with taken_back_on_error(self):
            X, y = validate_data(self, X, y, dtype=np.float64, reset=fresh)
            check_classification_targets(y)
            known = {} if fresh else dict(zip(self.classes_, self.models_, strict=True))
            labels = [y] if classes is None else [y, np.asarray(classes)]
            labels += [] if fresh else [self.classes_]
            if len({_is_text(part) for part in labels}) > 1:
                raise ValueError("labels are text in one place and numbers in another: use one.")
            return self._learn(X, y, np.unique(np.concatenate(labels)), known)

    def _learn(
        self, X: Array, y: NDArray[Any], classes: NDArray[Any], known: dict[Any, Any]
    ) -> Self:
        models: list[OnlineKernelPCA | None] = []
        for label in classes:
            model, rows = known.get(label), X[y == label]
            if len(rows):
                # A copy: a block refused for one class must not have taught another.
                model = self._blank() if model is None else copy.copy(model)
                model.partial_fit(rows)
            models.append(model)
        self.classes_, self.models_ = classes, models
        return self

    def _blank(self) -> OnlineKernelPCA:
        if self.estimator is None:
            return OnlineKernelPCA(5, center=False)
        if not isinstance(self.estimator, OnlineKernelPCA):
            raise TypeError(f"estimator must be an OnlineKernelPCA, got {self.estimator!r}.")
        return clone(self.estimator)  # type: ignore[no-any-return]

    # -- rows -------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """Minus the squared distance of φ(x) to each class, (n, n_classes).

        For two classes their difference, (n,): positive for the second one.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores = np.full((len(X), len(self.classes_)), -np.inf)
        for c, space in self._spaces():
            scores[:, c] = -space.residuals(X)
        return np.asarray(scores[:, 1] - scores[:, 0]) if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        return self._named(self.decision_function(X))

    # -- sets -------------------------------------------------------------------------------------

    def decision_sets(self, sets: Any, groups: Any = None) -> Array:
        """Minus the distance (36) of the subspace of each set to each class, (n_sets, n_classes).

        Parameters
        ----------
        sets : list of arrays (n_i, d), or one array with `groups`
        groups : array of labels, one per row, default=None
            Rows of one label are one set; sets come in the order of the sorted labels.
        """
        check_is_fitted(self)
        queries = [self._query(rows, i) for i, rows in enumerate(_split(sets, groups))]
        scores = np.full((len(queries), len(self.classes_)), -np.inf)
        for c, space in self._spaces():
            scores[:, c] = [-subspace_distance(query, space) for query in queries]
        return scores

    def predict_sets(self, sets: Any, groups: Any = None) -> NDArray[Any]:
        """The class of each set."""
        return np.asarray(self.classes_[self.decision_sets(sets, groups).argmax(axis=1)])

    def score_sets(self, sets: Any, y: Any, groups: Any = None) -> float:
        """The share of sets whose class is right; y has one label per set."""
        predicted = self.predict_sets(sets, groups)
        if np.shape(y) != predicted.shape:
            raise ValueError(f"{len(predicted)} sets, but y has the shape {np.shape(y)}.")
        return float(np.mean(predicted == np.asarray(y)))

    def _query(self, rows: Any, number: int) -> Subspace:
        try:
            rows = validate_data(self, rows, dtype=np.float64, reset=False)
        except ValueError as error:
            raise ValueError(f"{error} [set {number}, counting sets from 0]") from None
        return _space(self._blank().fit(rows))

    # -- shared -----------------------------------------------------------------------------------

    def _spaces(self) -> Iterator[tuple[int, Subspace]]:
        for c, model in enumerate(self.models_):
            if model is not None:
                yield c, _space(model)

    def _named(self, scores: Array) -> NDArray[Any]:
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __sklearn_is_fitted__(self) -> bool:
        return "classes_" in self.__dict__

    def _rows_seen(self) -> int:
        models = self.models_ if self.__sklearn_is_fitted__() else []
        return sum(model.n_samples_seen_ for model in models if model is not None)

    def _refuse_unsound(self) -> None:
        if not self.__sklearn_is_fitted__():
            return
        known, n = [model for model in self.models_ if model is not None], len(self.models_)
        if self.classes_.shape != (n,) or len(set(self.classes_)) != n:
            raise ValueError(f"{n} models for classes of {self.classes_.shape}")
        if not all(model.n_features_in_ == self.n_features_in_ for model in known):
            raise ValueError("models of classes with different columns")


def _space(model: OnlineKernelPCA) -> Subspace:
    """Of orthonormal functions; rows that are all zero to the kernel span nothing."""
    if model.n_atoms_ == 0:
        return Subspace(model.kernel_, np.zeros((1, model.n_features_in_)), np.zeros((1, 1)))
    return Subspace.of(model).orthonormal()


def _split(sets: Any, groups: Any) -> Sequence[Any]:
    if groups is None:
        if isinstance(sets, np.ndarray) and sets.ndim == 2:
            raise ValueError("one array of rows needs `groups`; or pass a list of arrays.")
        return list(sets)
    groups, rows = np.asarray(groups), np.asarray(sets)
    if groups.shape != rows.shape[:1]:
        raise ValueError(f"groups has the shape {groups.shape} for {len(rows)} rows.")
    return [rows[groups == label] for label in np.unique(groups)]


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "OUS"
