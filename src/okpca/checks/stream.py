"""The stream itself: how it is cut, stopped and taken up again does not matter."""

from __future__ import annotations

import copy
import pickle
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone

from okpca._core.typing import Array
from okpca.checks._tools import (
    assert_close,
    assert_finite,
    assert_identical,
    cut,
    fed,
    fresh,
    is_fitted,
    need_fit,
    rows,
    seen_by,
    state,
)


def check_slicing_does_not_matter(estimator: Any) -> None:
    """However the rows arrive, all at once, one by one or in odd batches, the model is the same."""
    X = rows(150)
    whole = seen_by(fed(estimator, [X]), X)
    for sizes in ([1], [7, 1, 64, 3], [149, 1], [1, 149], [50]):
        pieces = seen_by(fed(estimator, cut(X, sizes)), X)
        assert_close(pieces, whole, f"rows cut as {sizes}, or not at all")


def check_first_row_may_come_alone(estimator: Any) -> None:
    """A stream may start with a single row; the model can be used at once and goes on."""
    X = rows(60)
    model = fresh(estimator)
    for batch in cut(X, [1, 1, 58]):
        model.partial_fit(batch)
        assert_finite(model, X, f"when {len(batch)} more rows have come")


def check_outputs_are_finite_after_each_update(estimator: Any) -> None:
    """There is no moment in a stream when the model is not fit for use."""
    X = rows(40)
    model = fresh(estimator)
    for n, row in enumerate(cut(X, [1])):
        model.partial_fit(row)
        assert_finite(model, X, f"after row {n}")


def check_pickle_continues_exactly(estimator: Any) -> None:
    """A model saved in mid-stream and loaded goes on bit for bit as the one that was not."""
    X = rows(150)
    for sizes, saved in (([1], (3, 11, 75)), ([20], (1, 4)), ([33, 1, 1], (5,))):
        model = fresh(estimator)
        others: dict[str, Any] = {}
        for n, piece in enumerate(cut(X, sizes), 1):
            for other in [model, *others.values()]:
                other.partial_fit(piece)
            if n in saved:
                what = f"a model saved after {n} batches of {sizes}"
                others[what] = pickle.loads(pickle.dumps(model))
                assert_identical(seen_by(others[what], X), seen_by(model, X), what)
        for what, other in others.items():
            assert_identical(seen_by(other, X), seen_by(model, X), f"{what}, at the end")


def check_copies_part_ways(estimator: Any) -> None:
    """What a copy learns the original does not: a copy can be kept, or tried on other rows."""
    X, strange = rows(60), 3.0 * rows(60, seed=1)
    for size in (1, 20):
        model = fed(estimator, cut(X[:41], [size]))
        twin = fed(estimator, cut(X[:41], [size]))
        other = copy.deepcopy(model)
        for piece, other_piece in zip(cut(X[41:], [size]), cut(strange, [size]), strict=False):
            model.partial_fit(piece)
            other.partial_fit(other_piece)
            twin.partial_fit(piece)
        assert_identical(seen_by(model, X), seen_by(twin, X), "a model whose copy has gone on")


def check_repeats_need_no_memory(estimator: Any) -> None:
    """Rows that bring nothing new leave nothing behind: the model does not count on its fingers."""
    X = rows(30)
    model = fresh(estimator)
    before = _peak(model, [X] * 20)
    grown = _peak(model, [X] * 80) - before
    assert grown <= 512, f"{80 * len(X)} repeated rows add {grown} bytes to {before}"


def check_memory_is_bounded(estimator: Any) -> None:
    """Once the model is full it stays as large as it is, whatever still comes.

    1500 rows, far apart, must be enough to fill it, but for half a per cent, since some may wait to
    be taken in. One that shrinks now and then is looked at often enough to be seen at its largest.
    """
    spread = np.array([8.0, 16.0, 32.0, 64.0, 128.0])
    model = fresh(estimator)
    before = _peak(model, cut(spread * rows(1500), [100]))
    grown = _peak(model, cut(spread * rows(1500, seed=1), [100])) - before
    assert grown <= 2048 + before // 200, f"1500 rows more add {grown} bytes to {before}"


def check_fit_starts_afresh(estimator: Any) -> None:
    """`fit` forgets whatever was learned before."""
    need_fit(estimator)
    X = rows(60)
    used = fed(estimator, [10.0 + 3.0 * rows(40, seed=1)]).fit(X)
    assert_identical(seen_by(used, X), seen_by(fresh(estimator).fit(X), X), "fit after partial_fit")


def check_fit_is_partial_fit(estimator: Any) -> None:
    """`fit` of all rows is the stream of all rows."""
    need_fit(estimator)
    X = rows(60)
    one, other = fresh(estimator).fit(X), fed(estimator, cut(X, [25]))
    assert_close(seen_by(other, X), seen_by(one, X), "partial_fit and fit of the same rows")


def check_clone_is_unfitted(estimator: Any) -> None:
    """`clone` in mid-stream copies the parameters and nothing that was learned."""
    model = fed(estimator, [rows(40)])
    assert is_fitted(model), "partial_fit leaves it unfitted"
    assert not is_fitted(clone(model)), "a clone of a fitted model is fitted"


def check_same_seed_same_model(estimator: Any) -> None:
    """The same rows and the same random_state give the same bits."""
    X = rows(60)
    one, other = (fed(estimator, cut(X, [20, 1])) for _ in range(2))
    assert_identical(seen_by(one, X), seen_by(other, X), "two models of the same rows")


def check_signs_are_continuous(estimator: Any) -> None:
    """A component never flips between two updates: a plot of the scores does not jump."""
    X = rows(300)
    model = fed(estimator, [X[:100]])
    before = seen_by(model, X)
    for n, piece in enumerate(cut(X[100:], [20, 1, 1])):
        model.partial_fit(piece)
        after = seen_by(model, X)
        along = [_cosine(a, b) for a, b in zip(before.T, after.T, strict=False)]
        assert min(along) > -0.5, f"component {int(np.argmin(along))} flips in update {n}"
        before = after


def check_rows_are_counted(estimator: Any) -> None:
    """`n_samples_seen_`, where there is one, is the number of rows of all calls."""
    X = rows(50)
    model = fed(estimator, cut(X, [20, 1]))
    if not hasattr(model, "n_samples_seen_"):
        raise SkipTest("there is no n_samples_seen_")
    assert model.n_samples_seen_ == 50, f"{model.n_samples_seen_} of 50 rows counted"


def _peak(model: Any, batches: list[Any]) -> int:
    """The largest the model has been, in bytes, while it learned these batches."""
    return max(len(state(model.partial_fit(batch))) for batch in batches)


def _cosine(a: Array, b: Array) -> float:
    return float(a @ b) / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-300)
