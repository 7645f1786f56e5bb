"""What CCIPCA, adaptive gains, AdaOja and history PCA have in common: slicing, weights,
compression, what they tend to, and the streaming contract."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import (
    assert_same_model,
    column_cosines,
    normal,
    random_borders,
    refused,
    row_by_row,
    stream,
)
from okpca import OnlineKernelPCA, kernels, rules
from okpca.checks import streaming_checks
from okpca.checks.hostile import check_scales_are_harmless
from oracles import functions, kernel_pca

pytestmark = pytest.mark.leaves

RULES = {
    "ccipca": rules.CCIPCA(),
    "kha-et": rules.Gains(schedule=0.05),
    "kha-smd": rules.Gains(schedule=0.05, meta=0.1),
    "ada-oja": rules.AdaOja(block=4),
    "history": rules.History(block=4),
}
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def build(rule, **options):
    return OnlineKernelPCA(3, rule=rule, **{"gamma": 0.4, "nu": 0.05, "random_state": 0} | options)


@every_rule
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_atoms": 12},
        {"center": False, "forgetting": 0.98},
        {"robust": "exponential"},
        {"max_atoms": 2, "on_full": "project"},
        {"burn_in": 40},
    ],
    ids=repr,
)
def test_slicing_does_not_matter(rule, options):
    X, probe = normal(150), normal(20, seed=1)
    whole = build(rule, **options).fit(X)
    assert_same_model(row_by_row(build(rule, **options), X), whole, probe)
    assert_same_model(stream(build(rule, **options), X, random_borders(150)), whole, probe)


@every_rule
@pytest.mark.parametrize("most", [1, 3])
def test_a_whole_weight_is_repetition(rule, most):
    X, probe = normal(60), normal(20, seed=1)
    weight = np.random.default_rng(2).integers(0, most + 1, size=60).astype(float)
    weight[0] = 1  # repetitions of the first atom are steps, the first itself is none
    if isinstance(rule, rules.Gains):  # whose steps are counted in rows of the stream
        weight = np.maximum(weight, 1)
    weighted = build(rule).fit(X, sample_weight=weight)
    repeated = build(rule).fit(np.repeat(X, weight.astype(int), axis=0))
    assert_allclose(weighted.transform(probe), repeated.transform(probe), rtol=0, atol=1e-9)
    assert_allclose(weighted.explained_variance_, repeated.explained_variance_, rtol=1e-8)


@every_rule
def test_a_light_row_counts_less(rule):
    X, probe = normal(60), normal(20, seed=1)
    if hasattr(rule, "block"):
        rule = replace(rule, block=1)  # no other row moves at the same time
    base = build(rule).fit(X[:50]).transform(probe)

    def moved(weight):
        model = build(rule).fit(X[:50]).partial_fit(X[50:51], sample_weight=[weight])
        return np.abs(model.transform(probe) - base).max()

    assert 0 == moved(0.0) < moved(1e-6) < moved(0.3) < moved(1.0)


@every_rule
def test_compression_in_the_middle_of_a_stream(rule):
    X = normal(300, 2)
    model = build(rule, nu=0.01).fit(X[:150])
    before, m = model.transform(X), model.n_atoms_
    model.compress(m - 2)
    assert model.n_atoms_ <= m - 2
    assert_allclose(model.transform(X), before, rtol=0, atol=0.05 * np.abs(before).max())
    after = model.partial_fit(X[150:]).transform(X)
    never = build(rule, nu=0.01).fit(X).transform(X)
    assert_allclose(after, never, rtol=0, atol=0.1 * np.abs(never).max())


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


SKIP = {"components_are_orthonormal": "a rule that takes steps is orthonormal only in the limit"}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{rule}-{name}")
        for rule in ("ccipca", "kha-et", "kha-smd", "ada-oja", "history")
        for name, check in streaming_checks(
            OnlineKernelPCA(rule=rule, max_atoms=20, on_full="project"),
            skip={} if rule in ("ada-oja", "history") else SKIP,
        )
    ],
)
def test_streaming_contract(check):
    check()


@pytest.mark.parametrize("rule", ["ccipca", "history"])
def test_bears_any_scale(rule):
    """There is no step size that must suit the kernel."""
    check_scales_are_harmless(OnlineKernelPCA(kernel="linear", rule=rule, random_state=0))


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
