"""Weights and values at the edge of what numbers can hold: right, or refused by name."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import normal, row_by_row, up_to_sign
from okpca import OnlineKernelPCA
from okpca._core.numerics import HEAVIEST, LIGHTEST, MOST_STEPS
from okpca.model.weights import Plain
from okpca.rules import Centred, Exact, History, IncrementalSVD

X = normal(60)
RULES = ["exact", "incremental-svd", "okha", "tanaka", "apex", "kha-smd", "ccipca", "history"]


def weights(value, row=None):
    w = np.full(len(X), value) if row is None else np.ones(len(X))
    w[slice(None) if row is None else row] = value
    return w


@pytest.mark.parametrize("value", [1e160, 1e-160, 1e300, 1e-310, 5e-324])
@pytest.mark.parametrize("row", [None, 0, 10])
@pytest.mark.parametrize("rule", RULES)
def test_weights_beyond_all_measure_are_refused(value, row, rule):
    model = OnlineKernelPCA(rule=rule)
    with pytest.raises(ValueError, match=rf"sample_weight of .*row {row or 0} in fit.*divide all"):
        model.fit(X, sample_weight=weights(value, row))
    assert not hasattr(model, "atoms_")


@pytest.mark.parametrize("value", [LIGHTEST, HEAVIEST])
@pytest.mark.parametrize("center", [True, False])
def test_equal_weights_are_none_up_to_the_bounds(value, center):
    model = OnlineKernelPCA(center=center).fit(X, sample_weight=weights(value))
    plain = OnlineKernelPCA(center=center).fit(X)
    assert_allclose(model.eigenvalues_, value * plain.eigenvalues_)
    assert_allclose(model.explained_variance_ratio_, plain.explained_variance_ratio_)
    wanted = plain.transform(X)
    assert_allclose(up_to_sign(model.transform(X), wanted), wanted, atol=1e-9)


@pytest.mark.parametrize("value", [LIGHTEST, HEAVIEST])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("row", [0, 10, 59])
def test_one_row_of_another_weight(value, center, row):
    model = OnlineKernelPCA(center=center).fit(X, sample_weight=weights(value, row))
    shown = (model.transform(X), model.eigenvalues_, model.explained_variance_ratio_)
    assert all(np.isfinite(values).all() for values in shown)


def test_both_bounds_in_one_stream():
    w = np.where(np.arange(len(X)) < 30, LIGHTEST, HEAVIEST)
    heavy = OnlineKernelPCA(nu=0, gamma=2.0).fit(X[30:]).eigenvalues_
    model = OnlineKernelPCA(nu=0, gamma=2.0).fit(X, sample_weight=w)
    assert_allclose(model.eigenvalues_, HEAVIEST * heavy, rtol=1e-9)


@pytest.mark.parametrize("params", [{"rule": r} for r in RULES[1:]] + [{"robust": "exponential"}])
@pytest.mark.parametrize("value", [2.0 * MOST_STEPS, 1e19, 1e30])
def test_a_weight_that_is_too_many_steps_is_refused(params, value):
    model = OnlineKernelPCA(**params).fit(X)
    before = model.transform(X)
    with pytest.raises(ValueError, match=r"as many steps.*lower the weights \[row 5 of call 2"):
        model.partial_fit(X, sample_weight=weights(value, 5))
    assert (model.transform(X) == before).all()


@pytest.mark.parametrize("scale", [1e20, 1e30])
def test_results_that_do_not_fit_in_float32(scale):
    rows = (scale * X).astype(np.float32)
    model = OnlineKernelPCA(kernel="poly").fit(rows)
    for method in ("transform", "reconstruction_error"):
        with pytest.raises(ValueError, match=f"does not fit in float32.*row 0 in {method}"):
            getattr(model, method)(rows)
        assert np.isfinite(getattr(model, method)(rows.astype(np.float64))).all()


@pytest.mark.parametrize("scale", [1e-155, 1e-158, 1e-160, 1e-161, 1e-170])
@pytest.mark.parametrize("nu", [0, 1e-3])
def test_a_linear_kernel_of_tiny_rows(scale, nu):
    """κ(x, x) keeps few digits or none, and the kernel is not to blame."""
    model = OnlineKernelPCA(kernel="linear", nu=nu).fit(scale * X)
    assert np.isfinite(model.transform(scale * X)).all()
    mixed = OnlineKernelPCA(kernel="linear", nu=nu).fit(np.vstack([scale * X, X]))
    wanted = OnlineKernelPCA(kernel="linear", nu=nu).fit(np.vstack([0 * X, X]))
    assert_allclose(mixed.eigenvalues_, wanted.eigenvalues_)


@pytest.mark.parametrize("params", [{}, {"rule": "incremental-svd"}, {"center": False}], ids=str)
def test_sums_that_overflow_are_refused(params):
    """Each row is a number that squares bear; together they are not."""
    rows = 9e153 * X / np.abs(X).max()
    model = OnlineKernelPCA(kernel="linear", **params)
    with pytest.raises(ValueError, match="sums of squares overflow: scale the columns"):
        row_by_row(model, rows)
    assert 2 < model.n_samples_seen_ < len(rows)
    assert np.isfinite(model.eigenvalues_).all()
    with pytest.raises(ValueError, match="sums of squares overflow"):
        OnlineKernelPCA(kernel="linear", **params).fit(rows)


@pytest.mark.parametrize("learn", [OnlineKernelPCA.fit, row_by_row], ids=["block", "rows"])
def test_rows_far_from_the_origin_overflow_too(learn):
    """Their variance is small, but not what they are."""
    rows = 1e153 * (1 + 3e-3 * normal(400, 3))
    with pytest.raises(ValueError, match="sums of squares overflow"):
        learn(OnlineKernelPCA(kernel="linear", nu=1e-9), rows)


def test_models_whose_sums_overflow_do_not_merge():
    rows = 2e153 * X / np.abs(X).max()
    one, other = (OnlineKernelPCA(2, kernel="linear").fit(rows) for _ in range(2))
    before = one.eigenvalues_
    with pytest.raises(ValueError, match="cannot merge these models: the sums of squares overflow"):
        one.merge(other)
    assert_allclose(one.eigenvalues_, before, rtol=0)


@pytest.mark.parametrize("robust", [None, Plain()])
def test_the_row_where_sums_overflow_is_named(robust):
    rows = np.vstack([X[:20], 9e153 * X / np.abs(X).max()])
    with pytest.raises(ValueError, match=r"at or before \[row (2|3|4|5|6|7)\d in fit"):
        OnlineKernelPCA(kernel="linear", robust=robust).fit(rows)


@pytest.mark.parametrize("rule", [Exact(), IncrementalSVD(), History()], ids=str)
def test_a_row_after_next_to_no_weight(rule):
    """Robust weights go down to 1e-200: the mean moves to the next row, and the gain is huge."""
    born = rule.born(2, np.eye(2), np.random.RandomState(0))
    rows = np.array([[1e-270, 0.0], [0.0, 1.0]])
    weight, gain = np.array([6e45, 1.0]), np.array([1.6e270, 1.0])
    learner = born.updated(Centred(rows, weight, gain, np.ones(2), 1.0, 6e45, 2))
    assert np.isfinite(learner.spectrum(2)[0]).all()


@pytest.mark.parametrize("scale", [1e-100, 1e100, 1e150])
def test_what_compressing_loses_is_a_share_at_any_scale(scale):
    """Squares of squares are neither nothing nor too large."""
    plain, scaled = (OnlineKernelPCA(kernel="linear").fit(s * X).compress(2) for s in (1.0, scale))
    wanted, found = plain.certificate(), scaled.certificate()
    assert_allclose(found.eigenvalue_upper / scale**2, wanted.eigenvalue_upper, rtol=1e-6)
    assert_allclose(found.angle_bound, wanted.angle_bound, rtol=1e-6)
