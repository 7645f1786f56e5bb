"""Columns of scales from 1 to 300, as sensors have: gross faults, false alarms, and whose fault."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler

from helpers import every_other
from okpca import KernelNoveltyDetector, KernelWarning
from okpca.kernels import RBF
from okpca.kernels.first_rows import column_scales

SIZE = np.array([1.0, 3, 10, 30, 100, 300])


def streams(seed):
    """Normal rows to learn from, others, and gross faults of one column each; which columns."""
    rng = np.random.default_rng(seed)
    mixed = rng.normal(size=(2, 6))

    def normal(n):
        return (rng.normal(size=(n, 2)) @ mixed + 0.3 * rng.normal(size=(n, 6)) + 10) * SIZE

    X, others, faults = normal(1000), normal(500), normal(200)
    column = rng.integers(0, 6, 200)
    faults[np.arange(200), column] += 8 * X.std(axis=0)[column]
    return X, others, faults, column


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("seed", "params"),
    every_other(range(3), [{}, {"scale": "standard"}, {"scale": "robust"}]),
    ids=str,
)
def test_gross_faults_are_found(params, seed):
    X, others, faults, column = streams(seed)
    detector = KernelNoveltyDetector(**params).fit(X)
    assert (detector.predict(faults) == -1).mean() >= 0.95
    assert (detector.predict(others) == -1).mean() <= 0.02
    blamed = detector.contributions(faults[:50]).argmax(axis=1)
    assert (blamed == column[:50]).mean() >= 0.9


@pytest.mark.thorough
def test_without_a_scale_it_is_blind_and_says_so():
    X, _, faults, _ = streams(0)
    remedies = "raise contamination, widen the kernel.*, scale the columns"
    with pytest.warns(UserWarning, match=f"no row can be an alarm yet.*{remedies}"):
        blind = KernelNoveltyDetector(scale=None, gamma=None).fit(X)
    assert (blind.predict(faults) == -1).mean() < 0.1


def test_heavy_tails_that_leave_no_room_for_alarms_are_told_of():
    X = StandardScaler().fit_transform(load_breast_cancer().data)
    X = X[np.random.default_rng(3).permutation(len(X))]
    faults, column = X[469:].copy(), np.arange(100) % 30
    faults[np.arange(100), column] += 8 * X.std(axis=0)[column]
    with pytest.warns(UserWarning, match="hardly any row can be an alarm.*Raise contamination"):
        narrow = KernelNoveltyDetector().fit(X[:469])
    assert (narrow.predict(faults) == -1).mean() < 0.2
    assert "hardly any row" in narrow.describe().warnings[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        raised = KernelNoveltyDetector(contamination=0.05).fit(X[:469])
        KernelNoveltyDetector(statistic="t2").fit(X[:469])
    assert (raised.predict(faults) == -1).mean() > 0.9


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_a_shift_of_one_deviation_is_found_by_default(seed):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, 6)
    mixed = np.vstack([np.cos(angle), np.sin(angle)])
    X, others, shifted = (
        (rng.normal(size=(n, 2)) @ mixed + 0.05 * rng.normal(size=(n, 6))) * SIZE
        for n in (2000, 500, 500)
    )
    shifted[:, 0] += X[:, 0].std()
    detector = KernelNoveltyDetector().fit(X)
    assert (detector.predict(shifted) == -1).mean() >= 0.8
    assert (detector.predict(others) == -1).mean() <= 0.025


def test_grey_levels_stay_as_they_are():
    X, _ = load_digits(return_X_y=True)
    assert isinstance(KernelNoveltyDetector().fit(X[:300]).estimator_.kernel_, RBF)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:no row can be an alarm yet")
def test_sigma_goes_before_the_width_of_the_rows():
    kernel = KernelNoveltyDetector(sigma=2.0, scale=None).fit(streams(0)[0]).estimator_.kernel_
    assert kernel == RBF(0.125)


@pytest.mark.thorough
def test_a_sorted_table_is_told_of():
    """What comes later in it is where no row was before: alarms, which are not learned."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(3000, 2))
    rows = (latent @ rng.normal(size=(2, 6)) + 0.1 * rng.normal(size=(3000, 6))) * SIZE
    rows = rows[np.argsort(latent[:, 0])]
    with pytest.warns(KernelWarning, match=r"of 3000 rows were alarms.* shuffle them") as told:
        KernelNoveltyDetector().fit(rows)
    assert [w.filename for w in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        KernelNoveltyDetector().fit(rng.permutation(rows))
        KernelNoveltyDetector(learn_from_alarms=True).fit(rows)


@pytest.mark.thorough
def test_the_width_is_told():
    X, *_ = streams(0)
    detector = KernelNoveltyDetector()
    assert not hasattr(detector, "gamma_")
    first = KernelNoveltyDetector().partial_fit(X[:100])
    assert detector.fit(X).gamma_ == first.gamma_ == detector.estimator_.gamma_
    assert KernelNoveltyDetector(gamma=0.3).fit(X).gamma_ == 0.3


@pytest.mark.thorough
def test_first_rows_are_those_of_the_warm_up():
    X = streams(0)[0]
    kernel = KernelNoveltyDetector(scale="robust", warm_up=70).fit(X).estimator_.kernel_
    for found, want in zip(
        (kernel.offset, kernel.scale), column_scales("robust", X[:70]), strict=True
    ):
        assert_allclose(found, want)
    batch = KernelNoveltyDetector(scale="robust", burn_in=90).fit(X).estimator_.kernel_
    assert_allclose(batch.scale, column_scales("robust", X[:90])[1])


@pytest.mark.thorough
@pytest.mark.parametrize("params", [{}, {"lags": 1}, {"burn_in": 150}], ids=str)
def test_the_cuts_do_not_matter(params):
    X, _, faults, _ = streams(1)
    rows = np.vstack([X[:300], faults[:20], X[300:400]])
    settings = {"scale": "standard", "gamma": "median", "contamination": 0.05} | params
    whole = KernelNoveltyDetector(**settings).fit(rows)
    pieces = KernelNoveltyDetector(**settings)
    for part in np.split(rows, [1, 60, 99, 101, 250]):
        pieces = pickle.loads(pickle.dumps(pieces.partial_fit(part)))
    assert pieces.estimator_.kernel_ == whole.estimator_.kernel_
    assert_allclose(pieces.score_samples(faults), whole.score_samples(faults), rtol=1e-8)
    assert_allclose(pieces.offset_, whole.offset_, rtol=1e-8)


def test_a_detector_describes_what_it_has_learned():
    detector = KernelNoveltyDetector(missing="skip")
    X = np.random.default_rng(0).normal(size=(400, 3))
    X[7, 1] = np.nan
    told = detector.fit(X).describe()
    assert told.rows == detector.estimator_.n_samples_seen_ == 399 - detector.n_alarms_
    assert told.skipped == 1
    assert str(told).startswith("KernelNoveltyDetector: ")
    noticed = f"{detector.n_alarms_} alarms among 399 rows; beyond {-detector.offset_:.3g} (nested)"
    assert told.watching.startswith(noticed)
    assert told.watching.endswith("too few rows learned to tell of drift")
    assert told.watching in str(told)
    more = np.random.default_rng(1).normal(size=(4000, 3))
    assert detector.partial_fit(more).describe().watching.endswith("no drift")
    assert detector.estimator_.describe().watching is None


def test_where_spe_has_no_limit_at_all_none_is_called_narrow():
    X = np.random.default_rng(0).normal(size=(1500, 3))
    detector = KernelNoveltyDetector(gamma=1e4, window=300)
    for start in range(0, 1500, 250):
        detector.partial_fit(X[start : start + 250])
    assert np.isinf(detector.limits_["spe"])
    assert not any("inf %" in text for text in detector.describe().warnings)
