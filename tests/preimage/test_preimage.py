"""Pre-images: what is asked for, the fixed point, fallbacks, and the choice of a method."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime

from helpers import normal
from okpca import OnlineKernelPCA, kernels, preimage, rules
from okpca.dictionary import Fixed
from okpca.estimator import model_of
from okpca.kernels.base import Trait
from okpca.model import components
from okpca.preimage import Conformal, FixedPoint, Gradient, NonNegative, Ridge, Target
from oracles import kernel_pca, preimages
from preimage_tools import (
    AFFINE,
    EXACT,
    GAMMA,
    KAPPA,
    METHODS,
    SEARCHES,
    SMOOTH,
    fitted,
    target_of,
    with_coefficients,
)

# -- the function that is asked for ----------------------------------------------------------------


@pytest.mark.parametrize("center", [True, False])
def test_22(center):
    """The target is Honeine's signature, mean included, as a function of any point."""
    X, probe = normal(30, 3), normal(12, 3, seed=5)
    model = OnlineKernelPCA(4, gamma=GAMMA, center=center, **EXACT).fit(X)
    target = target_of(model, probe)
    batch = kernel_pca.batch_kpca(KAPPA(X, X), 4, center=center)
    scores = kernel_pca.batch_kpca_project(KAPPA(probe, X), KAPPA(X, X), batch.dual_coef, center)
    mean = np.full(30, 1 / 30) if center else np.zeros(30)
    for t, y in enumerate(scores):
        c = preimages.signature(batch.dual_coef, y, mean)
        mine = model.kernel_(probe, model.atoms_) @ target.dual[t]
        assert_allclose(mine, KAPPA(probe, X) @ c, atol=1e-8)
        far = [preimages.distance(KAPPA, X, c, x) for x in probe]
        assert_allclose(target.distance(probe, np.full(12, t)), far, atol=1e-8)


@pytest.mark.parametrize("rule", ["okha", rules.Hebbian(deflation=2, schedule=0.05)], ids=repr)
def test_components_that_are_not_orthonormal(rule):
    """⟨v_j, g − μ⟩ = y_j, and g − μ lies in their span: the projection, not Σ y_j v_j."""
    model = fitted(3, n=400, nu=0.05, rule=rule, random_state=0)
    target, V = target_of(model, normal(5, 4, seed=1)), components(model_of(model)).V
    assert np.abs(V @ V.T - np.eye(3)).max() > 0.05
    along = target.coordinates - model_of(model).centre.mean
    assert_allclose(along @ V.T, target.scores, atol=1e-6 * np.abs(target.scores).max())
    outside = along - np.linalg.lstsq(V.T, along.T, rcond=None)[0].T @ V
    assert_allclose(outside, 0, atol=1e-10)


@pytest.mark.parametrize("kernel", SMOOTH, ids=repr)
def test_slopes(kernel):
    """Against finite differences, the part of κ(x, x) included."""
    model = fitted(3, kernel=kernel)
    X = normal(5, 4, seed=9)
    target, rows = target_of(model, X), np.arange(5)
    slope = target.slope(X, rows)
    for t in rows:
        numeric = approx_fprime(X[t], lambda x, t=t: target.half_distance(x[None], [t])[0], 1e-7)
        assert_allclose(slope[t], numeric, atol=2e-6 * max(1, np.abs(numeric).max()))


# -- what is known of a kernel ---------------------------------------------------------------------


@pytest.mark.parametrize("kernel", SMOOTH + AFFINE, ids=repr)
def test_kinds(kernel):
    """What is claimed of a kernel holds, and is claimed wherever it holds."""
    kernel = kernel.resolved(4)
    a, b, c, y = (normal(6, 4, seed=s) for s in range(4))
    assert (Trait.CONSTANT_NORM in kernel.traits) == bool(np.ptp(kernel.diag(a)) < 1e-12)
    bent = kernel(a + b - c, y) - kernel(a, y) - kernel(b, y) + kernel(c, y)
    assert (Trait.AFFINE in kernel.traits) == bool(np.abs(bent).max() < 1e-10)
    assert (Trait.GAUSSIAN in kernel.traits) == (
        repr(kernel) in {repr(k.resolved(4)) for k in SMOOTH[:2]}
    )


# -- fixed point -----------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_fixed_point_row_by_row(center, scale):
    X, probe = normal(40, 3), normal(8, 3, seed=4)
    kernel = scale * kernels.RBF(GAMMA)
    model = OnlineKernelPCA(4, kernel=kernel, center=center, **EXACT).fit(X)
    target = target_of(model, probe)
    found, converged = FixedPoint(tol=1e-10, max_iter=5000).find(target, probe)
    assert converged.all()
    for x, dual, start in zip(found, target.dual, probe, strict=True):
        slow = preimages.fixed_point(GAMMA, model.atoms_, dual, start, 3000)
        assert_allclose(x, slow, atol=1e-6)


