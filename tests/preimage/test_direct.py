"""Pre-images without a search: conformal map, ridge map, and what is known exactly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA, KernelPCA

from helpers import normal
from okpca import OnlineKernelPCA, kernels, preimage
from okpca.preimage import Conformal, FixedPoint, Gradient, NonNegative, Ridge
from oracles import preimages
from preimage_tools import (
    AFFINE,
    EXACT,
    GAMMA,
    KAPPA,
    METHODS,
    SEARCHES,
    fitted,
    target_of,
)

# -- conformal map ---------------------------------------------------------------------------------


@pytest.mark.parametrize("eta", [0.0, 0.3])
@pytest.mark.parametrize("kernel", [kernels.RBF(0.05), kernels.Exponential(3.0)], ids=repr)
def test_conformal_as_in_the_paper(kernel, eta):
    """Few atoms in many columns: P − η K⁻¹ has no negative eigenvalue."""
    model = fitted(3, n=8, d=20, kernel=kernel)
    atoms = model.atoms_
    literal = atoms @ atoms.T - eta * np.linalg.inv(kernel(atoms))
    assert np.linalg.eigvalsh(literal)[0] > 0
    target = target_of(model, normal(5, 20, seed=3))
    found, fine = Conformal(eta=eta).find(target, None)
    assert fine.all()
    for x, dual in zip(found, target.dual, strict=True):
        slow = preimages.conformal(kernel, atoms, dual, eta)
        assert_allclose(x, slow, atol=1e-8)


def test_conformal_keeps_its_feet_where_the_paper_does_not():
    """Many atoms in few columns: K⁻¹ is huge. The paper's map throws rows away, ours does not."""
    model = OnlineKernelPCA(6, gamma=GAMMA, nu=1e-3).fit(normal(300, 2))
    assert model.n_atoms_ > 20
    probe = normal(40, 2, seed=3)
    target = target_of(model, probe)
    found, _ = Conformal(eta=10).find(target, None)
    slow = np.array([preimages.conformal(KAPPA, model.atoms_, dual, 10) for dual in target.dual])
    mine, theirs = (np.median(np.linalg.norm(x - probe, axis=1)) for x in (found, slow))
    assert mine < 0.5
    assert theirs > 100 * mine


def test_conformal_leaves_out_directions_that_would_blow_up():
    """As many atoms as columns of very different sizes: D⁻¹ is huge in some directions."""
    size = np.logspace(0, -2, 10)
    model = OnlineKernelPCA(6, kernel="cosine", nu=1e-3).fit((normal(300, 10) + 2) * size)
    probe = (normal(40, 10, seed=3) + 2) * size
    found, _ = Conformal().find(target_of(model, probe), None)
    off = np.linalg.norm(found - probe, axis=1)
    assert np.median(off) < 0.5 * np.median(np.linalg.norm(probe, axis=1))


def test_conformal_as_printed():
    """To the letter: P − η K⁻¹ has negative eigenvalues, components are not orthonormal."""
    model = OnlineKernelPCA(4, gamma=GAMMA, nu=0.3, rule="okha", random_state=0).fit(normal(200, 3))
    atoms, probe, eta = model.atoms_, normal(5, 3, seed=3), 0.5
    assert np.linalg.eigvalsh(atoms @ atoms.T - eta * np.linalg.inv(KAPPA(atoms, atoms)))[0] < 0
    found, _ = Conformal(eta=eta, printed=True).find(target_of(model, probe), None)
    for x, y in zip(found, model.transform(probe), strict=True):
        dual = preimages.signature(model.dual_coef_.T, y, model.mean_)
        assert_allclose(x, preimages.conformal(KAPPA, atoms, dual, eta), rtol=1e-6)
    ours, _ = Conformal(eta=eta).find(target_of(model, probe), None)
    assert np.abs(ours - found).max() > 0.01


def test_a_weighted_step_towards_the_printed_target():
    model = OnlineKernelPCA(4, gamma=GAMMA, nu=0.3, rule="okha", random_state=0).fit(normal(200, 3))
    probe, sigma = np.abs(normal(5, 3, seed=3)), (2 * GAMMA) ** -0.5
    step = NonNegative(step=0.3, max_iter=1, printed=True)
    found, _ = step.find(target_of(model, probe), probe)
    for x, start, y in zip(found, probe, model.transform(probe), strict=True):
        dual = preimages.signature(model.dual_coef_.T, y, model.mean_)
        slope = preimages.ascent(sigma, model.atoms_, dual, start)
        assert_allclose(x, np.maximum(start + 0.3 * start * slope, 0), rtol=1e-9)
    ours, _ = NonNegative(step=0.3, max_iter=1).find(target_of(model, probe), probe)
    assert np.abs(ours - found).max() > 1e-6


