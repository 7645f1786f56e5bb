"""What CCIPCA, adaptive gains, AdaOja and history PCA tend to, and what stops them. What they share
with every rule that takes steps is in `test_steps`."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import column_cosines, normal, refused
from okpca import OnlineKernelPCA, kernels, rules
from oracles import functions, kernel_pca
from step_rules import LATER, build, each

every_rule = each(LATER)


@every_rule
def test_goes_on_from_a_batch_fit(rule):
    """And learns what the batch lacks."""
    X = normal(400, 3) * [2, 1, 0.5]
    model = build(rule, kernel="linear", nu=1e-9, center=False)
    if isinstance(rule, rules.Gains):
        model.set_params(rule=replace(rule, schedule=0.01))
    model.set_params(burn_in=1)
    for _ in range(8):
        model.partial_fit(X)
    _, _, U = np.linalg.svd(X, full_matrices=False)
    found = model.dual_coef_ @ model.atoms_
    assert np.abs(np.sum(found * U, axis=1)).min() > 0.97


@pytest.mark.thorough
@every_rule
@pytest.mark.parametrize("center", [True, False])
def test_converges_to_kernel_pca_over_epochs(rule, center):
    X = normal(30, 2) * [2, 0.7]
    model = OnlineKernelPCA(2, gamma=0.3, nu=1e-3, center=center, rule=rule, random_state=0)
    batch = kernel_pca.batch_kpca(functions.rbf(0.3)(X, X), 2, center)
    rng = np.random.default_rng(0)
    for _ in range(150):
        model.partial_fit(X[rng.permutation(30)])
    assert column_cosines(model.transform(X), batch.projections).min() > 0.97
    if not isinstance(rule, rules.Gains):  # which counts the outputs as they came
        assert_allclose(model.explained_variance_, batch.eigenvalues / 30, rtol=0.15)


@every_rule
def test_overflow_is_refused(rule):
    model = OnlineKernelPCA(2, kernel="linear", rule=rule, random_state=0).fit(normal(50))
    refused(model, "row 0", 1e160 * normal(12, 3, seed=1))


@pytest.mark.parametrize("rule", ["ccipca", "ada-oja", "history", "kha-et"])
@pytest.mark.parametrize("kind", ["copies", "first row"])
def test_rounding_begins_no_component(rule, kind):
    """The first row is its own mean, and so are all copies of one: what is left is rounding, which
    differs between the ways to cut a stream."""
    X = np.repeat(normal(1, 4), 6, axis=0) if kind == "copies" else normal(19, 4)
    kernel = kernels.RBF(0.23) + kernels.Polynomial(degree=2, gamma=0.1, coef0=1.0)
    settings = {"kernel": kernel, "rule": rule, "forgetting": 0.99, "random_state": 0}
    whole = OnlineKernelPCA(4, **settings).partial_fit(X)
    one_by_one = OnlineKernelPCA(4, **settings)
    for x in X:
        one_by_one.partial_fit(x[None])
    assert_allclose(one_by_one.transform(X), whole.transform(X), rtol=0, atol=1e-9)
