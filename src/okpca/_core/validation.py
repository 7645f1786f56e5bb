"""Checks on what users hand in, and messages that say which row of which call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import validate_data

from okpca._core.data_frames import columns_of_words, refuse_no_rows_or_times
from okpca._core.errors import RowError
from okpca._core.missing_values import REMEDIES, column_of_gap
from okpca._core.numerics import HEAVIEST, LIGHTEST
from okpca._core.typing import Array


def plain_row(estimator: Any, X: Any) -> bool:
    """Is X one finite float64 row of the right width? Then scikit-learn's 80 µs can be saved.

    Whatever is not goes the long way round, where it is checked for real and named.
    """
    if type(X) is not np.ndarray or X.dtype != np.float64 or X.shape[:-1] != (1,):
        return False
    known = estimator.__dict__
    if X.shape[1] != known["n_features_in_"] or "feature_names_in_" in known:
        return False
    return bool(np.isfinite(X).all())


def checked_rows(
    estimator: Any,
    X: Any,
    method: str,
    call: int = 0,
    *,
    reset: bool = False,
    sparse: bool = False,
    finite: bool | str = True,
) -> Any:
    """scikit-learn's checks, and the row an error is about. Rows may lack values ("allow-nan") if
    the estimator says what to do about them."""
    refuse_no_rows_or_times(X)
    if finite is True and getattr(estimator, "missing", "raise") != "raise":
        finite = "allow-nan"
    try:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if sparse else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite=finite,
        )
    except ValueError as error:
        raise locate(error, X, method, call, estimator=estimator) from None
    except TypeError as error:  # an object that is no number, such as a date
        if hasattr(X, "toarray"):  # scikit-learn says what to do
            raise
        words = columns_of_words(X)
        if not words:
            raise TypeError(
                f"X must be rows of numbers, array-like of shape (n_samples, n_features): {error}."
            ) from None
        raise ValueError(f"X cannot be turned into numbers: {error}.{words}") from None


def checked_weight(sample_weight: Any, X: Any, method: str, call: int) -> Array:
    n = X.shape[0]
    if sample_weight is None:
        return np.ones(n)
    if np.isscalar(sample_weight):
        sample_weight = np.full(n, sample_weight)
    try:
        weight: Array = check_array(
            sample_weight,
            dtype=np.float64,
            ensure_2d=False,
            allow_nd=True,
            input_name="sample_weight",
        )
    except ValueError as error:
        raise locate(error, np.reshape(sample_weight, (-1, 1)), method, call) from None
    if weight.shape != (n,):
        raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(n,)}!")
    if (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise ValueError(
            f"Negative values in sample_weight: {weight[row]:g}"
            f"{_where(row, method, call)}. A weight must be >= 0."
        )
    extreme = (weight > 0) & ((weight < LIGHTEST) | (weight > HEAVIEST))
    if extreme.any():
        row = int(np.argmax(extreme))
        raise ValueError(
            f"sample_weight of {weight[row]:g}{_where(row, method, call)}. A weight must be 0 or "
            f"between {LIGHTEST:g} and {HEAVIEST:g}: divide all of them by the same number."
        )
    return weight


def locate(
    error: ValueError, X: Any, method: str, call: int, *, start: int = 0, estimator: Any = None
) -> ValueError:
    """The same error with the row it is about, where it is about one, and columns of words; and
    what an estimator that has a choice of `missing` could do. X begins with the row `start`."""
    text = str(error)
    about_values = any(word in text for word in ("NaN", "infinity", "convert"))
    row = _first_bad_row(X, np.isinf if "infinity" in text else lambda of: ~np.isfinite(of))
    if row is None or not about_values:
        return error
    where = _where(start + row, method, call)
    if hasattr(estimator, "missing") and text.startswith("Input X contains NaN"):
        gap = column_of_gap(X, row, getattr(estimator, "feature_names_in_", None))
        return type(error)(
            f"Input X contains NaN: row {start + row} has no value in {gap}{where}. {REMEDIES}"
        )
    return type(error)(f"{error}{where}{columns_of_words(X)}")


def refuse_infinite(estimator: Any, block: Any, start: int, method: str, call: int) -> None:
    """scikit-learn's check, on one block of the rows, which may lack values if the estimator says
    what to do about them."""
    gaps, name = estimator.missing != "raise", type(estimator).__name__
    try:
        assert_all_finite(block, allow_nan=gaps, estimator_name=name, input_name="X")
    except ValueError as error:
        raise locate(error, block, method, call, start=start, estimator=estimator) from None


def refuse_overflow(values: Array, dtype: Any) -> None:
    """What fits in float64 need not fit in the dtype of the rows, which is that of the answer."""
    too_large = np.abs(values) > np.finfo(dtype).max
    if too_large.any():
        first = tuple(np.argwhere(too_large)[0])
        raise RowError(
            f"a result of {values[first]:.3g} does not fit in {np.dtype(dtype)}: scale the "
            "columns, or give the rows as float64",
            int(first[0]),
        )


@contextmanager
def translated(rows: Any, method: str, call: int) -> Iterator[None]:
    """Turn a row of a block into a row of the user's X; `rows` are the latter."""
    try:
        yield
    except RowError as error:
        row = int(rows[error.row])
        raise ValueError(f"{error.what}{_where(row, method, call)}.") from None


def _where(row: int, method: str, call: int) -> str:
    which = f" of call {call} to {method}" if method == "partial_fit" else f" in {method}"
    return f" [row {row}{which}, counting rows from 0]"


def _first_bad_row(X: Any, bad: Callable[[Any], Any]) -> int | None:
    """The first row with something that is bad: not a finite number, or infinite."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        if X.dtype.kind != "f" or not bad(X.data).any():
            return None
        first = int(np.argmax(bad(X.data)))
        return int(np.searchsorted(X.indptr, first, side="right")) - 1
    values = np.asarray(X)
    if values.ndim != 2 or values.dtype.kind == "c":
        return None
    if values.dtype.kind in "fiub":
        spoilt = bad(values).any(axis=1)
        return int(np.argmax(spoilt)) if spoilt.any() else None
    return next((i for i, row in enumerate(values) if _is_bad(row, bad)), None)


def _is_bad(row: Any, bad: Callable[[Any], Any]) -> bool:
    try:
        return bool(bad(np.asarray(row, dtype=np.float64)).any())
    except (TypeError, ValueError):
        return bad is not np.isinf


@contextmanager
def taken_back_on_error(estimator: Any, *, but_for: str | None = None) -> Iterator[None]:
    """Whatever goes wrong inside, the estimator is left as it was: but for an interrupt when the
    attribute `but_for` has been set anew, which is then something whole."""
    before, rewind = dict(estimator.__dict__), _rewinding(getattr(estimator, "random_state", None))
    try:
        yield
    except BaseException as error:
        whole = but_for is not None and estimator.__dict__.get(but_for) is not before.get(but_for)
        if isinstance(error, Exception) or not whole:
            estimator.__dict__ = before
            rewind()
        raise


@contextmanager
def draws_taken_back_on_error(*sources: Any) -> Iterator[None]:
    """Whatever goes wrong inside, the next numbers of each `RandomState` are what they were."""
    rewind = _rewinding(*sources)
    try:
        yield
    except BaseException:
        rewind()
        raise


def _rewinding(*sources: Any) -> Callable[[], None]:
    known = [(of, of.get_state()) for of in sources if isinstance(of, np.random.RandomState)]

    def rewind() -> None:
        for source, state in known:
            source.set_state(state)

    return rewind
