"""Reduced sets after every block, as Chin & Suter's Table I has them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import noted_calls, random_borders
from okpca import OnlineKernelPCA, budget, presets
from okpca.model import budget as budgets


def parabola(n, seed=0):
    """Their V-A1."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    return np.column_stack([x, x**2 + rng.normal(0, 0.2, n)])


def model(r=3, p=3, block=10, **more):
    more = {"starts": 2, "iterations": 10, "sigma": 1.0} | more
    return presets.ikpca_rs(r, per_component=p, block=block, **more)


@pytest.fixture
def reduced(monkeypatch):
    """The rows of the stream at which reduced sets were built."""
    return noted_calls(monkeypatch, budgets.reduced_set, "reduce")


@pytest.mark.long
def test_figure_2_has_31_of_them(reduced):
    fitted = model(6, 10, 30, starts=1, iterations=1).fit(parabola(1000))
    assert reduced == list(range(100, 1001, 30))
    assert len(reduced) == 31
    assert fitted.n_atoms_ <= 70


@pytest.mark.long
@pytest.mark.parametrize("cut", [[1, 3, 99], [12, 22, 32], list(range(1, 120))])
def test_any_cut_gives_the_same(reduced, cut):
    X = parabola(120)
    whole = model().fit(X)
    expected = list(range(22, 121, 10))
    assert reduced == expected
    reduced.clear()
    pieces = model()
    for part in np.split(X, cut):
        pieces.partial_fit(part)
    assert reduced == expected
    assert_allclose(pieces.atoms_, whole.atoms_, rtol=0, atol=1e-9)
    assert_allclose(pieces.transform(X), whole.transform(X), rtol=0, atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("more", [{}, {"burn_in": 35}, {"rule": "exact"}, {"forgetting": 0.99}])
def test_whatever_else_is_asked_for(more):
    X = parabola(122)  # the last is the end of a block
    if "rule" in more:
        on_full = budget.ReducedSet(3, every=10, starts=2, iterations=10)
        make = lambda: OnlineKernelPCA(3, sigma=1.0, on_full=on_full, **more)  # noqa: E731
    else:
        make = lambda: model(**more)  # noqa: E731
    whole, pieces = make().fit(X), make()
    for part in np.split(X, random_borders(len(X), 1)):
        if len(part):
            pieces.partial_fit(part)
    assert whole.n_atoms_ <= 12
    assert_allclose(pieces.transform(X), whole.transform(X), rtol=0, atol=1e-9)


def test_more_searching_finds_no_worse():
    """(27) of the first pre-image, from more starts, for longer."""
    X = parabola(60)
    kept = [
        model(2, 1, starts=starts, iterations=iterations, block=57).fit(X).eigenvalues_.sum()
        for starts, iterations in ((1, 1), (5, 100))
    ]
    assert kept[0] < kept[1]


@pytest.mark.parametrize("name", ["every", "first", "starts", "iterations"])
@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "all"])
def test_counted_in_whole_numbers(name, wrong):
    with pytest.raises(ValueError, match=f"ReducedSet: {name} must be an integer >= 1"):
        budget.ReducedSet(**{name: wrong})
