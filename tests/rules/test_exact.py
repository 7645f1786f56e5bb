"""The exact rule: batch kernel PCA's answer, and the brute-force oracle's where it approximates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.preprocessing import StandardScaler

from helpers import (
    assert_columns_close,
    assert_orthonormal,
    normal,
    pairs,
    random_borders,
    row_by_row,
    stream,
    up_to_sign,
    variance_of,
)
from okpca import OnlineKernelPCA, dictionary, kernels
from oracles import brute_force, functions, kernel_pca

EXACT = {"nu": 0, "max_atoms": None}
R = 6


def digits(n=500):
    return load_digits().data[:n] / 16


def cancer():
    return StandardScaler().fit_transform(load_breast_cancer().data)


def data(name):
    """Rows to learn from and unseen rows."""
    if name == "random":
        X = normal(330, 5) * [3, 2, 1.5, 1, 0.7]
    elif name == "plane":
        X = normal(260, 2) * [2, 1]
    elif name == "digits":
        X = digits(400)
    elif name == "cancer":
        X = cancer()
    else:
        X = load_breast_cancer().data[:360]
    return X[:-60], X[-60:]


# ---------------------------------------------------------------------------- scikit-learn's answer


REGULAR, SINGULAR = 1e-8, 1e-6
CASES = [
    ("random", {"kernel": "rbf", "gamma": 2.0}, REGULAR),
    ("random", {"kernel": "rbf", "gamma": 0.2}, REGULAR),
    ("random", {"kernel": "rbf", "gamma": 0.002}, SINGULAR),
    ("random", {"kernel": "rbf"}, REGULAR),  # gamma = 1 / n_features for both
    ("random", {"kernel": "linear"}, SINGULAR),
    ("random", {"kernel": "cosine"}, SINGULAR),
    ("random", {"kernel": "poly"}, SINGULAR),
    ("random", {"kernel": "poly", "degree": 2, "gamma": 0.1, "coef0": 0.5}, SINGULAR),
    ("digits", {"kernel": "rbf", "gamma": 0.5}, REGULAR),
    ("digits", {"kernel": "rbf", "gamma": 0.05}, REGULAR),
    ("digits", {"kernel": "rbf", "gamma": 0.001}, SINGULAR),
    ("digits", {"kernel": "linear"}, SINGULAR),
    ("digits", {"kernel": "cosine"}, SINGULAR),
    ("digits", {"kernel": "poly"}, REGULAR),
    ("cancer", {"kernel": "rbf"}, REGULAR),
    ("cancer", {"kernel": "rbf", "gamma": 0.3}, REGULAR),
    ("cancer", {"kernel": "linear"}, SINGULAR),
    ("cancer", {"kernel": "cosine"}, SINGULAR),
    ("cancer", {"kernel": "poly"}, REGULAR),
    ("raw cancer", {"kernel": "rbf", "gamma": 1e-5}, SINGULAR),
    ("raw cancer", {"kernel": "linear"}, SINGULAR),
    ("raw cancer", {"kernel": "cosine"}, SINGULAR),
]
ON_DIGITS = [case for case in CASES if case[0] == "digits"]
NAMES = ["-".join(map(str, [name, *params.values()])) for name, params, _ in CASES]


@pytest.mark.parametrize(("name", "params", "tol"), CASES, ids=NAMES)
def test_equals_sklearn_whole_and_in_cuts(name, params, tol):
    X, new = data(name)
    peer = KernelPCA(R, eigen_solver="dense", **params).fit(X)
    seen, unseen = peer.transform(X), peer.transform(new)
    whole = OnlineKernelPCA(R, **EXACT, **params).fit(X)
    cut = stream(OnlineKernelPCA(R, **EXACT, **params), X, random_borders(len(X), seed=3))
    for model in (whole, cut):
        assert_allclose(model.eigenvalues_, peer.eigenvalues_, rtol=tol)
        assert_columns_close(up_to_sign(model.transform(X), seen), seen, tol)
        assert_columns_close(up_to_sign(model.transform(new), unseen), unseen, tol)


@pytest.mark.thorough
@pytest.mark.parametrize("gamma", [0.5, 0.05, 0.005])
def test_smooth_kernels_keep_to_the_scale_of_the_kernel(gamma):
    """Where the spectrum falls below rounding within few components, small ones lose digits.

    Against the whole energy Σ κ(x, x), eigenvalues stay good to 1e-8; against κ(x, x), projections
    to 1e-5. (Relative to themselves the last of six components is good to 1e-3 or so.)
    """
    X, new = data("plane")
    peer = KernelPCA(R, eigen_solver="dense", gamma=gamma, kernel="rbf").fit(X)
    unseen = peer.transform(new)
    model = OnlineKernelPCA(R, gamma=gamma, **EXACT).fit(X)
    assert_allclose(model.eigenvalues_, peer.eigenvalues_, rtol=0, atol=1e-8 * len(X))
    assert_allclose(up_to_sign(model.transform(new), unseen), unseen, rtol=0, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "params", "tol"), ON_DIGITS, ids=[name for name in NAMES if name.startswith("digits")]
)
def test_equals_sklearn_row_by_row(name, params, tol):
    X, new = data(name)
    X = X[:200]
    peer = KernelPCA(R, eigen_solver="dense", **params).fit(X)
    model = row_by_row(OnlineKernelPCA(R, **EXACT, **params), X)
    assert_allclose(model.eigenvalues_, peer.eigenvalues_, rtol=tol)
    unseen = peer.transform(new)
    assert_columns_close(up_to_sign(model.transform(new), unseen), unseen, tol)


@pytest.mark.thorough
@pytest.mark.parametrize("ours", ["laplacian", laplacian_kernel, kernels.Laplacian()])
@pytest.mark.parametrize("name", ["random", "digits"])
def test_equals_sklearn_laplacian(name, ours):
    X, new = data(name)
    peer = KernelPCA(R, kernel="precomputed", eigen_solver="dense").fit(laplacian_kernel(X))
    seen, unseen = peer.transform(laplacian_kernel(X)), peer.transform(laplacian_kernel(new, X))
    model = stream(
        OnlineKernelPCA(R, kernel=ours, **EXACT), X, random_borders(len(X), seed=4, count=3)
    )
    assert_allclose(model.eigenvalues_, peer.eigenvalues_, rtol=1e-8)
    assert_columns_close(up_to_sign(model.transform(X), seen), seen, 1e-8)
    assert_columns_close(up_to_sign(model.transform(new), unseen), unseen, 1e-8)


def test_kernel_params_reach_the_function():
    X = normal(60)
    function = OnlineKernelPCA(
        3, kernel=laplacian_kernel, kernel_params={"gamma": 0.11}, **EXACT
    ).fit(X)
    named = OnlineKernelPCA(3, kernel="laplacian", gamma=0.11, **EXACT).fit(X)
    assert_allclose(function.eigenvalues_, named.eigenvalues_, rtol=1e-10)


@pytest.mark.data
def test_equals_sklearn_on_the_digits_of_souza_filho(data_set):
    """USPS, the first 100 of each of the digits 1, 2, 3; sigma = 8 (their Table II)."""
    usps = data_set("usps_9298")
    X = np.vstack([usps["X"][usps["y"] == digit][:100] for digit in (1, 2, 3)])
    X = (X.astype(float) + 1) / 2
    peer = KernelPCA(16, kernel="rbf", gamma=1 / 128, eigen_solver="dense").fit(X)
    model = stream(OnlineKernelPCA(16, gamma=1 / 128, **EXACT), X, random_borders(300, seed=1))
    assert_allclose(model.eigenvalues_, peer.eigenvalues_, rtol=1e-8)
    seen = peer.transform(X)
    assert_columns_close(up_to_sign(model.transform(X), seen), seen, 1e-8)


# --------------------------------------------------------------------------------- the batch oracle


@pytest.mark.parametrize("params", [{"gamma": 0.3}, {"kernel": "poly"}, {"kernel": "linear"}])
def test_uncentred_is_the_plain_eigenproblem(params):
    X, new = normal(90, 6) + 0.7, normal(15, 6, seed=1)
    model = stream(
        OnlineKernelPCA(4, center=False, **EXACT, **params), X, random_borders(90, seed=5)
    )
    K, K_new = model.kernel_(X), model.kernel_(new, X)
    batch = kernel_pca.batch_kpca(K, 4, center=False)
    assert_allclose(model.eigenvalues_, batch.eigenvalues, rtol=1e-8)
    wanted = kernel_pca.batch_kpca_project(K_new, K, batch.dual_coef, center=False)
    assert_columns_close(up_to_sign(model.transform(new), wanted), wanted, 1e-8)
    assert_array_equal(model.mean_, np.zeros(model.n_atoms_))
    assert_allclose(variance_of(model), np.trace(K), rtol=1e-9)


@pytest.mark.parametrize("weights", [None, "random"])
def test_variance_ratio_is_against_the_trace_of_the_centred_gram(weights):
    X = normal(120, 4)
    w = None if weights is None else np.random.default_rng(8).uniform(0.2, 3, size=120)
    model = OnlineKernelPCA(3, gamma=0.3, **EXACT)
    stream(model, X, random_borders(120, seed=6), w)
    batch = kernel_pca.batch_kpca(functions.rbf(0.3)(X, X), weights=w)
    total = batch.eigenvalues.sum()
    assert_allclose(model.explained_variance_ratio_, batch.eigenvalues[:3] / total, rtol=1e-9)
    weight = 120 if w is None else w.sum()
    assert_allclose(model.explained_variance_, batch.eigenvalues[:3] / weight, rtol=1e-9)


@pytest.mark.thorough
def test_fraction_takes_the_fewest_components_that_explain_it():
    X = digits(200)
    share = np.cumsum(OnlineKernelPCA(None, gamma=0.05, **EXACT).fit(X).explained_variance_ratio_)
    assert share[-1] == pytest.approx(1)
    for fraction in (0.05, 0.5, 0.9, 0.99):
        model = OnlineKernelPCA(fraction, gamma=0.05, **EXACT).fit(X)
        wanted = int(np.argmax(share >= fraction)) + 1
        assert model.n_components_ == wanted
        assert model.transform(X).shape == (200, wanted)
    # What the dictionary leaves out cannot be explained: a coarse model takes all it has.
    coarse = OnlineKernelPCA(0.9, gamma=0.05, nu=0.5).fit(X)
    assert coarse.explained_variance_ratio_.sum() < 0.9
    assert coarse.n_components_ == OnlineKernelPCA(None, gamma=0.05, nu=0.5).fit(X).n_components_


def test_none_takes_all_components_that_have_variance():
    X = normal(80, 4)
    peer = KernelPCA(None, kernel="rbf", gamma=1.0, eigen_solver="dense").fit(X)
    model = OnlineKernelPCA(None, gamma=1.0, **EXACT).fit(X)
    assert model.n_components_ == 79 == len(peer.eigenvalues_)
    assert_allclose(model.eigenvalues_, peer.eigenvalues_, rtol=1e-8)
    linear = OnlineKernelPCA(None, kernel="linear", **EXACT).fit(X)
    assert linear.n_components_ == 4
    assert OnlineKernelPCA(None, kernel="linear", **EXACT).fit(X[:1]).n_components_ == 0


def test_more_components_than_there_are_are_zero():
    X, new = normal(50, 3), normal(9, 3, seed=1)
    model = OnlineKernelPCA(5, kernel="linear", **EXACT).fit(X)
    assert model.n_components_ == 5
    assert (model.eigenvalues_[:3] > 0).all()
    assert_array_equal(model.eigenvalues_[3:], 0)
    assert_array_equal(model.transform(new)[:, 3:], 0)


# ------------------------------------------------------------------------ components and attributes


@pytest.mark.parametrize("nu", [0, 1e-3, 0.2])
@pytest.mark.parametrize("center", [True, False])
def test_components_are_orthonormal_and_give_the_scores(nu, center):
    X, new = normal(150), normal(20, seed=1)
    model = OnlineKernelPCA(4, gamma=0.5, nu=nu, max_atoms=None, center=center)
    for piece in np.array_split(X, 6):
        model.partial_fit(piece)
        assert_orthonormal(model)
    k = model.kernel_(new, model.atoms_) - model.mean_ @ model.kernel_(model.atoms_)
    assert_allclose(model.transform(new), k @ model.dual_coef_.T, atol=1e-8)


def test_shapes_and_copies():
    model = OnlineKernelPCA(4, gamma=0.5, max_atoms=17, on_full="project").fit(normal(150, 3))
    assert model.atoms_.shape == (17, 3)
    assert model.dual_coef_.shape == (4, 17)
    assert model.mean_.shape == (17,)
    shapes = {
        model.eigenvalues_.shape,
        model.explained_variance_.shape,
        model.explained_variance_ratio_.shape,
    }
    assert shapes == {(4,)}
    counts = (model.n_atoms_, model.n_components_, model.n_samples_seen_, model.n_features_in_)
    assert counts == (17, 4, 150, 3)
    assert (model.gamma_, OnlineKernelPCA().fit(normal(9, 4)).gamma_) == (0.5, 0.25)
    before = model.transform(normal(5))
    for name in ("atoms_", "dual_coef_", "mean_", "eigenvalues_"):
        getattr(model, name)[:] = np.nan  # what one is handed is one's own
    assert_array_equal(model.transform(normal(5)), before)


@pytest.mark.parametrize("seed", range(5))
def test_signs_are_positive_at_birth_for_any_slicing(seed):
    X = normal(60, seed=seed)
    whole = OnlineKernelPCA(3, gamma=0.5).fit(X)
    largest = np.abs(whole.dual_coef_).argmax(axis=1)
    assert (whole.dual_coef_[np.arange(3), largest] > 0).all()
    cut = stream(OnlineKernelPCA(3, gamma=0.5), X, random_borders(60, seed=seed))
    assert_allclose(cut.transform(X), whole.transform(X), atol=1e-9)


def test_a_component_never_flips_between_two_updates():
    X = normal(300, 2) * [2, 1]
    model = OnlineKernelPCA(2, gamma=0.2, forgetting=0.98).partial_fit(X[:64])
    would_flip = 0
    for piece in np.array_split(X[64:], 60):
        atoms, dual = model.atoms_, model.dual_coef_
        model.partial_fit(piece)
        overlap = (dual @ model.kernel_(atoms, model.atoms_) * model.dual_coef_).sum(axis=1)
        assert (overlap >= 0).all()
        largest = np.abs(model.dual_coef_).argmax(axis=1)
        would_flip += (model.dual_coef_[np.arange(2), largest] < 0).any()
    assert would_flip > 5  # the rule of birth alone would have flipped them


# ----------------------------------------------------------------- the brute-force oracle, in steps


POLICIES = [
    ({"nu": 0.05}, {"nu": 0.05}),
    ({"nu": 0.3}, {"nu": 0.3}),
    ({"nu": 0.05, "max_atoms": 9, "on_full": "project"}, {"nu": 0.05, "max_atoms": 9}),
    ({"dictionary": dictionary.Coherence(0.6)}, {"coherence": 0.6}),
    ({"dictionary": "coherence", "nu": 0.4}, {"coherence": 0.8}),
    (
        {"dictionary": dictionary.Coherence(0.7), "max_atoms": 6, "on_full": "project"},
        {"coherence": 0.7, "max_atoms": 6},
    ),
]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("policy", "center", "size"), pairs(POLICIES, [True, False], [1, 5]), ids=str
)
def test_agrees_with_brute_force_after_every_update(policy, center, size):
    ours, theirs = policy
    X, new = normal(75, 3), normal(12, 3, seed=1)
    model = OnlineKernelPCA(None, gamma=0.4, center=center, **{"max_atoms": None} | ours)
    oracle = brute_force.NaiveExact(functions.rbf(0.4), center=center, **theirs)
    for t in range(0, 75, size):
        model.partial_fit(X[t : t + size])
        oracle.run(X[t : t + size])
        assert_array_equal(model.atoms_, oracle.D)
        assert model.n_samples_seen_ == t + size
        if t < 15 or t % 3:
            continue
        moments = oracle.moments()
        r = model.n_components_
        top = moments.eigenvalues[0]
        assert r >= model.n_atoms_ - center  # a centred atom-only stream lacks one dimension
        assert_allclose(model.eigenvalues_, moments.eigenvalues[:r], rtol=0, atol=1e-10 * top)
        total = moments.eigenvalues.sum() + moments.residual_energy
        assert_allclose(variance_of(model), total, rtol=1e-10)
        energy = variance_of(model) - model.eigenvalues_.sum()
        assert_allclose(energy, moments.residual_energy, rtol=0, atol=1e-9 * total)
        mean = oracle.kappa(new, oracle.D) @ moments.mean
        assert_allclose(model.kernel_(new, model.atoms_) @ model.mean_, mean, atol=1e-10)
        wanted = oracle.project(new)[:, :3]
        assert_allclose(up_to_sign(model.transform(new)[:, :3], wanted), wanted, atol=1e-8)
