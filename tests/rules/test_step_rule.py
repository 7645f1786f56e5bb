"""What every rule that takes steps keeps: slicing, weights, recoding, going on from a
batch fit, and the streaming contract."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from helpers import (
    OF_THE_MODEL,
    assert_same_model,
    every_other,
    normal,
    random_borders,
    row_by_row,
    stream,
)
from okpca import OnlineKernelPCA, rules
from okpca.checks import streaming_checks
from okpca.checks.odd_rows import check_scales_are_harmless
from okpca.model.centre import Centre
from step_rules import BY_ROW, LATER, build, each

every_rule, rule_by_row = each(BY_ROW | LATER), each(BY_ROW)


OPTIONS = [
    {},
    {"max_atoms": 12},
    {"max_atoms": 2, "on_full": "project"},
    {"center": False, "forgetting": 0.98},
    {"robust": "exponential", "burn_in": 40},
]


@pytest.mark.parametrize(
    ("rule", "options"), every_other((BY_ROW | LATER).values(), OPTIONS), ids=repr
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
    """Components are mapped as functions, and learning goes on."""
    X = normal(300, 2)
    model = build(rule, nu=0.01).fit(X[:150])
    before, m = model.transform(X), model.n_atoms_
    model.compress(m - 2)
    assert model.n_atoms_ <= m - 2
    assert_allclose(model.transform(X), before, rtol=0, atol=0.05 * np.abs(before).max())
    after = model.partial_fit(X[150:]).transform(X)
    never = build(rule, nu=0.01).fit(X).transform(X)
    assert_allclose(after, never, rtol=0, atol=0.1 * np.abs(never).max())


@rule_by_row
def test_recoding_maps_the_components(rule):
    model = build(rule).fit(normal(80))
    learner = model._model.learner
    m = learner.V.shape[1]
    P = normal(m - 3, m, seed=5)
    scatter, V = learner.spectrum(3)
    again, mapped = learner.recoded(P).spectrum(3)
    assert_allclose(mapped, V @ P.T, rtol=0, atol=1e-12)
    assert_array_equal(again, scatter)
    assert_array_equal(learner.spectrum(3)[1], V)


# ------------------------------------------------------------------------ going on from a batch fit


def batch(n=400, m=6):
    """Rows, and scatters and components of their first half, about the origin."""
    U, _ = np.linalg.qr(normal(m, m, seed=3))
    X = normal(n, m, seed=4) * np.sqrt([4.0, 2.0, 1.0, 0.4, 0.2, 0.1][:m]) @ U
    X /= np.sqrt(np.square(X).sum(axis=1).mean())
    values, vectors = np.linalg.eigh(X[: n // 2].T @ X[: n // 2])
    return X, values[::-1], vectors[:, ::-1].T


def blocks(X, start):
    centre = Centre(np.zeros(X.shape[1]), 0.0, forgetting=1.0, moving=False)
    centre = Centre(centre.mean, float(start), 1.0, False)
    return centre.take(X[start:].copy(), np.ones(len(X) - start), start + 1)[1]


@rule_by_row
@pytest.mark.parametrize("r", [2, 3])
def test_goes_on_from_given_components(rule, r):
    X, scatter, V = batch()
    if rule.schedule is not None:
        rule = replace(rule, schedule=0.03)
    learner = rule.continued(r, scatter, V, 200.0)
    given, shown = learner.spectrum(r)
    assert_allclose(shown, V[:r], rtol=0, atol=1e-12)
    assert_allclose(given, scatter[:r], rtol=1e-12)
    later, components = learner.updated(blocks(X, 200)).spectrum(r)
    assert_allclose(later.sum(), 2 * scatter[:r].sum(), rtol=0.15)  # twice as many rows
    assert np.abs(np.sum(components * V[:r], axis=1)).min() > 0.8
    assert_array_equal(learner.spectrum(r)[1], shown)  # a learner is a value


@rule_by_row
def test_components_that_a_batch_fit_lacks_are_learned(rule):
    X, scatter, V = batch()
    learner = rule.continued(3, scatter[:1], V[:1], 200.0)
    given, shown = learner.spectrum(3)
    assert_allclose(given, [scatter[0], 0, 0])
    norms = np.linalg.norm(shown, axis=1)
    assert norms[0] == pytest.approx(1)
    assert 0.02 < norms[1:].min() <= norms[1:].max() < 0.5
    assert np.abs(shown[1] @ shown[2]) < 0.9 * norms[1] * norms[2]
    assert_array_equal(rule.continued(3, scatter[:1], V[:1], 200.0).spectrum(3)[1], shown)
    if rule is BY_ROW["apex in turn"]:
        return  # whose turns are over by row 200
    for _ in range(20):
        learner = learner.updated(blocks(X, 200))
    grown = np.linalg.norm(learner.spectrum(3)[1], axis=1)
    assert_allclose(grown, 1, atol=0.2)


# ---------------------------------------------------------------------------- streaming contract

SKIP = {"components_are_orthonormal": "a rule that takes steps is orthonormal only in the limit"}
ORTHONORMAL = {"ada-oja", "history"}  # after every block


@pytest.mark.thorough
@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{rule}-{name}")
        # and not "kha-et", which is "kha-smd" without its meta steps
        for rule in ("apex", "tanaka", "ccipca", "kha-smd", "ada-oja", "history")
        for name, check in streaming_checks(
            OnlineKernelPCA(rule=rule, max_atoms=20, on_full="project"),
            skip={} if rule in ORTHONORMAL else SKIP,
        )
        if name in OF_THE_MODEL
    ],
)
def test_streaming_contract(check):
    check()


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["tanaka", "ccipca", "history"])
def test_bears_any_scale(rule):
    """There is no step size that must suit the kernel."""
    check_scales_are_harmless(OnlineKernelPCA(kernel="linear", rule=rule, random_state=0))
