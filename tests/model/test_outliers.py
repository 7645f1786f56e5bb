"""Robust weights among gross outliers: the data sets of `benchmarks/robust.py`, smaller."""

import numpy as np
import pytest
from benchmarks import robust as benchmark
from numpy.testing import assert_allclose

from okpca import KernelNoveltyDetector

AUTO = ['"auto"', '"auto", burn_in=100']
SHARE = '"auto", 90 % of variance'


def cosines(name, order, units, methods):
    """The smallest over methods and units."""
    rng = np.random.default_rng(5)
    outlier = benchmark.outliers(rng, 500, 0.15, order)
    rows, _, settings = benchmark.SETS[name](rng, outlier)
    for unit in units:
        truth = benchmark.fitted(unit * rows[~outlier], settings(unit))
        for method in methods:
            params = settings(unit) | benchmark.METHODS[method]
            yield benchmark.cosine(benchmark.fitted(unit * rows, params), truth)


@pytest.mark.long
@pytest.mark.parametrize("order", ["anywhere", "in a stretch"])
@pytest.mark.parametrize("name", benchmark.SETS)
def test_clean_directions_are_found_in_any_unit(name, order):
    # The width of an RBF kernel is in the unit, so that there one is like another.
    every = order == "anywhere" and not name.endswith("RBF")
    units = benchmark.UNITS if every else benchmark.UNITS[:1]
    assert min(cosines(name, order, units, AUTO)) >= 0.99
    # Many components leave small residuals, so more of the clean rows count as far.
    assert min(cosines(name, order, (100.0,), [SHARE])) >= 0.95


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["plain", "Exponential(0.02)", "Logistic(0.002, 2)"])
def test_where_a_fixed_scale_fails(method):
    assert min(cosines("plane, outliers around", "anywhere", benchmark.UNITS, [method])) < 0.9


@pytest.mark.thorough
def test_a_detector_whose_first_rows_are_contaminated():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 1500)
    X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.normal(size=(1500, 2))
    X[3:100:7] = [3, 3] + 0.05 * rng.normal(size=(14, 2))
    strange = np.array([[3.0, 3.0], [0.0, 0.0]])
    params = {"gamma": 1.0, "nu": 1e-4}
    plain = KernelNoveltyDetector(**params).fit(X)
    robust = KernelNoveltyDetector(**params, robust="auto").fit(X)
    assert robust.score_samples(strange)[0] <= plain.score_samples(strange)[0]
    assert (robust.predict(strange) == -1).all()
    assert np.mean(robust.predict(X[200:]) == -1) < 0.03
    cut = KernelNoveltyDetector(**params, robust="auto")
    for part in np.split(X, [1, 99, 100, 101, 700]):
        cut.partial_fit(part)
    assert_allclose(cut.score_samples(X[:20]), robust.score_samples(X[:20]), rtol=1e-7)
