"""What rows lost before the atoms they needed were there."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import normal
from okpca import OnlineKernelPCA
from okpca.dictionary import encode
from okpca.model.moment_correction import SCARCE
from okpca.model.surgery import welcome
from oracles import moment_correction

RIDGE = SCARCE


def in_classes(n=500, d=4):
    """Rows that come cluster after cluster."""
    rng = np.random.default_rng(3)
    return np.repeat(rng.normal(size=(5, d)) * 2, n // 5, axis=0) + 0.5 * normal(n, d)


def crowded(center=True, forgetting=1.0, least=12):
    """A model in mid-stream of which many rows ask to join."""
    model = OnlineKernelPCA(3, gamma=0.2, max_atoms=25, center=center, forgetting=forgetting)
    best = None
    for row in in_classes():
        model.partial_fit(row[None])
        here = getattr(model, "_model", None)
        if here is not None and here.clusters is not None and here.clusters.n_asking >= least:
            best = here
    assert best is not None
    return best


def held_rows(model, Z, weight):
    """Rows of the moments that a model holds, but for rows Z of these weights among them."""
    mean = model.weighty_mean
    moment = model.learner.scatter() + np.outer(mean, mean) - (Z.T * weight) @ Z
    values, vectors = np.linalg.eigh(moment)
    assert values.min() > -1e-8 * values.max()
    return np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
def test_newcomers_bring_back_what_rows_like_them_lost(center):
    model = crowded(center)
    X, weight, claim, _ = model.clusters.asked()
    rows = encode(model.basis, X, model.plan.policy, None)
    old, W = model.basis.m, model.centre.weight
    Z, new = rows.Z[:, :old], rows.Z[:, old:]
    K, norms = model.basis.kernel(X, model.basis.atoms), model.basis.atom_norms
    near = np.argmax(K - norms / 2, axis=1)
    like = np.array([
        moment_correction.rows_like(claim[j], 1.0, near[j], norms[near[j]], K[j, near[j]], Z[j])
        for j in range(len(X))
    ])  # fmt: skip
    assert like.max() > 2 * weight.max()  # rows before them lost something
    held = held_rows(model, Z, weight)
    ones = np.ones(len(held))
    all_rows, all_weights = np.vstack([held, Z]), np.append(ones, weight)
    more = np.maximum(like - weight, 0.0)
    G = moment_correction.regression(all_rows, all_weights, Z, new, more, RIDGE)
    expected, w = moment_correction.restored(held, ones, Z, weight, new, G)
    after = welcome(model)
    mean = np.append(model.centre.mean, G @ model.centre.mean)
    if center:
        mean[old:] += weight @ (new - Z @ G.T) / W
    assert_allclose(after.centre.mean, mean, atol=1e-10)
    moment = (expected.T * w) @ expected - W * np.outer(mean, mean)
    assert_allclose(after.learner.scatter(), moment, atol=1e-9 * np.trace(moment))
    # No more is given back than was owed, and the certificate knows how far rows have gone.
    given = np.square(all_rows @ G.T).sum(axis=1) @ all_weights
    assert 0.0 < given <= (more @ np.square(new).sum(axis=1)) * (1 + 1e-9)
    taken_back = model.loss.energy - weight @ np.square(new).sum(axis=1)
    expected_energy = (np.sqrt(taken_back) + np.sqrt(given)) ** 2
    assert after.loss.energy == pytest.approx(expected_energy, rel=1e-6)
    assert after.loss.worst <= after.loss.energy * (1 + 1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
def test_streams_in_classes_keep_more(center):
    """Than when every row is held as the shadow that it cast on the atoms of its time."""
    X = in_classes(1500)
    model = OnlineKernelPCA(8, gamma=0.2, max_atoms=30, center=center).fit(X)
    kept = np.square(model.transform(X) - center * model.transform(X).mean(axis=0)).sum()
    held = model._model
    forgetful = OnlineKernelPCA(8, gamma=0.2, max_atoms=30, center=center)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("okpca.model.surgery.restore", lambda model, *_: model)
        forgetful.fit(X)
    less = np.square(forgetful.transform(X) - center * forgetful.transform(X).mean(axis=0)).sum()
    assert less < kept
    # What is held is no more than there is.
    assert np.trace(held.learner.scatter()) <= held.variance * (1 + 1e-9)


def test_rules_that_keep_no_moments_are_left_alone():
    model = OnlineKernelPCA(3, gamma=0.2, max_atoms=25, rule="on-kha").fit(in_classes())
    assert np.isfinite(model.transform(in_classes())).all()
    here = replace(model._model, learner=None)
    assert welcome(here).learner is None
