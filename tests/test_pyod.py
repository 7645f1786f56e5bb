"""The detector in PyOD's manners."""

import inspect

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pyod.models.base import BaseDetector
from pyod.utils.utility import standardizer
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import okpca
from okpca.pyod import KernelNovelty


def table(n=300, seed=0):
    """On a ring, one in twenty in its middle; which."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.1 * rng.normal(size=(n, 2))
    strange = np.arange(n) % 20 == 7
    X[strange] *= 0.1
    return X, strange


X, STRANGE = table()
NEW, NEW_STRANGE = table(seed=1)


def test_the_interface_of_pyod():
    detector = KernelNovelty(contamination=0.05)
    assert isinstance(detector, BaseDetector)
    assert detector.fit(X) is detector
    assert detector.decision_scores_.shape == (300,)
    assert_array_equal(detector.decision_function(X), detector.decision_scores_)
    assert detector.threshold_ == np.percentile(detector.decision_scores_, 95)
    assert_array_equal(detector.labels_, detector.decision_scores_ > detector.threshold_)
    assert detector.labels_.sum() == 15
    assert_array_equal(detector.predict(X), detector.labels_)
    chances = detector.predict_proba(NEW)
    assert_allclose(chances.sum(axis=1), 1)
    labels, sure = detector.predict(NEW, return_confidence=True)
    assert set(labels) <= {0, 1}
    assert ((sure >= 0) & (sure <= 1)).all()


def test_it_finds_what_is_in_the_middle_of_a_ring():
    detector = KernelNovelty(contamination=0.05, gamma=2.0).fit(X)
    assert roc_auc_score(STRANGE, detector.decision_scores_) > 0.95
    assert roc_auc_score(NEW_STRANGE, detector.decision_function(NEW)) > 0.95


def test_scores_are_those_of_okpca():
    detector = KernelNovelty(contamination=0.05, n_components=3, statistic="combined").fit(X)
    same = okpca.KernelNoveltyDetector(3, contamination=0.05, statistic="combined").fit(X)
    assert_array_equal(detector.decision_scores_, -same.score_samples(X))
    assert detector.detector_.n_alarms_ == same.n_alarms_


@pytest.mark.parametrize("n", [3, 10, 60, 109])
def test_few_rows_do(n):
    """No warning that the limit is infinite."""
    detector = KernelNovelty().fit(X[:n])
    assert np.isfinite(detector.decision_scores_).all()
    assert detector.get_params() == KernelNovelty().get_params()


def test_parameters():
    mine = inspect.signature(KernelNovelty).parameters
    theirs = inspect.signature(okpca.KernelNoveltyDetector).parameters
    assert list(mine) == list(theirs)
    assert {k for k in mine if mine[k].default != theirs[k].default} == {
        "n_components",
        "contamination",
    }
    other = clone(KernelNovelty(7, gamma=0.5, contamination=0.2))
    assert (other.n_components, other.gamma, other.contamination) == (7, 0.5, 0.2)
    assert other.set_params(gamma=2.0).gamma == 2.0
    assert "gamma=2.0" in repr(other).replace(" ", "")
    with pytest.raises(ValueError, match="contamination must be in"):
        KernelNovelty(contamination=0.7)
    with pytest.raises(ValueError, match="'nu' parameter"):
        KernelNovelty(nu=3.0).fit(X)


def test_not_fitted():
    with pytest.raises(ValueError, match="not fitted"):
        KernelNovelty().decision_function(X)


def test_a_threshold_that_is_an_object():
    class Half:
        """As those of PyThresh."""

        def fit(self, scores):
            self.thresh_ = np.median(scores)
            self.labels_ = (scores > self.thresh_).astype(int)

        def predict(self, scores):
            return (scores > self.thresh_).astype(int)

    detector = KernelNovelty(contamination=Half()).fit(X)
    assert detector.labels_.sum() == 150
    assert_array_equal(detector.predict(X), detector.labels_)


def test_in_an_ensemble_and_in_a_file(tmp_path):
    detectors = [KernelNovelty(n, contamination=0.05).fit(X) for n in (3, 8)]
    scores = np.column_stack([of.decision_scores_ for of in detectors])
    assert roc_auc_score(STRANGE, standardizer(scores).mean(axis=1)) > 0.8
    joblib.dump(detectors[0], tmp_path / "detector.joblib")
    again = joblib.load(tmp_path / "detector.joblib")
    assert_array_equal(again.predict(NEW), detectors[0].predict(NEW))
