"""Pre-images by descent, against scipy, finite differences and Honeine's steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize

from helpers import normal
from okpca import OnlineKernelPCA, kernels, preimage
from okpca.preimage import FixedPoint, Gradient, NonNegative, Target
from okpca.preimage.descent import Problem, descend
from oracles import kernel_pca, preimages
from preimage_tools import (
    EXACT,
    GAMMA,
    KAPPA,
    SEARCHES,
    SIGMA,
    SMOOTH,
    fitted,
    target_of,
    with_coefficients,
)

# -- gradient --------------------------------------------------------------------------------------


def test_fixed_point_and_gradient_agree():
    probe = normal(20, 4, seed=4)
    target = target_of(fitted(), probe)
    a, fine = FixedPoint(tol=1e-9, max_iter=3000).find(target, probe)
    b, also = Gradient(tol=1e-9, max_iter=3000).find(target, probe)
    assert fine.all()
    assert also.all()
    assert_allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("kernel", [k for k in SMOOTH if "Lapl" not in repr(k)], ids=repr)
@pytest.mark.parametrize("bounded", [False, True])
def test_as_low_as_scipy(kernel, bounded):
    model = fitted(3, kernel=kernel)
    probe = np.abs(normal(6, 4, seed=3)) + 0.1
    target = target_of(model, probe)
    method = (NonNegative if bounded else Gradient)(tol=1e-8, max_iter=2000)
    found, converged = method.find(target, probe)
    assert converged.all()
    assert not bounded or (found >= 0).all()
    as_low = []
    for t, start in enumerate(probe):
        theirs = minimize(
            lambda x, t=t: (target.half_distance(x[None], [t])[0], target.slope(x[None], [t])[0]),
            start,
            jac=True,
            bounds=[(0, None)] * 4 if bounded else None,
            method="L-BFGS-B",
            options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-10},
        )
        mine = target.half_distance(found[[t]], [t])[0]
        as_low.append(mine <= theirs.fun + 1e-6)
        assert mine <= target.half_distance(start[None], [t])[0]
    assert sum(as_low) >= 5  # of 6: another valley may be as good an answer


@pytest.mark.parametrize("kernel", SMOOTH, ids=repr)
@pytest.mark.parametrize("method", SEARCHES, ids=repr)
def test_a_point_of_the_data_is_found(kernel, method):
    """g = φ(x) itself, reached from a start nearby: the only pre-image is x (or its line)."""
    atoms = np.abs(normal(6, 4)) + 0.2
    dual = np.eye(6)[[2, 4]]
    target = with_coefficients(kernel, atoms, dual)
    start = atoms[[2, 4]] * (1 + 0.05 * normal(2, 4, seed=3))
    found = preimage.find(method, target, start)
    # ‖φ(x) − φ(d)‖² has a cusp at d for the last two, and grows with |x − d|, not its square.
    cusp = isinstance(kernel, kernels.Exponential | kernels.Laplacian)
    assert_allclose(found.distance, 0, atol=1e-3 if cusp else 1e-5)
    if "Cosine" not in repr(kernel) and "coef0=0" not in repr(kernel):
        assert_allclose(found.X, atoms[[2, 4]], atol=5e-3)


def test_blocks_of_rows_for_kernels_of_changing_norm():
    """More rows than are worked on at a time."""
    model = fitted(2, kernel=kernels.Polynomial(degree=2, gamma=0.3))
    probe = normal(300, 4, seed=3)
    target = target_of(model, probe)
    X, flags = Gradient().find(target, probe)
    assert flags.all()
    for part in (slice(0, 5), slice(250, 300)):
        alone = Target(target.model, target.scores[part])
        assert_allclose(Gradient().find(alone, probe[part])[0], X[part], atol=1e-5)


@pytest.mark.parametrize("method", [Gradient(), NonNegative()], ids=repr)
def test_where_there_is_no_slope(method):
    """Far from all atoms κ = 0: the search begins again at the nearest atom."""
    target = target_of(fitted(), np.abs(normal(3, 4, seed=4)))
    expected, _ = method.find(target, target.atom())
    found, converged = method.find(target, np.full((3, 4), 1e3))
    assert converged.all()
    assert_allclose(found, expected, atol=1e-6)
    found, converged = method.find(target, np.vstack([target.atom()[:2], np.full((1, 4), 1e3)]))
    assert converged.all()
    assert_allclose(found, expected, atol=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize("method", [Gradient(), NonNegative()], ids=repr)
def test_nothing_comes_near(method):
    """g < 0 everywhere: whatever the search says, it has not found a pre-image."""
    target = with_coefficients(kernels.RBF(GAMMA), np.array([[0.0], [1.0]]), [-1.0, -0.2])
    found, converged = method.find(target, None)
    assert not converged.any()
    assert np.isfinite(found).all()


def test_descent_on_parabolas():
    """Many conditions at once, with and without bounds: the minimum is known."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(20, 3))
    curvature = 10.0 ** rng.uniform(-1, 2, size=(20, 3))

    def value(x, rows):
        return 0.5 * (curvature[rows] * (x - centres[rows]) ** 2).sum(axis=1)

    def slope(x, rows):
        return curvature[rows] * (x - centres[rows])

    for bounded in (False, True):
        problem = Problem(value, slope, reach=1.0, non_negative=bounded)
        x, converged = descend(problem, np.ones((20, 3)), 100, 1e-9)
        assert converged.all()
        assert_allclose(x, np.maximum(centres, 0) if bounded else centres, atol=1e-6)


