"""Rows that lack values, in the stream: borders, first rows, forgetting, weights, counters."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from helpers import assert_same_model, normal, random_borders, row_by_row, stream
from okpca import KernelWarning, OnlineKernelPCA, dictionary, merge, weights
from okpca._core.numerics import FIRST_ROWS
from okpca.dictionary.imputation import completed
from okpca.model import missing as missing_module
from okpca.model.missing import FEWEST, imputed
from okpca.rules import Hebbian
from oracles import imputation as oracle

N = FIRST_ROWS


def gappy(X, share=0.1, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


WHOLE = normal(2 * N + 160, 2, seed=1) @ normal(2, 4, seed=2) + 0.1 * normal(2 * N + 160, 4)
WHOLE = WHOLE * [1, 2, 5, 30] + [0, 3, -40, 100]
X = gappy(WHOLE)
X[[7, N + 3]] = np.nan
PROBE = WHOLE[::17] + 0.1
SETTINGS = {
    "plain": {"gamma": 0.01},
    "median": {"gamma": "median", "scale": "standard"},
    "robust scale": {"scale": "robust", "nu": 0.1},
    "burn-in": {"scale": "standard", "burn_in": 40},
    "one row of burn-in": {"gamma": 0.01, "burn_in": 1},
    "full": {"scale": "standard", "max_atoms": 15},
    "drop": {"scale": "standard", "max_atoms": 15, "on_full": "drop"},
    "forgetting": {"scale": "standard", "forgetting": 0.98},
    "robust weights": {"scale": "standard", "robust": weights.Exponential(2.0)},
    "linear": {"kernel": "linear", "scale": "standard"},
    "poly": {"kernel": "poly", "degree": 2, "scale": "standard"},
    "on-kha": {"scale": "standard", "rule": Hebbian(schedule=0.1, normalize=True)},
    "fixed": {"gamma": 0.01, "dictionary": dictionary.Fixed(WHOLE[:30])},
    "coherence": {"scale": "standard", "dictionary": "coherence", "nu": 0.3},
    "sampled": {"scale": "standard", "burn_in": 60, "dictionary": dictionary.Sampled(20)},
}
EVERY = pytest.mark.parametrize("name", SETTINGS)
BOTH = pytest.mark.parametrize("missing", ["skip", "impute"])


def model(name="median", missing="impute", **more):
    params = {"nu": 1e-2, "random_state": 0, "missing": missing} | SETTINGS[name] | more
    return OnlineKernelPCA(3, **params)


def same(one, other, probe=PROBE):
    assert one.n_samples_skipped_ == other.n_samples_skipped_
    assert one.n_values_imputed_ == other.n_values_imputed_
    assert_same_model(one, other, probe)


# -- the cuts -------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "missing"),
    [(name, "impute") for name in SETTINGS] + [(name, "skip") for name in ("median", "full")],
)
def test_the_cuts_do_not_matter(name, missing):
    """That skipped rows have not come, with any setting, is below."""
    whole = model(name, missing).partial_fit(X)
    borders = sorted({*random_borders(len(X), 1), 1, 5, N, N + 1, N + 6, N + 9, N + 150})
    same(stream(model(name, missing), X, borders), whole)


@BOTH
def test_row_by_row(missing):
    same(row_by_row(model("median", missing), X), model("median", missing).partial_fit(X))


@pytest.mark.long
@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    share=st.sampled_from([0.0, 0.05, 0.4, 0.9]),
    n=st.integers(1, 90),
    name=st.sampled_from(["one row of burn-in", "burn-in", "plain"]),
    missing=st.sampled_from(["skip", "impute"]),
    forgetting=st.sampled_from([1.0, 0.9]),
    weighted=st.booleans(),
)
def test_any_cuts_of_any_rows(seed, share, n, name, missing, forgetting, weighted):
    rows = gappy(WHOLE[:n], share, seed)
    weight = np.random.default_rng(seed).integers(1, 4, size=n) * 1.0 if weighted else None
    fresh = lambda: model(name, missing, forgetting=forgetting)  # noqa: E731
    whole = stream(fresh(), rows, (), weight)
    pieces = stream(fresh(), rows, random_borders(n, seed), weight)
    assert whole.n_samples_skipped_ == pieces.n_samples_skipped_
    if whole.n_samples_skipped_ < n:
        same(pieces, whole)


@pytest.mark.long
def test_stored_in_mid_stream():
    whole = model("full").partial_fit(X)
    for n in (50, N, N + 77):
        part = pickle.loads(pickle.dumps(model("full").partial_fit(X[:n])))
        same(part.partial_fit(X[n:]), whole)


# -- skipped --------------------------------------------------------------------------------------


@EVERY
def test_skipped_rows_have_not_come(name):
    """They age nothing, and first rows are those that are learned."""
    there = ~np.isnan(X).any(axis=1)
    skipping = model(name, "skip").fit(X)
    assert_same_model(skipping, model(name, "raise").fit(X[there]), PROBE)
    assert skipping.n_samples_skipped_ == (~there).sum()
    assert skipping.n_values_imputed_ == 0


def test_rows_without_weight_are_not_counted():
    weight = np.where(np.isnan(X).any(axis=1), 0.0, 1.0)
    given = weight.copy()
    fitted = model("plain", "skip").fit(X, sample_weight=weight)
    assert fitted.n_samples_skipped_ == 0
    assert (weight == given).all()


def test_a_stream_that_begins_with_gaps():
    skipping = model("plain", "skip")
    for row in np.full((3, 4), np.nan):
        skipping.partial_fit(row[None])
    assert skipping.n_samples_skipped_ == 3
    whole = model("plain", "skip").partial_fit(np.r_[np.full((3, 4), np.nan), X])
    same(skipping.partial_fit(X), whole)
    with pytest.raises(ValueError, match="every row lacks values"):
        skipping.fit(np.full((3, 4), np.nan))


@pytest.mark.thorough
def test_a_large_share_is_said_once():
    many = WHOLE.copy()
    many[::3, 0] = np.nan
    said = r"\d+ of the first \d+ rows were left out.*missing='impute'"
    with pytest.warns(KernelWarning, match=said) as told:
        one = model("median", "skip").partial_fit(many).partial_fit(many)
    with pytest.warns(KernelWarning, match=said) as again:
        row_by_row(model("median", "skip"), many)
    assert len(told) == len(again) == 1
    assert str(again[0].message) == str(told[0].message)
    assert one.describe().warnings == [str(told[0].message)]
    with pytest.warns(KernelWarning, match="5 of the first 15 rows"):  # few, but all that there are
        model("median", "skip").fit(many[:15])


@pytest.mark.filterwarnings("error::okpca.KernelWarning")
def test_a_small_share_is_not():
    few = WHOLE.copy()
    few[::5, 0] = np.nan
    assert np.isnan(few).any(axis=1).sum() > FEWEST
    model("median", "skip").fit(few)


# -- imputed --------------------------------------------------------------------------------------


@EVERY
def test_without_gaps_it_is_the_model_it_is(name):
    assert_same_model(model(name).fit(WHOLE), model(name, "raise").fit(WHOLE), PROBE)


def test_a_stream_without_gaps_is_hardly_cut(monkeypatch):
    calls = []
    rows, absorb_block = normal(2000), missing_module.absorb_block

    def counted(model, rows, weight):
        calls.append(len(weight))
        return absorb_block(model, rows, weight)

    monkeypatch.setattr(missing_module, "absorb_block", counted)
    OnlineKernelPCA(2, missing="impute").fit(rows)
    assert sum(calls) == len(rows) - N
    assert len(calls) <= 4  # two blocks, each with an end after its last border


@pytest.mark.thorough
def test_first_rows_are_completed_from_each_other():
    rows = np.delete(X[:N], 7, axis=0)
    want = completed(rows, np.ones(len(rows)))
    assert_same_model(model("median").fit(rows), model("median", "raise").fit(want), PROBE, 1e-8)
    early = rows[:25]
    want = oracle.completed(early, np.ones(25))
    assert_same_model(model("median").fit(early), model("median", "raise").fit(want), PROBE, 1e-7)


@pytest.mark.thorough
def test_then_from_the_atoms_at_the_last_border():
    """The twin learns complete rows, filled in by the atoms that it had at borders."""
    rows = np.delete(X, [7, N + 3], axis=0)
    fitted, twin = model("full").fit(rows), model("full", "raise")
    twin.partial_fit(completed(rows[:N], np.ones(N)))
    start = N
    while start < len(rows):
        part = rows[start : start + min(max(start // 32, 1), 64)]
        twin.partial_fit(imputed(twin._model, part))  # not by rows that only wait to be atoms
        start += len(part)
    assert fitted.n_values_imputed_ == np.isnan(rows).sum()
    assert_same_model(fitted, twin, PROBE, 1e-8)


def test_nearer_to_the_truth_than_means():
    fitted = model("median").fit(X)
    gaps = np.isnan(X) & ~np.isnan(X).all(axis=1, keepdims=True)
    off = ((fitted.impute(X) - WHOLE) / WHOLE.std(axis=0))[gaps]
    assert np.square(off).mean() < 0.1
    assert_allclose(fitted.impute(X)[7], fitted.impute(np.full((1, 4), np.nan))[0])


def test_rows_without_values_are_left_out():
    fitted = model("median").fit(X)
    assert fitted.n_samples_skipped_ == 2
    assert fitted.n_samples_seen_ == len(X) - 2
    assert fitted.n_values_imputed_ == np.isnan(X).sum() - 2 * 4


def test_a_column_that_comes_late():
    rows = WHOLE.copy()
    rows[: N + 20, 2] = np.nan
    fitted = model("median").fit(rows)
    assert np.isfinite(fitted.transform(WHOLE)).all()
    assert np.isfinite(fitted.kernel_.scale).all()


def test_merged_models_add_their_counters():
    first = model("plain").fit(X[:250])
    second = model("plain").fit(X[250:])
    both = merge([first, second])
    assert both.n_values_imputed_ == first.n_values_imputed_ + second.n_values_imputed_
    assert both.n_samples_skipped_ == 2
    assert np.isfinite(both.partial_fit(X[:50]).transform(PROBE)).all()
