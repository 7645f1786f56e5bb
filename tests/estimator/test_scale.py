"""sigma, gamma by a word, and columns scaled inside the model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers import normal, up_to_sign
from okpca import OnlineKernelPCA, dictionary, kernels, presets
from okpca.kernels.first_rows import column_scales
from okpca.subspace import Subspace

SIZE, PLACE = np.array([1.0, 1e-4, 300.0, 1e5]), np.array([0.0, 7.0, -1000.0, 3e5])
UNIT = np.random.default_rng(0).normal(size=(250, 4)) @ np.diag([1, 0.8, 0.6, 0.4])
X = UNIT * SIZE + PLACE
FIRST = 200


def unit(rows, how="standard"):
    """As the model scales them."""
    offset, scale = column_scales(how, X[:FIRST])
    return (rows - offset) / scale


def back(rows, how="standard"):
    offset, scale = column_scales(how, X[:FIRST])
    return rows * scale + offset


def pair(how="standard", **params):
    """A model that scales, and one that is given scaled rows."""
    params = {"n_components": 3, "gamma": 0.2, "nu": 1e-2, "random_state": 0} | params
    ours = OnlineKernelPCA(scale=how, **params).fit(X)
    return ours, OnlineKernelPCA(**params).fit(unit(X, how))


@pytest.mark.parametrize("how", ["standard", "robust"])
@pytest.mark.parametrize(
    "params",
    [{}, {"kernel": "poly"}, {"kernel": "linear"}, {"max_atoms": 20}, {"kernel": "laplacian"}],
    ids=str,
)
def test_scaling_inside_is_scaling_before(how, params):
    ours, theirs = pair(how, **params)
    assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    assert_allclose(ours.transform(X), theirs.transform(unit(X, how)), atol=1e-8)
    assert_allclose(unit(ours.atoms_, how), theirs.atoms_, atol=1e-8)


@pytest.mark.parametrize("method", ["fixed_point", "gradient", "ridge", "conformal"])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_pre_images_are_in_the_units_of_the_rows(method, kernel):
    ours, theirs = pair(preimage=method, kernel=kernel, degree=2)
    found, want = ours.denoise(X[:20]), theirs.denoise(unit(X[:20]))
    assert_allclose(unit(found), want, atol=1e-3)
    scores = ours.transform(X[:20])
    back_again = unit(ours.inverse_transform(scores))
    assert_allclose(back_again, theirs.inverse_transform(scores), atol=1e-3)


def test_pre_images_of_csr_rows():
    thin = np.where(np.abs(UNIT) < 0.3, 0.0, UNIT) * [1, 10, 300, 1000]
    rows = sparse.csr_array(thin)
    ours = OnlineKernelPCA(3, scale="standard", gamma="median").fit(rows)
    dense = OnlineKernelPCA(3, scale="standard", gamma="median").fit(thin)
    found = ours.denoise(rows[:20])
    assert_allclose(found, dense.denoise(thin[:20]), atol=1e-6 * np.abs(found).max())


def test_pre_images_of_a_linear_kernel_are_pca():
    ours = OnlineKernelPCA(4, kernel="linear", scale="standard", nu=0).fit(X)
    assert_allclose(unit(ours.denoise(X[:20])), unit(X[:20]), atol=1e-4)


def test_compress_sees_every_column():
    ours, theirs = pair()
    ours.compress(15)
    theirs.compress(15)
    assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-2)
    assert unit(ours.atoms_).std(axis=0).min() > 0.2


def test_clusters_of_the_warm_up_see_every_column():
    params = {"dictionary": dictionary.Clustered(15), "burn_in": FIRST}
    ours, theirs = pair(**params)
    assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-6)


def test_it_is_scikit_learns_standard_scaler():
    rows = X[:FIRST]
    ours = OnlineKernelPCA(3, scale="standard", gamma=0.2).fit(rows)
    pipe = make_pipeline(StandardScaler(), OnlineKernelPCA(3, gamma=0.2)).fit(rows)
    want = pipe.transform(rows)
    assert_allclose(up_to_sign(ours.transform(rows), want), want, atol=1e-9)


def test_constant_columns_are_no_error():
    rows = np.column_stack([X, np.full(250, 3.7), np.zeros(250)])
    for how in ("standard", "robust"):
        ours = OnlineKernelPCA(3, scale=how, gamma=0.2).fit(rows)
        without = OnlineKernelPCA(3, scale=how, gamma=0.2).fit(X)
        assert_allclose(ours.transform(rows), without.transform(X), atol=1e-9)
        assert_allclose(ours.denoise(rows[:3])[:, 4:], rows[:3, 4:], atol=1e-9)


def test_units_do_not_matter():
    one = OnlineKernelPCA(3, scale="robust", gamma="median").fit(X)
    other = OnlineKernelPCA(3, scale="robust", gamma="median").fit(X * 1024)
    assert_allclose(one.transform(X), other.transform(X * 1024), atol=1e-9)
    assert one.gamma_ == pytest.approx(other.gamma_, rel=1e-12)


def test_float32():
    rows = (UNIT * [1, 10, 300, 1000]).astype(np.float32)
    ours = OnlineKernelPCA(3, scale="standard", gamma="median").fit(rows)
    assert ours.transform(rows).dtype == np.float32


# -- sigma, and words for gamma -------------------------------------------------------------------


def test_sigma_is_another_spelling():
    assert OnlineKernelPCA(sigma=2.0).fit(UNIT).gamma_ == 1 / 8
    rows = normal(50, 4)
    narrow = OnlineKernelPCA(kernel="exponential", sigma=0.5).fit(rows)
    assert narrow.kernel_ == kernels.Exponential(0.5)
    inside = OnlineKernelPCA(kernel="wavelet", kernel_params={"kernel": "rbf"}, sigma=2.0).fit(rows)
    assert inside.gamma_ == 1 / 8


@pytest.mark.parametrize(
    ("params", "what"),
    [
        ({"sigma": 1.0, "gamma": 0.5}, "gamma=0.5 and sigma=1.0 both say how wide"),
        ({"sigma": 1.0, "gamma": "median"}, "both say how wide"),
        ({"sigma": 1.0, "kernel": "laplacian"}, "'laplacian' has no sigma"),
        ({"sigma": 1.0, "kernel": kernels.RBF()}, "sigma=1.0 is for kernels by name"),
        ({"sigma": -1.0}, "'sigma' parameter"),
        ({"sigma": "median"}, "'sigma' parameter"),
        ({"gamma": "auto"}, "'gamma' parameter"),
        ({"scale": "minmax"}, "'scale' parameter"),
        ({"scale": True}, "'scale' parameter"),
    ],
    ids=str,
)
def test_refused(params, what):
    with pytest.raises(ValueError, match=what):
        OnlineKernelPCA(**params).fit(X)


def test_gamma_of_what():
    rows = normal(50, 4)
    two = kernels.RBF(0.5) + kernels.Laplacian(0.1)
    several = OnlineKernelPCA(kernel=two, gamma="median").fit(rows)
    with pytest.raises(AttributeError, match="has no gamma, or more than one"):
        print(several.gamma_)
    assert OnlineKernelPCA(kernel=2.0 * kernels.RBF(0.5)).fit(rows).gamma_ == 0.5
    assert OnlineKernelPCA(kernel="linear").fit(rows).gamma_ == 0.25
    with pytest.raises(AttributeError, match="has no gamma"):
        print(OnlineKernelPCA(kernel="exponential", sigma=2.0).fit(rows).gamma_)


def test_presets_pass_them_on():
    model = presets.okha(2, gamma="median", scale="robust").fit(X)
    assert model.kernel_.kernel.gamma == model.gamma_
    assert presets.okha(2, sigma=2.0).fit(UNIT).gamma_ == 1 / 8


def test_a_subspace_of_rows():
    rows = normal(40, 3)
    kernel = kernels.Standardizing(kernels.RBF("median"))
    assert Subspace.batch(kernel, rows, 2).kernel == kernel.settled(rows)
