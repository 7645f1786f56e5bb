"""Make rows and frames, cut a stream, flip signs, compare two models, see a call refused."""

import pickle
import re
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.ndimage import map_coordinates

from okpca.kernels.rows import dense

# The shipped checks that parts of a model may break; the others are about the estimator that all
# parts are in.
OF_THE_MODEL = {
    "slicing_does_not_matter",
    "refused_batch_changes_nothing",
    "whole_weight_is_repetition",
    "pickle_continues_exactly",
    "looking_changes_nothing",
    "scales_are_harmless",
    "duplicates_are_harmless",
    "components_are_orthonormal",
}


def pairs(a, b, c):
    """Of all triples len(a) len(b) of them, in which any two values still meet. c is the shortest.

    What a third value changes about what two do together is left to chance: to the tests that draw
    all three.
    """
    a, b, c = list(a), list(b), list(c)
    assert len(c) <= min(len(a), len(b))
    places = product(range(len(a)), range(len(b)))
    return [(a[i], b[j], c[(i + j) % len(c)]) for i, j in places]


def every_other(a, b):
    """Of all pairs those of one colour, as on a chessboard: each value still meets half the others.

    What any one of them does alone is seen; what two do together by chance.
    """
    return [(x, y) for i, x in enumerate(a) for j, y in enumerate(b) if (i + j) % 2 == 0]


def normal(n, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def contaminated(n=60, seed=0):
    """Mostly near a parabola; every tenth row somewhere else."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    X[:, 1] = -0.3 * X[:, 0] ** 2 + 0.05 * rng.normal(size=n)
    X[5::10, 1] += 2 * rng.normal(size=len(X[5::10]))
    return X


def noted_calls(monkeypatch, owner, name):
    """The rows that models had seen when this function of theirs was called, from now on."""
    seen, plain = [], getattr(owner, name)

    def noted(model, *args):
        seen.append(model.n_rows)
        return plain(model, *args)

    monkeypatch.setattr(owner, name, noted)
    return seen


def video(n=12, step=(1.5, 0.8), growth=1.0, turn=0.0, seed=0):
    """A textured patch that moves (grows, turns) over a textured ground; its boxes, not turned."""
    rng = np.random.default_rng(seed)
    ground = rng.normal(size=(7, 9)) * 20 + 60
    patch = rng.normal(size=(6, 6)) * 60 + 160
    rows, columns = np.mgrid[0:60, 0:80].astype(float)
    back = map_coordinates(ground, [rows / 10, columns / 10], order=1, mode="nearest")
    frames, boxes = [], []
    for t in range(n):
        side = 18.0 * growth**t
        x, y = 15 + step[0] * t, 12 + step[1] * t
        c, s = np.cos(turn * t), np.sin(turn * t)
        across, down = columns - x - side / 2, rows - y - side / 2
        u, v = (c * across + s * down) / side + 0.5, (c * down - s * across) / side + 0.5
        inside = (u >= 0) & (u < 1) & (v >= 0) & (v < 1)
        look = map_coordinates(patch, [v * 5, u * 5], order=1, mode="nearest")
        frames.append(np.where(inside, look, back))
        boxes.append((x, y, side, side))
    return frames, np.array(boxes)


def random_borders(n, seed=0, count=5):
    """Where to cut n rows into count + 1 pieces, some of them perhaps empty."""
    return np.sort(np.random.default_rng(seed).integers(0, n + 1, size=count))


def stream(model, X, borders=(), weight=None):
    """Feed the rows in pieces; empty pieces are left out."""
    for piece in np.split(np.arange(X.shape[0]), borders):
        if len(piece):
            w = None if weight is None else weight[piece]
            model.partial_fit(X[piece], sample_weight=w)
    return model


def row_by_row(model, X, weight=None):
    return stream(model, X, range(1, X.shape[0]), weight)


def up_to_sign(actual, desired):
    """Flip the columns of `actual` towards `desired`."""
    signs = np.sign((actual * desired).sum(axis=0))
    return actual * np.where(signs == 0, 1, signs)


def column_cosines(actual, desired):
    """Cosines of the angles between columns, up to sign."""
    y = up_to_sign(actual, desired)
    norms = np.linalg.norm(y, axis=0) * np.linalg.norm(desired, axis=0)
    return (y * desired).sum(axis=0) / norms


def cosines_over_epochs(model, X, desired, counts):
    """The smallest of the cosines after so many more passes over X, each time."""
    reached = []
    for passes in counts:
        for _ in range(passes):
            model.partial_fit(X)
        reached.append(column_cosines(model.transform(X), desired).min())
    return reached


def assert_columns_close(actual, desired, tol):
    """Every column up to `tol` of its own largest entry."""
    assert actual.shape == desired.shape
    scale = np.abs(desired).max(axis=0)
    scale[scale == 0] = 1.0
    assert_allclose(actual / scale, desired / scale, rtol=0, atol=tol)


def variance_of(model):
    """The whole running kernel variance, from the public attributes."""
    return float(model.eigenvalues_[0] / model.explained_variance_ratio_[0])


def gram_of(model):
    return model.kernel_(model.atoms_)


def assert_orthonormal(model, tol=1e-8):
    real = model.eigenvalues_ > 0
    dual = model.dual_coef_[real]
    assert_allclose(dual @ gram_of(model) @ dual.T, np.eye(real.sum()), rtol=0, atol=tol)
    assert not model.dual_coef_[~real].any()


def assert_same_model(a, b, probe, tol=1e-9):
    """The same dictionary, spectrum, mean and projections, signs included."""
    assert a.n_samples_seen_ == b.n_samples_seen_
    # Rows that are atoms are the same to the digit; means of rows up to the order of sums.
    mine, others = dense(a.atoms_), dense(b.atoms_)
    assert_allclose(mine, others, rtol=0, atol=tol * np.abs(others).max(initial=0.0))
    top = max(np.abs(b.eigenvalues_).max(initial=0.0), 1e-300)
    assert_allclose(a.eigenvalues_, b.eigenvalues_, rtol=0, atol=tol * top)
    ratio = b.explained_variance_ratio_
    assert_allclose(a.explained_variance_ratio_, ratio, rtol=0, atol=tol)
    mean = [m.kernel_(probe, m.atoms_) @ m.mean_ for m in (a, b)]
    assert_allclose(*mean, rtol=0, atol=tol * max(np.abs(mean[1]).max(), 1e-300))
    projected = b.transform(probe)
    size = max(np.abs(projected).max(), 1e-300)
    assert_allclose(a.transform(probe), projected, rtol=0, atol=tol * size)


def refused(model, match, rows, method="partial_fit", error=ValueError, **more):
    """The call is refused in these words, and the model is what it was, byte for byte."""
    before = pickle.dumps(model)
    keys = list(vars(model))
    with pytest.raises(error, match=match) as caught:
        getattr(model, method)(rows, **more)
    assert pickle.dumps(model) == before
    assert list(vars(model)) == keys
    return str(caught.value)


def refused_at_last(model, match, batches):
    """One of the batches is refused, in these words; the model is what it was before that one."""
    for rows in batches:
        before = pickle.dumps(model)
        try:
            model.partial_fit(rows)
        except ValueError as error:
            assert re.search(match, str(error)), error  # noqa: PT017
            assert pickle.dumps(model) == before
            return
    pytest.fail("every batch was accepted")
