"""The detector against a slow twin that keeps every row, and its manners towards a stream."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from detector_twin import ALPHA, GAMMA, REFRESH, SIZE, WARM_UP, R, Twin
from helpers import every_other, normal, random_borders
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.detection.detector import FORWARDED
from okpca.detection.limits import NAMES
from okpca.estimator.parameters import OWN
from okpca.kernels import RBF


def detector(**options):
    return KernelNoveltyDetector(
        **{
            "n_components": R,
            "gamma": GAMMA,
            "contamination": ALPHA,
            "warm_up": WARM_UP,
            "refresh": REFRESH,
            "window": SIZE,
            "max_atoms": 40,
        }
        | options
    )


def exact(**options):
    return detector(nu=0, max_atoms=None, **options)


def shifting(n=200, start=120, length=40, size=3.0, d=2):
    X = normal(n, d)
    X[start : start + length] += size
    return X


@pytest.mark.parametrize(
    ("options", "twin"),
    [
        ({}, {}),
        ({"statistic": "spe"}, {"column": 0}),
        ({"statistic": "t2"}, {"column": 1}),
        ({"statistic": "combined"}, {"column": 2}),
        ({"learn_from_alarms": True}, {"learn": True}),
        ({"accept_after": 15}, {"accept_after": 15}),
        ({"accept_after": 15, "learn_from_alarms": True}, {"accept_after": 15, "learn": True}),
        ({"lags": 2}, {"lags": 2}),
        ({"ewma": 0.3, "accept_after": 12}, {"ewma": 0.3, "accept_after": 12}),
    ],
    ids=str,
)
def test_rows_are_judged_as_by_the_twin(options, twin):
    # Five columns: in fewer the Gram matrix is nearly singular, and its eigenvectors are noise.
    X, slow = shifting(d=5, size=2.5), Twin(**twin)
    values, alarms = zip(*(slow.take(x) for x in X), strict=True)
    seen = exact(**options).monitor(X)
    assert_allclose(seen.score, values, rtol=1e-7, atol=1e-9)
    assert_array_equal(seen.alarms, alarms)
    # With lags, 15 columns, all rows are strangers; T² of so young a model has wide limits.
    assert seen.alarms[120:160].any() or "lags" in twin or "column" in twin


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("statistic", "how"), every_other(NAMES, [{}, {"ewma": 0.8}, {"lags": 1}]), ids=str
)
def test_an_event_is_judged_as_by_the_twin(statistic, how):
    X, slow = 0.7 * normal(220, 5), Twin(column=NAMES.index(statistic), **how)
    X[[row for row in range(120, 200) if row % 5]] *= 6.0
    values, alarms = zip(*(slow.take(x) for x in X), strict=True)
    model = exact(statistic=statistic, **how)
    seen = model.monitor(X)
    # Strangers have no large T²; and of rows in ten columns all are strangers.
    assert slow.events or statistic != "spe" or "lags" in how
    assert_allclose(seen.score, values, rtol=1e-7, atol=1e-9)
    assert_array_equal(seen.alarms, alarms)
    assert model._watch.evidence == pytest.approx(slow.evidence)


@pytest.mark.thorough
@pytest.mark.parametrize("how", [{}, {"ewma": 0.8}, {"column": 0}, {"column": 2}], ids=str)
def test_hindsight_is_that_of_the_twin(how):
    phase, slow = np.arange(5.0), Twin(**how)
    turns = 2 * np.pi * np.arange(170) / 35
    X = 1.5 * np.sin(turns[:, None] + phase) + 0.3 * normal(170, 5)
    X[[120, 150]] += 9.0
    values, alarms = zip(*(slow.take(x) for x in X), strict=True)
    options = {"statistic": NAMES[how["column"]]} if "column" in how else how
    seen = exact(**options).monitor(X)
    assert slow.believed
    assert_allclose(seen.score, values, rtol=1e-7, atol=1e-9)
    assert_array_equal(seen.alarms, alarms)
    assert seen.alarms[[120, 150]].all()


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:no row can be an alarm yet")
@pytest.mark.parametrize("options", [{}, {"lags": 2, "ewma": 0.4, "accept_after": 15}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_cuts_of_the_stream_do_not_matter(options, seed):
    X = shifting()
    whole, cut = detector(**options), detector(**options)
    seen = whole.monitor(X)
    borders = range(1, len(X)) if seed == 0 else random_borders(len(X), seed, 9)
    parts = [cut.monitor(part) for part in np.split(X, borders) if len(part)]
    assert_allclose(np.concatenate([part.score for part in parts]), seen.score, atol=1e-9)
    assert_array_equal(np.concatenate([part.learned for part in parts]), seen.learned)
    assert_allclose(list(cut.limits_.values()), list(whole.limits_.values()), rtol=1e-9)
    assert_allclose(cut.score_samples(X), whole.score_samples(X), atol=1e-9)
    assert cut.n_alarms_ == whole.n_alarms_ == seen.alarms.sum()
    assert_allclose(detector(**options).fit(X).score_samples(X), whole.score_samples(X), atol=1e-9)


def test_alarms_are_not_learned_unless_asked():
    X = shifting()
    shy, bold = detector(), detector(learn_from_alarms=True)
    seen = shy.monitor(X)
    assert_array_equal(seen.learned, ~seen.alarms)
    assert shy.estimator_.n_samples_seen_ == len(X) - seen.alarms.sum() < shy.n_samples_seen_
    assert bold.monitor(X).learned.all()
    assert bold.estimator_.n_samples_seen_ == len(X)


def test_a_long_fault_does_not_raise_the_limit_but_an_accepted_shift_is_normal():
    X = shifting(n=400, start=150, length=250, size=6.0)
    stubborn, yielding = detector(), detector(accept_after=20)
    assert stubborn.monitor(X).alarms[170:].mean() > 0.95
    seen = yielding.monitor(X)
    assert seen.alarms[150:165].mean() > 0.9
    assert seen.alarms[250:].mean() < 0.25
    assert (yielding.predict(X[250:]) == 1).mean() > 0.75 > (stubborn.predict(X[250:]) == 1).mean()


def test_far_rows_are_alarms_and_normal_rows_are_not():
    model = detector(window=250).fit(normal(300, 2))
    assert_array_equal(model.predict([[9.0, 9.0], [0.0, 0.0]]), [-1, 1])
    fresh = normal(500, 2, seed=5)
    assert (model.predict(fresh) == -1).mean() == pytest.approx(ALPHA, abs=0.06)
    assert_allclose(model.decision_function(fresh), model.score_samples(fresh) - model.offset_)
    assert model.offset_ == -model.limits_["nested"]


@pytest.mark.parametrize("lags", [0, 2])
def test_scoring_changes_nothing_and_takes_rows_as_one_run(lags):
    X = normal(150, 2)
    model = detector(lags=lags, ewma=0.3).fit(X)
    before = pickle.dumps(model)
    first = model.score_samples(X[:7])
    model.predict(X), model.contributions(X[:3])
    assert_allclose(model.score_samples(X[:7]), first, rtol=0, atol=0)
    assert pickle.dumps(model) == before
    assert_allclose(model.score_samples(X[:9])[:7], first, atol=1e-12)


def test_a_new_run_forgets_the_past_rows_but_not_what_was_learned():
    X = normal(120, 2)
    one, two = detector(lags=2, ewma=0.3).fit(X), detector(lags=2, ewma=0.3).fit(X)
    limits = one.limits_
    one.start_run()
    assert one.limits_ == limits
    new, old = one.monitor(X[:5]), two.monitor(X[:5])
    assert not np.allclose(new.score, old.score)
    assert_allclose(new.score, -detector(lags=2, ewma=0.3).fit(X).score_samples(X[:5]), rtol=0.2)


REFUSED = {
    "nan": (np.array([[0.0, 1.0], [np.nan, 0.0]]), "row 1 of call 2"),
    "width": (normal(3, 5), "5 features"),
    "text": ([["a", "b"]], "could not convert"),
    "empty": (np.empty((0, 2)), "0 sample"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_call_changes_nothing(name):
    bad, message = REFUSED[name]
    model = detector(lags=1).partial_fit(normal(90, 2))
    before = pickle.dumps(model)
    for method in (model.partial_fit, model.monitor):
        with pytest.raises(ValueError, match=message):
            method(bad)
    assert pickle.dumps(model) == before


def test_a_kernel_that_fails_in_the_middle_of_a_call_changes_nothing():
    def fragile(A, B):
        K = RBF(0.3)(A, B)
        K[A[:, 0] > 7] = np.nan
        return K

    X = normal(100, 2)
    model = detector(kernel=fragile, gamma=None).partial_fit(X[:60])
    scores, seen = model.score_samples(X), model.n_samples_seen_
    X[85, 0] = 8.0
    with pytest.raises(ValueError, match="row 25 of call 2 to partial_fit"):
        model.partial_fit(X[60:])
    assert model.n_samples_seen_ == seen
    assert_array_equal(model.score_samples(normal(100, 2)), scores)
    with pytest.raises(ValueError, match="contributions need a gradient"):
        model.contributions(X[:2])


def test_a_refused_first_call_leaves_it_unfitted():
    model = detector()
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[np.nan, 0.0]])
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(NotFittedError):
        model.predict([[0.0, 0.0]])
    with pytest.raises(NotFittedError):
        model.start_run()


def test_a_window_too_short_for_the_promise_is_refused():
    with pytest.raises(ValueError, match="needs 99 scores"):
        detector(contamination=0.01).fit(normal(200))
    parametric = detector(contamination=0.01, limits="parametric").fit(normal(200))
    assert 0 < parametric.limits_["spe"] < np.inf


def test_fit_says_when_no_limit_can_be_had():
    with pytest.warns(UserWarning, match="the limit is infinite: 5 rows"):
        model = detector().fit(normal(WARM_UP + 5, 2))
    assert model.offset_ == -np.inf
    assert (model.predict(normal(9, 2)) == 1).all()


def test_copies_go_on_as_the_original():
    X = shifting()
    model = detector(accept_after=30, lags=1, ewma=0.5).partial_fit(X[:130])
    copy = pickle.loads(pickle.dumps(model))
    assert_allclose(copy.monitor(X[130:]).score, model.monitor(X[130:]).score, atol=1e-10)
    assert not hasattr(clone(model), "estimator_")
    assert clone(model).get_params() == model.get_params()


def test_it_takes_the_estimators_parameters():
    ours, theirs = KernelNoveltyDetector().get_params(), OnlineKernelPCA().get_params()
    assert set(theirs) - set(FORWARDED) == set(OWN)
    assert {name for name in FORWARDED if ours[name] != theirs[name]} == {
        "n_components",
        "gamma",
        "scale",
    }
    model = detector(kernel="laplacian", forgetting=0.99, center=False).fit(normal(120, 2))
    assert model.estimator_.get_params()["forgetting"] == 0.99
    assert repr(model.estimator_.kernel_).startswith("Laplacian")


def test_a_robust_start_is_fitted_as_a_batch():
    model = detector(burn_in=20, robust="exponential").fit(normal(150, 2))
    assert model.estimator_.n_samples_seen_ <= 150
    assert np.isfinite(model.offset_)


def test_compressing_the_estimator_is_respected():
    X = normal(200, 2)
    model = detector().fit(X)
    model.estimator_.compress(8)
    model.partial_fit(X[:1])
    assert model.estimator_.n_atoms_ <= 9


def test_contributions_name_the_columns_of_a_frame():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(normal(150, 3), columns=["flow", "level", "heat"])
    model = detector(gamma=0.02).fit(X)
    faulty = pd.DataFrame([[0.0, 0.0, 6.0]], columns=X.columns, index=["noon"])
    for statistic in (None, "spe", "t2", "combined"):
        found = model.contributions(faulty, statistic=statistic)
        assert list(found.columns) == list(X.columns)
        assert list(found.index) == ["noon"]
        assert found.sum(axis=1).iloc[0] == pytest.approx(1)
    assert model.contributions(faulty).idxmax(axis=1).iloc[0] == "heat"
    with pytest.raises(ValueError, match="statistic must be one of"):
        model.contributions(faulty, statistic="q")


def test_contributions_of_frames_are_frames():
    """Of polars, and of pandas with numbers for names."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X = normal(150, 3)
    model = detector(gamma=0.02).fit(pl.DataFrame(X, schema=["a", "b", "c"]))
    found = model.contributions(pl.DataFrame({"a": [0.0, 9.0], "b": [0.0, 0.0], "c": [6.0, 0.0]}))
    assert (type(found), found.columns, found.shape) == (pl.DataFrame, ["a", "b", "c"], (2, 3))
    assert [found["c"].arg_max(), found["a"].arg_max()] == [0, 1]
    numbered = pd.DataFrame(X)
    found = detector(gamma=0.02).fit(numbered).contributions(numbered.iloc[5:7])
    assert list(found.columns) == [0, 1, 2]
    assert list(found.index) == [5, 6]


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 300, 2000])
def test_the_window_is_bounded_however_far_borders_are_apart(size):
    X, often = normal(2000, 2), {"window": 100, "contamination": 0.05, "max_atoms": 20}
    model = detector(refresh=10**6, **often)
    for start in range(0, len(X), size):
        model.partial_fit(X[start : start + size])
    kept = sum(map(len, model._watch.window.rows))
    assert kept <= (100 + 256 if size == 1 else 100 + 2 * 1024)
    whole = detector(refresh=10**6, **often).fit(X)
    assert_allclose(model.offset_, whole.offset_)


@pytest.mark.filterwarnings("ignore:no row can be an alarm yet")
def test_contributions_with_lags_are_per_sensor():
    model = detector(lags=2).fit(normal(150, 3))
    rows = np.zeros((6, 3))
    rows[3:, 1] = 6.0
    found = model.contributions(rows)
    assert found.shape == rows.shape
    assert_array_equal(found[3:].argmax(axis=1), 1)


def test_parameters_set_after_the_first_row_wait_for_the_next_fit():
    X = normal(150, 2)
    model, same = detector(lags=1).fit(X), detector(lags=1).fit(X)
    model.set_params(lags=0, statistic="t2", ewma=0.1)
    assert_array_equal(model.score_samples(X), same.score_samples(X))
    assert_allclose(model.monitor(X[:5]).score, same.monitor(X[:5]).score)
    assert_array_equal(model.contributions(X[:5]), same.contributions(X[:5]))
    model.fit(X)
    assert model.estimator_.n_features_in_ == 2
