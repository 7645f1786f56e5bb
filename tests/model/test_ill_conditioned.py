"""Data and kernels at the edge: whatever comes, the model stays finite and orthonormal."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import KernelPCA

from helpers import gram_of, normal, stream, up_to_sign
from okpca import OnlineKernelPCA, kernels
from oracles import kernel_pca

BASE = normal(40, 3)
DATA = {
    "duplicates": np.repeat(BASE[:10], 4, axis=0),
    "one row again and again": np.tile(BASE[:1], (40, 1)),
    "near duplicates": np.vstack([BASE[:20], BASE[:20] + 1e-8 * normal(20, 3, seed=1)]),
    "nearer duplicates": np.vstack([BASE[:20], BASE[:20] * (1 + 1e-15)]),
    "rank one": np.outer(normal(40, 1)[:, 0], [1.0, -2.0, 0.5]),
    "constant column": np.column_stack([BASE[:, :2], np.full(40, 7.0)]),
    "constant rows": np.repeat(normal(40, 1), 3, axis=1),
    "far from the origin": BASE + 1e8,
    "one outlier": np.vstack([BASE[:20], [[1e6, -1e6, 1e6]], BASE[20:]]),
    "zeros": np.vstack([np.zeros((3, 3)), BASE, np.zeros((3, 3))]),
    "only zeros": np.zeros((12, 3)),
    "mixed scales": BASE * [1e-8, 1, 1e8],
}
KERNELS = {
    "rbf": {"gamma": 0.5},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2},
    "cosine": {"kernel": "cosine"},
    "laplacian": {"kernel": "laplacian"},
    "exponential": {"kernel": "exponential"},
    "sum": {"kernel": kernels.Linear() + kernels.RBF(0.5)},
}


def assert_sound(model, rows, rounding=0.0):
    """Finite, and orthonormal where there is variance: to 1e-6, or to `rounding` times what the
    rounding of the kernel values themselves, eps each, can do to D K Dᵀ."""
    for name in ("eigenvalues_", "explained_variance_ratio_", "dual_coef_", "mean_", "atoms_"):
        assert np.isfinite(getattr(model, name)).all(), name
    assert (model.eigenvalues_ >= 0).all()
    assert (np.diff(model.eigenvalues_) <= 0).all()
    assert model.explained_variance_ratio_.sum() <= 1 + 1e-9
    scores = model.transform(rows)
    assert np.isfinite(scores).all()
    real = model.eigenvalues_ > 0
    assert not scores[:, ~real].any()
    dual = model.dual_coef_[real]
    # D K Dᵀ in the scale of the atoms: K itself may be as small as 1e-300 or as large.
    K = gram_of(model)
    size = np.sqrt(np.diag(K))
    correlation, dual = K / size / size[:, None], dual * size
    spread = np.abs(dual).sum(axis=1).max(initial=0.0)
    tol = max(1e-6, rounding * np.finfo(float).eps * spread**2)
    assert_allclose(dual @ correlation @ dual.T, np.eye(len(dual)), rtol=0, atol=tol)


def pieces(X):
    return [piece for piece in np.split(X, [1, 2, 9, 10, 11]) if len(piece)]


def check_stream(X, rounding=0.0, **params):
    model = OnlineKernelPCA(2, **params)
    for piece in pieces(X):
        model.partial_fit(piece)
        assert_sound(model, X, rounding)
    return model


@pytest.mark.parametrize("nu", [0, 1e-3])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", DATA)
def test_stays_finite_and_orthonormal(name, kernel, nu):
    check_stream(DATA[name], nu=nu, **KERNELS[kernel])


@pytest.mark.parametrize("nu", [0, 1e-3])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("gamma", [1e-12, 1e-8, 1e-4, 1e4, 1e12, 1e300])
@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_extreme_gamma(name, gamma, center, nu):
    # With nu=0 atoms may be 1e-6 apart; then D is as large as 1e6, and K is known to 1e-16 only.
    rounding = 1.0 if nu == 0 else 0.0
    model = check_stream(BASE, rounding, kernel=name, gamma=gamma, nu=nu, center=center)
    if gamma >= 1e4:  # every row is orthogonal to every other
        assert model.n_atoms_ == 40
        assert_allclose(model.eigenvalues_, 1, rtol=1e-9)
    elif gamma <= 1e-8 and nu > 0:
        assert model.n_atoms_ == 1


@pytest.mark.parametrize("nu", [0, 1e-3])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("scale", [1e150, 1e-150])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "cosine", "laplacian", "exponential"])
def test_extreme_scales(kernel, scale, center, nu):
    params = {"kernel": kernel, "nu": nu, "center": center}
    model = check_stream(BASE * scale, **params)
    if kernel in ("linear", "cosine"):  # these only follow the scale
        plain = OnlineKernelPCA(2, **params).fit(BASE)
        unit = scale if kernel == "linear" else 1.0
        assert_allclose(np.sqrt(model.eigenvalues_) / unit, np.sqrt(plain.eigenvalues_), rtol=1e-8)
        wanted = plain.transform(BASE)
        assert_allclose(up_to_sign(model.transform(BASE * scale) / unit, wanted), wanted, atol=1e-8)
    elif scale > 1:
        assert model.n_atoms_ == 40
    else:
        assert model.n_atoms_ == 1


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_gamma_that_fits_the_scale(scale):
    X = normal(40, 3) * [3, 2, 1]
    model = OnlineKernelPCA(2, gamma=0.5, nu=0.01).fit(X)
    gamma = 0.5 / scale / scale
    scaled = stream(OnlineKernelPCA(2, gamma=gamma, nu=0.01), X * scale, [1, 2, 20])
    assert_allclose(scaled.atoms_ / scale, model.atoms_, rtol=1e-15)
    assert_allclose(scaled.eigenvalues_, model.eigenvalues_, rtol=1e-8)
    assert_allclose(scaled.transform(X * scale), model.transform(X), atol=1e-8)


@pytest.mark.parametrize("rule", ["okha", "oo-kha", "on-kha", "oja"])
@pytest.mark.parametrize("nu", [0, 1e-3])
@pytest.mark.parametrize("name", DATA)
def test_hebbian_rules_stay_finite(name, nu, rule):
    model = OnlineKernelPCA(2, gamma=0.5, nu=nu, rule=rule, random_state=0)
    for piece in pieces(DATA[name]):
        scores = model.partial_fit(piece).transform(DATA[name])
        assert np.isfinite(scores).all()
        dual = model.dual_coef_
        norms = np.sqrt(np.diag(dual @ gram_of(model) @ dual.T))
        assert (norms < 3).all()
    if rule == "on-kha":
        assert_allclose(norms, 1, atol=1e-6)


def test_values_that_overflow_are_refused_by_name():
    X = BASE * 1e150
    model = OnlineKernelPCA(kernel="poly", degree=3).fit(BASE)
    before = model.transform(BASE)
    with pytest.raises(ValueError, match="not finite"):
        model.partial_fit(X)
    assert_array_equal(model.transform(BASE), before)


# --------------------------------------------------------------------------- still the right answer


@pytest.mark.parametrize(
    "name", ["duplicates", "near duplicates", "nearer duplicates", "rank one", "zeros"]
)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian"])
def test_still_batch_kernel_pca(name, kernel):
    X = DATA[name]
    model = OnlineKernelPCA(2, nu=0, max_atoms=None, **KERNELS[kernel])
    for piece in pieces(X):
        model.partial_fit(piece)
    batch = kernel_pca.batch_kpca(model.kernel_(X), 2)
    top = batch.eigenvalues[0]
    assert_allclose(model.eigenvalues_, np.maximum(batch.eigenvalues, 0), atol=1e-7 * top)
    real = batch.eigenvalues > 1e-6 * top
    wanted = batch.projections[:, real]
    got = up_to_sign(model.transform(X)[:, real], wanted)
    assert_allclose(got, wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


def test_duplicates_are_one_atom():
    model = OnlineKernelPCA(2, gamma=0.5, nu=0, max_atoms=None)
    assert model.fit(DATA["duplicates"]).n_atoms_ == 10
    assert model.fit(DATA["one row again and again"]).n_atoms_ == 1
    assert_array_equal(model.eigenvalues_, 0)
    assert_array_equal(model.explained_variance_ratio_, 0)
    assert model.fit(DATA["nearer duplicates"]).n_atoms_ == 20


def test_far_from_the_origin_keeps_its_digits():
    """1e8 away the rows themselves have lost eight digits, their distances no more."""
    X = BASE + 1e8
    shifted = X - X.mean(axis=0).round()
    peer = KernelPCA(2, kernel="rbf", gamma=0.5, eigen_solver="dense").fit(shifted)
    model = OnlineKernelPCA(2, gamma=0.5, nu=0, max_atoms=None)
    for piece in pieces(X):
        model.partial_fit(piece)
    assert_allclose(model.eigenvalues_, peer.eigenvalues_, rtol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["only zeros", "one row again and again"])
def test_no_variance_at_all(name, kernel):
    """Rounding is no variance: there is no component, however the rows come."""
    X = DATA[name]
    for borders in ((), range(1, len(X)), [3, 4]):
        model = stream(OnlineKernelPCA(3, **KERNELS[kernel]), X, borders)
        assert_array_equal(model.eigenvalues_, 0)
        assert_array_equal(model.explained_variance_ratio_, 0)
        assert_array_equal(model.transform(X), np.zeros((len(X), 3)))
        everything = stream(OnlineKernelPCA(None, **KERNELS[kernel]), X, borders)
        assert everything.n_components_ == 0
