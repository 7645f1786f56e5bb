"""River's OnlineKernelPCA is okpca's, row by row, with features that come and go."""

import copy
import inspect
import pickle
import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from river import compose, datasets, evaluate, linear_model, metrics, preprocessing

import okpca
from helpers import every_other
from okpca import kernels
from okpca.dictionary import Fixed
from okpca.river import OnlineKernelPCA

NAMES = "abcd"


def rows(n=300, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def dicts(X, names=NAMES):
    return [dict(zip(names, row, strict=True)) for row in X.tolist()]


def learned(model, stream):
    for x in stream:
        model.learn_one(x)
    return model


def shown(model, stream):
    return np.array([list(model.transform_one(x).values()) for x in stream])


X = rows()


# -- what it shows is what okpca shows ------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"n_components": 3, "kernel": "poly", "degree": 2},
        {"gamma": "median", "scale": "standard"},
        {"gamma": "scale"},
        {"rule": "on-kha", "random_state": 0, "nu": 0.1},
        {"forgetting": 0.98, "max_atoms": 20},
        {"kernel": kernels.RBF() + kernels.Linear()},
    ],
    ids=str,
)
def test_the_same_as_okpca(params):
    """Also with columns kept for features to come, whose number gamma=None does not count."""
    model = learned(OnlineKernelPCA(refresh=1, max_features=9, **params), dicts(X))
    same = okpca.OnlineKernelPCA(**params).partial_fit(X)
    assert_allclose(shown(model, dicts(X[:20])), same.transform(X[:20]), atol=1e-9)


@pytest.mark.thorough
def test_components_lag_behind_by_a_rule_of_the_stream():
    """Those of some earlier row, which is the later the more were learned."""
    model, same = OnlineKernelPCA(), okpca.OnlineKernelPCA()
    known, lags = [], []
    for row, x in zip(X[:120], dicts(X[:120]), strict=True):
        model.learn_one(x)
        known.append(same.partial_fit(row[None]).transform(X[:1])[0])
        off = np.abs(np.array(known) - shown(model, dicts(X[:1]))).max(axis=1)
        lags.append(int(np.argmax(off[::-1] < 1e-9)))
        assert off.min() < 1e-9
    assert lags[:3] == [0, 0, 0]
    assert 1 <= max(lags) < 60
    assert lags.count(0) > 10


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("size", "params"),
    every_other([1, 13, 300], [{}, {"gamma": "median"}, {"refresh": 7}]),
    ids=str,
)
def test_cuts_do_not_matter(size, params):
    one = learned(OnlineKernelPCA(**params), dicts(X))
    many = OnlineKernelPCA(**params)
    frame = pd.DataFrame(X, columns=list(NAMES))
    for start in range(0, len(X), size):
        many.learn_many(frame[start : start + size])
    assert_allclose(shown(many, dicts(X[:9])), shown(one, dicts(X[:9])), atol=1e-9)
    out = many.transform_many(frame[5:9])
    assert list(out.index) == [5, 6, 7, 8]
    assert list(out.columns) == ["kpca0", "kpca1"]
    assert_allclose(out, shown(one, dicts(X[5:9])), atol=1e-9)


def test_a_warm_up_shows_what_there_is():
    model = learned(OnlineKernelPCA(gamma="median", refresh=1), dicts(X[:50]))
    same = okpca.OnlineKernelPCA(gamma="median").partial_fit(X[:50])
    assert_allclose(shown(model, dicts(X[:9])), same.transform(X[:9]), atol=1e-9)


def test_polars():
    frame = pl.DataFrame(X, schema=list(NAMES))
    model = OnlineKernelPCA(prefix="z")
    model.learn_many(frame)
    out = model.transform_many(frame)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == ["z0", "z1"]
    assert_allclose(out.to_numpy(), shown(model, dicts(X)), atol=1e-9)


