"""An error that noisy rows tell: hidden entries have no part in what is said of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from okpca.guidance.masked import HIDDEN, Masked

RNG = np.random.default_rng(0)
TRUTH = np.outer(RNG.normal(size=200), RNG.normal(size=30))
NOISE = 0.3
NOISY = TRUTH + NOISE * RNG.normal(size=TRUTH.shape)


def masked(rows, seed=0):
    return Masked.of(rows, np.zeros(rows.shape[1]), np.random.RandomState(seed))


def test_a_fifth_of_every_row_is_hidden():
    assert_array_equal(masked(NOISY).hidden.sum(axis=1), round(HIDDEN * 30))
    assert_array_equal(masked(NOISY[:, :2]).hidden.sum(axis=1), 1)


def test_what_is_hidden_is_not_seen():
    this = masked(NOISY)
    other = masked(np.where(this.hidden, 1e6, NOISY))
    assert_array_equal(this.hidden, other.hidden)
    seen = {}
    for name, mask in (("this", this), ("other", other)):
        mask.error(lambda X, name=name: seen.setdefault(name, []).append(X) or 0.5 * X)
    for a, b in zip(seen["this"], seen["other"], strict=True):
        assert_allclose(a, b)


def test_the_truth_has_the_error_of_the_noise():
    assert masked(NOISY).error(lambda X: TRUTH) == pytest.approx(NOISE**2, rel=0.1)


def test_the_order_is_that_of_the_true_errors():
    """Linear PCA: one component is right, and the noise is the same for all."""

    def project(r):
        V = np.linalg.svd(NOISY[:100])[2][:r]
        return lambda X: X @ V.T @ V

    this = Masked.of(NOISY[100:], np.zeros(30), np.random.RandomState(0))
    errors = [this.error(project(r)) for r in (1, 2, 5, 15, 30)]
    assert errors == sorted(errors)
    assert errors[0] < this.blank()
