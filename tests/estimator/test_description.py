"""describe(): every number is one that the model shows elsewhere."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from okpca import OnlineKernelPCA, dictionary, presets


def rows(n=200, d=4):
    return np.random.default_rng(3).normal(size=(n, d))


MODELS = {
    "plain": {},
    "no bound": {"max_atoms": None, "nu": 0.1},
    "many components": {"n_components": 20},
    "share": {"n_components": 0.9},
    "warm-up": {"burn_in": 150},
    "in the warm-up": {"burn_in": 500},
    "steps": {"rule": "okha", "nu": 0.5},
    "robust": {"robust": "exponential"},
}


@pytest.mark.parametrize("params", MODELS.values(), ids=MODELS)
def test_numbers_are_those_of_the_model(params):
    model = OnlineKernelPCA(**({"gamma": 0.2, "max_atoms": 60} | params)).fit(rows())
    before = pickle.dumps(model)
    about = model.describe()
    assert pickle.dumps(model) == before
    assert (about.rows, about.columns) == (200, 4)
    assert about.atoms == model.n_atoms_
    assert about.max_atoms == model.max_atoms
    assert about.components == model.n_components_
    np.testing.assert_allclose(about.spectrum, model.explained_variance_ratio_)
    assert about.explained == pytest.approx(model.explained_variance_ratio_.sum())
    assert about.outside == model.certificate().discarded_share
    assert about.certificate == model.certificate().sentence
    assert json.loads(json.dumps(about.to_dict())) == about.to_dict()


def test_memory_is_what_the_arrays_take():
    model = OnlineKernelPCA(3, gamma=0.2, nu=0.0, max_atoms=100).fit(rows(100))
    least = model.atoms_.nbytes + 2 * 8 * 100**2  # L and S
    assert least <= model.describe().memory <= 6 * least
    larger = OnlineKernelPCA(3, gamma=0.2, nu=0.0, max_atoms=200).fit(rows(200))
    assert larger.describe().memory > 2 * model.describe().memory
    sparse = OnlineKernelPCA(3, kernel="linear").fit(sp.random_array((50, 9000), rng=0).tocsr())
    assert sparse.describe().memory > sparse.atoms_.data.nbytes


def test_text():
    model = OnlineKernelPCA(12, gamma=0.2, max_atoms=60).fit(rows())
    text = repr(model.describe())
    assert text.startswith("OnlineKernelPCA: 200 rows of 4 columns, RBF(gamma=0.2)\n")
    one = OnlineKernelPCA(2, gamma=0.2).fit(np.ones((1, 1)))
    assert repr(one.describe()).startswith("OnlineKernelPCA: 1 row of 1 column, RBF")
    assert f"atoms        {model.n_atoms_} of at most 60" in text
    assert f"{100 * model.explained_variance_ratio_[0]:.1f}, " in text
    assert ", ... %" in text
    assert model.certificate().sentence in text
    assert " MB" in text


def test_what_the_atoms_hold_is_about_what_they_span():
    """Against the shares of a second pass over the same atoms, which is exact."""
    X = rows(2000)
    model = OnlineKernelPCA(3, gamma=0.2, max_atoms=60).fit(X)
    again = OnlineKernelPCA(3, gamma=0.2, dictionary=dictionary.Fixed(model.atoms_)).fit(X)
    held, truth = model.describe().held, again.describe().held
    assert truth == pytest.approx(1.0 - again.certificate().discarded_share)
    assert 0.5 < truth < 1.0
    assert held == pytest.approx(truth, abs=0.02)
    assert f"leaves out {100 * (1 - held):.2g} %, at most " in repr(model.describe())


def test_rules_that_take_steps_know_what_is_left_out_until_atoms_change():
    about = OnlineKernelPCA(2, gamma=0.2, rule="okha", nu=0.5).fit(rows()).describe()
    assert about.held == pytest.approx(1.0 - about.outside)
    merged = OnlineKernelPCA(2, gamma=0.2, rule="okha", max_atoms=20).fit(rows()).describe()
    assert merged.held is None
    assert "how much of the variance the model leaves out is not known" in repr(merged)


@pytest.mark.parametrize("model", [presets.ikpca(2, block=20), presets.ikpca_rs(2)])
def test_what_a_rule_drops_is_not_told_of_as_left_out(model):
    """It keeps two components of a model that spans nearly everything."""
    about = model.fit(rows()).describe()
    assert about.held is None
    assert "leaves out 7" not in repr(about)


def test_what_a_model_holds_may_be_less_than_its_atoms_span():
    """Atoms that slide take with them what was learned along them."""
    about = OnlineKernelPCA(2, gamma=0.2, max_atoms=20, on_full="slide").fit(rows()).describe()
    kept = OnlineKernelPCA(2, gamma=0.2, max_atoms=20).fit(rows()).describe()
    assert about.held < kept.held
    assert f"the model leaves out {100 * (1 - about.held):.2g} %" in repr(about)


def test_the_empirical_geometry_has_no_certificate():
    policy = dictionary.Fixed(rows()[:30])
    model = OnlineKernelPCA(2, gamma=0.2, geometry="empirical", dictionary=policy).fit(rows())
    about = model.describe()
    assert about.outside is None
    assert about.held is None
    assert "not known" in repr(about)
    assert "empirical" in about.certificate


def test_rows_that_are_nothing_to_the_kernel():
    about = OnlineKernelPCA(2, kernel="linear").fit(np.zeros((3, 2))).describe()
    assert (about.atoms, about.explained) == (0, 0)
    assert "no variance" in repr(about)
