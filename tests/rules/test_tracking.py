"""The weighted tracking rule: its transcription row by row, and what its derivation claims."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from helpers import cosines_over_epochs, normal, pairs, random_borders, stream
from okpca import OnlineKernelPCA, presets, rules
from okpca._core import compiled
from oracles import functions, kernel_pca
from oracles.tracking import NaiveTracking

pytestmark = pytest.mark.leaves

DICTIONARIES = {  # nu, gamma, max_atoms
    "nu=1e-3": (1e-3, 0.05, None),
    "nu=0.1": (0.1, 0.5, None),
    "full": (0.1, 0.5, 8),
}
SETTINGS = {  # first_weight, weight_step, beta
    "as published": (0.9, 0.05, 0.9999),
    "short": (1.0, 0.3, 0.95),
    "no forgetting": (2.0, 0.5, 1.0),
}


def pair(sizes, setting, center, r=3):
    nu, gamma, max_atoms = sizes
    first, step, beta = setting
    init = np.random.default_rng(1).normal(scale=np.sqrt(0.1), size=(r, 1))
    rule = rules.Tracking(first_weight=first, weight_step=step, beta=beta, init=init)
    model = OnlineKernelPCA(
        r, gamma=gamma, nu=nu, max_atoms=max_atoms, on_full="project", center=center, rule=rule
    )
    d = [first - j * step for j in range(r)]
    oracle = NaiveTracking(
        functions.rbf(gamma), nu, d, beta, init.T, center=center, max_atoms=max_atoms
    )
    return model, oracle


def values(oracle, probe):
    k = oracle.kappa(oracle.D, probe)
    if oracle.center:
        k = k - (oracle.K @ oracle.bar_beta)[:, None]
    return k.T @ oracle.normalised()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "setting", "center"), pairs(DICTIONARIES, SETTINGS, [False, True])
)
def test_every_row_agrees_with_the_transcription(name, setting, center):
    X, probe = normal(120, 2, seed=2), normal(4, 2, seed=3)
    model, oracle = pair(DICTIONARIES[name], SETTINGS[setting], center)
    tol = 1e-7 if name == "nu=1e-3" else 1e-9  # the inverse of that Gram matrix costs digits
    for x in X:
        model.partial_fit(x[None])
        oracle.step(x)
        assert model.n_atoms_ == oracle.m
        assert_allclose(model.transform(probe), values(oracle, probe), rtol=0, atol=tol)


def test_blocks_agree_with_the_transcription():
    X, probe = normal(300, 2, seed=4), normal(10, 2, seed=5)
    model, oracle = pair(DICTIONARIES["nu=0.1"], SETTINGS["short"], True)
    for piece in np.split(X, random_borders(300, seed=6, count=9)):
        if len(piece):
            model.partial_fit(piece)
            assert_allclose(
                model.transform(probe), values(oracle.run(piece), probe), rtol=0, atol=1e-9
            )


# -------------------------------------------------------------------------------- what it tends to


def spectrum_of(m=6):
    """Rows with known eigenvectors U of their moment matrix, in order."""
    sizes = np.sqrt([5.0, 3.0, 1.5, 0.5, 0.2, 0.1][:m])
    U, _ = np.linalg.qr(normal(m, m, seed=8))
    whitened, _ = np.linalg.qr(normal(6000, m, seed=9))  # so that the moments are exact
    return np.sqrt(6000) * whitened * sizes @ U, U


def cosines(model, U):
    return np.abs(np.sum(model.dual_coef_ @ model.atoms_ * U[: model.n_components], axis=1))


def linear(r, rule, **options):
    return OnlineKernelPCA(
        r, kernel="linear", nu=1e-9, center=False, rule=rule, random_state=0, **options
    )


def test_converges_to_the_eigenvectors_in_order():
    X, U = spectrum_of()
    model = linear(4, rules.Tracking(weight_step=0.2, beta=0.998))
    reached = [cosines(model.partial_fit(piece), U).min() for piece in np.split(X, 3)]
    assert reached[0] < reached[-1]
    assert reached[-1] > 0.98
    W = model.dual_coef_ @ model.atoms_
    assert_allclose(W @ W.T, np.eye(4), rtol=0, atol=0.06)


def test_the_wrong_order_is_not_stable():
    """Started from exact eigenvectors in the wrong order, it ends with the right one."""
    X, U = spectrum_of()
    L = np.eye(6)  # atoms are unit vectors: coordinates are those of the input space
    learner = rules.Tracking(weight_step=0.3, beta=0.995).born(3, L, np.random.RandomState(0))
    learner = replace(learner, V=np.sqrt([0.9, 0.6, 0.3])[:, None] * U[[2, 0, 1]])
    before = learner.spectrum(3)[1]
    assert_allclose(np.sum(before * U[:3], axis=1), 0, atol=1e-12)
    V, factor, power = learner.V.copy(), learner.factor.copy(), learner.power.copy()
    share = 1 / np.arange(1.0, len(X) + 1)
    compiled.tracking_rows(
        V, factor, np.array([0.9, 0.6, 0.3]), X, np.ones(len(X)), 0.995, power, share, 3
    )
    ends = np.abs(np.sum(V / np.linalg.norm(V, axis=1, keepdims=True) * U[:3], axis=1))
    assert ends.min() > 0.98


def test_the_subspace_is_found_before_the_components():
    X, U = spectrum_of()
    model = linear(3, rules.Tracking(first_weight=0.9, weight_step=0.01, beta=0.9999)).fit(X)
    W, _ = np.linalg.qr((model.dual_coef_ @ model.atoms_).T)
    inside = np.linalg.svd(W.T @ U[:3].T, compute_uv=False)
    assert inside.min() > 0.99
    assert cosines(model, U).min() < 0.95


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
def test_converges_to_kernel_pca_over_epochs(center):
    X = normal(30, 2) * [2, 0.7]
    rule = rules.Tracking(weight_step=0.4, beta=0.995)
    model = OnlineKernelPCA(2, gamma=0.3, nu=1e-3, center=center, rule=rule, random_state=0)
    batch = kernel_pca.batch_kpca(functions.rbf(0.3)(X, X), 2, center)
    cosine = cosines_over_epochs(model, X, batch.projections, (1, 9, 140))
    assert cosine[0] < cosine[-1]
    assert cosine[-1] > 0.998
    assert_allclose(model.explained_variance_, batch.eigenvalues / 30, rtol=0.1)


def test_follows_a_change():
    X, U = spectrum_of()
    R, _ = np.linalg.qr(normal(6, 6, seed=11))
    model = linear(2, rules.Tracking(weight_step=0.4, beta=0.995)).fit(X[:3000])
    assert cosines(model, U).min() > 0.99
    assert cosines(model, U @ R).min() < 0.8
    assert cosines(model.partial_fit(X[:3000] @ R), U @ R).min() > 0.99


def test_components_in_excess_vanish():
    X = normal(4000, 2) @ normal(2, 5, seed=1)
    model = linear(4, rules.Tracking(weight_step=0.2, beta=0.995)).fit(X)
    norms = np.linalg.norm(model.dual_coef_ @ model.atoms_, axis=1)
    assert_allclose(norms[:2], 1, rtol=0.02)
    assert norms[2:].max() < 0.06  # they started from about 0.4
    assert np.isfinite(model.explained_variance_).all()


# ------------------------------------------------------------------------------------- its bounds


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_size_of_the_first_row_does_not_matter(scale):
    """The first atom sets the scale of the sums: a small one must not throw the components off."""
    X, U = spectrum_of()
    X = np.vstack([scale * X[:1], X])
    model = linear(2, rules.Tracking(weight_step=0.4, beta=0.99)).fit(X)
    assert cosines(model, U).min() > 0.97


def test_an_outlier_does_not_throw_it_off():
    X, _ = spectrum_of()
    model = linear(3, rules.Tracking(weight_step=0.2, beta=0.999)).fit(X)
    before = model.dual_coef_ @ model.atoms_
    model.partial_fit(1e6 * normal(1, 6, seed=3))
    moved = model.dual_coef_ @ model.atoms_ - before
    assert 1e-3 < np.abs(moved).max() < 3


def test_forgetting_shortens_the_memory():
    X = normal(300, 3)

    def fit(beta, forgetting):
        rule = rules.Tracking(beta=beta, init=np.full((2, 1), 0.3))
        return OnlineKernelPCA(2, gamma=0.3, rule=rule, center=False, forgetting=forgetting).fit(X)

    assert_allclose(fit(0.95, 0.98).transform(X), fit(0.95 * 0.98, 1.0).transform(X), atol=1e-9)
    assert np.abs(fit(0.95, 0.98).transform(X) - fit(0.95, 1.0).transform(X)).max() > 1e-4


def test_start_has_the_published_variance_on_atoms_of_unit_norm():
    x = 7 * normal(1, 3)
    model = OnlineKernelPCA(
        400, kernel="linear", center=False, rule=rules.Tracking(weight_step=1e-9), random_state=0
    ).fit(x)
    start = model._model.learner.V  # those that have no dimension of their own are not shown
    assert start.var() == pytest.approx(0.1, rel=0.15)
    given = np.array([[0.2], [-0.4]])
    model = OnlineKernelPCA(2, kernel="linear", rule=rules.Tracking(init=given), center=False)
    V = model.fit(x)._model.learner.V
    assert_allclose(V / np.linalg.norm(x), given, rtol=1e-6)
    assert_allclose(model.dual_coef_, given / np.sqrt([[0.9], [0.85]]) * [[1], [0]], rtol=1e-6)


def test_rows_without_outputs_change_nothing():
    X = normal(50, 3)
    model = linear(2, rules.Tracking(beta=0.9)).fit(X)
    before = model.dual_coef_
    model.partial_fit(np.zeros((3000, 3)))  # 0.9^3000 underflows
    assert_array_equal(model.dual_coef_, before)
    assert np.isfinite(model.partial_fit(X).transform(X)).all()


# --------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta": 0}, "Tracking: beta must be a positive"),
        ({"beta": 1.1}, "beta of Tracking must be in"),
        ({"first_weight": -1}, "Tracking: first_weight must be a positive"),
        ({"weight_step": 0}, "Tracking: weight_step must be a positive"),
        ({"weight_step": np.nan}, "Tracking: weight_step must be a positive"),
        ({"init": "zeros"}, "init of Tracking must be"),
    ],
)
def test_impossible_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        rules.Tracking(**options)


def test_weights_that_run_out_are_refused():
    X = normal(40)
    OnlineKernelPCA(18, rule="tanaka").fit(X)
    model = OnlineKernelPCA(19, rule="tanaka")
    with pytest.raises(ValueError, match=r"positive for 18 components, not for 19: lower weight"):
        model.fit(X)
    assert not hasattr(model, "n_atoms_")
    OnlineKernelPCA(19, rule=rules.Tracking(weight_step=0.01)).fit(X)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("seed", "forgetting", "center"), [(17, 0.95, False), (43, 0.95, False), (50, 0.9, True)]
)
def test_more_components_than_atoms_for_any_slicing(seed, forgetting, center):
    """Those beyond the dimensions used to make the sums singular, and rounding all of them."""
    rng = np.random.default_rng(seed)
    X, probe = rng.normal(size=(320, 2)), rng.normal(size=(5, 2))
    model = presets.tanaka(
        5, gamma=0.5, max_atoms=1, on_full="project", forgetting=forgetting, center=center
    ).set_params(random_state=0)
    whole, cut = (stream(clone(model), X, borders) for borders in ((), range(1, 320)))
    assert_allclose(cut.transform(probe), whole.transform(probe), rtol=0, atol=1e-9)
    assert not whole.transform(probe)[:, 1:].any()


def test_robust_weights_with_more_components_than_atoms_for_any_slicing():
    """A block that is learned in parts has coordinates that its first rows have not."""
    X, probe = normal(36, 4, seed=2), normal(5, 4, seed=3)
    model = OnlineKernelPCA(5, rule="tanaka", robust="exponential", center=False, random_state=0)
    whole, cut = (stream(clone(model), X, borders) for borders in ((), range(1, 36)))
    assert_allclose(cut.transform(probe), whole.transform(probe), rtol=0, atol=1e-9)
