"""Huang & Yeh's Algorithm 1 with all that it leaves open: μ₁, Γ₁, η_t, a z below zero, the warm
start of section 3.2."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from helpers import normal, up_to_sign
from okpca import OnlineKernelPCA, kernels, load, presets, weights
from okpca.dictionary import Fixed
from okpca.model.empirical import Empirical
from okpca.rules import Exact, Hebbian, Tracking
from okpca.rules.schedules import Constant, Inverse, SearchThenConverge
from oracles import huang_yeh

X, POINTS = normal(40, 2, seed=1), normal(5, 2, seed=2)
GAMMA_1 = np.random.default_rng(3).normal(size=(5, 2)) / np.sqrt(5)
MU_1 = np.linspace(0.1, 0.9, 5)


def kernel(x, u):
    return np.exp(-np.sum((x - u) ** 2))


def model(robust, scale=1.0, **more):
    return presets.rkpca(
        2,
        kernel=kernels.RBF(gamma=1.0),
        robust=robust,
        init=scale * GAMMA_1.T,
        dictionary=Fixed(POINTS),
        geometry="empirical",
        **more,
    )


def assert_every_step(ours, literal):
    negative = 0
    for x, (mu, Gamma, w) in zip(X, literal, strict=True):
        ours.partial_fit(x[None])
        assert_allclose(ours.dual_coef_, Gamma.T, rtol=1e-9, atol=1e-12)
        assert_allclose(ours.mean_, mu, rtol=1e-9, atol=1e-12)
        assert_allclose(ours._model.robust_weight, w, rtol=1e-9)
        negative += w > 1
    return negative


@pytest.mark.parametrize("clipped", [True, False])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("mu", [None, MU_1])
def test_to_the_letter(clipped, shared, mu):
    eta0 = 0.7 if shared else None
    robust = weights.Exponential(0.5, clipped=clipped)
    ours = model(robust, 1.5, eta0=eta0, start_mean=mu, shared_steps=shared)
    steps = (lambda t: 0.7 / t) if shared else None
    psi = huang_yeh.psi_1(0.5)
    literal = huang_yeh.algorithm_1(kernel, X, POINTS, 1.5 * GAMMA_1, psi, mu, 0, steps, clipped)
    negative = assert_every_step(ours, literal)
    assert (negative > 0) == (not clipped)  # there are such rows


@pytest.mark.parametrize("shared", [True, False])
def test_any_schedule_is_shared(shared):
    schedule = SearchThenConverge(0.3, 20)
    ours = model("plain", schedule=schedule, shared_steps=shared).fit(X)
    H = kernels.RBF(gamma=1.0)(X, POINTS)
    mu = np.zeros(5)
    for t, h in enumerate(H, 1):
        mu = mu + (0.3 / (1 + t / 20) if shared else 1 / t) * (h - mu)
    assert_allclose(ours.mean_, mu, rtol=1e-10)


def test_cuts_copies_and_files(tmp_path):
    robust = weights.Logistic(3.0, 0.5, clipped=False)
    ours = model(robust, eta0=0.5, start_mean=MU_1, shared_steps=True)
    whole, pieces = clone(ours).fit(X), clone(ours)
    for part in np.split(X, [1, 2, 17]):
        pieces.partial_fit(part)
    assert_allclose(pieces.transform(X), whole.transform(X), rtol=0, atol=1e-9)
    half = clone(ours).fit(X[:20])
    half.save(tmp_path / "half.okpca")
    restored = load(tmp_path / "half.okpca").partial_fit(X[20:])
    assert_allclose(restored.transform(X), whole.transform(X), rtol=0, atol=1e-9)


def outlying():
    rows = normal(60, 2, seed=4) * [1.0, 0.1]
    rows[5:60:10] += [0.0, 4.0]
    return rows


@pytest.mark.parametrize("robust", [weights.Exponential, weights.Logistic, weights.Auto])
def test_a_plain_warm_start(robust):
    """Kernel PCA of the first rows, and its components are where the steps begin."""
    rows, settings = outlying(), {"kernel": kernels.Linear(), "nu": 0.0}
    batch = OnlineKernelPCA(1, **settings).fit(rows[:30])
    plain = presets.rkpca(1, robust=robust(plain_start=True), burn_in=30, **settings)
    plain.partial_fit(rows[:30])
    expected = batch.transform(rows)
    assert_allclose(up_to_sign(plain.transform(rows), expected), expected, rtol=0, atol=1e-10)
    assert_allclose(plain.explained_variance_, batch.explained_variance_, rtol=1e-10)
    plain.partial_fit(rows[30:])
    assert plain._model.robust_weight < 1  # and from then on they weigh


def test_a_robust_warm_start_is_another():
    rows, settings = outlying(), {"kernel": kernels.Linear(), "nu": 0.0, "burn_in": 60}
    variance = [
        presets.rkpca(1, robust=weights.Exponential(2.0, plain_start=plain), **settings)
        .fit(rows)
        .explained_variance_[0]
        for plain in (True, False)
    ]
    assert variance[0] > 1.2 * variance[1]


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"geometry": Empirical(MU_1[:3])}, "5 finite numbers"),
        ({"geometry": Empirical(np.full(5, np.nan))}, "5 finite numbers"),
        ({"geometry": Empirical(MU_1), "rule": Exact()}, "rules that take steps"),
        ({"geometry": Empirical(None, True), "rule": Tracking()}, "needs a rule that has a sched"),
        ({"geometry": Empirical(MU_1), "burn_in": 9}, "both say where the mean starts"),
    ],
)
def test_what_cannot_be(params, match):
    settings = {"rule": Hebbian(1, schedule=Inverse()), "dictionary": Fixed(POINTS)} | params
    with pytest.raises(ValueError, match=match):
        OnlineKernelPCA(2, gamma=1.0, **settings).fit(X)


@pytest.mark.parametrize("more", [{"start_mean": MU_1}, {"shared_steps": True}])
def test_only_where_kernel_values_are_coordinates(more):
    with pytest.raises(TypeError, match="are for geometry='empirical'"):
        presets.rkpca(2, geometry="rkhs", **more)


def test_the_flow_of_the_proof_of_theorem_1():
    """(29) for γ₁ is (33) in all coordinates, not only in those from l on as (31) has it, and with
    λ_v where (34) has λ_v²; ratios of coordinates follow (37) if all of (35) is about θ_i."""
    size, theta = np.array([3.0, 2.0, 1.0, 0.5]), np.array([0.3, -0.5, 0.6, 0.4])
    flow = size * theta - (theta @ (size * theta)) * theta
    assert_allclose(flow, theta * (size - size @ theta**2))
    assert np.abs(flow[:3]).min() > 0.1  # (31) has nothing there
    by_34 = theta * (size - size[0] * theta[0] ** 2 - size[1:] ** 2 @ theta[1:] ** 2)
    assert np.abs(flow - by_34).max() > 0.1
    k, i, last = 2, 0, 3
    omega = theta[k] / theta[i]
    by_37 = omega * (size[k] - size[i])
    assert_allclose((flow[k] - omega * flow[i]) / theta[i], by_37)
    assert abs((flow[k] - omega * flow[last]) / theta[last] - by_37) > 0.1


def test_the_flow_of_the_proof_of_theorem_2():
    """(28) for γ_k beside the eigenvectors before it is (48); (44) has factors θ too many, and
    Condition 5 has the gradient (17), which the iteration goes against, for the flow."""
    size, k = np.array([3.0, 2.0, 1.0, 0.5]), 2
    Sigma, theta = np.diag(size), np.array([0.3, -0.5, 0.6, 0.4])
    G = np.column_stack([np.eye(4)[:, :k], theta])
    flow = Sigma @ G - G @ np.triu(G.T @ Sigma @ G)
    all_of_it = size @ theta**2
    by_48 = np.where(np.arange(4) >= k, theta * (size - all_of_it), -theta * all_of_it)
    assert_allclose(flow[:, k], by_48)
    assert (flow[:k, k] * theta[:k] < 0).all()  # (49): those before it die out
    alone = Sigma @ theta - theta * (theta @ Sigma @ theta)  # (42): UT of a number is the number
    assert np.abs(flow[:, k] - alone).max() > 0.5
    before = np.eye(4)[:k]
    own = Sigma @ theta - all_of_it * theta
    meant = own - sum((theta @ Sigma @ q) * q for q in before)
    printed = own - sum(
        (theta @ Sigma @ (theta[k] * np.eye(4)[k])) * theta[v] * q for v, q in enumerate(before)
    )
    assert_allclose(flow[:, k], meant)
    assert np.abs(flow[:, k] - printed).max() > 0.5
    # Rows with the second moment Σ', one step each: the way the iteration goes.
    rule = Hebbian(deflation=1, schedule=Constant(1e-6), init=G.T)
    model = OnlineKernelPCA(
        3, kernel="linear", center=False, dictionary=Fixed(np.eye(4)), rule=rule
    ).fit(np.diag(np.sqrt(4 * size)))
    assert_allclose((model.dual_coef_.T - G) / 4e-6, flow, atol=1e-4)