# -- features -------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("params", [{}, {"kernel": "laplacian"}, {"kernel": "linear"}], ids=str)
def test_a_feature_that_appears_was_zero_so_far(params):
    """As if all had been there from the start; but for the width, which the first row says."""
    stream = dicts(X[:100, :2], "ad") + dicts(X[100:])
    wide = X.copy()
    wide[:100, 1:3] = 0
    wide[:100, [0, 3]] = X[:100, :2]
    model = learned(OnlineKernelPCA(refresh=1, **params), stream)
    same = okpca.OnlineKernelPCA(gamma=0.5, **params).partial_fit(wide)
    assert model.features == ["a", "d", "b", "c"]
    assert_allclose(shown(model, dicts(X[:9])), same.transform(X[:9]), atol=1e-9)


@pytest.mark.thorough
def test_a_feature_that_goes_is_zero():
    model = learned(OnlineKernelPCA(), dicts(X))
    there = model.transform_one({"a": 1.0, "b": 0.0, "c": 0.0, "d": 2.0})
    assert model.transform_one({"d": 2.0, "a": 1.0}) == there
    assert model.transform_one({}) == model.transform_one(dict.fromkeys(NAMES, 0.0))


@pytest.mark.thorough
def test_looking_at_a_new_feature_learns_nothing():
    model = learned(OnlineKernelPCA(), dicts(X))
    before = pickle.dumps(model)
    assert model.transform_one({"a": 1.0, "new": 9.0}) != model.transform_one({"a": 1.0})
    assert model.features == list(NAMES)
    assert pickle.dumps(model) == before


def test_features_beyond_the_most_are_ignored():
    model = learned(OnlineKernelPCA(max_features=2), dicts(X))
    assert model.features == ["a", "b"]
    assert model.transform_one({"a": 1.0, "b": 1.0, "d": 7.0}) == model.transform_one(
        {"a": 1.0, "b": 1.0}
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "params",
    [
        {"kernel": lambda X, Y: X @ Y.T},
        {"dictionary": Fixed(X[:10, :2])},
        {"absent": "missing", "missing": "skip"},
        {"gamma": "scale"},
        {"kernel": kernels.Exponential("scale") + kernels.Linear()},
    ],
    ids=["own function", "given atoms", "missing", "scale", "scale in a sum"],
)
def test_where_no_feature_can_join(params):
    model = OnlineKernelPCA(**params)
    learned(model, [*dicts(X[:20, :2], "ab"), *dicts(X[20:])])
    assert model.features == ["a", "b"]
    assert model.estimator.n_features_in_ == 2


@pytest.mark.thorough
def test_absent_values_may_be_missing():
    gappy = [{k: v for k, v in x.items() if (i + ord(k)) % 5} for i, x in enumerate(dicts(X))]
    gappy[0] = dicts(X)[0]
    skips = learned(OnlineKernelPCA(absent="missing", missing="skip", refresh=1), gappy)
    whole = [x for x in gappy if len(x) == 4]
    assert skips.estimator.n_samples_seen_ == len(whole) < len(gappy)
    assert_array_equal(
        shown(skips, dicts(X[:5])), shown(learned(OnlineKernelPCA(refresh=1), whole), dicts(X[:5]))
    )
    assert np.isnan(list(skips.transform_one({"a": 1.0}).values())).all()
    fills = learned(OnlineKernelPCA(absent="missing", missing="impute"), gappy)
    assert fills.estimator.n_values_imputed_ == sum(4 - len(x) for x in gappy)
    assert np.isfinite(list(fills.transform_one({"a": 1.0}).values())).all()


def test_a_stream_may_begin_with_rows_that_are_skipped():
    model = OnlineKernelPCA(missing="skip")
    model.learn_one({"a": None, "b": 1.0})
    assert model.transform_one({"a": 1.0}) == {"kpca0": 0.0, "kpca1": 0.0}
    learned(model, dicts(X[:, :2], "ab"))
    assert model.estimator.n_samples_skipped_ == 1
    assert any(model.transform_one({"a": 1.0}).values())


