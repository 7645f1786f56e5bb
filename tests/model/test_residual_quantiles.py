"""Running quantiles of residuals, beside the literal bins and numpy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from okpca.model.residual_quantiles import Residuals
from oracles.relative_weights import Bins

SHARES = [0.1, 0.25, 0.5, 0.75]


def counted(e, weight, decay=1.0, cuts=()):
    found = Residuals()
    for part in np.split(np.arange(len(e)), cuts):
        found = found.after(e[part], weight[part], decay)
    return found


@pytest.mark.parametrize("decay", [1.0, 0.97])
def test_literal_bins(decay):
    rng = np.random.default_rng(0)
    e, w = np.exp(3 * rng.normal(size=80)), rng.uniform(0.1, 2, size=80)
    literal = Bins()
    for t in range(80):
        literal.add(e[t], w[t], decay)
        ours = counted(e[: t + 1], w[: t + 1], decay, cuts=[t // 2, t])
        assert_allclose(ours.quantile(0.5), literal.quantile(0.5), rtol=1e-8)
        assert_allclose(ours.quantile(SHARES), [literal.quantile(q) for q in SHARES], rtol=1e-8)


@pytest.mark.parametrize("unit", [1e-250, 1.0, 1e250])
@pytest.mark.parametrize("degrees", [1, 4, 100])
def test_quantiles_are_those_of_the_rows(degrees, unit):
    e = unit * np.random.default_rng(0).chisquare(degrees, size=5000)
    found = Residuals().after(e, np.ones(5000)).quantile([0.25, 0.5])
    assert_allclose(found / np.quantile(e, [0.25, 0.5]), 1.0, atol=0.03)


residuals = st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=30)


@given(residuals, st.data(), st.sampled_from([1.0, 0.9]))
def test_cuts_do_not_matter(values, data, decay):
    e = np.array(values)
    w = np.array(data.draw(st.lists(st.floats(0.1, 10), min_size=len(e), max_size=len(e))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(e)), max_size=5)))
    whole, cut = counted(e, w, decay), counted(e, w, decay, cuts)
    assert whole.first == cut.first
    assert_allclose(cut.bins, whole.bins, rtol=1e-12)


@given(residuals, residuals)
def test_two_models_residuals_add(ours, theirs):
    a, b = (Residuals().after(np.array(e), np.ones(len(e))) for e in (ours, theirs))
    both = Residuals().after(np.array(ours + theirs), np.ones(len(ours) + len(theirs)))
    for joined in (a.joined(b), b.joined(a)):
        assert_allclose(joined.quantile(SHARES), both.quantile(SHARES), rtol=1e-6)
    assert a.joined(Residuals()).quantile(0.5) == a.quantile(0.5)
    assert Residuals().joined(a).quantile(0.5) == a.quantile(0.5)


def test_rows_without_a_residual_say_nothing():
    nothing = Residuals().after(np.zeros(3), np.ones(3))
    assert nothing.empty
    assert np.isnan(nothing.quantile(0.5))
    assert not nothing.after(np.ones(1), np.ones(1)).empty
    assert Residuals().joined(Residuals()).empty


def test_rounding_does_not_choose_between_two_halves():
    near, far = np.full(50, 1e-3), np.full(50, 1e3)
    w = np.random.default_rng(0).uniform(size=50)
    found = [
        Residuals().after(np.concatenate(parts), np.tile(w, 2) * (1 + 1e-13)).quantile(0.5)
        for parts in ((near, far), (far, near))
    ]
    assert_allclose(found, 1.0, rtol=0.2)


def test_memory_does_not_grow():
    e = np.exp(np.random.default_rng(0).normal(size=100_000) * 5)
    assert len(Residuals().after(e, np.ones(len(e))).bins) < 600
