"""A call that is refused has not happened: the stream goes on as if it had never been made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from okpca._core.typing import Array
from okpca.checks._tools import (
    assert_identical,
    assert_refused,
    cut,
    fed,
    fresh,
    is_fitted,
    need_fit,
    need_pandas,
    refuses,
    rows,
    seen_by,
    state,
)


def _spoiled(value: float, row: int) -> Array:
    X = rows(20, seed=2)
    X[row, 1] = value
    return X


def _bad_batches(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Whatever no transformer can learn from, NaN among it unless its tag says otherwise."""
    X = rows(20, seed=2)
    if np.isnan(_bad_value(estimator)):
        yield "NaN in the first row", _spoiled(np.nan, 0)
        yield "NaN in the last row", _spoiled(np.nan, -1)
        yield "NaN in a single row", _spoiled(np.nan, 0)[:1]
    yield "infinity", _spoiled(np.inf, 7)
    yield "minus infinity in a single row", _spoiled(-np.inf, 0)[:1]
    yield "no rows", X[:0]
    yield "no columns", X[:, :0]
    yield "one dimension", X[0]
    yield "three dimensions", X[None]
    yield "complex numbers", X + 1j
    yield "strings", np.full(X.shape, "word")
    yield "objects", np.full(X.shape, object())
    yield "ragged rows", [[1.0] * X.shape[1], [1.0]]
    yield "None", None


def _bad_value(estimator: Any) -> float:
    """What it refuses in a row."""
    tags = getattr(estimator, "__sklearn_tags__", None)
    return float("inf" if tags is not None and tags().input_tags.allow_nan else "nan")


def _bad_later(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Whatever does not go with rows seen before, too."""
    X = rows(20, seed=2)
    yield from _bad_batches(estimator)
    yield "a column too few", X[:, :-1]
    yield "a column too many", np.column_stack([X, X[:, 0]])
    yield "a column too few in a single row", X[:1, :-1]


def check_refused_batch_changes_nothing(estimator: Any) -> None:
    """A bad batch is refused whole: the bytes of the model are those before the call."""
    for sizes in ([40], [1]):
        model = fed(estimator, cut(rows(40), sizes))
        for what, X in _bad_later(estimator):
            assert_refused(model, "partial_fit", X, what)


def check_refused_first_batch_leaves_no_trace(estimator: Any) -> None:
    """If the very first batch is refused the estimator is as new, not half fitted."""
    single = ("a single row", rows(1))  # may be refused, but then like the others
    for what, X in (*_bad_batches(estimator), single):
        model = fresh(estimator)
        attributes, before = set(vars(model)), state(model)
        refused = refuses(model, "partial_fit", X)
        assert refused or what == single[0], f"partial_fit accepts {what}"
        if refused:
            left = sorted(set(vars(model)) ^ attributes)
            assert not left, f"the refused first batch ({what}) leaves {left}"
            assert state(model) == before, f"the refused first batch ({what}) changes it"
            assert not is_fitted(model), f"the refused first batch ({what}) leaves it fitted"


def check_refused_fit_changes_nothing(estimator: Any) -> None:
    """A refused `fit` does not cost you the model you had."""
    need_fit(estimator)
    model = fed(estimator, [rows(40)])
    for what, X in _bad_batches(estimator):
        assert_refused(model, "fit", X, what)


def check_refused_batch_is_forgotten(estimator: Any) -> None:
    """After a refusal the stream goes on bit for bit as if the call had not been made."""
    X = rows(60)
    for sizes in ([20], [1]):
        model, twin = fresh(estimator), fresh(estimator)
        for piece in cut(X, sizes):
            model.partial_fit(piece)
            twin.partial_fit(piece)
            refuses(model, "partial_fit", _spoiled(_bad_value(estimator), -1))
            refuses(model, "partial_fit", _spoiled(_bad_value(estimator), 0)[:1])
        assert_identical(seen_by(model, X), seen_by(twin, X), "with and without refused batches")


def check_refused_names_change_nothing(estimator: Any) -> None:
    """Columns that are renamed, missing or in another order are noticed, and nothing is learned."""
    pandas = need_pandas()
    X = pandas.DataFrame(rows(40), columns=list("abcde"))
    model = fed(estimator, [X])
    for what, wrong in {
        "a renamed column": X.rename(columns={"a": "z"}),
        "columns in another order": X[list("bacde")],
        "a missing column": X[list("abcd")],
    }.items():
        assert_refused(model, "partial_fit", wrong, what)
        assert refuses(model, "transform", wrong), f"transform accepts {what}"


def check_transform_refuses_bad_rows(estimator: Any) -> None:
    """`transform` refuses what `partial_fit` refuses; a bad row is no silent NaN."""
    model = fed(estimator, [rows(40)])
    for what, X in _bad_later(estimator):
        assert_refused(model, "transform", X, what)


def check_transform_needs_a_fit(estimator: Any) -> None:
    """Before the first row `transform` says so, by scikit-learn's NotFittedError."""
    silent = is_fitted(fresh(estimator))
    assert not silent, "transform before the first row raises no NotFittedError"
