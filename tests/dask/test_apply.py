"""Lazy results: the right blocks and types, and the numbers of the model itself."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import okpca.dask
from dask_tools import ring
from okpca import KernelNoveltyDetector, OnlineKernelPCA

X = ring(500)
MODEL = OnlineKernelPCA(4, gamma=0.5, max_atoms=40).fit(X)
FRAME = pd.DataFrame(X, columns=list("abc"))
WIDTHS = {"transform": (4,), "score_samples": (), "denoise": (3,)}
each_method = pytest.mark.parametrize("method", WIDTHS)


def applied(method, X, model=MODEL):
    return getattr(okpca.dask, method)(model, X)


def same(lazy, method, model=MODEL, rows=X):
    found = lazy.compute(scheduler="synchronous")
    assert found.dtype == lazy.dtype == lazy._meta.dtype
    assert type(found) is type(lazy._meta) is np.ndarray
    assert_allclose(found, getattr(model, method)(rows), rtol=1e-5, atol=1e-6)


@each_method
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_of_an_array(method, dtype):
    rows = (X * 3).astype(dtype)
    lazy = applied(method, da.from_array(rows, chunks=((200, 0, 300), 2)))
    assert lazy.chunks == ((200, 0, 300), *((n,) for n in WIDTHS[method]))
    assert lazy.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert lazy.name.startswith(f"okpca-{method}-")
    same(lazy, method, rows=rows)


@each_method
def test_of_a_frame(method):
    model = OnlineKernelPCA(4, gamma=0.5, max_atoms=40).set_output(transform="pandas").fit(FRAME)
    frame = dd.from_pandas(FRAME, npartitions=3)
    same(applied(method, frame, model), method, model, FRAME)
    some = applied(method, frame[frame.a > 0.9], model)  # a partition may be empty
    assert len(some.compute(scheduler="synchronous")) == (FRAME.a > 0.9).sum()


@each_method
def test_of_delayed_blocks(method):
    lazy = applied(method, [dask.delayed(part) for part in np.split(X, 4)])
    assert lazy.numblocks[0] == 4
    assert np.isnan(lazy.shape[0])
    same(lazy, method)


def test_only_the_blocks_that_are_asked_for():
    def never():
        raise AssertionError("not asked for")

    rows = da.concatenate(
        [da.from_array(X), da.from_delayed(dask.delayed(never)(), (9, 3), meta=X[:0])]
    )
    assert applied("transform", rows)[:500].compute(scheduler="synchronous").shape == (500, 4)


def test_of_a_detector():
    detector = KernelNoveltyDetector(window=200).fit(X)
    same(
        applied("score_samples", da.from_array(X, chunks=(90, 3)), detector),
        "score_samples",
        detector,
    )


def test_refused():
    rows = da.from_array(X)
    with pytest.raises(NotFittedError):
        applied("transform", rows, OnlineKernelPCA())
    with pytest.raises(ValueError, match="3 columns"):
        applied("transform", rows[:, :2])
    with pytest.raises(TypeError, match="files are for fit"):
        applied("denoise", "x.npy")
    with pytest.raises(ValueError, match="lags and ewma"):
        applied("score_samples", rows, KernelNoveltyDetector(window=200, lags=1).fit(X))


@pytest.mark.parametrize("within", [False, True], ids=["alone", "in a pipeline"])
def test_what_joins_rows_is_told_by_the_fit(within):
    """Parameters that are set later have no part in it."""
    detector = KernelNoveltyDetector(window=200, ewma=0.5)
    model = make_pipeline(StandardScaler(), detector) if within else detector
    model.fit(X)
    detector.set_params(ewma=1.0)
    with pytest.raises(ValueError, match="lags and ewma"):
        applied("score_samples", da.from_array(X), model)
    detector.fit(X).set_params(lags=1)
    same(applied("score_samples", da.from_array(X), detector), "score_samples", detector)
