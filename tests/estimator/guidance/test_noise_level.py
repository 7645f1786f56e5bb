"""How much noise there is in rows of many columns and of few, and whether it can be told."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits, load_wine, make_circles, make_s_curve, make_swiss_roll

from okpca.estimator.guidance.noise_level import floor_of, level_of, quantile_of_noise

RNG = np.random.default_rng(0)
NOISE = 0.3
TRUTH = RNG.normal(size=(600, 3)) @ RNG.normal(size=(3, 40))
NOISY = TRUTH + NOISE * RNG.normal(size=TRUTH.shape)
TURN = np.random.default_rng(1).uniform(0, 12, 800)
CURVES = {
    "swiss roll": make_swiss_roll(800, random_state=0)[0],
    "S-curve": make_s_curve(800, random_state=0)[0],
    "helix": np.column_stack([np.cos(TURN), np.sin(TURN), TURN / 3]),
    "circles": make_circles(800, factor=0.5, random_state=0)[0],
}


def noisy(rows, sigma, seed=1):
    """Of rows with a standard deviation of 1, in no order."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(rows / rows.std())
    return rows + sigma * rng.normal(size=rows.shape)


@pytest.mark.parametrize("curve", CURVES)
def test_noise_about_a_curve_or_a_sheet(curve):
    """Whose columns are few: the covariance has no direction of noise alone."""
    rows = noisy(CURVES[curve], 0.05)
    assert floor_of(rows).sigma > 0.4
    found = level_of(rows)
    assert found.told
    assert found.sigma == pytest.approx(0.05, rel=0.35)


@pytest.mark.parametrize("curve", ["S-curve", "helix", "circles"])
def test_more_noise_about_a_curve(curve):
    found = level_of(noisy(CURVES[curve], 0.15))
    assert found.told
    assert found.sigma == pytest.approx(0.15, rel=0.35)


@pytest.mark.parametrize(
    "rows",
    [
        noisy(RNG.uniform(size=(800, 3)), 0.15),
        noisy(CURVES["swiss roll"], 0.3),
        RNG.normal(size=(800, 5)),
        RNG.normal(size=(800, 3)) * [1, 0.7, 0.4],
        (lambda X: X / X.std(axis=0))(load_wine().data),
    ],
    ids=["cube", "noise as wide as its gaps", "ball", "thin cloud", "wine"],
)
def test_noise_that_cannot_be_told(rows):
    found = level_of(rows)
    assert not found.told
    assert found.removable == 0 < found.sigma


@pytest.mark.parametrize("sigma", [0.05, 0.15, 0.5])
def test_noise_of_images(sigma):
    images = load_digits().data / 16
    found = level_of(images + sigma * np.random.default_rng(0).normal(size=images.shape))
    assert found.told
    assert found.sigma == pytest.approx(sigma, rel=0.1)


def test_rows_that_repeat():
    rows = np.repeat(RNG.normal(size=(3, 2)), 40, axis=0)
    assert level_of(RNG.permutation(rows)).removable == 0


@pytest.mark.parametrize("shape", [(600, 40), (60, 40), (60, 400), (300, 300)])
@pytest.mark.parametrize("rank", [0, 3])
def test_the_noise_is_found(shape, rank):
    n, d = shape
    rows = RNG.normal(size=(n, rank)) @ RNG.normal(size=(rank, d))
    found = floor_of(rows + NOISE * RNG.normal(size=shape))
    assert found.sigma == pytest.approx(NOISE, rel=0.12)


def test_no_noise():
    found = level_of(TRUTH)
    assert found.told
    assert found.removable < 1e-6


def test_constant_columns():
    constant = np.column_stack([NOISY, np.ones(600)])
    assert_allclose(level_of(constant), level_of(NOISY))


@pytest.mark.thorough
@pytest.mark.parametrize("ratio", [0.05, 0.2, 1.0, 2.0])
def test_the_distribution_of_eigenvalues(ratio):
    n = 800
    d = int(ratio * n)
    noise = RNG.normal(size=(n, d))
    values = np.linalg.svd(noise, compute_uv=False) ** 2 / n
    for q in (0.1, 0.5, 0.9):
        assert quantile_of_noise(q, n, d) == pytest.approx(np.quantile(values, q), rel=0.06)
