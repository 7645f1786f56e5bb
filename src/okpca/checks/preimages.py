"""What a method of pre-images must keep."""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array
from okpca.checks._tools import assert_close, assert_identical, assert_value, rows, seen_by, state
from okpca.estimator import OnlineKernelPCA
from okpca.preimage import PreImage


def check_preimage(method: PreImage) -> None:
    """Raise AssertionError unless it finds pre-images.

    A finite row for each function, whatever others are asked for with it; nearer in feature space
    on average than the mean of the atoms is; none below zero if it says so. Asking changes
    neither the model nor the next answer. Equal to its copies and pickles.
    """
    assert_value(method)
    X = np.abs(rows(60))
    model = OnlineKernelPCA(3, gamma=0.5, preimage=method).fit(X)
    scores, before = seen_by(model, X[:12]), state(model)
    found = model.pre_images(scores)
    assert found.X.shape == (12, X.shape[1]), f"pre-images have shape {found.X.shape}"
    assert np.isfinite(found.X).all(), "pre-images are not finite"
    assert found.converged.dtype == bool, "whether they converged is not told by booleans"
    assert state(model) == before, "the search changes the model"
    assert_identical(model.pre_images(scores).X, found.X, "the same question asked again")
    alone = np.vstack([model.pre_images(scores[i : i + 1]).X for i in range(12)])
    assert_close(alone, found.X, "one by one beside all at once", 1e-5)
    middle = _squared_distance(model, scores, model.atoms_.mean(axis=0)[None])
    mean, nothing = float(found.distance.mean()), float(middle.mean())
    assert mean < nothing, f"as far away as the mean of the atoms: {mean:.2g} against {nothing:.2g}"
    if method.non_negative:
        assert found.X.min() >= 0, "non_negative, but there are values below zero"


def _squared_distance(model: OnlineKernelPCA, scores: Array, x: Array) -> Array:
    """‖φ(x) − μ − Σ_j y_j v_j‖², the components being orthonormal"""
    error = float(model.reconstruction_error(x)[0])
    return np.asarray(error + np.square(seen_by(model, x) - scores).sum(axis=1))