def test_rows_do_not_see_each_other():
    probe = 2 * normal(30, 4, seed=4)
    target = target_of(fitted(), probe)
    for method in SEARCHES:
        together, flags = method.find(target, probe)
        for t in (0, 7, 29):
            alone = Target(target.model, target.scores[[t]])
            x, flag = method.find(alone, probe[[t]])
            assert_allclose(x[0], together[t], atol=1e-5)
            assert flag[0] == flags[t]


def test_a_step_too_far_is_taken_back():
    """Weights of both signs: the plain iteration leaves the hill it stands on, the guarded climbs.

    Between a strong positive and a strong negative atom the fixed point lies far outside.
    """
    atoms = np.array([[0.0], [1.0], [3.0]])
    dual = np.array([1.0, -0.9, 0.3])
    start = np.array([[0.8]])
    target = with_coefficients(kernels.RBF(GAMMA), atoms, dual)
    plain = preimages.fixed_point(GAMMA, atoms, dual, start[0], 1)
    assert target.half_distance(plain[None]) > target.half_distance(start) + 0.005
    found, converged = FixedPoint(restarts=0).find(target, start)
    assert converged.all()
    assert target.half_distance(found) < target.half_distance(start)
    assert_allclose(target.slope(found, [0]), 0, atol=1e-5)


def test_collapse_starts_again_from_the_nearest_atom():
    """Where no atom is seen (all κ = 0), or g(x) < 0, the fixed point says nothing."""
    target = target_of(fitted(), normal(3, 4, seed=4))
    expected, _ = FixedPoint().find(target, target.atom())
    far = np.full((3, 4), 1e3)
    found, converged = FixedPoint().find(target, far)
    assert converged.all()
    assert_allclose(found, expected, atol=1e-12)
    stuck, converged = FixedPoint(restarts=0).find(target, far)
    assert not converged.any()
    assert_array_equal(stuck, target.atom())  # nearer than where it stood

    atoms = np.array([[0.0], [4.0]])
    two = with_coefficients(kernels.RBF(GAMMA), atoms, [1.0, -1.0])
    found, converged = FixedPoint().find(two, np.array([[4.1]]))
    assert converged.all()
    assert_allclose(found, 0.0, atol=0.05)  # the hill, not the valley it started in


def test_no_hill_at_all():
    """g < 0 everywhere: no fixed point is nearest. The best atom, and not converged."""
    atoms = np.array([[0.0], [1.0]])
    target = with_coefficients(kernels.RBF(GAMMA), atoms, [-1.0, -0.2])
    found, converged = FixedPoint().find(target, None)
    assert not converged.any()
    assert_array_equal(found, [[1.0]])


def test_too_few_steps():
    probe = normal(6, 4, seed=4)
    target = target_of(fitted(), probe)
    for method in (FixedPoint(max_iter=1), Gradient(max_iter=1), NonNegative(max_iter=1)):
        found, converged = method.find(target, np.maximum(probe, 0))
        assert not converged.any()
        assert (target.half_distance(found) <= target.half_distance(np.maximum(probe, 0))).all()


def test_other_kernels_follow_the_gradient():
    target = target_of(fitted(kernel=SMOOTH[2]), normal(4, 4, seed=4))
    for start in (None, normal(4, 4, seed=5)):
        a, flags = FixedPoint(max_iter=50, tol=1e-5).find(target, start)
        b, other = Gradient(max_iter=50, tol=1e-5).find(target, start)
        assert_array_equal(a, b)
        assert_array_equal(flags, other)


# -- start and fallback ----------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [*SMOOTH, kernels.Linear()], ids=repr)
def test_start_is_no_worse_than_any_atom(kernel):
    model = fitted(3, kernel=kernel)
    target = target_of(model, normal(7, 4, seed=3))
    start = target.half_distance(target.start())
    for atom in model.atoms_:
        assert (start <= target.half_distance(np.tile(atom, (7, 1))) + 1e-9).all()
    values = [target.half_distance(target.atom(rank)) for rank in range(3)]
    assert (np.diff(values, axis=0) >= -1e-12).all()


@pytest.mark.parametrize("non_negative", [False, True])
def test_what_is_not_finite_falls_back_on_an_atom(non_negative):
    class Broken(preimage.PreImage):
        def find(self, target, start):
            X = np.zeros((len(target.scores), 4))
            X[1] = np.nan
            return X, np.ones(len(X), dtype=bool)

    Broken.non_negative = non_negative
    target = target_of(fitted(), normal(3, 4, seed=1))
    found, atom = preimage.find(Broken(), target), target.atom()[1]
    assert_array_equal(found.converged, [True, False, True])
    assert (atom < 0).any()
    assert_array_equal(found.X[1], np.maximum(atom, 0) if non_negative else atom)
    assert np.isfinite(found.distance).all()


