"""River's KernelNovelty is okpca's detector, row by row."""

import copy
import inspect
import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from river import anomaly, evaluate, metrics, preprocessing

import okpca
from okpca.river import KernelNovelty

NAMES = "abc"


def rows(n=600, seed=0):
    """On a curve, some of them far from it; which."""
    rng = np.random.default_rng(seed)
    t = rng.uniform(-1.5, 1.5, size=n)
    X = np.column_stack([t, t**2, -t]) + 0.1 * rng.normal(size=(n, 3))
    strange = rng.random(n) < 0.03
    X[strange] += [0, -2, 1]
    return X, strange


def dicts(X):
    return [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]


X, STRANGE = rows()


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"statistic": "combined", "n_components": 3},
        {"lags": 2, "ewma": 0.3, "gamma": "scale"},
        {"sigma": 1.0, "scale": None, "refresh": 5, "warm_up": 30},
        {"limits": "parametric", "learn_from_alarms": True, "statistic": "t2"},
        {"accept_after": 3, "contamination": 0.1},
    ],
    ids=str,
)
def test_a_score_is_what_learning_would_say(params):
    """Looked at before every row, which changes nothing."""
    model, same = KernelNovelty(**params), okpca.KernelNoveltyDetector(**params)
    scores = []
    for x in dicts(X):
        scores.append(model.score_one(x))
        model.learn_one(x)
    told, scores = same.monitor(X), np.array(scores)
    scored, limited = ~np.isnan(told.score), np.isfinite(told.limit)
    assert not scores[~scored].any()
    share = told.score[limited] / (told.score + told.limit)[limited]
    assert_allclose(scores[limited], share, rtol=1e-6)
    assert_array_equal(scores[limited] > 0.5, told.alarms[limited])
    assert (scores[scored] > 0).all()
    assert scores.max() < 1
    assert model.detector.n_alarms_ == same.n_alarms_ > 0


def test_the_largest_score_stands_in_for_a_limit():
    model, same = KernelNovelty(), okpca.KernelNoveltyDetector()
    for x in dicts(X[:140]):
        model.learn_one(x)
    told = same.monitor(X[:141])
    assert told.limit[-1] == np.inf
    score, most = told.score[-1], np.nanmax(told.score[:-1])
    assert model.score_one(dicts(X)[140]) == pytest.approx(score / (score + most))


def test_looking_changes_nothing():
    model = KernelNovelty(lags=1)
    for x in dicts(X[:164]):  # a border
        model.learn_one(x)
    before = pickle.dumps(model)
    assert model.score_one({"a": 1.0, "new": 3.0}) == model.score_one({"a": 1.0, "new": 3.0})
    assert pickle.dumps(model) == before


@pytest.mark.thorough
def test_a_feature_that_appears_is_something_new():
    model = KernelNovelty()
    for x in dicts(X[~STRANGE]):
        model.learn_one(x)
    usual = dicts(X[:1])[0]
    assert model.score_one(usual) < 0.5 < model.score_one(usual | {"leak": 5.0})
    for _ in range(3):
        model.learn_one(usual | {"leak": 5.0})
    assert model.features == ["a", "b", "c", "leak"]
    assert model.detector.n_alarms_ >= 3


def test_the_start():
    model = KernelNovelty()
    assert model.score_one({"a": 1.0}) == 0.0
    model.learn_one({})
    assert model.features == []
    model.learn_one({"a": 1.0})
    assert model.score_one({"a": 1.0}) == 0.0


@pytest.mark.thorough
def test_rows_that_lack_values():
    skips = KernelNovelty(missing="skip", absent="missing")
    fills = KernelNovelty(missing="impute", absent="missing")
    for x in dicts(X):
        skips.learn_one(x)
        fills.learn_one(x)
    assert math.isnan(skips.score_one({"a": 1.0}))
    assert math.isfinite(fills.score_one({"a": 1.0, "b": 1.0}))
    with pytest.raises(ValueError, match=r"feature 'a' is None\. missing='skip'"):
        KernelNovelty().learn_one({"a": None})


@pytest.mark.thorough
def test_a_row_refused_has_not_happened():
    model = KernelNovelty()
    for x in dicts(X):
        model.learn_one(x)
    before = pickle.dumps(model)
    for call in (model.learn_one, model.score_one):
        with pytest.raises(ValueError, match="feature 'b' is inf"):
            call({"a": 1.0, "b": math.inf})
    assert pickle.dumps(model) == before


def test_parameters():
    mine = inspect.signature(KernelNovelty).parameters
    theirs = inspect.signature(okpca.KernelNoveltyDetector).parameters
    assert set(mine) - set(theirs) == {"absent", "max_features"}
    assert set(theirs) <= set(mine)
    with pytest.raises(ValueError, match="'ewma' parameter"):
        KernelNovelty(ewma=2.0)
    with pytest.raises(AttributeError, match=r"okpca\.KernelNoveltyDetector"):
        KernelNovelty().fit(X)


@pytest.mark.thorough
def test_in_river():
    model = preprocessing.MinMaxScaler() | KernelNovelty(5, contamination=0.05, warm_up=30)
    stream = zip(dicts(X), STRANGE.tolist(), strict=True)
    assert evaluate.progressive_val_score(stream, model, metrics.ROCAUC()).get() > 0.8
    guarded = anomaly.ThresholdFilter(KernelNovelty(), threshold=0.5)
    for x in dicts(X):
        guarded.learn_one(x)
    assert guarded.classify(guarded.score_one({"a": 0.0, "b": -2.0, "c": 1.0}))


@pytest.mark.thorough
def test_a_copy_goes_on_alike():
    model = KernelNovelty()
    for x in dicts(X[:300]):
        model.learn_one(x)
    others = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    for x in dicts(X[300:]):
        score = model.score_one(x)
        for other in others:
            assert other.score_one(x) == score
            other.learn_one(x)
        model.learn_one(x)
    assert model.clone().features == []
