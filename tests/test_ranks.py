"""Tukey's test on mean ranks, which benchmarks/papers uses after Kruskal & Wallis."""

import numpy as np
from benchmarks.papers.ranks import alike_best, pairwise
from numpy.testing import assert_allclose
from scipy.stats import kruskal


def samples(*shifts, n=25, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(shift, size=n) for shift in shifts]


def test_for_two_samples_it_is_kruskal_wallis():
    two = [np.round(sample, 1) for sample in samples(0.0, 0.6)]  # with ties
    assert_allclose(pairwise(two)[0, 1], kruskal(*two).pvalue, rtol=1e-6)


def test_samples_of_one_law_are_told_apart_as_often_as_the_level_says():
    found = [pairwise(samples(0, 0, 0, seed=seed)).min() < 0.1 for seed in range(200)]
    assert 0.05 < np.mean(found) < 0.16


def test_the_best_and_its_like():
    assert alike_best(samples(0, 3, 3.05, 1)) == [1, 2]
    assert alike_best(samples(0, 5, 2)) == [1]
