"""Manners: what a transformer does with the arrays it is given, and with those it gives."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.utils import get_tags

from okpca.checks._tools import (
    N_FEATURES,
    assert_close,
    assert_identical,
    cut,
    fed,
    fitted_attributes,
    fresh,
    need_pandas,
    refuses,
    rows,
    seen_by,
    state,
)

LOOKS = (
    lambda model: model.transform(rows(3)),
    fitted_attributes,
    lambda model: refuses(model, "transform", np.full((1, N_FEATURES), np.nan)),
    lambda model: None,
    state,
    repr,
)


def check_partial_fit_returns_self(estimator: Any) -> None:
    """Calls can be chained."""
    model = fresh(estimator)
    for piece in cut(rows(42), [40, 1]):
        assert model.partial_fit(piece) is model, "partial_fit does not return self"


def check_parameters_are_not_changed(estimator: Any) -> None:
    """Learning leaves `get_params` as it was: a clone has the settings you chose."""
    model = fresh(estimator)
    before = {name: id(value) for name, value in model.get_params().items()}
    model.partial_fit(rows(40)).transform(rows(3))
    after = {name: id(value) for name, value in model.get_params().items()}
    changed = sorted(name for name in before if before[name] != after.get(name))
    assert not changed, f"learning changes the parameters {changed}"


def check_input_is_not_modified(estimator: Any) -> None:
    """Your arrays are yours: they are read, not written."""
    for dtype in (np.float64, np.float32):
        for n in (40, 1):
            X = rows(n).astype(dtype)
            before = X.copy()
            model = fed(estimator, [rows(40), X])
            assert_identical(X, before, f"{n} {X.dtype} rows after partial_fit")
            model.transform(X)
            assert_identical(X, before, f"{n} {X.dtype} rows after transform")


def check_read_only_rows_are_accepted(estimator: Any) -> None:
    """Rows may be read-only, or mapped from a file."""
    X = rows(60)
    X.flags.writeable = False
    expected = seen_by(fed(estimator, cut(X.copy(), [40, 1])), X.copy())
    assert_identical(seen_by(fed(estimator, cut(X, [40, 1])), X), expected, "read-only rows")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, X)
        mapped = np.load(path, mmap_mode="r")
        model = fed(estimator, cut(mapped, [40, 1]))
        assert_close(seen_by(model, mapped), expected, "rows mapped from a file")
        del mapped, model


def check_buffer_may_be_reused(estimator: Any) -> None:
    """A reader may fill the same buffer again and again: the model keeps no view of it."""
    X = rows(60)
    for size in (1, 20):
        expected = fed(estimator, cut(X, [size]))
        model, buffer = fresh(estimator), np.empty((size, N_FEATURES))
        for piece in cut(X, [size]):
            buffer[:] = piece
            model.partial_fit(buffer)
            buffer[:] = 1e6
        assert_identical(seen_by(model, X), seen_by(expected, X), "rows from a reused buffer")


def check_layout_does_not_matter(estimator: Any) -> None:
    """Columns first, every second row, reversed, lists: the numbers count, not how they lie."""
    X = rows(60)
    wide = np.zeros((120, 2 * N_FEATURES))
    wide[::2, ::2] = X
    expected = seen_by(fed(estimator, cut(X, [40, 1])), X)
    for what, same in {
        "columns first": np.asfortranarray(X),
        "with strides": wide[::2, ::2],
        "backwards": X[::-1].copy()[::-1],
        "big-endian": X.astype(">f8"),
        "lists": X.tolist(),
    }.items():
        model = fed(estimator, cut(same, [40, 1]))
        assert_close(seen_by(model, same), expected, f"rows {what}")


def check_transform_does_not_change_the_model(estimator: Any) -> None:
    """Looking is free: a model that is looked at learns what one that is not looked at learns."""
    X = rows(80)
    for size in (1, 20):
        model, twin = fresh(estimator), fresh(estimator)
        for piece in cut(X, [size]):
            model.partial_fit(piece)
            twin.partial_fit(piece)
            one = seen_by(model, X)
            assert_identical(seen_by(model, X), one, "transform twice in a row")
        assert_close(seen_by(model, X), seen_by(twin, X), "a model looked at and one that is not")


def check_looking_changes_nothing(estimator: Any) -> None:
    """Whoever looks, at whatever and whenever, changes no later bit, not even a sign."""
    X = rows(200)
    for size in (1, 13, 40):
        model, twin = fresh(estimator), fresh(estimator)
        for n, piece in enumerate(cut(X, [size])):
            model.partial_fit(piece)
            twin.partial_fit(piece)
            LOOKS[n % len(LOOKS)](model)
        what = f"batches of {size}, looked at and not"
        assert_identical(seen_by(model, X), seen_by(twin, X), what)


def check_output_is_not_shared(estimator: Any) -> None:
    """What `transform` gives is yours: writing on it does not reach the model."""
    X = rows(40)
    model = fed(estimator, [X])
    for n in (40, 1):
        out = model.transform(X[:n])
        if not isinstance(out, np.ndarray):
            raise SkipTest("the output is not an array")
        expected = out.copy()
        before = state(model)
        out[:] = 1e6
        assert state(model) == before, "writing on the output changes the model"
        assert_identical(seen_by(model, X[:n]), expected, "transform after writing on its output")


def check_transform_is_row_by_row(estimator: Any) -> None:
    """The scores of a row do not depend on the rows that come with it."""
    X = rows(60)
    model = fed(estimator, [X])
    single = np.vstack([seen_by(model, row[None]) for row in X])
    sign_free = np.abs(single - seen_by(model, X)).max() / np.abs(single).max()
    assert sign_free < 1e-9, f"one row at a time differs by {sign_free:.1e}"


def check_y_is_ignored(estimator: Any) -> None:
    """A pipeline hands y through; it changes nothing."""
    X = rows(40)
    plain, with_y = fed(estimator, [X]), fresh(estimator).partial_fit(X, np.arange(40))
    assert_identical(seen_by(with_y, X), seen_by(plain, X), "with y and without")


def check_float32_is_preserved(estimator: Any) -> None:
    """float32 rows give float32 scores, in batches and one at a time; float64 give float64."""
    if "float32" not in get_tags(estimator).transformer_tags.preserves_dtype:
        raise SkipTest("its tags do not promise float32")
    X = rows(40)
    model = fed(estimator, cut(X.astype(np.float32), [38, 1]))
    for dtype in (np.float32, np.float64):
        for n in (40, 1):
            got = seen_by(model, X[:n].astype(dtype)).dtype
            assert got == dtype, f"{n} rows of {np.dtype(dtype)} give {got}"


def check_width_is_shown(estimator: Any) -> None:
    """`n_features_in_` is the number of columns, from the first row on and unknown before."""
    model = fresh(estimator)
    assert not hasattr(model, "n_features_in_"), "n_features_in_ before the first row"
    for piece in cut(rows(41), [1, 40]):
        model.partial_fit(piece)
        shown = model.n_features_in_
        assert shown == N_FEATURES, f"n_features_in_ is {shown}, not {N_FEATURES}"


def check_names_are_shown(estimator: Any) -> None:
    """`feature_names_in_` are the names of the columns, where they have names."""
    pandas = need_pandas()
    X = pandas.DataFrame(rows(41), columns=list("abcde"))
    model = fresh(estimator)
    for piece in cut(X, [1, 40]):
        model.partial_fit(piece)
        assert list(model.feature_names_in_) == list("abcde"), "feature_names_in_ is wrong"
    plain = fed(estimator, cut(X.to_numpy(), [1, 40]))
    assert not hasattr(plain, "feature_names_in_"), "feature_names_in_ for rows without names"
    assert_close(seen_by(model, X), seen_by(plain, X.to_numpy()), "rows with names and without")
