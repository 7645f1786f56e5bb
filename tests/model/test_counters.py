"""What a model counts is right after a warm-up and after a merge, as after one stream."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import normal, up_to_sign
from okpca import OnlineKernelPCA, merge

X = normal(120, 3)


def model(**params):
    return OnlineKernelPCA(3, **{"gamma": 1.0, "random_state": 0} | params)


def counters(fitted):
    state = fitted._model
    return state.n_rows, state.n_steps, state.relieved_at, state.pace


@pytest.mark.thorough
@pytest.mark.parametrize("on_full", ["compress", "drop"])
@pytest.mark.parametrize("robust", [None, "exponential"])
def test_a_warm_up_remembers_when_room_was_made(on_full, robust):
    plain = model(max_atoms=15, on_full=on_full)
    warmed = model(max_atoms=15, on_full=on_full, burn_in=100, robust=robust)
    expected = counters(plain.fit(X[:100]))
    assert counters(warmed.fit(X[:100])) == expected
    assert 0 < expected[2] <= 100
    assert 0 < expected[3] < 100


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["exact", "okha", "oo-kha", "oja"])
@pytest.mark.parametrize("robust", [None, "exponential"])
def test_a_weight_in_the_warm_up_is_repetition(rule, robust):
    """Also for the step sizes that come after it."""
    weight = np.random.default_rng(0).integers(1, 4, size=len(X))
    weighted = model(rule=rule, robust=robust, burn_in=40).fit(X, sample_weight=weight)
    more = int(weight[:40].sum())
    repeated = model(rule=rule, robust=robust, burn_in=more).fit(np.repeat(X, weight, axis=0))
    if rule != "exact" or robust:
        assert counters(weighted)[1] == counters(repeated)[1] == weight.sum()
    expected = repeated.transform(X)  # signs are told by rows that were not repeated
    assert_allclose(up_to_sign(weighted.transform(X), expected), expected, rtol=0, atol=1e-8)


def test_a_heavy_row_in_the_warm_up_is_a_bounded_number_of_steps():
    weight = np.ones(len(X))
    weight[3] = 1e30
    fitted = model(rule="okha", burn_in=40).fit(X, sample_weight=weight)
    assert counters(fitted)[1] < 1e9
    assert np.isfinite(fitted.transform(X)).all()


def test_merged_as_if_the_other_stream_came_second():
    small, full = model(max_atoms=200), model(max_atoms=40)
    few, many = small.fit(X[:50]), full.fit(np.tile(X, (3, 1)))
    assert counters(few)[2:] == (0, 0)
    n_rows, n_steps, relieved_at, pace = counters(many)
    assert 0 < relieved_at < n_rows
    merged = merge([few, many])  # 200 atoms are room enough
    assert counters(merged) == (n_rows + 50, n_steps + 50, relieved_at + 50, pace)
    roomy = model(max_atoms=200).fit(X[:5])
    assert counters(merge([few, roomy])) == (55, 55, 0, 0)


def test_room_made_by_a_merge_is_room_made():
    one, two = (model(max_atoms=40).fit(part) for part in (X[:60], X[60:]))
    paces = {counters(one)[3], counters(two)[3]}
    merged = merge([one, two])
    assert merged.n_atoms_ == 40
    n_rows, _, relieved_at, pace = counters(merged)
    assert n_rows == relieved_at == 120
    assert pace in paces
