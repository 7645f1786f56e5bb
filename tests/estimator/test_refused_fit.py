"""A call that is refused has not happened: no number drawn, nothing changed."""

import pickle
import warnings

import numpy as np
import pytest

from helpers import normal
from okpca import KernelNoveltyDetector, OnlineKernelPCA

X = normal(60)
BAD = X.copy()
BAD[40, 1] = np.inf


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (OnlineKernelPCA(), BAD),
        (OnlineKernelPCA(rule="okha"), BAD),
        (OnlineKernelPCA(burn_in=20), BAD),
        (OnlineKernelPCA(burn_in=2), BAD),
        (OnlineKernelPCA(0.5, rule="okha"), X),
        (OnlineKernelPCA(on_full="slide", kernel="poly"), 1e200 * X),
        (KernelNoveltyDetector(), BAD),
        (KernelNoveltyDetector(window=5, contamination=0.001), X),
    ],
    ids=repr,
)
def test_no_random_number_is_drawn(model, rows):
    source = np.random.RandomState(5)
    model.set_params(random_state=source)
    before = pickle.dumps(source)
    for method in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=r"."):
            method(rows)
        assert pickle.dumps(source) == before


def test_a_fit_that_is_not_refused_draws():
    source = np.random.RandomState(5)
    before = pickle.dumps(source)
    OnlineKernelPCA(random_state=source).fit(X)
    assert pickle.dumps(source) != before


@pytest.mark.parametrize("known", [True, False])
def test_a_warning_that_is_an_error_refuses_the_fit(known):
    detector = KernelNoveltyDetector(random_state=0)
    if known:
        with pytest.warns(UserWarning, match="limit is infinite"):
            detector.fit(normal(50, seed=1))
    before = pickle.dumps(detector)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="limit is infinite"):
            detector.fit(X)
    assert pickle.dumps(detector) == before


def test_the_warning_points_to_the_caller():
    with pytest.warns(UserWarning, match="limit is infinite") as seen:
        KernelNoveltyDetector().fit(X)
    assert seen[0].filename == __file__
