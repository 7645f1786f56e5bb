"""KernelWarning: once in a fit, at rows of the stream, with a remedy; quiet on healthy rows."""

import pickle
import warnings
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from okpca import KernelNoveltyDetector, KernelWarning, OnlineKernelPCA, presets
from okpca._core.numerics import FIRST_ROWS
from okpca._core.warning_thresholds import FEWEST_SEEN, FIRST_LOOK, SAMPLED
from okpca.dictionary import Fixed
from okpca.plots import SpectrumDisplay

DIGITS = load_digits().data / 16
WINE = load_wine().data
NORMAL = np.random.default_rng(0).normal(size=(600, 6))
HEAVY = np.random.default_rng(1).standard_t(1.5, size=(600, 4))
UNEQUAL = NORMAL * np.geomspace(1, 300, 6)

pytestmark = pytest.mark.filterwarnings("error::okpca.KernelWarning")

TROUBLES = {
    "orthogonal": (DIGITS[:600], {"gamma": 10.0}, "nearly orthogonal.*smaller gamma"),
    "orthogonal pixels": (16 * DIGITS[:600], {}, "nearly orthogonal.*smaller gamma"),
    "orthogonal, scaled": (UNEQUAL, {"gamma": 30.0, "scale": "standard"}, "nearly orthogonal"),
    "orthogonal, full": (
        DIGITS[:600],
        {"gamma": 10.0, "max_atoms": 100},
        "nearly orthogonal to each other: 100 atoms hold .*smaller gamma",
    ),
    "orthogonal, full from a warm-up": (
        DIGITS[:600],
        {"gamma": 10.0, "max_atoms": 100, "burn_in": 400, "robust": "auto"},
        "nearly orthogonal to each other: .* atoms hold",
    ),
    "orthogonal, uncentred": (
        DIGITS[:600],
        {"gamma": 10.0, "center": False},
        "nearly orthogonal to each other: 256 of 256 had hardly anything in common",
    ),
    "orthogonal, by steps": (
        DIGITS[:600],
        {"gamma": 10.0, "rule": "on-kha", "random_state": 0},
        "nearly orthogonal.*smaller gamma",
    ),
    "columns, by steps": (UNEQUAL, {"rule": "okha", "random_state": 0}, "column 5,"),
    "alike, by steps": (
        NORMAL,
        {"gamma": 1e-6, "rule": "history", "random_state": 0},
        "nearly alike.*larger gamma",
    ),
    "alike": (NORMAL, {"gamma": 1e-6}, "nearly alike.* 1 atom holds 0 %.*larger gamma"),
    "alike but for rounding": (1e-12 * NORMAL, {}, "rows differ, .* rounds .*larger gamma"),
    "counter": (
        np.column_stack([NORMAL, 1.7e9 + 60.0 * np.arange(len(NORMAL))]),
        {"gamma": "median", "scale": "standard"},
        "column 6 goes up by the same from row to row.*leave it out",
    ),
    "columns": (UNEQUAL, {}, "factor of 3.*column 5,.*scale='standard'"),
    "columns, laplacian": (UNEQUAL, {"kernel": "laplacian"}, "column 5,"),
    "columns, width of the rows": (UNEQUAL, {"gamma": "median"}, "column 5,.*scale='standard'"),
    "one point": (
        np.concatenate([np.zeros((300, 6)), 100 * NORMAL[:300]]),
        {"gamma": "median"},
        "first 200 rows are all the same.*1 is taken. Give gamma",
    ),
    "stranded": (
        np.concatenate([NORMAL[:300] / 30, NORMAL[300:]]),
        {"gamma": "median"},
        "most rows after the first 200 are nearly orthogonal.*Give gamma",
    ),
    "stranded, scaled": (
        np.concatenate([NORMAL[:200] / 100, NORMAL[200:]]),
        {"gamma": 0.1, "scale": "standard"},
        "most rows after the first 200 are nearly orthogonal",
    ),
    "budget": (DIGITS[:600], {"gamma": 0.3, "max_atoms": 3}, "3 atoms hold .* Raise max_atoms"),
}