def test_descent_steps_back_from_where_there_is_no_value():
    """−log x − log(1 − x): NaN outside 0..1, the minimum at ½."""

    def value(x, rows):
        with np.errstate(all="ignore"):
            return (-np.log(x) - np.log(1 - x)).sum(axis=1)

    def slope(x, rows):
        with np.errstate(all="ignore"):
            return -1 / x + 1 / (1 - x)

    problem = Problem(value, slope, reach=10.0)
    with np.errstate(all="ignore"):
        x, converged = descend(problem, np.array([[0.01], [0.9], [2.0]]), 200, 1e-8)
    assert_array_equal(converged, [True, True, False])  # the last starts outside
    assert_allclose(x[:2], 0.5, atol=1e-5)
    assert_array_equal(x[2], [2.0])


# -- non-negative ----------------------------------------------------------------------------------


def test_the_corrected_gradient_is_one():
    """The oracle is −½ ∇J; as printed (no minus in the exponent, no mean) it is not."""
    X = normal(20, 3)
    batch = kernel_pca.batch_kpca(KAPPA(X, X), 3)
    y, mean, x = batch.projections[4], np.full(20, 1 / 20), normal(1, 3, seed=8)[0]
    c = preimages.signature(batch.dual_coef, y, mean)
    numeric = approx_fprime(x, lambda x: preimages.distance(KAPPA, X, c, x), 1e-7)
    assert_allclose(preimages.ascent(SIGMA, X, c, x), -0.5 * numeric, atol=1e-6)
    without = preimages.ascent(SIGMA, X, c - mean, x)
    assert np.abs(without + 0.5 * numeric).max() > 0.01


@pytest.mark.parametrize("steps", [1, 3])
def test_weighted_steps(steps):
    """Honeine 6.2, row by row."""
    X = np.abs(normal(30, 3))
    model = OnlineKernelPCA(3, gamma=GAMMA, **EXACT).fit(X)
    probe = normal(6, 3, seed=2)
    target = target_of(model, probe)
    found, fine = NonNegative(step=1.5, max_iter=steps).find(target, probe)
    assert fine.all()
    for x, dual, start in zip(found, target.dual, probe, strict=True):
        slow = preimages.weighted_steps(SIGMA, model.atoms_, dual, start, 1.5, steps)
        assert_allclose(x, slow, atol=1e-8)
    assert (found[probe < 0] == 0).all()
    assert (found > 0).any()
