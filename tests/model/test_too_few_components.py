"""Too few components to denoise with are said, once in a fit, and looking changes nothing."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits

from helpers import normal
from okpca import KernelWarning, OnlineKernelPCA, presets

RNG = np.random.default_rng(0)
DIGITS = load_digits().data[:600] / 16
NOISY = DIGITS + RNG.normal(scale=0.25, size=DIGITS.shape)
x = RNG.uniform(-1, 1, 600)
BANANA = np.column_stack([x, x**2 + RNG.normal(scale=0.2, size=600)])


def told(model, rows):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KernelWarning)
        model.denoise(rows)
    return [w for w in caught if issubclass(w.category, KernelWarning)]


def test_two_components_are_a_blur():
    model = OnlineKernelPCA().fit(DIGITS)
    before = pickle.dumps(model)
    (warning,) = told(model, DIGITS[:3])
    assert "2 components hold 2" in str(warning.message)
    assert "okpca.suggest(X, goal='denoise')" in str(warning.message)
    assert warning.filename == __file__
    assert pickle.dumps(model) == before


@pytest.mark.thorough
def test_once_in_a_fit():
    model = OnlineKernelPCA().fit(DIGITS)
    assert len(told(model, DIGITS[:3])) == 1
    assert told(model, DIGITS[:3]) == []
    model.partial_fit(DIGITS[:50])
    assert told(model, DIGITS[:3]) == []
    assert len(told(model.fit(DIGITS), DIGITS[:3])) == 1


def test_as_an_error_it_is_raised_every_time():
    model = OnlineKernelPCA().fit(DIGITS)
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error", KernelWarning)
            with pytest.raises(KernelWarning, match="blur"):
                model.denoise(DIGITS[:3])


@pytest.mark.thorough
def test_a_warm_up_counts():
    model = OnlineKernelPCA(burn_in=1000).fit(DIGITS)
    assert len(told(model, DIGITS[:3])) == 1


QUIET = {
    "16 components": (OnlineKernelPCA(16), DIGITS),
    "a share": (OnlineKernelPCA(0.9), DIGITS),
    "all": (OnlineKernelPCA(None), DIGITS[:200]),
    "16 of noisy rows": (OnlineKernelPCA(16, gamma=0.02), NOISY),
    "a curve": (OnlineKernelPCA(2, gamma=2.0), BANANA),
    "few rows": (OnlineKernelPCA(2), DIGITS[:99]),
    "one row again and again": (OnlineKernelPCA(2), np.ones((300, 3))),
    "as many components as atoms": (OnlineKernelPCA(2, max_atoms=2), BANANA),
    "a rule that takes steps": (presets.okha(2, gamma=0.05), DIGITS),
}


@pytest.mark.parametrize("name", QUIET)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_quiet_where_denoising_is_fine(name):
    model, rows = QUIET[name]
    model.fit(rows)
    assert told(model, rows[:2]) == []


def test_more_components_than_atoms_are_said_and_come_back():
    model = OnlineKernelPCA(4, gamma=1.0).fit(BANANA)
    with pytest.warns(
        KernelWarning, match="4 components over 2 atoms: the last 2 are zero"
    ) as told:
        model.compress(2)
    assert [w.filename for w in told] == [__file__]
    assert model.transform(BANANA).shape == (600, 4)
    assert (np.abs(model.transform(BANANA)).max(axis=0) > 0).tolist() == [True, True, False, False]
    assert (model.partial_fit(BANANA).eigenvalues_ > 0).all()


@pytest.mark.parametrize("burn_in", [0, 1000])
def test_more_components_than_the_budget_has_atoms_are_said(burn_in):
    """Once, at the end of a fit: they are zero for ever."""
    model = OnlineKernelPCA(4, gamma=1.0, max_atoms=2, burn_in=burn_in)
    words = "4 components over max_atoms=2: the last 2 are zero, .*Raise max_atoms to at least 4"
    with pytest.warns(KernelWarning, match=words) as told:
        model.fit(BANANA)
    assert [w.filename for w in told] == [__file__]
    assert model.describe().warnings == [str(told[0].message)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        assert not model.partial_fit(BANANA).transform(BANANA)[:, 2:].any()
        for n_components, max_atoms in ((4, 4), (None, 2), (0.99, 2)):
            OnlineKernelPCA(n_components, gamma=1.0, max_atoms=max_atoms).fit(BANANA)


def test_nothing_is_said_where_every_component_has_its_atom():
    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        OnlineKernelPCA(4, gamma=1.0).fit(BANANA).compress(4)
        assert OnlineKernelPCA(0.9, gamma=1.0).fit(BANANA).compress(2).n_components_ == 2


def test_rows_of_low_rank_are_no_reason_to_warn():
    model = OnlineKernelPCA(5, kernel="linear").fit(normal(30, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.compress(10).n_atoms_ == 3


def test_a_warning_that_is_an_error_leaves_the_model_as_it_was():
    model = OnlineKernelPCA(5, gamma=0.1).fit(normal(30, 3))
    before = model.n_atoms_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KernelWarning, match="5 components over 2"):
            model.compress(2)
    assert model.n_atoms_ == before > 2
