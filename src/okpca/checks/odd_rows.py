"""Rows as they come: repeated, constant, of low rank, huge and tiny."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import SkipTest

import numpy as np

from okpca._core.typing import Array
from okpca.checks._tools import assert_finite, cut, fed, fresh, refuses, rows, state


def _assert_survives(estimator: Any, X: Array, what: str) -> None:
    for sizes in ([1], [20]):
        model = fresh(estimator)
        for n, piece in enumerate(cut(X, sizes)):
            model.partial_fit(piece)
            assert_finite(model, X, f"with {what}, after batch {n} of {sizes}")


def check_duplicates_are_harmless(estimator: Any) -> None:
    """The same row again and again, from the first call on, breaks nothing."""
    _assert_survives(estimator, np.repeat(rows(1), 40, axis=0), "one row 40 times")
    _assert_survives(estimator, np.tile(rows(5), (8, 1)), "5 rows 8 times")


def check_near_duplicates_are_harmless(estimator: Any) -> None:
    """Rows that differ by rounding only break nothing."""
    noise = np.random.RandomState(3).normal(size=(40, 5))
    for size in (1e-8, 1e-12, 1e-15):
        _assert_survives(estimator, np.tile(rows(5), (8, 1)) + size * noise, f"noise of {size:g}")


def check_constant_columns_are_harmless(estimator: Any) -> None:
    """Columns that never change, even all of them, even all zero, break nothing."""
    X = rows(40)
    X[:, 1], X[:, 3] = 0.0, 7.0
    _assert_survives(estimator, X, "two constant columns")
    _assert_survives(estimator, np.zeros((40, 5)), "nothing but zeros")


def check_rank_one_is_harmless(estimator: Any) -> None:
    """Rows on one line break nothing."""
    _assert_survives(estimator, np.outer(rows(40)[:, 0], np.arange(1.0, 6.0)), "rank one")


def check_scales_are_harmless(estimator: Any) -> None:
    """Huge, tiny and mixed columns give finite numbers or an error that changes nothing."""
    X = rows(40)
    for what, scaled in {
        "values of 1e150": 1e150 * X,
        "values of 1e-150": 1e-150 * X,
        "columns from 1e-150 to 1e150": X * np.array([1e-150, 1e-8, 1.0, 1e8, 1e150]),
        "values of 1e300": 1e300 * X,
        "values of 1e-310": 1e-310 * X,
        "values of 1, then of 1e150": X * np.where(np.arange(40) < 20, 1.0, 1e150)[:, None],
    }.items():
        for sizes in ([1], [20]):
            model = fresh(estimator)
            for piece in cut(scaled, sizes):
                before = state(model)
                if refuses(model, "partial_fit", piece):
                    assert state(model) == before, f"a refused batch with {what} changes it"
                    break
                assert_finite(model, piece, f"with {what} in batches of {sizes}")


def _hostile_streams() -> Iterator[tuple[str, Array]]:
    X = rows(60)
    yield "plain rows", X
    yield "5 rows 12 times", np.tile(rows(5), (12, 1))
    yield "near duplicates", np.tile(X[:5], (12, 1)) + 1e-8 * X
    yield "rank one", np.outer(X[:, 0], np.arange(1.0, 6.0))


def check_components_are_orthonormal(estimator: Any) -> None:
    """Components over atoms have unit norm and right angles in feature space, at any time.

    For estimators that show `atoms_`, `dual_coef_` and `kernel_`; a component without variance
    may be zero.
    """
    probe = fed(estimator, [rows(40)])
    if not all(hasattr(probe, name) for name in ("atoms_", "dual_coef_", "kernel_")):
        raise SkipTest("there is no atoms_, dual_coef_ and kernel_")
    for what, X in _hostile_streams():
        model = fresh(estimator)
        for n, piece in enumerate(cut(X, [1, 1, 13])):
            model.partial_fit(piece)
            dual = np.asarray(model.dual_coef_)
            gram = dual @ np.asarray(model.kernel_(model.atoms_)) @ dual.T
            expected = np.diag((np.abs(dual).max(axis=1, initial=0.0) > 0).astype(np.float64))
            error = np.abs(gram - expected).max(initial=0.0)
            assert error < 1e-6, f"with {what}, after batch {n}, they are {error:.1e} off"
