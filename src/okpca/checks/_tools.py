"""What the checks share: rows, fresh estimators, and comparisons."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Iterable
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from okpca._core.typing import Array

N_FEATURES = 5
TOLERANCE = 1e-8
"""Relative to the largest value. Where only rounding may differ, 1e-9 is usual."""

REFUSALS = (ValueError, TypeError)


def rows(n: int, seed: int = 0) -> Array:
    """Rows whose leading principal components are well apart."""
    scale = np.array([1.0, 0.5, 0.25, 0.12, 0.06])
    normal = np.random.RandomState(seed).normal(size=(n, N_FEATURES))
    return np.asarray((normal + 0.5) * scale)


def fresh(estimator: Any) -> Any:
    """An unfitted clone; if it is random, with a seed."""
    new = clone(estimator)
    if "random_state" in new.get_params(deep=False):
        new.set_params(random_state=0)
    return new


def fed(estimator: Any, batches: Iterable[Any]) -> Any:
    """A fresh clone that has learned these batches."""
    new = fresh(estimator)
    for batch in batches:
        new.partial_fit(batch)
    return new


def cut(X: Any, sizes: Iterable[int]) -> list[Any]:
    """X in slices of these sizes, over and over until it is used up."""
    pieces: list[Any] = []
    start, sizes = 0, list(sizes)
    while start < len(X):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(X[start : start + size])
        start += size
    return pieces


def state(estimator: Any) -> bytes:
    return pickle.dumps(estimator)


def seen_by(estimator: Any, X: Any) -> Array:
    return np.asarray(estimator.transform(X))


def is_fitted(estimator: Any) -> bool:
    try:
        estimator.transform(rows(3))
    except NotFittedError:
        return False
    return True


def refuses(estimator: Any, method: str, X: Any, **more: Any) -> bool:
    try:
        getattr(estimator, method)(X, **more)
    except REFUSALS:
        return True
    return False


def assert_close(one: Array, other: Array, what: str, tolerance: float = TOLERANCE) -> None:
    """Equal up to rounding and the signs of columns."""
    assert one.shape == other.shape, f"{what}: shape {one.shape} against {other.shape}"
    assert np.isfinite(one).all(), f"{what}: not finite"
    assert np.isfinite(other).all(), f"{what}: not finite"
    top = max(np.abs(one).max(initial=0.0), np.abs(other).max(initial=0.0), 1e-300)
    one, other = one / top, other / top
    sign = np.where(np.sum(one * other, axis=0) < 0, -1.0, 1.0)
    error = np.abs(one - sign * other).max(initial=0.0)
    assert error <= tolerance, f"{what}: they differ by {error:.1e} of the largest value"


def assert_identical(one: NDArray[Any], other: NDArray[Any], what: str) -> None:
    """Equal to the last bit."""
    assert one.shape == other.shape, f"{what}: shape {one.shape} against {other.shape}"
    same = one.dtype == other.dtype and one.tobytes() == other.tobytes()
    top = max(np.abs(other).max(initial=0.0), 1e-300)
    assert same, f"{what}: they differ by {np.abs(one - other).max() / top:.1e}, not bit for bit"


def assert_refused(model: Any, method: str, X: Any, what: str) -> None:
    """And the bytes of the model are those before the call."""
    before, call = state(model), "batch" if method == "partial_fit" else method
    assert refuses(model, method, X), f"{method} accepts {what}"
    assert state(model) == before, f"the refused {call} ({what}) changes the model"


def assert_value(part: Any) -> None:
    """Equal to its copies and pickles, and printed as code: parts of a model are values."""
    who = repr(part)
    assert " object at 0x" not in who, f"it prints as {who}, not as the code that builds it"
    for what, again in {
        "pickled and back": pickle.loads(pickle.dumps(part)),
        "copied": copy.deepcopy(part),
    }.items():
        assert again == part, f"{what} it is not equal to itself"
        assert hash(again) == hash(part), f"{what} it has another hash"


def assert_finite(estimator: Any, X: Any, when: str) -> None:
    """What it shows of rows is finite, and so is every numeric fitted attribute."""
    assert np.isfinite(seen_by(estimator, X)).all(), f"transform is not finite {when}"
    for name, value in fitted_attributes(estimator).items():
        if isinstance(value, float | np.floating | np.ndarray) and _is_number(value):
            assert np.isfinite(value).all(), f"{name} is not finite {when}"


def _is_number(value: Any) -> bool:
    return np.asarray(value).dtype.kind == "f"


def fitted_attributes(estimator: Any) -> dict[str, Any]:
    """scikit-learn's convention: one trailing underscore, none leading."""
    names = {*vars(estimator), *dir(type(estimator))}
    fitted = sorted(n for n in names if n.endswith("_") and not n.startswith("_"))
    return {name: getattr(estimator, name, None) for name in fitted}


def need_fit(estimator: Any) -> None:
    if not hasattr(estimator, "fit"):
        raise SkipTest("there is no fit")


def need_weights(estimator: Any) -> None:
    if "sample_weight" not in inspect.signature(estimator.partial_fit).parameters:
        raise SkipTest("partial_fit takes no sample_weight")


def need_pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise SkipTest("pandas is not installed") from None
    return pandas
