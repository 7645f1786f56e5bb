"""What the small parts of a model must keep: robust weights, schedules and pre-images.

Rules, admission policies and budgets are checked inside a model, by `check_streaming`: what they
promise is about streams.
"""

from __future__ import annotations

import numpy as np

from okpca._core.typing import Array
from okpca.checks._tools import assert_close, assert_identical, assert_value, rows, seen_by, state
from okpca.estimator import OnlineKernelPCA
from okpca.model.weights import Weight
from okpca.preimage import PreImage
from okpca.rules.schedules import Schedule

STEP, SLOPE = 1e-6, 1e-6  # of finite differences, and what they are good for


def check_weight(weight: Weight) -> None:
    """Raise AssertionError unless it is a robust weight.

    Of each halved squared residual by itself; from 0 to 1, and no more the farther away a row is;
    the derivative of `loss`. Equal to its copies and pickles.
    """
    assert_value(weight)
    e = np.concatenate([[0.0], np.logspace(-6, 4, 41), [1e100]])
    before, w = e.copy(), np.asarray(weight(e))
    assert_identical(e, before, "residuals after being weighed")
    assert w.shape == e.shape, f"weights have shape {w.shape}, not {e.shape}"
    assert np.isfinite(w).all(), "weights are not finite"
    assert 0 <= w.min() <= w.max() <= 1, f"weights from {w.min():g} to {w.max():g}, not 0 to 1"
    assert (np.diff(w) <= 0).all(), "a row farther away counts more"
    alone = np.array([np.asarray(weight(e[i : i + 1]))[0] for i in range(len(e))])
    assert_close(alone, w, "weights one by one beside all at once")
    e = e[1:-1]
    slope = (weight.loss(e * (1 + STEP)) - weight.loss(e * (1 - STEP))) / (2 * STEP * e)
    size = np.abs(weight.loss(e)) / e + 1.0  # what the difference loses digits of
    error = float((np.abs(slope - w[1:-1]) / size).max())
    assert error <= SLOPE, f"the weight is not the derivative of the loss: off by {error:.1e}"


def check_schedule(schedule: Schedule) -> None:
    """Raise AssertionError unless it is a schedule of step sizes.

    A function of the row number alone, evaluated on a block of them; finite, never negative,
    and positive at the first row. Equal to its copies and pickles.
    """
    assert_value(schedule)
    t = np.concatenate([np.arange(1, 101), 10 ** np.arange(3, 10)])
    before, eta = t.copy(), schedule(t)
    assert_identical(t, before, "row numbers after being looked up")
    assert eta.shape == t.shape, f"step sizes have shape {eta.shape}, not {t.shape}"
    assert eta.dtype == np.float64, f"step sizes have dtype {eta.dtype}, not float64"
    assert np.isfinite(eta).all(), "step sizes are not finite"
    assert eta.min() >= 0, "a step size is negative"
    assert eta[0] > 0, "the first step is none"
    alone = np.array([schedule(t[i : i + 1])[0] for i in range(len(t))])
    assert_close(alone, eta, "step sizes one by one beside those of a block")


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
