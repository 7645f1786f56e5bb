"""Held-out scores for searches, and the company of scikit-learn and joblib."""

import copy
import pickle
import threading

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from okpca import OnlineKernelPCA
from okpca.dictionary import Fixed
from okpca.kernels import RBF
from okpca.preimage import neg_preimage_error

EXACT = {"nu": 0.0, "max_atoms": None}


def ring(n=150, seed=0):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.normal(size=(n, 2))


X, NEW = ring(), ring(60, seed=1)


# -- captured variance ----------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
def test_score_is_the_share_of_variance_captured(center):
    """Of rows that were not learned, about the mean that was: written out with Gram matrices."""
    model = OnlineKernelPCA(3, gamma=1.0, center=center, **EXACT).fit(X)
    kappa = RBF(1.0)
    K, Kx = kappa(X), kappa(NEW, X)
    about = np.full(len(X), 1 / len(X)) if center else np.zeros(len(X))
    spread = 1.0 - 2 * Kx @ about + about @ K @ about
    captured = np.square(model.transform(NEW)).sum(axis=1)
    assert_allclose(model.score(NEW), captured.sum() / spread.sum(), rtol=1e-9)


@pytest.mark.thorough
def test_of_the_rows_learned_it_is_the_ratio_explained():
    model = OnlineKernelPCA(3, gamma=1.0, **EXACT).fit(X)
    assert_allclose(model.score(X), model.explained_variance_ratio_.sum(), rtol=1e-9)


def test_of_a_linear_kernel_it_is_that_of_pca():
    rng = np.random.default_rng(2)
    rows, new = rng.normal(size=(80, 5)) * [5, 3, 1, 1, 1], rng.normal(size=(30, 5))
    model, pca = OnlineKernelPCA(2, kernel="linear", **EXACT).fit(rows), PCA(2).fit(rows)
    left = np.square(new - pca.inverse_transform(pca.transform(new))).sum()
    assert_allclose(model.score(new), 1 - left / np.square(new - pca.mean_).sum(), rtol=1e-9)


def test_a_score_has_no_unit():
    rows, new = X - X.mean(axis=0), NEW
    small, large = (
        OnlineKernelPCA(1, kernel="linear").fit(rows * unit).score(new * unit) for unit in (1, 1e3)
    )
    assert_allclose(small, large)


def test_what_is_far_from_all_is_worse_than_the_mean():
    model = OnlineKernelPCA(1, kernel="linear").fit(np.column_stack([X[:, 0], np.zeros(len(X))]))
    assert model.score([[0.0, 9.0], [0.0, 8.0]]) == pytest.approx(0.0, abs=1e-3)


def test_rows_like_their_mean_leave_nothing():
    model = OnlineKernelPCA(1, kernel="linear", center=False).fit(X)
    assert model.score(np.zeros((3, 2))) == 1.0


def test_scores_of_sparse_rows_and_blocks():
    model = OnlineKernelPCA(3, gamma=1.0).fit(X)
    assert_allclose(model.score(sparse.csr_array(NEW)), model.score(NEW))
    many = np.tile(NEW, (40, 1))
    assert_allclose(model.score(many), model.score(NEW))


def test_a_search_finds_how_many_components():
    search = GridSearchCV(OnlineKernelPCA(gamma=1.0), {"n_components": [1, 2, 4]}, cv=3).fit(X)
    assert search.best_params_ == {"n_components": 4}
    assert 0 < search.best_score_ <= 1


def test_a_search_finds_the_better_atoms():
    few, many = Fixed(X[:2]), Fixed(X[:40])
    grid = {"dictionary": [few, many], "max_atoms": [None]}
    search = GridSearchCV(OnlineKernelPCA(4, gamma=1.0), grid, cv=3).fit(X)
    assert search.best_params_["dictionary"].points.shape == (40, 2)


# -- what comes back ------------------------------------------------------------------------------


def test_the_error_of_pre_images():
    model = OnlineKernelPCA(4, gamma=1.0).fit(X)
    back = model.inverse_transform(model.transform(NEW))
    assert_allclose(neg_preimage_error(model, NEW), -np.mean(np.square(back - NEW)))
    assert_allclose(
        neg_preimage_error(model, sparse.csr_array(NEW)), neg_preimage_error(model, NEW)
    )


