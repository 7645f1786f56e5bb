"""An error that noisy rows tell: what is judged and what judges have no noise in common."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from okpca.estimator.guidance.noise import ALPHA, Pairs, noise_of, quantile_of_noise

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


@pytest.mark.parametrize("shape", [(600, 40), (60, 40), (60, 400), (300, 300)])
@pytest.mark.parametrize("rank", [0, 3])
def test_the_noise_is_found(shape, rank):
    n, d = shape
    rows = RNG.normal(size=(n, rank)) @ RNG.normal(size=(rank, d))
    found = noise_of(rows + NOISE * RNG.normal(size=shape))
    assert found == pytest.approx(NOISE, rel=0.12)


def test_no_noise():
    assert noise_of(TRUTH) < 1e-6
    constant = np.column_stack([NOISY, np.ones(600)])
    assert_allclose(noise_of(constant), noise_of(NOISY))


@pytest.mark.thorough
@pytest.mark.parametrize("ratio", [0.05, 0.2, 1.0, 2.0])
def test_the_distribution_of_eigenvalues(ratio):
    n = 800
    d = int(ratio * n)
    noise = RNG.normal(size=(n, d))
    values = np.linalg.svd(noise, compute_uv=False) ** 2 / n
    for q in (0.1, 0.5, 0.9):
        assert quantile_of_noise(q, n, d) == pytest.approx(np.quantile(values, q), rel=0.06)