# -- the start, and refusals ----------------------------------------------------------------------


def test_cold_start():
    assert OnlineKernelPCA(3).transform_one({"a": 1.0}) == {"kpca0": 0, "kpca1": 0, "kpca2": 0}
    assert OnlineKernelPCA(0.9).transform_one({"a": 1.0}) == {}
    model = OnlineKernelPCA()
    model.learn_one({})
    model.learn_many(pd.DataFrame())
    assert model.features == []
    assert model.transform_many(pd.DataFrame({"a": [1.0, 2.0]})).to_numpy().tolist() == [[0, 0]] * 2
    model.learn_one({"a": 1.0})
    assert model.transform_one({"a": 2.0}) == {"kpca0": 0.0, "kpca1": 0.0}
    assert model.transform_many(pd.DataFrame({"a": []})).shape == (0, 2)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("x", "says"),
    [
        ({"a": np.inf, "new": 1}, "feature 'a' is inf"),
        ({"a": 1, "b": None}, "feature 'b' is None. missing='skip'"),
        ({"a": "much"}, "feature 'a' is 'much'"),
    ],
)
def test_a_row_refused_has_not_happened(x, says):
    model = learned(OnlineKernelPCA(), dicts(X))
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=says):
        model.learn_one(x)
    with pytest.raises(ValueError, match=says):
        model.transform_one(x)
    assert pickle.dumps(model) == before


@pytest.mark.thorough
def test_a_frame_refused_has_not_happened():
    model = learned(OnlineKernelPCA(), dicts(X))
    before = pickle.dumps(model)
    frame = pd.DataFrame(X, columns=list("abcz"))
    frame.loc[250, "z"] = np.inf
    for call in (model.learn_many, model.transform_many):
        with pytest.raises(ValueError, match="row 250: feature 'z' is inf"):
            call(frame)
    assert pickle.dumps(model) == before


@pytest.mark.thorough
def test_a_row_whose_kernel_overflows_is_refused():
    model = learned(OnlineKernelPCA(kernel="poly", degree=9), dicts(X))
    before = pickle.dumps(model)
    for call in (model.learn_one, model.transform_one):
        with pytest.raises(ValueError, match="not finite: scale the columns"):
            call({"a": 1e200})
    frame = pd.DataFrame(X, columns=list(NAMES))
    frame.loc[250, "a"] = 1e200
    with pytest.raises(ValueError, match=r"not finite: scale.*row \d+"):
        model.learn_many(frame)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"nu": 2.0}, "'nu' parameter"),
        ({"absent": "nan"}, "absent must be 'zero' or 'missing', got 'nan'"),
        ({"max_features": 0}, "max_features must be an integer >= 1, or None, got 0"),
        ({"refresh": 1.5}, "refresh must be an integer >= 1, or None"),
    ],
    ids=str,
)
def test_parameters_are_checked_at_once(params, says):
    with pytest.raises(ValueError, match=says):
        OnlineKernelPCA(**params)


def test_parameters_are_those_of_okpca():
    mine = inspect.signature(OnlineKernelPCA).parameters
    theirs = inspect.signature(okpca.OnlineKernelPCA).parameters
    assert set(theirs) - set(mine) == {"epochs", "shuffle", "preimage", "verbose"}
    assert set(mine) - set(theirs) == {"absent", "max_features", "refresh", "prefix"}
    assert {name: mine[name].default for name in theirs if name in mine}.items() <= {
        name: of.default for name, of in theirs.items()
    }.items()
    with pytest.raises(TypeError, match="unexpected keyword argument 'epochs'"):
        OnlineKernelPCA(epochs=2)


def test_who_takes_it_for_the_other_is_told():
    with pytest.raises(AttributeError, match=r"no attribute 'fit'. It is for River.*okpca.Online"):
        OnlineKernelPCA().fit(X)
    assert not hasattr(OnlineKernelPCA(), "nothing")