@pytest.mark.parametrize("kernel", [*SMOOTH[:3], SMOOTH[6]], ids=repr)
@pytest.mark.parametrize("size", [1e-300, 1e100, 1e307])
def test_absurd_scores(kernel, size):
    """Something finite comes back, and no warning but the flags."""
    model = fitted(2, n=20, kernel=kernel)
    scores = size * np.array([[1.0, -1.0], [1.0, 1.0], [0.0, 0.0]])
    for method in METHODS:
        if isinstance(method, preimage.Distances) and isinstance(kernel, kernels.Cosine):
            continue  # which does not tell a distance
        found = preimage.find(method, Target(model_of(model), scores))
        assert np.isfinite(found.X).all()
        assert found.converged[2]


def test_distance_is_that_of_the_answer():
    probe = normal(5, 4, seed=1)
    target = target_of(fitted(), probe)
    for method in METHODS:
        found = preimage.find(method, target, probe)
        slow = [
            preimages.distance(KAPPA, target.basis.atoms, dual, x)
            for dual, x in zip(target.dual, found.X, strict=True)
        ]
        assert_allclose(found.distance, slow, atol=1e-8)


def test_no_atoms():
    """Rows of zeros under the linear kernel: nothing is known but the origin."""
    model = OnlineKernelPCA(2, kernel="linear").fit(np.zeros((3, 4)))
    for rule in ("exact", "okha"):
        model = OnlineKernelPCA(2, kernel="linear", rule=rule).fit(np.zeros((3, 4)))
        found = preimage.find(Gradient(), Target(model_of(model), normal(5, 2)))
        assert_array_equal(found.X, np.zeros((5, 4)))


# -- choice ----------------------------------------------------------------------------------------


def test_names():
    assert preimage.make("fixed_point") == FixedPoint()
    assert preimage.make("gradient") == Gradient()
    assert preimage.make("nonnegative") == NonNegative()
    assert preimage.make("conformal") == Conformal()
    assert preimage.make("ridge") == Ridge()
    assert preimage.make("distances") == preimage.Distances()
    mine = FixedPoint(max_iter=7)
    assert preimage.make(mine) is mine
    with pytest.raises(ValueError, match=r"one of \['conformal', 'distances', .*got 'fixed'"):
        preimage.make("fixed")
    with pytest.raises(ValueError, match=r"or an object of okpca\.preimage, got None"):
        preimage.make(None)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: FixedPoint(max_iter=0), "FixedPoint: max_iter must be an integer >= 1, got 0"),
        (lambda: FixedPoint(max_iter=2.5), "FixedPoint: max_iter must be an integer"),
        (lambda: FixedPoint(tol=0), "FixedPoint: tol must be a positive finite number, got 0"),
        (lambda: FixedPoint(restarts=-1), "FixedPoint: restarts must be an integer >= 0"),
        (lambda: Gradient(max_iter=True), "Gradient: max_iter must be an integer"),
        (lambda: Gradient(tol=np.nan), "Gradient: tol must be a positive finite number, got nan"),
        (lambda: NonNegative(step=-1), "NonNegative: step must be a positive finite number"),
        (lambda: NonNegative(tol="x"), "NonNegative: tol must be a positive"),
        (lambda: NonNegative(printed=True), "printed=True of NonNegative is for steps"),
        (lambda: Conformal(eta=-1), "Conformal: eta must be a non-negative finite number, got -1"),
        (lambda: Ridge(alpha=0), "Ridge: alpha must be a positive finite number, got 0"),
        (lambda: Ridge(kernel="brf"), "kernel must be one of"),
    ],
)
def test_bad_parameters(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("method", SEARCHES, ids=repr)
def test_kernels_without_gradient(method):
    model = OnlineKernelPCA(2, kernel=KAPPA, **EXACT).fit(normal(20, 3))
    target = target_of(model, normal(4, 3, seed=1))
    with pytest.raises(ValueError, match=r"has none: use preimage='ridge' or preimage='conformal'"):
        method.find(target, None)
    for other in (Conformal(), Ridge()):
        assert np.isfinite(other.find(target, None)[0]).all()


def test_empirical_geometry():
    """Only the learned map knows nothing of the feature space."""
    model = OnlineKernelPCA(
        2, gamma=GAMMA, geometry="empirical", dictionary=Fixed(normal(10, 3, seed=2))
    ).fit(normal(40, 3))
    target = target_of(model, normal(4, 3, seed=1))
    for method in (FixedPoint(), Gradient(), NonNegative(), Conformal()):
        with pytest.raises(ValueError, match=r"geometry='rkhs'.*only preimage='ridge'"):
            preimage.find(method, target)
    assert preimage.find(Ridge(), target).converged.all()


def test_hebbian_models_have_pre_images():
    X = normal(200, 3)
    rule = rules.Hebbian(deflation=2, normalize=True, schedule=0.05)
    model = OnlineKernelPCA(4, gamma=GAMMA, nu=1e-2, rule=rule, random_state=0).fit(X)
    found = preimage.find(FixedPoint(), target_of(model, X), X)
    assert np.mean(found.converged) > 0.95
    assert np.square(found.X - X).sum(axis=1).mean() < 0.5 * X.var(axis=0).sum()
