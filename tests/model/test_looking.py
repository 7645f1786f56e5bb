"""Looking is free: signs are anchored in the stream, not in who looked when."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from helpers import normal, random_borders, stream, up_to_sign
from okpca import OnlineKernelPCA


def life(seed):
    """Settings and rows, at random."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(60, 300)), int(rng.integers(1, 6))
    drift = np.linspace(0, rng.uniform(0, 3), n)[:, None]
    settings = {
        "n_components": [1, 2, 5, 0.9, None][rng.integers(5)],
        "gamma": 10 ** rng.uniform(-1, 0.3),
        "nu": 10 ** rng.uniform(-3, -1),
        "forgetting": [1.0, 1.0, 0.98, 0.9][rng.integers(4)],
        "max_atoms": int(rng.integers(8, 80)),
        "on_full": ["drop", "project", "slide", "compress"][rng.integers(4)],
        "center": bool(rng.integers(2)),
        "burn_in": int(rng.integers(2) * rng.integers(2, 50)),
        "random_state": 0,
    }
    if settings["n_components"] in (1, 2, 5):
        settings["rule"] = ["exact", "exact", "incremental-svd"][rng.integers(3)]
    return settings, rng.normal(size=(n, d)) * rng.uniform(0.3, 2, size=d) + drift


def refused_compress(model):
    with pytest.raises(ValueError, match="n_atoms"):
        model.compress(0)


LOOKS = [
    lambda model: hasattr(model, "eigenvalues_"),
    lambda model: model.transform(normal(2, model.n_features_in_)),
    lambda model: model.certificate(),
    lambda model: model.dual_coef_,
    refused_compress,
    pickle.dumps,
]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(8))
def test_a_look_in_mid_stream_changes_no_bit(seed):
    settings, X = life(seed)
    model, twin = OnlineKernelPCA(**settings), OnlineKernelPCA(**settings)
    for i, piece in enumerate(np.array_split(X, 23)):
        model.partial_fit(piece)
        twin.partial_fit(piece)
        LOOKS[(i + seed) % len(LOOKS)](model)
    assert_array_equal(model.transform(X), twin.transform(X))
    assert pickle.dumps(model) == pickle.dumps(twin)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(20, 28))
def test_signs_do_not_depend_on_the_cuts(seed):
    settings, X = life(seed)
    whole = OnlineKernelPCA(**settings).fit(X).transform(X)
    real = np.abs(whole).max(axis=0) > 1e-3 * np.abs(whole).max()
    for cuts in (random_borders(len(X), seed=seed), range(1, len(X))):
        cut = stream(OnlineKernelPCA(**settings), X, np.array(cuts)).transform(X)
        assert_allclose(up_to_sign(cut, whole)[:, real], cut[:, real])  # none is turned


def test_a_look_at_a_warm_up_leaves_no_trace():
    model = OnlineKernelPCA(burn_in=50).partial_fit(normal(20))
    before = pickle.dumps(model)
    model.transform(normal(3))
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("seed", range(4))
def test_signs_of_all_components_do_not_depend_on_the_cuts(seed):
    """More components than atoms when signs are first anchored, in the middle of a block."""
    X = 2.0 * np.random.default_rng(seed).normal(size=(163, 1))
    scores = []
    for pieces in (1, 13):
        model = OnlineKernelPCA(None, kernel="laplacian", gamma=1.0, nu=0.01, max_atoms=None)
        for rows in np.array_split(X, pieces):
            model.partial_fit(rows)
        scores.append(model.transform(X))
    np.testing.assert_allclose(*scores, atol=1e-9)


@pytest.mark.parametrize("n", [31, 32, 33, 100])
def test_a_component_keeps_its_sign_while_rows_double(n):
    """Eigenvalues well apart: whoever looks after every row sees no flip."""
    X = normal(2 * n, 3) * [2, 1, 0.5]
    model = OnlineKernelPCA(2, kernel="linear").partial_fit(X[:n])
    before = model.transform(X)
    for x in X[n:]:
        after = model.partial_fit(x[None]).transform(X)
        assert ((before * after).sum(axis=0) > 0).all()
        before = after


def test_eigenproblems_are_rare(monkeypatch):
    """A stream of n rows pays log2(n) of them."""
    from okpca.rules.exact import ExactLearner

    seen = []
    glimpse = ExactLearner.glimpse
    monkeypatch.setattr(ExactLearner, "glimpse", lambda *a: seen.append(1) or glimpse(*a))
    X = normal(1100)
    stream(OnlineKernelPCA(nu=0.1, max_atoms=20), X, np.arange(1, len(X)))
    assert len(seen) == 5  # at 64, 128, … 1024 rows