# -- in River -------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_pipelines():
    both = OnlineKernelPCA(2, gamma=0.5) + OnlineKernelPCA(1, kernel="linear", prefix="linear")
    model = preprocessing.StandardScaler() | both
    learned(model, dicts(X))
    assert set(model.transform_one(dicts(X)[0])) == {"kpca0", "kpca1", "linear0"}
    chosen = compose.Select("a", "b") | OnlineKernelPCA()
    learned(chosen, dicts(X))
    assert chosen["OnlineKernelPCA"].features == ["a", "b"]


@pytest.mark.thorough
def test_progressive_validation_sees_what_a_line_cannot():
    def accuracy(*steps):
        model = compose.Pipeline(preprocessing.StandardScaler(), *steps)
        model |= linear_model.LogisticRegression()
        stream = datasets.Bananas().take(800)
        return evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get()

    kernel = OnlineKernelPCA(20, gamma=1.0, max_atoms=50), ("again", preprocessing.StandardScaler())
    assert accuracy(*kernel) > accuracy() + 0.1


@pytest.mark.thorough
def test_features_without_end_take_no_memory():
    """Those beyond the most leave no trace; that rows take none is among River's checks."""
    model, other = (OnlineKernelPCA(max_atoms=10, max_features=8) for _ in range(2))
    for i, row in enumerate(X.tolist()):
        x = {"a": row[0], f"new {i}": row[1], i: row[2]}
        model.learn_one(x)
        model.transform_one({f"other {i}": row[3]})
        other.learn_one({name: x[name] for name in model.features if name in x})
    assert len(model.features) == 8
    assert len(pickle.dumps(model)) == len(pickle.dumps(other))


@pytest.mark.thorough
def test_a_copy_goes_on_alike_and_alone():
    model = learned(OnlineKernelPCA(max_atoms=20), dicts(X[:150]))
    other = pickle.loads(pickle.dumps(model))
    kept, fresh = copy.deepcopy(model), model.clone()
    learned(model, dicts(X[150:]))
    learned(other, dicts(X[150:]))
    probe = dicts(X[:9])
    assert_array_equal(shown(model, probe), shown(other, probe))
    assert_array_equal(shown(learned(kept, dicts(X[150:])), probe), shown(other, probe))
    assert fresh.features == []


@pytest.mark.thorough
def test_the_estimator_is_a_copy():
    model = learned(OnlineKernelPCA(), dicts(X))
    before = pickle.dumps(model)
    model.estimator.partial_fit(np.ones((1, 8)))
    model.estimator.compress(3)
    assert pickle.dumps(model) == before


@pytest.mark.thorough
def test_readers_beside_a_writer():
    """Every answer is that of a model after some row."""
    stream, probe = dicts(X), dicts(X[:1])[0]
    alone, known = OnlineKernelPCA(0.9, max_atoms=20), []
    for x in stream:
        alone.learn_one(x)
        known.append(alone.transform_one(probe))
    model, seen, done = OnlineKernelPCA(0.9, max_atoms=20), [], threading.Event()

    def read():
        while not done.is_set():
            seen.append(model.transform_one(probe))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    learned(model, stream)
    done.set()
    for reader in readers:
        reader.join()
    assert seen
    assert all(answer == {} or answer in known for answer in seen)


@pytest.mark.parametrize("row", [[1, 2], np.ones(2), 3.0], ids=["list", "array", "number"])
def test_a_row_is_a_dict(row):
    for model in (OnlineKernelPCA(2), learned(OnlineKernelPCA(2), dicts(X[:5]))):
        with pytest.raises(TypeError, match="a row is a dict of its features"):
            model.learn_one(row)
    with pytest.raises(TypeError, match="a row is a dict of its features"):
        model.transform_one(row)