def test_conformal_inner_products_are_optimal():
    """[P − η K⁻¹]₊ minimises ½‖P − M‖² + η tr(M K⁻¹) over M ⪰ 0: no random M does better."""
    rng, atoms = np.random.default_rng(0), normal(6, 3)
    P, K = atoms @ atoms.T, KAPPA(atoms, atoms)
    eta = 2.0
    values, U = np.linalg.eigh(P - eta * np.linalg.inv(K))
    assert values[0] < 0 < values[-1]
    best = (U * np.maximum(values, 0)) @ U.T

    def cost(M):
        return 0.5 * np.square(P - M).sum() + eta * np.trace(M @ np.linalg.inv(K))

    for _ in range(200):
        G = rng.normal(size=(6, 6)) * rng.choice([0.01, 0.1, 1])
        assert cost(best) <= cost(best + G @ G.T) + 1e-12
        assert cost(best) <= cost(G @ G.T) + 1e-12


def test_conformal_does_not_depend_on_units():
    X, probe = normal(60, 3), normal(5, 3, seed=2)
    found = []
    for scale in (1.0, 1e-120, 1e120):
        model = OnlineKernelPCA(3, gamma=GAMMA / scale**2, nu=1e-3).fit(scale * X)
        found.append(Conformal().find(target_of(model, scale * probe), None)[0] / scale)
    assert_allclose(found[1], found[0], atol=1e-8)
    assert_allclose(found[2], found[0], atol=1e-8)


# -- ridge -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "poly", "cosine"])
@pytest.mark.parametrize("alpha", [1.0, 1e-3])
def test_ridge_is_scikit_learns(kernel, alpha):
    X = normal(25, 40 if kernel == "cosine" else 6)
    probe = normal(9, X.shape[1], seed=4)
    options = {"kernel": kernel, "gamma": 0.1, "degree": 2}
    theirs = KernelPCA(4, fit_inverse_transform=True, alpha=alpha, **options).fit(X)
    mine = OnlineKernelPCA(4, **options, **EXACT).fit(X)
    assert mine.n_atoms_ == 25
    target = target_of(mine, probe)
    found, fine = Ridge(alpha=alpha).find(target, None)
    assert fine.all()
    assert_allclose(found, theirs.inverse_transform(theirs.transform(probe)), atol=1e-7)


def test_ridge_kernels():
    """A kernel of its own; and scores are no signals, so of a wavelet kernel only the inside."""
    model = fitted(3, d=8, kernel=kernels.Wavelet(kernel=kernels.RBF(0.1)))
    target = target_of(model, normal(4, 8, seed=2))
    inside, _ = Ridge().find(target, None)
    named, _ = Ridge(kernel=kernels.RBF(0.1)).find(target, None)
    other, _ = Ridge(kernel="linear").find(target, None)
    assert_array_equal(inside, named)
    assert np.abs(other - named).max() > 0.01


# -- exact where it can be -------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", AFFINE, ids=repr)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_pca(kernel, method):
    X = normal(60, 4) * [3, 2, 1, 0.5] + [5, 1, 0, -2]
    model = OnlineKernelPCA(2, kernel=kernel, **EXACT).fit(X)
    pca = PCA(2).fit(X)
    expected = pca.inverse_transform(pca.transform(X))
    if method.non_negative:
        expected = np.maximum(expected, 0)
    found = preimage.find(method, target_of(model, X))
    assert found.converged.all()
    assert_allclose(found.X, expected, atol=1e-10)


def test_uncentred_pca():
    X = normal(60, 4) * [3, 2, 1, 0.5] + [5, 1, 0, -2]
    model = OnlineKernelPCA(2, kernel="linear", center=False, **EXACT).fit(X)
    Vt = np.linalg.svd(X, full_matrices=False)[2][:2]
    assert_allclose(preimage.find(FixedPoint(), target_of(model, X)).X, X @ Vt.T @ Vt, atol=1e-10)


def test_non_negative_is_optimal_for_the_linear_kernel():
    """The nearest non-negative point to an x is max(x, 0)."""
    X = normal(40, 3)
    model = OnlineKernelPCA(2, kernel="linear", **EXACT).fit(X)
    target = target_of(model, X)
    found = preimage.find(NonNegative(), target)
    plain = preimage.find(Gradient(), target)
    assert (plain.X < 0).any()
    assert_allclose(found.X, np.maximum(plain.X, 0), atol=1e-12)
    assert_allclose(found.distance, np.square(found.X - plain.X).sum(axis=1), atol=1e-9)


@pytest.mark.parametrize("method", [FixedPoint(), Gradient()], ids=repr)
def test_all_components_give_the_rows_back(method):
    X = normal(25, 3)
    model = OnlineKernelPCA(None, gamma=1.0, **EXACT).fit(X)
    found = preimage.find(method, target_of(model, X))
    assert found.converged.all()
    assert_allclose(found.distance, 0, atol=1e-8)
    assert_allclose(found.X, X, atol=1e-4)


@pytest.mark.parametrize("method", SEARCHES, ids=repr)
@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_units_do_not_matter(method, scale):
    X, probe = normal(50, 3), normal(6, 3, seed=2)
    one = OnlineKernelPCA(3, gamma=GAMMA, **EXACT).fit(X)
    other = OnlineKernelPCA(3, gamma=GAMMA / scale**2, **EXACT).fit(scale * X)
    for start in (False, True):
        a = preimage.find(method, target_of(one, probe), probe if start else None)
        b = preimage.find(method, target_of(other, scale * probe), scale * probe if start else None)
        assert_allclose(b.X / scale, a.X, atol=1e-5)