def told(learn):
    """The KernelWarnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learn()
    return [str(w.message) for w in caught if w.category is KernelWarning]


def told_by(model, X, *, step):
    """The same for a stream in pieces, with the row after which each came."""
    out = []
    for start in range(0, len(X), step):
        rows = X[start : start + step]
        out += [(text, start + len(rows)) for text in told(lambda r=rows: model.partial_fit(r))]
    return out


@pytest.mark.thorough
@pytest.mark.parametrize("name", TROUBLES)
def test_trouble_is_told_once_with_a_remedy(name):
    X, params, words = TROUBLES[name]
    model = OnlineKernelPCA(3, **params)
    with pytest.warns(KernelWarning, match=words) as caught:
        model.fit(X)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert model.describe().warnings == [str(caught[0].message)]
    assert str(caught[0].message) in repr(model.describe())
    assert told(lambda: model.partial_fit(X[:300])) == []
    assert len(told(lambda: model.fit(X))) == 1  # another fit


@pytest.mark.long
@pytest.mark.parametrize("name", TROUBLES)
def test_cuts_of_the_stream_do_not_matter(name):
    X, params, _ = TROUBLES[name]
    X = X[:520]
    ways = {step: told_by(OnlineKernelPCA(3, **params), X, step=step) for step in (1, 37, 520)}
    texts = {step: [text for text, _ in out] for step, out in ways.items()}
    assert texts[1] == texts[37] == texts[520]
    assert len(texts[1]) == 1
    row = ways[1][0][1]
    assert row in (params.get("burn_in", FIRST_ROWS), FIRST_LOOK, 2 * FIRST_LOOK)
    assert ways[37][0][1] == min(-(-row // 37) * 37, 520)


def test_a_column_that_counts_and_has_no_part_in_a_distance_is_no_fault():
    X = np.column_stack([NORMAL, 1e-9 * np.arange(len(NORMAL))])
    texts = told(lambda: OnlineKernelPCA(3, gamma=0.1).fit(X))
    assert not any("goes up" in text for text in texts)


def test_rows_that_are_the_same_are_no_fault_of_the_kernel():
    gappy = np.ones((300, 4))
    gappy[::3, 1] = np.nan
    assert told(lambda: OnlineKernelPCA(3).fit(np.ones((300, 4)))) == []
    assert told(lambda: OnlineKernelPCA(3, missing="impute").fit(gappy)) == []
    gappy[:, 0] += 1e-14 * np.arange(300)[::-1]
    assert "Narrow" in told(lambda: OnlineKernelPCA(3, missing="impute").fit(gappy))[0]


def test_a_stream_is_not_judged_by_its_first_rows():
    model = OnlineKernelPCA(3)
    assert told(lambda: model.partial_fit(UNEQUAL[: FIRST_LOOK - 1])) == []
    assert len(told(lambda: model.partial_fit(UNEQUAL[FIRST_LOOK - 1 : FIRST_LOOK]))) == 1


def test_a_fit_of_few_rows_is_not_judged():
    assert told(lambda: OnlineKernelPCA(3).fit(UNEQUAL[: FEWEST_SEEN - 1])) == []
    assert len(told(lambda: OnlineKernelPCA(3).fit(UNEQUAL[:FEWEST_SEEN]))) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("params", [{"gamma": "median"}, {"gamma": "scale"}, {"burn_in": 190}])
def test_a_fit_whose_rows_are_all_held_back_is_judged(params):
    """They may be all there are: 178 of wine, fewer than say how wide the kernel is."""
    model = OnlineKernelPCA(3, **params)
    assert len(WINE) < FIRST_ROWS
    assert "column 12, and others hardly count" in told(lambda: model.fit(WINE))[0]
    assert len(model.describe().warnings) == 1
    # Nor is it told again when the stream goes on and the first rows are learned.
    assert told(lambda: model.partial_fit(WINE)) == []
    assert len(model.describe().warnings) == 1
    assert told(lambda: OnlineKernelPCA(3, **params).fit(WINE[: FEWEST_SEEN - 1])) == []


@pytest.mark.parametrize("rows", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("params", [{"gamma": "scale"}, {"gamma": 0.1, "scale": "standard"}])
def test_first_rows_that_are_all_the_same(rows, params):
    """As of a machine that is not yet switched on."""
    X = np.concatenate([np.ones((FIRST_ROWS, 3)), NORMAL[:100, :3]])
    assert (
        "first 200 rows are all the same"
        in told(lambda: OnlineKernelPCA(2, **params).fit(rows(X)))[0]
    )
    assert told(lambda: OnlineKernelPCA(2, **params).fit(rows(X[100:]))) == []
    # A short warm-up is as little to go by; a few rows that may be followed by others are not.
    assert (
        "one row says nothing"
        in told(lambda: OnlineKernelPCA(2, burn_in=1, **params).fit(rows(NORMAL[:50, :3])))[0]
    )
    assert told(lambda: OnlineKernelPCA(2, **params).fit(rows(X[:1]))) == []


@pytest.mark.parametrize("params", [{"max_atoms": 5, "on_full": "project"}, {"rule": "okha"}])
def test_a_certificate_that_says_nothing(params):
    model = OnlineKernelPCA(3, gamma=0.1, **params).fit(DIGITS[:300])
    assert told(lambda: SpectrumDisplay.from_estimator(model)) == []  # its title says so
    with pytest.warns(KernelWarning, match="certificate says nothing.*more atoms") as caught:
        assert model.certificate().says_nothing
    assert caught[0].filename == __file__
    assert told(model.certificate) == []  # once in a fit
    assert len(told(lambda: model.fit(DIGITS[:300]).certificate())) == 1
    exact = OnlineKernelPCA(3, gamma=0.1, nu=0.0).fit(DIGITS[:300])
    assert told(exact.certificate) == []


@pytest.mark.thorough
@pytest.mark.parametrize("gamma", [0.7, 1.0])
def test_atoms_that_are_no_rows_hold_less_than_all_of_themselves(gamma):
    """Points that were given, uncentred: rows are compared with them, and hold a good part."""
    model = OnlineKernelPCA(2, gamma=gamma, center=False, dictionary=Fixed(NORMAL[:200, :5]))
    assert told(lambda: model.fit(NORMAL[300:, :5])) == []


def test_after_compressing_nothing_is_told_of_what_only_a_bound_is_known():
    model = OnlineKernelPCA(
        2, rule="oo-kha", nu=0, center=False, gamma=0.1, max_atoms=None, random_state=0
    )

    def live():
        model.partial_fit(NORMAL[:250, :4])
        model.compress(10)
        model.partial_fit(NORMAL[250:, :4])

    assert told(live) == []


def test_columns_without_a_value_to_take_a_scale_from():
    X = NORMAL.copy()
    X[:250, [1, 5]], X[250:, 5] = np.nan, 1000 + 100 * X[250:, 5]
    params = {"gamma": "median", "scale": "standard", "missing": "impute"}
    model = OnlineKernelPCA(3, **params)
    with pytest.warns(KernelWarning, match="first 200 rows has a value in column 1 and 1 more"):
        model.partial_fit(X)
    assert len(model.describe().warnings) == 1
    assert told(lambda: OnlineKernelPCA(3, **params).partial_fit(X[100:])) == []
    assert told(lambda: OnlineKernelPCA(3, **params | {"scale": None}).partial_fit(X)) == []


def test_looks_change_nothing(monkeypatch):
    looked = OnlineKernelPCA(3, random_state=0)
    told_by(looked, UNEQUAL, step=50)
    monkeypatch.setattr(import_module("okpca.model.components"), "diagnosed", lambda model: model)
    blind = OnlineKernelPCA(3, random_state=0)
    assert told_by(blind, UNEQUAL, step=50) == []
    before = looked._model.__dict__ | {"troubles": (), "known": {}}
    after = blind._model.__dict__ | {"known": {}}
    assert pickle.dumps(before) == pickle.dumps(after)


@pytest.mark.parametrize("step", [1, 100])
def test_a_warning_that_is_an_error_refuses_the_call(step):
    model = OnlineKernelPCA(3, random_state=0)
    model.partial_fit(UNEQUAL[: FIRST_LOOK - 1])
    before = pickle.dumps(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KernelWarning):
            model.partial_fit(UNEQUAL[FIRST_LOOK - 1 : FIRST_LOOK - 1 + step])
    assert pickle.dumps(model) == before


HEALTHY = {
    **{f"digits {gamma}": (DIGITS, {"gamma": gamma}) for gamma in (0.001, 0.01, 0.05, 0.3, 1.0)},
    "digits, 20 atoms": (DIGITS, {"gamma": 0.05, "max_atoms": 20}),
    "digits, forgetting": (DIGITS, {"gamma": 0.05, "forgetting": 0.995}),
    "digits, warm-up": (DIGITS, {"gamma": 0.05, "burn_in": 300}),
    "digits, poly": (DIGITS, {"kernel": "poly"}),
    "digits, linear": (DIGITS, {"kernel": "linear"}),
    "raw columns, linear": (WINE, {"kernel": "linear"}),
    "raw columns, cosine": (WINE, {"kernel": "cosine"}),
    "uncentred": (DIGITS, {"gamma": 0.05, "center": False}),
    "incremental svd": (DIGITS[:400], {"gamma": 0.05, "rule": "incremental-svd"}),
    "diabetes": (load_diabetes().data, {}),
    "heavy tails, width of the rows": (HEAVY, {"gamma": "median"}),
    "raw columns, scaled": (WINE, {"gamma": "median", "scale": "standard"}),
    "heavy tails, scaled": (HEAVY * [1, 10, 1e3, 1e5], {"gamma": "median", "scale": "standard"}),
    "heavy tails, warm-up": (HEAVY, {"gamma": "median", "burn_in": 250}),
    "steps, width of the rows": (np.cumsum(NORMAL, axis=0), {"gamma": "median"}),
    "iris": (load_iris().data, {}),
    "one row again and again": (np.ones((300, 3)), {}),
    "two rows": (np.repeat(NORMAL[:2], 200, axis=0), {}),
    "one column": (NORMAL[:, :1], {}),
    **{
        f"standardised {load.__name__}": (StandardScaler().fit_transform(load().data), {})
        for load in (load_wine, load_breast_cancer, load_diabetes)
    },
}


@pytest.mark.parametrize("name", HEALTHY)
def test_quiet_on_healthy_rows(name):
    X, params = HEALTHY[name]
    model = OnlineKernelPCA(5, **params)
    assert told(lambda: model.fit(X)) == []
    assert model.describe().warnings == []


def test_quiet_with_rules_that_take_steps():
    assert told(lambda: presets.okha(3, gamma=0.05).fit(DIGITS[:400])) == []


def standard(X):
    return StandardScaler().fit_transform(X.astype(np.float64))


FILES = {
    "usps": ("usps_9298", lambda X: (X + 1) / 2, {"gamma": 0.01}),
    "usps, 1 / columns": ("usps_9298", lambda X: (X + 1) / 2, {}),
    "mnist": ("mnist_70000", lambda X: X / 255, {"gamma": 0.01}),
    "mnist, 1 / columns": ("mnist_70000", lambda X: X / 255, {}),
    "frey": ("frey_1965x560", lambda X: X / 255, {}),
    "phoneme": ("phoneme_npfda_2000x150", standard, {}),
    "tennessee": ("tep_braatz", standard, {}),
    "skab": ("skab", standard, {}),
}


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_quiet_on_the_data_of_the_benchmarks(name, data_set):
    file, prepared, params = FILES[name]
    X = prepared(data_set(file)["X"][:3000])
    assert told(lambda: OnlineKernelPCA(5, **params).fit(X)) == []


@pytest.mark.thorough
@pytest.mark.parametrize("max_atoms", [20, 50, 500])
def test_atoms_that_are_means_are_no_reason_to_warn(max_atoms):
    """Of a column of noise the means of many rows are all alike."""
    t, rng = np.arange(600), np.random.default_rng(0)
    X = np.column_stack([4 * np.sin(t / 20), 0.3 * rng.normal(size=600), 3 * np.cos(t / 31)])
    assert told(lambda: OnlineKernelPCA(3, max_atoms=max_atoms).fit(X)) == []
    assert len(told(lambda: OnlineKernelPCA(3, max_atoms=max_atoms).fit(X * [1, 1, 300]))) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("lags", [0, 1])
def test_the_column_is_called_by_its_name(lags):
    frame = pd.DataFrame(NORMAL[:, :3] * [1, 300, 1], columns=["flow", "pressure", "heat"])
    models = [OnlineKernelPCA(3), KernelNoveltyDetector(scale=None, gamma=None, lags=lags)]
    for model in models:
        assert "is that in column 'pressure'," in told(lambda m=model: m.fit(frame))[0]
        assert "column 'pressure'" in model.describe().warnings[0]


@pytest.mark.thorough
@pytest.mark.parametrize("step", [1, 7, 600])
def test_the_first_rows_are_given_up_after_the_look(step):
    early, late = OnlineKernelPCA(3), OnlineKernelPCA(3)
    for start in range(0, FIRST_LOOK - 1, step):
        early.partial_fit(NORMAL[start : min(start + step, FIRST_LOOK - 1)])
    for start in range(0, FIRST_LOOK, step):
        late.partial_fit(NORMAL[start : start + step])
    kept = np.concatenate(early._model.first)
    np.testing.assert_array_equal(kept, NORMAL[: FIRST_LOOK - 1 : SAMPLED])
    assert late._model.first is None


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:no row can be an alarm yet")
def test_a_detector_tells_too():
    detector = KernelNoveltyDetector(scale=None, gamma=None)
    with pytest.warns(KernelWarning) as caught:
        detector.fit(UNEQUAL)
    assert "columns differ" in str(caught[0].message)
    assert "no row can be an alarm" in str(caught[1].message)
    assert {one.filename for one in caught} == {__file__}
    assert not any("columns" in text for text in told(lambda: detector.partial_fit(UNEQUAL[:50])))
    assert told(lambda: KernelNoveltyDetector().fit(NORMAL)) == []
