"""Data frames: columns that are no numbers are named, and rows come back as frames if asked."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from okpca import KernelNoveltyDetector, OnlineKernelPCA, Trace

X = np.random.default_rng(0).normal(size=(60, 3))
FRAME = pd.DataFrame(X, columns=["heat", "flow", "load"], index=np.arange(60) + 500)
DAYS = pd.date_range("2024-01-01", periods=60)

WORDS = {
    "text": (["on", "off"] * 30, "'state' (str"),
    "category": (pd.Categorical(["on", "off"] * 30), "'state' (category)"),
    "mixed": ([*range(59), "off"], "'state' (object)"),
}
POLARS = {
    "text": pl.Series(["on", "off"] * 30),
    "category": pl.Series(["on", "off"] * 30, dtype=pl.Categorical),
    "enum": pl.Series(["on", "off"] * 30, dtype=pl.Enum(["on", "off"])),
}
TIMES = {
    "moment": DAYS,
    "zone": DAYS.tz_localize("Europe/Berlin"),
    "duration": DAYS - DAYS[0],
    "period": DAYS.to_period("D"),
}
MODELS = [OnlineKernelPCA(2), KernelNoveltyDetector(warm_up=10, contamination=0.1)]


def named(kind):
    return {"OnlineKernelPCA": "kpca", "KernelNoveltyDetector": "detector"}[type(kind).__name__]


@pytest.fixture(params=MODELS, ids=named)
def model(request):
    return request.param.__class__(**request.param.get_params())


@pytest.mark.parametrize("kind", WORDS)
def test_columns_of_words_in_pandas(model, kind):
    values, told = WORDS[kind]
    frame = FRAME.assign(state=values, other=X[:, 0].astype(object))
    told = told if kind != "text" else f"'state' ({frame['state'].dtype}"
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match="could not convert") as caught:
            learn(frame)
        message = str(caught.value)
        assert f"Columns that are not numbers: {told}" in message
        assert "Leave them out, or encode them." in message
        assert "'other'" not in message
        assert "'heat'" not in message
    assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize("kind", POLARS)
def test_columns_of_words_in_polars(model, kind):
    frame = pl.DataFrame(X, schema=["heat", "flow", "load"]).with_columns(state=POLARS[kind])
    with pytest.raises(ValueError, match=r"not numbers: 'state' \((String|Categorical|Enum).*\)"):
        model.fit(frame)


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("alone", [True, False])
def test_times_in_pandas(model, kind, alone):
    frame = pd.DataFrame({"when": TIMES[kind]}) if alone else FRAME.assign(when=TIMES[kind])
    with pytest.raises(ValueError, match=r"columns that are times: 'when' \(.*\)\. Leave them"):
        model.fit(frame)


@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime, pl.Duration, pl.Time])
def test_times_in_polars(model, dtype):
    when = pl.Series(np.arange(60), dtype=pl.Int32 if dtype is pl.Date else pl.Int64).cast(dtype)
    with pytest.raises(ValueError, match=r"columns that are times: 'when' \((Date|Dur|Time)"):
        model.fit(pl.DataFrame(X, schema=list("abc")).with_columns(when=when))


def test_a_lazy_frame_is_to_be_collected(model):
    lazy = pl.DataFrame(X, schema=list("abc")).lazy()
    with pytest.raises(TypeError, match=r"X\.collect\(\)"):
        model.fit(lazy)
    model.fit(lazy.collect())
    method = model.transform if hasattr(model, "transform") else model.predict
    with pytest.raises(TypeError, match=r"X\.collect\(\)"):
        method(lazy)


def test_numbers_in_any_dress_are_numbers(model):
    values = np.round(10 * X).astype(int)
    plain = pd.DataFrame(values.astype(float), columns=list("abc"))
    dressed = pd.DataFrame(
        {
            "a": pd.Series(values[:, 0], dtype="Int64"),
            "b": pd.Series(values[:, 1]).astype("category"),
            "c": pd.Series(values[:, 2], dtype=object),
        }
    )
    expected = model.fit(plain).score_samples(plain)
    np.testing.assert_array_equal(model.fit(dressed).score_samples(dressed), expected)


@pytest.mark.parametrize(("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@pytest.mark.parametrize("names", [True, False])
def test_set_output_of_rows_that_come_back(library, kind, names):
    rows = FRAME if names else X
    model = OnlineKernelPCA(2, gamma=0.2).fit(rows)
    scores, clean = model.transform(rows), model.denoise(rows)
    back = model.inverse_transform(scores)
    assert {type(scores), type(clean), type(back)} == {np.ndarray}
    model.set_output(transform=library)
    for method, given, plain in (("denoise", rows, clean), ("inverse_transform", scores, back)):
        frame = getattr(model, method)(given)
        assert type(frame) is kind
        assert list(frame.columns) == (list(FRAME.columns) if names else ["x0", "x1", "x2"])
        np.testing.assert_array_equal(frame.to_numpy(), plain)
    if library == "pandas" and names:
        assert (model.denoise(rows).index == FRAME.index).all()
        assert (model.inverse_transform(model.transform(rows)).index == FRAME.index).all()
    model.set_output(transform="default")
    assert type(model.denoise(rows)) is np.ndarray


def test_a_trace_measures_on_frames():
    model = OnlineKernelPCA(2, gamma=0.2).set_output(transform="polars")
    trace = Trace(every=30, rows=X)
    model.fit(X, callback=trace)
    expected = np.square(model.set_output(transform="default").transform(X)).mean(axis=0)
    np.testing.assert_allclose(trace.records[-1]["variance"], expected)


@pytest.mark.parametrize("kind", ["datetime64[s]", "timedelta64[s]"])
def test_an_array_of_times(kind):
    with pytest.raises(ValueError, match="which are no numbers"):
        OnlineKernelPCA().fit(np.arange(20).reshape(10, 2).astype(kind))


@pytest.mark.parametrize("value", [datetime.date(2020, 1, 1), datetime.time(3), pd.Timestamp(0)])
def test_objects_that_are_no_numbers_are_named(value):
    X = pd.DataFrame({"a": [1.0, 2.0], "when": pd.Series([value] * 2, dtype=object)})
    with pytest.raises(ValueError, match=r"Columns that are not numbers: 'when' \(object\)"):
        OnlineKernelPCA().fit(X)
