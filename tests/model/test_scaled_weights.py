"""Weights say how rows compare: all of them times a constant are the same stream."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import normal, pairs
from okpca import OnlineKernelPCA


@pytest.mark.long
@pytest.mark.parametrize(
    ("on_full", "factor", "forgetting"),
    pairs(["compress", "project", "drop", "slide"], [1e-3, 50.0, 1e20], [1.0, 0.995]),
)
def test_a_common_factor_changes_eigenvalues_by_it_and_nothing_else(on_full, factor, forgetting):
    """Long enough that atoms are merged both too soon and not: by weight, a factor decided it."""
    n = {"compress": 1500, "slide": 100}.get(on_full, 200)
    X = normal(n) * np.linspace(0.5, 3.0, n)[:, None]
    weight = np.random.default_rng(1).uniform(0.5, 1.5, size=len(X))
    models = [
        OnlineKernelPCA(3, gamma=0.5, max_atoms=12, on_full=on_full, forgetting=forgetting).fit(
            X, sample_weight=scale * weight
        )
        for scale in (1.0, factor)
    ]
    one, scaled = models
    assert_allclose(scaled.atoms_, one.atoms_, rtol=0, atol=1e-9)
    assert_allclose(scaled.eigenvalues_ / factor, one.eigenvalues_, rtol=1e-9)
    assert_allclose(np.abs(scaled.transform(X[:9])), np.abs(one.transform(X[:9])), atol=1e-8)
