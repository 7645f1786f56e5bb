"""What users of scikit-learn expect to find on an estimator, and find."""

import copy
import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers import assert_same_model, normal, pairs, up_to_sign
from okpca import OnlineKernelPCA
from okpca.dictionary import Fixed
from okpca.kernels import RBF
from okpca.rules import Hebbian

X = normal(120)
FITTED = [
    *("kernel_", "gamma_", "atoms_", "n_atoms_", "n_samples_seen_", "mean_", "n_components_"),
    *("dual_coef_", "eigenvalues_", "explained_variance_", "explained_variance_ratio_"),
    *("n_features_in_", "feature_names_in_"),
]


# -- before and after fit -------------------------------------------------------------------------


@pytest.mark.parametrize("name", FITTED)
def test_fitted_attributes_are_absent_before(name):
    model = OnlineKernelPCA()
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=name):
        getattr(model, name)


@pytest.mark.parametrize("method", ["transform", "get_feature_names_out"])
def test_not_fitted(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(OnlineKernelPCA(), method)(*[X] * (method == "transform"))


def test_fitted_attributes():
    model = OnlineKernelPCA(3, gamma=0.25).fit(pd.DataFrame(X, columns=list("abc")))
    m = model.n_atoms_
    assert all(hasattr(model, name) for name in FITTED)
    assert 1 < m < len(X)
    assert model.atoms_.shape == (m, 3)
    assert model.dual_coef_.shape == (3, m)
    assert model.mean_.shape == (m,)
    assert model.gamma_ == 0.25
    assert model.kernel_ == RBF(gamma=0.25)
    assert (model.n_components_, model.n_samples_seen_, model.n_features_in_) == (3, 120, 3)
    for name in ("eigenvalues_", "explained_variance_", "explained_variance_ratio_"):
        values = getattr(model, name)
        assert values.shape == (3,)
        assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose(model.explained_variance_ * 120, model.eigenvalues_)
    assert 0 < model.explained_variance_ratio_.sum() < 1


def test_fitted_attributes_say_what_transform_does():
    model = OnlineKernelPCA(3).fit(X)
    K = model.kernel_(X, model.atoms_)
    mean = model.mean_ @ model.kernel_(model.atoms_) @ model.dual_coef_.T
    np.testing.assert_allclose(K @ model.dual_coef_.T - mean, model.transform(X), atol=1e-9)


@pytest.mark.parametrize("name", ["atoms_", "dual_coef_", "eigenvalues_", "mean_"])
def test_fitted_arrays_are_yours(name):
    model = OnlineKernelPCA().fit(X)
    before = model.transform(X)
    getattr(model, name)[:] = 7.0
    model.partial_fit(X[:1])
    same = OnlineKernelPCA().fit(X).partial_fit(X[:1])
    np.testing.assert_array_equal(model.transform(X), same.transform(X))
    assert not (before == 7.0).any()


def test_gamma_none_is_one_over_the_columns():
    assert OnlineKernelPCA().fit(X).gamma_ == pytest.approx(1 / 3)
    assert OnlineKernelPCA(kernel="linear").fit(X).gamma_ == pytest.approx(1 / 3)


# -- manners --------------------------------------------------------------------------------------


def test_signature_is_keyword_only_after_the_first():
    parameters = list(inspect.signature(OnlineKernelPCA).parameters.values())
    assert parameters[0].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert {p.kind for p in parameters[1:]} == {inspect.Parameter.KEYWORD_ONLY}
    assert all(p.name in OnlineKernelPCA.__doc__ for p in parameters)


def test_html_repr():
    model = OnlineKernelPCA(5, kernel=RBF(gamma=0.5) + 1.0)
    assert "<style>" in model._repr_html_()
    assert "OnlineKernelPCA" in model._repr_html_()
    assert "OnlineKernelPCA" in make_pipeline(StandardScaler(), model.fit(X))._repr_html_()
    assert repr(OnlineKernelPCA(5)) == "OnlineKernelPCA(n_components=5)"


@pytest.mark.parametrize(("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@pytest.mark.parametrize("n", [1, 120])
def test_set_output(library, kind, n):
    model = OnlineKernelPCA(2).fit(X)
    plain = model.transform(X[:n])
    frame = model.set_output(transform=library).transform(X[:n])
    assert type(frame) is kind
    assert list(frame.columns) == ["onlinekernelpca0", "onlinekernelpca1"]
    np.testing.assert_array_equal(frame.to_numpy(), plain)


def test_set_output_of_fit_transform_keeps_the_index():
    frame = pd.DataFrame(X, columns=list("abc"), index=np.arange(120) + 1000)
    out = OnlineKernelPCA().set_output(transform="pandas").fit_transform(frame)
    assert (out.index == frame.index).all()


@pytest.mark.parametrize("count", [1, 4, 0.9, None])
def test_feature_names_out(count):
    model = OnlineKernelPCA(count, max_atoms=20).fit(X)
    names = model.get_feature_names_out()
    assert len(names) == model.n_components_ == model.transform(X).shape[1]
    assert names[0] == "onlinekernelpca0"


def test_feature_names_in():
    for frame in (pd.DataFrame(X, columns=list("abc")), pl.DataFrame(X, schema=list("abc"))):
        model = OnlineKernelPCA().partial_fit(frame[:60]).partial_fit(frame[60:])
        assert list(model.feature_names_in_) == list("abc")
        plain = OnlineKernelPCA().partial_fit(X[:60]).partial_fit(X[60:])
        np.testing.assert_allclose(model.transform(frame), plain.transform(X), rtol=0, atol=1e-12)
        single = model.transform(frame[:1])
        np.testing.assert_allclose(single, plain.transform(X[:1]), rtol=0, atol=1e-12)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.transform(X)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.partial_fit(X[:1])


def test_fit_after_names_forgets_them():
    model = OnlineKernelPCA().fit(pd.DataFrame(X, columns=list("abc"))).fit(X)
    assert not hasattr(model, "feature_names_in_")


def test_clone_and_get_params():
    model = OnlineKernelPCA(3, rule=Hebbian(deflation=1), dictionary=Fixed(X[:9]), nu=0.1).fit(X)
    other = clone(model)
    assert other.get_params().keys() == model.get_params().keys()
    assert other.n_components == 3
    with pytest.raises(NotFittedError):
        other.transform(X)
    np.testing.assert_array_equal(other.fit(X).atoms_, model.atoms_)


def test_set_params_counts_from_the_next_fit():
    model = OnlineKernelPCA().fit(X)
    before = model.transform(X)
    model.set_params(gamma=5.0, n_components=4)
    np.testing.assert_array_equal(model.transform(X), before)
    assert model.fit(X).transform(X).shape == (120, 4)
    assert model.gamma_ == 5.0


def test_pipeline_and_grid_search():
    y = (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.5).astype(int)
    pipeline = make_pipeline(StandardScaler(), OnlineKernelPCA(8), LogisticRegression())
    grid = GridSearchCV(pipeline, {"onlinekernelpca__gamma": [0.01, 0.5]}, cv=3)
    grid.fit(X, y)
    assert grid.best_params_ == {"onlinekernelpca__gamma": 0.5}
    assert grid.score(X, y) > 0.8
    names = grid.best_estimator_[:-1].get_feature_names_out()
    assert list(names) == [f"onlinekernelpca{i}" for i in range(8)]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_part_ways(duplicate):
    """Row by row, with the dictionary full: models that share storage must not share slots."""
    model = OnlineKernelPCA(max_atoms=10).fit(X[:50])
    twin = OnlineKernelPCA(max_atoms=10).fit(X[:50])
    for row in X[50:53]:
        model.partial_fit(row[None])
        twin.partial_fit(row[None])
    other = duplicate(model)
    for row, strange in zip(X[60:80], 3 * X[80:100], strict=True):
        model.partial_fit(row[None])
        other.partial_fit(strange[None])
        twin.partial_fit(row[None])
    np.testing.assert_array_equal(model.transform(X), twin.transform(X))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_grow_apart(duplicate):
    """The same while the dictionary grows."""
    model, twin = (OnlineKernelPCA(nu=0, max_atoms=None).fit(X[:50]) for _ in range(2))
    other = duplicate(model)
    for row, strange in zip(X[60:80], 3 * X[80:100], strict=True):
        model.partial_fit(row[None])
        other.partial_fit(strange[None])
        twin.partial_fit(row[None])
    np.testing.assert_array_equal(model.atoms_, twin.atoms_)
    np.testing.assert_array_equal(model.transform(X), twin.transform(X))


# -- single rows ----------------------------------------------------------------------------------

LONG_WAY = {
    "float32": lambda row: row.astype(np.float32),
    "list": lambda row: row.tolist(),
    "frame": lambda row: pd.DataFrame(row),
    "csr": sparse.csr_array,
    "columns first": lambda row: np.asfortranarray(np.vstack([row, row]))[:1],
    "integers": lambda row: row.astype(int),
    "masked": lambda row: np.ma.masked_array(row),
}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("form", "dictionary", "rule"),
    pairs(LONG_WAY, ["novelty", "coherence"], ["exact", "on-kha"]),
)
def test_single_rows_any_way(form, dictionary, rule):
    """The quick path of a plain row and the long way round give the same model."""
    rows = np.round(4 * normal(80)) if form == "integers" else normal(80).astype(np.float32)
    rows = rows.astype(np.float64)
    kinds = {"dictionary": dictionary, "nu": 0.05, "rule": rule, "max_atoms": 30}
    if form == "csr":
        kinds["on_full"] = "project"  # atoms that stand for sparse rows do not move
    quick, slow = (OnlineKernelPCA(**kinds, random_state=0).fit(rows[:10]) for _ in range(2))
    for row in rows[10:]:
        quick.partial_fit(row[None])
        slow.partial_fit(LONG_WAY[form](row[None]))
    assert_same_model(quick, slow, rows)
    for row in rows[:5]:
        tol = 1e-5 if form == "float32" else 1e-12
        expected = quick.transform(row[None])
        np.testing.assert_allclose(slow.transform(LONG_WAY[form](row[None])), expected, atol=tol)


@pytest.mark.thorough
@pytest.mark.parametrize("weight", [[1.0], [1], np.ones(1, dtype=np.float32)])
def test_single_row_with_unit_weight(weight):
    quick, slow = (OnlineKernelPCA().fit(X[:50]) for _ in range(2))
    for row in X[50:]:
        quick.partial_fit(row[None])
        slow.partial_fit(row[None], sample_weight=weight)
    assert_same_model(quick, slow, X)


def test_single_row_output_types():
    model = OnlineKernelPCA().fit(X)
    assert model.transform(X[:1]).dtype == np.float64
    assert model.transform(X[:1].astype(np.float32)).dtype == np.float32
    assert model.transform(X[:1]).shape == (1, 2)


# -- how many components --------------------------------------------------------------------------


def test_more_components_than_there_is_variance():
    """Components without variance (yet) give zeros."""
    model = OnlineKernelPCA(5, kernel="linear").fit(X[:, :2])
    scores = model.transform(X[:, :2])
    assert scores.shape == (120, 5)
    assert not scores[:, 2:].any()
    assert (model.eigenvalues_[2:] == 0).all()
    assert OnlineKernelPCA(5).partial_fit(X[:1]).transform(X).shape == (120, 5)


def test_all_components():
    model = OnlineKernelPCA(None, kernel="linear", nu=0).fit(X)
    assert model.n_components_ == 3
    assert model.explained_variance_ratio_.sum() == pytest.approx(1)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9, 0.99])
