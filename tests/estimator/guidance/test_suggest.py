"""okpca.suggest: what it proposes, what it refuses, and what does not matter to it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_digits, load_wine, make_circles, make_s_curve, make_swiss_roll
from sklearn.metrics import roc_auc_score
from sklearn.utils.validation import check_is_fitted

import okpca
from okpca import KernelNoveltyDetector, KernelWarning, OnlineKernelPCA
from okpca.estimator.guidance.suggestion import rounded
from okpca.estimator.guidance.width import width_for
from okpca.kernels import RBF
from okpca.kernels.first_rows import gamma_by
from okpca.plots import SuggestionDisplay

GOALS = ["features", "denoise", "novelty"]
NAMES = ["scale", "gamma", "n_components", "max_atoms", "nu"]
DIGITS, WINE = load_digits().data[:500], load_wine().data
RNG = np.random.default_rng(0)
each_goal = pytest.mark.parametrize("goal", GOALS)


@pytest.fixture(scope="module")
def advice():
    return {goal: okpca.suggest(DIGITS, goal) for goal in GOALS}


def ring(n, noise=0.05):
    angle = RNG.uniform(0, 2 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + noise * RNG.normal(size=(n, 2))


# -- what there is --------------------------------------------------------------------------------


@pytest.mark.long
@each_goal
def test_a_model_that_learns_quietly(advice, goal):
    suggestion = advice[goal]
    model = suggestion.model()
    assert type(model) is (KernelNoveltyDetector if goal == "novelty" else OnlineKernelPCA)
    assert not hasattr(model, "n_features_in_")
    assert model.get_params().items() >= suggestion.params.items()
    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        model.fit(DIGITS)
        if goal == "denoise":
            model.denoise(DIGITS[:5])
    check_is_fitted(model)


@each_goal
def test_every_choice_has_its_reason(advice, goal):
    suggestion = advice[goal]
    assert list(suggestion.params) == list(suggestion.reasons) == NAMES
    text = " ".join(repr(suggestion).split())
    assert text.startswith(f"for {goal}: 500 rows of 64 columns, rbf")
    for name in NAMES:
        assert f"{name}=" in text
        assert " ".join(suggestion.reasons[name].split()) in text
    assert max(map(len, repr(suggestion).splitlines())) <= 100


def test_parameters_can_be_changed(advice):
    model = advice["features"].model(n_components=3, forgetting=0.99)
    assert (model.n_components, model.forgetting) == (3, 0.99)
    assert model.gamma == advice["features"].params["gamma"]


@each_goal
def test_what_was_tried_is_there(advice, goal):
    for trial in advice[goal].trials:
        assert len(trial.tried) == len(trial.came_to) > 1
        assert np.isfinite(trial.came_to).all()
    display = advice[goal].plot()
    assert isinstance(display, SuggestionDisplay)


# -- what it is worth -----------------------------------------------------------------------------


def test_the_budget_keeps_what_components_hold(advice):
    """98 % on the sample: somewhat less of other rows, of which twice as many are learned. (Of the
    leading half; the others have little variance each, and chance has a larger part in it.)"""
    learned, held = DIGITS[:400], DIGITS[400:]
    small = advice["features"].model().fit(learned)
    whole = advice["features"].model(max_atoms=None, nu=0.0).fit(learned)
    assert advice["features"].params["max_atoms"] < len(learned)
    r = advice["features"].params["n_components"] // 2
    share = [np.square(model.transform(held)[:, :r]).sum() for model in (small, whole)]
    assert share[0] > 0.92 * share[1]


@pytest.mark.long
@pytest.mark.parametrize("kind", [0, 3, 8])
def test_novelty_is_no_worse_than_the_defaults(kind):
    X, y = load_digits(return_X_y=True)
    X, known = X / 16, y != kind
    learned, test = X[known][:500], X[np.r_[np.flatnonzero(known)[-100:], np.flatnonzero(~known)]]
    advised, default = (
        roc_auc_score(np.arange(len(test)) < 100, model.fit(learned).score_samples(test))
        for model in (okpca.suggest(learned, "novelty").model(), KernelNoveltyDetector())
    )
    assert advised >= default - 0.005


@pytest.mark.long
def test_components_hold_the_variance_of_other_rows():
    X = load_digits().data / 16
    model = okpca.suggest(X[:900]).model().fit(X[:900])
    error = model.reconstruction_error(X[900:]).mean()
    mean = OnlineKernelPCA(1, gamma=model.gamma, nu=0.0).fit(X[:900])
    whole = mean.reconstruction_error(X[900:]).mean() + np.square(mean.transform(X[900:])).mean()
    assert error < 0.55 * whole


def test_rows_far_out_take_a_wide_kernel_and_rows_all_alike_a_narrow_one():
    alike, heavy = RNG.normal(size=(600, 60)), RNG.standard_t(2, size=(600, 4))
    factor = {
        name: width_for(X).value / gamma_by("median", X)
        for name, X in (("alike", alike), ("heavy", heavy), ("ring", ring(600)))
    }
    assert 2 < factor["alike"] < 2.7
    assert factor["heavy"] < 0.8
    # On a circle squared distances are 2 - 2 cos: the quantile is 1.95 of the median.
    assert factor["ring"] == pytest.approx(2.7 / 1.95, rel=0.1)


def test_nine_pairs_in_ten_see_each_other():
    values = RBF(width_for(DIGITS).value)(DIGITS)[np.triu_indices(500, 1)]
    assert np.quantile(values, 0.1) == pytest.approx(np.exp(-2.7), rel=0.1)


@pytest.mark.thorough
@pytest.mark.parametrize("n", [30, 200, 500])
def test_a_component_has_ten_rows(n):
    assert okpca.suggest(DIGITS[:n]).params["n_components"] == max(8, n // 10)


@pytest.mark.long
def test_denoising_takes_the_components_that_there_are():
    """A plane of three dimensions in 40, and noise: a wide kernel is linear, and three will do."""
    rows = RNG.normal(size=(500, 3)) @ RNG.normal(size=(3, 40))
    noisy = rows + RNG.normal(size=rows.shape)
    suggestion = okpca.suggest(noisy[:400], "denoise")
    assert 2 <= suggestion.params["n_components"] <= 8
    out = suggestion.model().fit(noisy[:400]).denoise(noisy[400:])
    assert np.square(out - rows[400:]).mean() < 0.25


@pytest.mark.long
@pytest.mark.parametrize(
    ("curve", "sigma", "least"),
    [
        (make_swiss_roll(800, random_state=0)[0], 0.05, 1.0),
        (make_s_curve(800, random_state=0)[0], 0.15, 0.95),
        (make_circles(800, factor=0.5, random_state=0)[0], 0.05, 0.9),
    ],
    ids=["swiss roll", "S-curve", "circles"],
)
def test_denoising_brings_rows_near_the_curve(curve, sigma, least):
    """Or does no harm, where noise is as little as what 800 rows tell of a roll."""
    rows = curve / curve.std()
    noisy = rows + sigma * np.random.default_rng(1).normal(size=rows.shape)
    out = okpca.suggest(noisy, "denoise").model().fit(noisy).denoise(noisy)
    assert np.sqrt(np.square(out - rows).mean()) <= least * sigma


@pytest.mark.long
def test_the_budget_keeps_what_denoising_gains():
    """Of digits with noise of 0.25: 200 atoms hold 99.6 % of the variance, and blur."""
    clean = np.random.default_rng(0).permutation(load_digits().data) / 16
    noisy = clean + 0.25 * np.random.default_rng(1).normal(size=clean.shape)
    suggestion = okpca.suggest(noisy[:1000], "denoise")
    assert "of what denoising gains" in suggestion.reasons["max_atoms"]
    errors = [
        np.square(model.fit(noisy[:1000]).denoise(noisy[1000:1100]) - clean[1000:1100]).mean()
        for model in (suggestion.model(), suggestion.model(max_atoms=None))
    ]
    assert errors[0] < 1.1 * errors[1]


def cube():
    return np.random.default_rng(2).uniform(size=(400, 3))


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (cube(), "the noise cannot be told from what the rows are without it"),
        (DIGITS[:200], "nothing that was tried brings rows nearer"),
    ],
    ids=["cube", "no noise"],
)
def test_denoising_that_brings_nothing_is_told_of(rows, why):
    with pytest.warns(KernelWarning, match=f"suggest: .*{why}") as told:
        suggestion = okpca.suggest(rows, "denoise")
    assert told[0].filename == __file__
    assert why in suggestion.caution
    assert " ".join(suggestion.caution.split()) in " ".join(repr(suggestion).split())
    assert max(map(len, repr(suggestion).splitlines())) <= 100
    out = suggestion.model().fit(rows).denoise(rows)
    assert np.square(out - rows).mean() < 0.01 * rows.var()


def test_rows_that_can_be_denoised_have_no_caution():
    rows = DIGITS + 4 * np.random.default_rng(0).normal(size=DIGITS.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        assert okpca.suggest(rows, "denoise").caution == ""
        assert okpca.suggest(cube()).caution == ""


# -- what does not matter -------------------------------------------------------------------------


@each_goal
def test_the_same_again(goal):
    one, two = (okpca.suggest(DIGITS[:200], goal, random_state=3) for _ in range(2))
    assert one.params == two.params
    assert repr(one) == repr(two)


def test_the_order_of_rows():
    one, two = (okpca.suggest(X) for X in (WINE, WINE[::-1]))
    assert one.params["scale"] == two.params["scale"] == "standard"
    assert_allclose(one.params["gamma"], two.params["gamma"], rtol=0.2)


def test_the_units_of_columns():
    units = np.where(np.arange(13) % 2, 1e3, 1e-3)
    one, two = (okpca.suggest(X) for X in (WINE, WINE * units))
    assert one.params == two.params


@pytest.mark.long
def test_a_common_unit():
    one, two = (okpca.suggest(X) for X in (DIGITS, DIGITS / 16))
    assert_allclose(two.params["gamma"], 256 * one.params["gamma"], rtol=0.01)
    assert one.params | {"gamma": 0} == two.params | {"gamma": 0}


def test_constant_columns():
    with_constant = np.column_stack([WINE, np.full(len(WINE), 5.0)])
    assert okpca.suggest(with_constant).params == okpca.suggest(WINE).params


@pytest.mark.thorough
def test_frames_and_sparse_rows():
    frame = pd.DataFrame(WINE, columns=[f"c{i}" for i in range(13)])
    assert okpca.suggest(frame).params == okpca.suggest(WINE).params
    rows = np.where(DIGITS > 8, DIGITS, 0)
    dense, csr = okpca.suggest(rows), okpca.suggest(sparse.csr_array(rows))
    assert_allclose(csr.params["gamma"], dense.params["gamma"])
    assert csr.model().fit(sparse.csr_array(rows)).n_features_in_ == 64


def test_only_some_rows_are_looked_at():
    suggestion = okpca.suggest(RNG.normal(size=(1500, 2)), "novelty")
    assert suggestion.n_sampled == 1400 < suggestion.n_rows == 1500
    assert "1500 rows of 2 columns (1400 looked at)" in repr(suggestion)


@each_goal
@pytest.mark.parametrize(
    "X",
    [
        RNG.normal(size=(20, 2)),
        RNG.normal(size=(40, 1)),
        np.repeat(RNG.normal(size=(3, 2)), 20, axis=0),
        (RNG.normal(size=(60, 5)) > 0).astype(int),
        RNG.normal(size=(50, 200)).astype(np.float32),
        1e150 * RNG.normal(size=(30, 3)),
    ],
    ids=["twenty rows", "one column", "three points", "binary", "wide", "huge"],
)
@pytest.mark.filterwarnings("ignore:the limit is infinite")
def test_odd_rows(goal, X):
    suggestion = okpca.suggest(X, goal)
    n_components = suggestion.params["n_components"]
    assert n_components == "auto" if goal == "novelty" else n_components >= 1
    suggestion.model().fit(X)


# -- what is refused ------------------------------------------------------------------------------


def holes():
    X = WINE.copy()
    X[7, 2] = np.nan
    return X


@pytest.mark.parametrize(
    ("X", "goal", "why"),
    [
        (WINE[:19], "features", "at least 20 rows, got 19: give more"),
        (np.ones((30, 2)), "features", "all rows are the same"),
        (1e200 * WINE[:40], "features", "give the rows in other units"),
        (1e-200 * WINE[:40], "novelty", "give the rows in other units"),
        (holes(), "features", r"(?s)NaN.*row 7 in suggest.*leave these out"),
        (WINE, "clusters", "'features', 'denoise', 'novelty', got 'clusters'"),
        (sparse.csr_array(DIGITS), "denoise", r"X.toarray\(\)"),
        (np.arange(40.0), "features", "2D array"),
        (pd.DataFrame({"a": ["x"] * 30}), "features", "'a' "),
    ],
    ids=[
        "few rows",
        "one point",
        "huge",
        "tiny",
        "holes",
        "goal",
        "sparse",
        "one dimension",
        "words",
    ],
)
def test_refused(X, goal, why):
    with pytest.raises(ValueError, match=why):
        okpca.suggest(X, goal)


# -- small things ---------------------------------------------------------------------------------


def test_few_digits():
    assert rounded(0.0123456) == 0.0123
    assert rounded(0.000278, 1) == 0.0003
    assert rounded(1.0) == 1.0


@pytest.mark.parametrize("goal", ["denoise", "novelty"])
def test_goals_that_need_dense_rows(goal):
    with pytest.raises(ValueError, match=r"dense rows.*toarray"):
        okpca.suggest(sparse.random(60, 5, density=0.5, format="csr", random_state=0), goal)