@pytest.mark.thorough
def test_a_search_finds_the_width():
    widths = {"gamma": [1e-4, 1.0, 1e4]}
    rows = np.column_stack([X, X[:, 0] * X[:, 1], X[:, 0] ** 2])
    by_error = GridSearchCV(OnlineKernelPCA(6), widths, scoring=neg_preimage_error, cv=3).fit(rows)
    assert by_error.best_params_ == {"gamma": 1.0}


def test_the_error_of_a_pipeline_is_in_the_units_of_the_rows():
    rows = X * [1, 100]
    pipeline = make_pipeline(StandardScaler(), OnlineKernelPCA(4, gamma=1.0)).fit(rows)
    back = pipeline.inverse_transform(pipeline.transform(rows))
    assert_allclose(neg_preimage_error(pipeline, rows), -np.mean(np.square(back - rows)))
    found = cross_val_score(pipeline, rows, scoring=neg_preimage_error, cv=3)
    assert (found < 0).all()


def test_rows_that_lack_values_do_not_count():
    model = OnlineKernelPCA(2, gamma=1.0, missing="skip").fit(X)
    gappy = np.vstack([NEW, [[np.nan, 1.0]]])
    assert_allclose(neg_preimage_error(model, gappy), neg_preimage_error(model, NEW))
    with pytest.raises(ValueError, match="every row lacks values"):
        neg_preimage_error(model, gappy[-1:])


# -- company --------------------------------------------------------------------------------------


def test_column_transformer():
    words = np.array(["red", "green"] * 75, dtype=object)[:, None]
    table = np.hstack([X.astype(object), words])
    model = ColumnTransformer(
        [("numbers", OnlineKernelPCA(3, gamma=1.0), [0, 1]), ("words", OneHotEncoder(), [2])]
    ).fit(table)
    assert_array_equal(
        model.transform(table)[:, :3], OnlineKernelPCA(3, gamma=1.0).fit(X).transform(X)
    )
    assert list(model.get_feature_names_out()[:2]) == [
        "numbers__onlinekernelpca0",
        "numbers__onlinekernelpca1",
    ]


def test_joblib_keeps_a_model(tmp_path):
    model = OnlineKernelPCA(3, gamma=1.0).fit(X[:100])
    joblib.dump(model, tmp_path / "model.joblib")
    other = joblib.load(tmp_path / "model.joblib")
    assert_array_equal(
        other.partial_fit(X[100:]).transform(NEW), model.partial_fit(X[100:]).transform(NEW)
    )


def test_joblib_fits_many_in_threads():
    def fitted(gamma):
        return OnlineKernelPCA(2, gamma=gamma).fit(X)

    widths = (0.5, 1.0, 2.0)
    found = joblib.Parallel(2, backend="threading")(
        joblib.delayed(fitted)(gamma) for gamma in widths
    )
    for gamma, model in zip(widths, found, strict=True):
        assert_array_equal(model.transform(NEW), fitted(gamma).transform(NEW))


@pytest.mark.long
def test_a_search_in_processes():
    grid = {"n_components": [1, 3], "gamma": [0.5, 1.0]}
    alone, together = (
        GridSearchCV(OnlineKernelPCA(), grid, cv=3, n_jobs=n).fit(X).cv_results_["mean_test_score"]
        for n in (1, 2)
    )
    assert_allclose(alone, together, rtol=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "snap", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_snapshots_beside_a_writer_stay_as_they_are(snap):
    """Many readers take copies while one thread learns: each is a whole model after some row, and
    learns by itself."""
    model, stream = OnlineKernelPCA(0.9, gamma=1.0, max_atoms=20).fit(X[:20]), ring(400, seed=3)
    done, troubles, taken = threading.Event(), [], []

    def read():
        try:
            while not done.is_set():
                snapshot = snap(model)
                before, seen = snapshot.transform(NEW), snapshot.n_samples_seen_
                again = clone(model).fit(np.vstack([X[:20], stream[: seen - 20]]))
                assert_allclose(np.abs(again.transform(NEW)), np.abs(before), atol=1e-8)
                assert_array_equal(snapshot.transform(NEW), before)
                assert snapshot.partial_fit(NEW).n_samples_seen_ == seen + len(NEW)
                taken.append(seen)
        except BaseException as trouble:
            troubles.append(trouble)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for row in stream:
        model.partial_fit(row[None])
    done.set()
    for reader in readers:
        reader.join()
    assert not troubles
    assert taken
    assert model.n_samples_seen_ == 420