def test_share_of_variance(share):
    model = OnlineKernelPCA(share, nu=0, max_atoms=None).fit(X)
    full = OnlineKernelPCA(60, nu=0, max_atoms=None).fit(X).explained_variance_ratio_
    assert model.explained_variance_ratio_.sum() >= share
    assert np.cumsum(full)[model.n_components_ - 1] >= share
    assert model.n_components_ == 1 or np.cumsum(full)[model.n_components_ - 2] < share


def test_numpy_number_of_components():
    assert OnlineKernelPCA(np.int64(3)).fit(X).transform(X).shape == (120, 3)
    assert OnlineKernelPCA(np.float64(0.5)).fit(X).n_components_ >= 1


# -- random_state ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["okha", "oo-kha", "on-kha", "oja"])
def test_random_state(rule):
    def scores(seed):
        return OnlineKernelPCA(rule=rule, random_state=seed).fit(X).transform(X)

    np.testing.assert_array_equal(scores(0), scores(0))
    np.testing.assert_array_equal(scores(0), scores(np.random.RandomState(0)))
    assert not np.array_equal(scores(0), scores(1))
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    scores(0)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_exact_rule_is_not_random():
    one, other = (OnlineKernelPCA(random_state=s).fit(X).transform(X) for s in (0, 1))
    np.testing.assert_array_equal(one, other)


def test_fit_transform_is_batch_kernel_pca():
    ours = OnlineKernelPCA(3, gamma=0.2, nu=0, max_atoms=None).fit_transform(X)
    theirs = KernelPCA(3, kernel="rbf", gamma=0.2).fit_transform(X)
    np.testing.assert_allclose(up_to_sign(ours, theirs), theirs, atol=1e-8)


def test_fit_transform_takes_weights():
    weight = np.arange(120) % 3 + 1.0
    ours = OnlineKernelPCA().fit_transform(X, sample_weight=weight)
    expected = OnlineKernelPCA().fit(X, sample_weight=weight).transform(X)
    np.testing.assert_array_equal(ours, expected)
