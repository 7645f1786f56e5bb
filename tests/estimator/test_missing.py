"""The parameter `missing` as users meet it: errors, frames, CSR, looks, counters, manners."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from helpers import OF_THE_MODEL, normal, refused
from okpca import OnlineKernelPCA, StreamPipeline, Trace
from okpca.checks import streaming_checks

WHOLE = normal(260, 2, seed=1) @ normal(2, 3, seed=2) + 0.1 * normal(260)
X = np.where(np.random.default_rng(0).random(WHOLE.shape) < 0.1, np.nan, WHOLE)
GAPS = np.isnan(X).any(axis=1)
LOOKS = ["transform", "denoise", "reconstruction_error", "score_samples"]
BOTH = pytest.mark.parametrize("missing", ["skip", "impute"])


def model(missing="impute", **more):
    return OnlineKernelPCA(2, **{"missing": missing, "nu": 0.01} | more)


def spoiled(value, row=3, column=1):
    rows = WHOLE[:10].copy()
    rows[row, column] = value
    return rows


# -- refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fit", "partial_fit", *LOOKS, "score"])
def test_the_default_raises_and_says_where_and_what_next(method):
    fitted = OnlineKernelPCA(2).fit(WHOLE)
    text = refused(
        fitted, "Input X contains NaN: row 3 has no value in column 1 ", spoiled(np.nan), method
    )
    for remedy in ("missing='skip'", "missing='impute'", "sklearn.impute"):
        assert remedy in text
    frame = pd.DataFrame(spoiled(np.nan), columns=["a", "b", "c"])
    named = OnlineKernelPCA(2).fit(pd.DataFrame(WHOLE, columns=["a", "b", "c"]))
    refused(named, r"no value in column 1 \('b'\)", frame, method)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("method", ["fit", "partial_fit", *LOOKS, "impute"])
@BOTH
def test_infinity_is_an_error_always(missing, method, value):
    rows = spoiled(value)
    rows[1] = np.nan  # which is no error
    where = "row 3 of call 2" if method == "partial_fit" else f"row 3 in {method}|row 3 in recon"
    text = refused(model(missing).fit(WHOLE), f"infinity(?s:.*){where}", rows, method)
    assert "NaN: row" not in text


@BOTH
def test_a_call_refused_late_counts_nothing(missing):
    fitted = model(missing).fit(X)
    rows = np.r_[X, spoiled(np.inf)]
    refused(fitted, r"infinity(?s:.*)row 263 of call 2", rows)


def test_scores_that_are_nan():
    skipping, imputing = model("skip").fit(X), model().fit(X)
    scores = skipping.transform(X[:30])
    rows = skipping.inverse_transform(scores)
    assert (np.isnan(rows).all(axis=1) == GAPS[:30]).all()
    assert_allclose(rows[~GAPS[:30]], skipping.inverse_transform(scores[~GAPS[:30]]))
    found = skipping.pre_images(scores)
    assert (np.isnan(found.distance) == GAPS[:30]).all()
    refused(imputing, r"NaN(?s:.*)row \d+ in inverse_transform", scores, "inverse_transform")


def test_what_it_may_be():
    with pytest.raises(
        ValueError, match="'missing' parameter of OnlineKernelPCA must be a str among"
    ):
        model("drop").fit(WHOLE)


# -- looks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("look", LOOKS)
def test_skipped_rows_are_shown_as_nan(look, dtype):
    fitted = model("skip").fit(X.astype(dtype))
    shown = getattr(fitted, look)(X.astype(dtype))
    assert len(shown) == len(X)
    assert shown.dtype == dtype
    assert (np.isnan(shown.reshape(len(X), -1)).all(axis=1) == GAPS).all()
    assert_allclose(shown[~GAPS], getattr(fitted, look)(X[~GAPS].astype(dtype)))
    assert np.isnan(getattr(fitted, look)(np.full((2, 3), np.nan, dtype))).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("look", LOOKS)
def test_imputed_rows_are_rows_like_any_other(look, dtype):
    rows = X.astype(dtype)
    fitted = model().fit(rows)
    filled = fitted.impute(rows)
    assert filled.dtype == dtype
    shown = getattr(fitted, look)(rows)
    assert shown.dtype == dtype
    assert_allclose(shown, getattr(fitted, look)(filled), rtol=1e-6)


def test_a_score_is_of_the_rows_that_have_one():
    fitted = model("skip").fit(X)
    assert fitted.score(X) == pytest.approx(fitted.score(X[~GAPS]))


@BOTH
def test_looking_changes_nothing(missing):
    fitted = model(missing).fit(X)
    before = pickle.dumps(fitted)
    for look in [*LOOKS, "impute"]:
        getattr(fitted, look)(X)
    fitted.describe()
    assert pickle.dumps(fitted) == before


def test_impute_whatever_the_model_does_about_gaps():
    for missing in ("raise", "skip", "impute"):
        fitted = model(missing).fit(WHOLE)
        filled = fitted.impute(X)
        assert (filled[~np.isnan(X)] == X[~np.isnan(X)]).all()
        assert np.square(filled - WHOLE)[np.isnan(X)].mean() < 0.1
        assert (fitted.impute(WHOLE) == WHOLE).all()
    with pytest.raises(NotFittedError):
        model().impute(X)
    refused(fitted, "X has 2 features", X[:, :2], "impute")


@pytest.mark.parametrize("rows", [WHOLE, pd.DataFrame(WHOLE, columns=list("abc"))])
def test_imputed_rows_are_a_copy(rows):
    """Where nothing is missing, too."""
    filled = model().fit(rows).impute(rows)
    assert not np.shares_memory(filled, np.asarray(rows))


def test_while_first_rows_are_held_back():
    fitted = model(gamma="median", burn_in=50).partial_fit(X[:20])
    assert np.isfinite(fitted.transform(X)).all()
    assert fitted.n_values_imputed_ == np.isnan(X[:20]).sum()
    assert np.isfinite(fitted.gamma_)


# -- containers -----------------------------------------------------------------------------------


def frames():
    columns = list("abc")
    nullable = pd.DataFrame(X, columns=columns).astype("Float64")
    nullable = nullable.mask(nullable.isna(), pd.NA)
    objects = pd.DataFrame(X, columns=columns).astype(object).where(~np.isnan(X), None)
    polars = pl.DataFrame(X, schema=columns, nan_to_null=True)
    return {"nullable": nullable, "None": objects, "polars": polars}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["nullable", "None", "polars"])
@BOTH
def test_frames(missing, kind):
    frame = frames()[kind]
    fitted, plain = model(missing).fit(frame), model(missing).fit(X)
    assert fitted.n_samples_skipped_ == plain.n_samples_skipped_
    assert_allclose(fitted.transform(frame), plain.transform(X))
    filled = fitted.set_output(transform="pandas").impute(frame)
    assert list(filled.columns) == list("abc")
    assert_allclose(filled, plain.impute(X))


@pytest.mark.parametrize("kind", ["nullable", "None", "polars"])
def test_frames_are_refused_by_name(kind):
    frame = frames()[kind]
    row, column = np.argwhere(np.isnan(X))[0]
    refused(
        OnlineKernelPCA(), f"row {row} has no value in column {column} .'{'abc'[column]}'", frame
    )


def test_csr():
    rows = sparse.csr_array(np.where(np.abs(X) < 0.5, 0.0, X))
    lacking = np.isnan(rows.toarray()).any(axis=1)
    fitted = model("skip").fit(rows)
    assert fitted.n_samples_skipped_ == lacking.sum()
    shown = fitted.transform(rows)
    assert (np.isnan(shown).any(axis=1) == lacking).all()
    assert_allclose(shown[~lacking], model("raise").fit(rows[~lacking]).transform(rows[~lacking]))
    imputing = model().fit(rows[~lacking])
    for method in ("partial_fit", "transform"):
        refused(imputing, "CSR rows cannot be filled in. missing='skip'", rows, method)
    assert np.isfinite(imputing.transform(X)).all()  # dense rows, CSR atoms


# -- manners --------------------------------------------------------------------------------------


def test_counters_and_description():
    fitted = model().fit(X)
    assert fitted.n_samples_skipped_ == GAPS.sum() - (GAPS & ~np.isnan(X).all(axis=1)).sum()
    assert fitted.n_values_imputed_ == np.isnan(X).sum()
    said = fitted.describe()
    assert said.imputed == np.isnan(X).sum()
    assert f"missing      {said.skipped} rows skipped, {said.imputed} values imputed" in str(said)
    assert "missing" not in str(model().fit(WHOLE).describe())
    for name in ("n_samples_skipped_", "n_values_imputed_"):
        assert getattr(model().fit(WHOLE), name) == 0
        assert not hasattr(model(), name)


def test_nothing_but_skipped_rows_is_no_fit():
    blank = model("skip").partial_fit(np.full((2, 3), np.nan))
    assert blank.n_samples_skipped_ == 2
    with pytest.raises(NotFittedError):
        blank.transform(X)
    assert not hasattr(blank, "atoms_")
    assert blank.partial_fit(X).n_samples_skipped_ == 2 + GAPS.sum()


def test_another_choice_in_mid_stream():
    fitted = OnlineKernelPCA(2, gamma=0.3).fit(WHOLE[:50])
    fitted.set_params(missing="impute").partial_fit(X)
    assert fitted.n_values_imputed_ == np.isnan(X).sum()
    fitted.set_params(missing="skip").partial_fit(X)
    assert fitted.n_samples_skipped_ == GAPS.sum()
    refused(fitted.set_params(missing="raise"), "has no value", X)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "check", [pytest.param(c, id=n) for n, c in streaming_checks(model()) if n in OF_THE_MODEL]
)
def test_streaming_checks(check):
    check()


def test_every_epoch_counts():
    fitted = model("skip", rule="on-kha", epochs=3, random_state=0).fit(X)
    assert fitted.n_samples_skipped_ == 3 * GAPS.sum()


@pytest.mark.thorough
@BOTH
def test_tags(missing):
    assert model(missing).__sklearn_tags__().input_tags.allow_nan
    assert not OnlineKernelPCA().__sklearn_tags__().input_tags.allow_nan
    check_estimator(model(missing), on_skip=None)


@BOTH
def test_in_pipelines(missing):
    batch = make_pipeline(StandardScaler(), model(missing)).fit(X)
    assert len(batch.transform(X)) == len(X)
    steps = StreamPipeline([("scale", StandardScaler()), ("kpca", clone(model(missing)))])
    assert len(steps.partial_fit(X[:100]).partial_fit(X[100:]).transform(X)) == len(X)


@pytest.mark.thorough
@BOTH
def test_told_along_the_stream(missing):
    trace = Trace(every=10)
    fitted = model(missing).partial_fit(X, callback=trace)
    assert [record["row"] for record in trace.records] == list(
        range(10, fitted.n_samples_seen_ + 1, 10)
    )
    assert all(np.isfinite(record["output"]).all() for record in trace.records)


def test_set_to_nonsense_in_mid_stream():
    model = OnlineKernelPCA(2, gamma=0.5).fit(normal(20))
    model.set_params(missing="omit")
    for act in (model.transform, model.partial_fit):
        with pytest.raises(ValueError, match=r"missing must be .*'raise'.*'impute'"):
            act(normal(3))


def test_csr_among_gaps_in_a_warm_up():
    """Refused when it comes, not when someone looks."""
    gappy = normal(5)
    gappy[2, 0] = np.nan
    model = OnlineKernelPCA(2, burn_in=50, missing="impute").partial_fit(
        sparse.csr_array(normal(9))
    )
    with pytest.raises(ValueError, match="cannot be filled in"):
        model.partial_fit(gappy)
    assert model.transform(normal(3)).shape == (3, 2)
