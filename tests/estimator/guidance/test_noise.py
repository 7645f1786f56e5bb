"""An error that noisy rows tell: what is judged and what judges have no noise in common."""

import numpy as np
import pytest

from okpca.estimator.guidance.noise import ALPHA, Pairs

RNG = np.random.default_rng(0)
NOISE = 0.3
TRUTH = RNG.normal(size=(600, 3)) @ RNG.normal(size=(3, 40))
NOISY = TRUTH + NOISE * RNG.normal(size=TRUTH.shape)


def pairs(seed=0):
    return Pairs.of(NOISY, NOISE, np.random.RandomState(seed))


def test_the_noises_are_independent():
    one = pairs()
    up, down = (rows - TRUTH for rows in (one.noisier, one.judge))
    assert abs(np.mean(up * down)) < 0.01 * NOISE**2 / ALPHA
    assert np.square(up).mean() == pytest.approx((1 + ALPHA) * NOISE**2, rel=0.02)


def test_the_error_is_the_true_one():
    """Whatever is done to the rows: nothing, half of them, the truth, linear PCA."""
    one = pairs()
    V = np.linalg.svd(NOISY)[2][:3]
    for denoise in (lambda X: X, lambda X: 0.5 * X, lambda X: TRUTH, lambda X: X @ V.T @ V):
        true = np.square(denoise(one.noisier) - TRUTH).mean()
        assert one.error(denoise) == pytest.approx(true, rel=0.05, abs=0.2 * NOISE**2)


def test_leaving_rows_alone():
    """Judged by the same chance: the difference to the truth has less of it than the error."""
    one = pairs()
    gained = one.alone() - one.error(lambda X: TRUTH)
    assert gained == pytest.approx(np.square(one.noisier - TRUTH).mean(), rel=0.05)
