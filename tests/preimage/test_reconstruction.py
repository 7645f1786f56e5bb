"""inverse_transform, denoise, reconstruction errors and scores of the estimator."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers import normal
from okpca import OnlineKernelPCA, kernels, preimage, rules
from okpca.dictionary import Fixed
from okpca.estimator import model_of
from okpca.preimage import FixedPoint, Gradient, NonNegative
from oracles import functions, kernel_pca, preimages

GAMMA = 0.3
KAPPA = functions.rbf(GAMMA)
EXACT = {"nu": 0, "max_atoms": None}
WIDTHS = [np.float64, np.float32]
USES = ["denoise", "reconstruction_error", "score_samples", "score"]


def fitted(r=3, n=60, d=3, method="fixed_point", **options):
    return OnlineKernelPCA(r, preimage=method, **{"gamma": GAMMA, **options}).fit(normal(n, d))


def ring(n, noise, seed=0):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    clean = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return clean, clean + noise * rng.normal(size=(n, 2))


# -- reconstruction error -------------------------------------------------------------------------


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize(
    "kernel", [kernels.RBF(GAMMA), kernels.Polynomial(degree=2, gamma=0.3), kernels.Linear()]
)
def test_error_is_batch_kernel_pcas(center, kernel):
    X, probe = normal(40, 3), np.vstack([normal(8, 3, seed=4), 5 * normal(2, 3, seed=5)])
    model = OnlineKernelPCA(2, kernel=kernel, center=center, **EXACT).fit(X)
    batch = kernel_pca.batch_kpca(kernel(X), 2, center=center)
    mean = np.full(40, 1 / 40) if center else np.zeros(40)
    slow = [preimages.residual(kernel, X, batch.dual_coef, mean, x) for x in probe]
    scale = max(1.0, kernel.diag(probe).max())
    assert_allclose(model.reconstruction_error(probe), slow, atol=1e-9 * scale)


@pytest.mark.parametrize("rule", ["okha", rules.Hebbian(deflation=2, schedule=0.05)], ids=repr)
def test_error_of_components_that_are_not_orthonormal(rule):
    model = fitted(3, n=400, nu=0.05, rule=rule, random_state=0)
    gram = model.dual_coef_ @ model.kernel_(model.atoms_) @ model.dual_coef_.T
    assert np.abs(gram - np.eye(3)).max() > 0.05
    probe = normal(8, 3, seed=4)
    slow = [
        preimages.residual(KAPPA, model.atoms_, model.dual_coef_.T, model.mean_, x) for x in probe
    ]
    assert_allclose(model.reconstruction_error(probe), slow, atol=1e-8)


def test_error_counts_what_the_dictionary_leaves_out():
    """A row far from all atoms: κ(x, x) and the mean remain."""
    model = fitted(3)
    gram = model.kernel_(model.atoms_)
    far = model.reconstruction_error([[1e3, 0, 0]])[0]
    y = model.transform([[1e3, 0, 0]])[0]
    assert_allclose(far, 1 + model.mean_ @ gram @ model.mean_ - y @ y, atol=1e-9)


def test_no_error_where_nothing_is_left_out():
    X = normal(20, 3)
    model = OnlineKernelPCA(None, gamma=1.0, **EXACT).fit(X)
    assert_allclose(model.reconstruction_error(X), 0, atol=1e-12)
    assert (model.reconstruction_error(normal(5, 3, seed=1)) > 1e-3).all()


def test_mean_error_is_the_variance_left():
    """Σ errors of the rows learned from = whole variance − that of the components."""
    X = normal(50, 3)
    model = OnlineKernelPCA(3, gamma=GAMMA, **EXACT).fit(X)
    left = model.eigenvalues_.sum() * (1 / model.explained_variance_ratio_.sum() - 1)
    assert_allclose(model.reconstruction_error(X).sum(), left, rtol=1e-9)


def test_scores():
    """Higher for rows like those learned."""
    model = fitted(4, n=200)
    usual, odd = normal(50, 3, seed=3), normal(50, 3, seed=3) + 4
    assert_array_equal(model.score_samples(usual), -model.reconstruction_error(usual))
    assert model.score_samples(usual).min() > model.score_samples(odd + 2).max()
    assert model.score(usual) > model.score(odd)
    assert type(model.score(usual)) is float


def test_scores_choose_the_number_of_components():
    """`score` is what a search over parameters maximises."""
    X = normal(80, 3)
    scores = [OnlineKernelPCA(r, gamma=GAMMA).fit(X[:60]).score(X[60:]) for r in (1, 3, 8)]
    assert scores == sorted(scores)


def test_error_in_the_empirical_geometry():
    """There h(x) = k_x is a vector like any other: PCA of the kernel values."""
    X, points = normal(60, 3), normal(10, 3, seed=2)
    model = OnlineKernelPCA(2, gamma=GAMMA, geometry="empirical", dictionary=Fixed(points)).fit(X)
    H, probe = KAPPA(X, points), KAPPA(X[:7] + 0.3, points)
    pca = PCA(2).fit(H)
    slow = np.square(probe - pca.inverse_transform(pca.transform(probe))).sum(axis=1)
    assert_allclose(model.reconstruction_error(X[:7] + 0.3), slow, atol=1e-10)


# -- there and back -------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("method", [*preimage.NAMES, FixedPoint(tol=1e-4), NonNegative(step=1.0)])
def test_every_method(method):
    """By name or object; no warning, the right shape, finite."""
    model = fitted(3, method=method)
    X = np.abs(normal(10, 3, seed=2))
    for out in (model.inverse_transform(model.transform(X)), model.denoise(X)):
        assert out.shape == (10, 3)
        assert np.isfinite(out).all()
    assert np.square(model.denoise(X) - X).sum() < np.square(X - normal(60, 3).mean(axis=0)).sum()


def test_inverse_transform_is_pca_for_the_linear_kernel():
    X = normal(50, 4) * [3, 2, 1, 0.5] + 7
    model = OnlineKernelPCA(2, kernel="linear", **EXACT).fit(X)
    pca = PCA(2).fit(X)
    expected = pca.inverse_transform(pca.transform(X))
    assert_allclose(model.inverse_transform(model.transform(X)), expected, atol=1e-10)
    assert_allclose(model.denoise(X), expected, atol=1e-10)


def test_denoise_starts_at_the_row():
    """Two clusters that the model cannot tell apart: each row stays in its own."""
    half = normal(40, 2) * 0.2 + 1
    X = np.vstack([half, -half])
    model = OnlineKernelPCA(1, gamma=0.5, center=False, **EXACT).fit(X)
    # The one component is even, f(x) = f(−x): a hill in both of them.
    assert_allclose(model.transform(half), model.transform(-half), atol=1e-5)
    assert_array_equal(np.sign(model.denoise(X)), np.repeat([[1.0], [-1.0]], 40, axis=0) * [1, 1])
    assert len(np.unique(np.sign(model.inverse_transform(model.transform(X))), axis=0)) == 1


@pytest.mark.parametrize("method", ["fixed_point", "gradient"])
def test_denoising(method):
    """Rows about a ring come nearer to it; PCA in the plane can do nothing."""
    _, noisy = ring(400, 0.15)
    model = OnlineKernelPCA(5, gamma=1.0, nu=1e-3, preimage=method).fit(noisy)
    truth, rows = ring(200, 0.15, seed=1)
    out = model.denoise(rows)
    off = np.abs(np.linalg.norm(rows, axis=1) - 1).mean()
    assert np.abs(np.linalg.norm(out, axis=1) - 1).mean() < 0.4 * off
    assert np.square(out - truth).mean() < 0.75 * np.square(rows - truth).mean()


def test_pre_images_tell():
    model = fitted(3, method=Gradient(max_iter=2))
    Y = model.transform(normal(10, 3, seed=2))
    found = model.pre_images(Y)  # no warning
    assert found.X.shape == (10, 3)
    assert not found.converged.all()
    model.set_params(preimage="gradient")  # no need to fit again
    better = model.pre_images(Y)
    assert better.converged.all()
    assert (better.distance <= found.distance + 1e-9).all()
    assert_array_equal(better.X, model.inverse_transform(Y))


@pytest.mark.parametrize("name", ["inverse_transform", "denoise"])
def test_one_warning_with_the_count(name):
    model = fitted(3, n=100, method=FixedPoint(max_iter=1))
    X = np.tile(normal(9, 3, seed=2), (300, 1))  # more than one block
    rows = X if name == "denoise" else model.transform(X)
    with pytest.warns(ConvergenceWarning) as caught:
        out = getattr(model, name)(rows)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    assert message.startswith(f"{name}: the search for a pre-image by FixedPoint(max_iter=1,")
    assert "did not converge for 2700 of 2700 rows" in message
    assert np.isfinite(out).all()


@pytest.mark.thorough
def test_long_inputs_are_as_short_ones():
    model = fitted(3)
    X = normal(2500, 3, seed=2)
    for name in ("denoise", "reconstruction_error"):
        whole = getattr(model, name)(X)
        parts = [getattr(model, name)(X[a : a + 500]) for a in range(0, 2500, 500)]
        assert_allclose(whole, np.concatenate(parts), atol=1e-5)


# -- manners --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("method", list(preimage.NAMES))
def test_dtype(dtype, method):
    model = fitted(3, method=method)
    X = normal(6, 3, seed=2)
    for name in ("denoise", "reconstruction_error", "score_samples"):
        out = getattr(model, name)(X.astype(dtype))
        assert out.dtype == dtype
        assert_allclose(out, getattr(model, name)(X), atol=1e-4 if dtype == np.float32 else 0)
    assert model.inverse_transform(model.transform(X.astype(dtype))).dtype == dtype


def test_sparse_rows():
    X = np.maximum(normal(60, 5), 0)
    model = OnlineKernelPCA(3, gamma=GAMMA).fit(sparse.csr_matrix(X))
    rows = sparse.csr_array(X[:9])
    assert_allclose(model.reconstruction_error(rows), model.reconstruction_error(X[:9]))
    out = model.denoise(rows)
    assert isinstance(out, np.ndarray)
    assert_allclose(out, model.denoise(X[:9]), atol=1e-5)


def test_data_frames():
    X = pd.DataFrame(normal(40, 3), columns=list("abc"))
    model = OnlineKernelPCA(2, gamma=GAMMA).set_output(transform="pandas").fit(X)
    scores = model.transform(X)
    assert isinstance(scores, pd.DataFrame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = model.inverse_transform(scores)
        assert out.shape == (40, 3)
        assert model.denoise(X).shape == (40, 3)
    with pytest.raises(ValueError, match="feature names"):
        model.denoise(X.rename(columns={"a": "z"}))


def test_pipeline():
    X = normal(60, 3) * [1, 10, 100] + 50
    pipeline = make_pipeline(StandardScaler(), OnlineKernelPCA(3, gamma=GAMMA)).fit(X)
    back = pipeline.inverse_transform(pipeline.transform(X))
    assert np.square((back - X) / X.std(axis=0)).mean() < 0.5
    assert pipeline.score(X) == pipeline[-1].score(pipeline[0].transform(X))


def test_nothing_is_learned_by_looking():
    model = fitted(3)
    before, held = pickle.dumps(model), model_of(model)
    X = normal(5, 3, seed=2)
    model.denoise(X)
    model.inverse_transform(model.transform(X))
    model.score(X)
    assert model_of(model) is held
    again = pickle.loads(before)
    assert_array_equal(again.denoise(X), model.denoise(X))


def test_burn_in():
    """During the warm-up the rows so far are looked at as a batch."""
    X = normal(40, 3)
    model = OnlineKernelPCA(2, gamma=GAMMA, burn_in=60, **EXACT).partial_fit(X)
    other = OnlineKernelPCA(2, gamma=GAMMA, **EXACT).fit(X)
    assert_allclose(model.reconstruction_error(X), other.reconstruction_error(X), atol=1e-9)
    assert_allclose(model.denoise(X), other.denoise(X), atol=1e-5)


@pytest.mark.parametrize("name", ["inverse_transform", "pre_images", *USES])
def test_before_fit(name):
    with pytest.raises(NotFittedError):
        getattr(OnlineKernelPCA(), name)(normal(3, 3))


@pytest.mark.parametrize("name", ["inverse_transform", "pre_images"])
def test_wrong_number_of_scores(name):
    model = fitted(3)
    message = rf"X has 2 columns, but {name} of this .* expects 3: one for each component"
    with pytest.raises(ValueError, match=message):
        getattr(model, name)(normal(4, 2))
    with pytest.raises(ValueError, match="Expected 2D array, got 1D"):
        getattr(model, name)(np.zeros(3))
    bad = normal(4, 3)
    bad[2, 1] = np.nan
    with pytest.raises(ValueError, match=rf"NaN.*\[row 2 in {name}, counting rows from 0\]"):
        getattr(model, name)(bad)


@pytest.mark.parametrize("name", USES)
def test_bad_rows(name):
    model = fitted(3)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
        getattr(model, name)(normal(4, 2))
    bad = normal(4, 3)
    bad[1, 0] = np.inf
    with pytest.raises(ValueError, match=r"infinity.*\[row 1 in "):
        getattr(model, name)(bad)


@pytest.mark.parametrize("name", USES)
def test_a_kernel_that_overflows(name):
    model = OnlineKernelPCA(2, kernel="poly", degree=3).fit(normal(30, 3))
    rows = np.vstack([normal(2, 3), np.full((1, 3), 1e200)])
    where = "reconstruction_error" if name == "score_samples" else name
    with pytest.raises(ValueError, match=rf"not finite.*\[row 2 in {where}"):
        getattr(model, name)(rows)


def test_method_that_does_not_exist():
    with pytest.raises(ValueError, match=r"'preimage' parameter of OnlineKernelPCA must be a str"):
        fitted(3, method="fixedpoint")
    model = fitted(3).set_params(preimage="fixedpoint")
    for name in ("denoise", "inverse_transform"):
        with pytest.raises(ValueError, match=r"preimage must be one of \[.*got 'fixedpoint'"):
            getattr(model, name)(normal(4, 3))


def test_clone_keeps_the_choice():
    assert clone(OnlineKernelPCA(2, preimage="ridge")).preimage == "ridge"
    mine = clone(OnlineKernelPCA(2, preimage=FixedPoint(max_iter=7))).preimage
    assert mine == FixedPoint(max_iter=7)
    assert OnlineKernelPCA().preimage == "fixed_point"
