"""The account of what a model does not hold, against the matrices that it is about."""

import numpy as np
import pytest

from helpers import normal
from okpca.model.discarded_energy import Loss


def loss_of(D):
    return Loss(float(np.square(D).sum()), float(np.linalg.norm(D, 2) ** 2))


def covers(loss, D):
    true = loss_of(D)
    return loss.energy >= true.energy * (1 - 1e-12) and loss.worst >= true.worst * (1 - 1e-12)


@pytest.mark.parametrize("turn", [1.0, 0.3, -1.0])
def test_a_change_adds_by_norms_in_whatever_direction_it_goes(turn):
    """In one direction √E + √lost is what there is; squares alone would be too little."""
    D, other = normal(7, 3), normal(7, 3, seed=1)
    change = 1.5 * (turn * D + (1 - abs(turn)) * other)
    one = loss_of(change)
    found = loss_of(D).after_recoding(one.energy, one.worst)
    assert covers(found, D + change)
    if turn == 1.0:
        assert found.energy == pytest.approx(loss_of(D + change).energy)
        assert found.worst == pytest.approx(loss_of(D + change).worst)


@pytest.mark.parametrize("decay", [1.0, 0.9])
def test_rows_one_by_one_or_at_once(decay):
    distances = np.square(normal(1, 9)[0])
    single = Loss(2.0, 1.0)
    for distance in distances:
        single = single.after_row(distance, decay)
    block = Loss(2.0, 1.0).after_rows(distances, decay)
    expected = decay**9 * np.array([2.0, 1.0]) + distances @ decay ** np.arange(8.0, -1, -1)
    assert (single.energy, single.worst) == pytest.approx(tuple(expected))
    assert (block.energy, block.worst) == pytest.approx(tuple(expected))


def test_rows_that_are_held_as_they_are_take_back_what_they_added():
    before, fresh = normal(5, 3), normal(4, 3, seed=2)
    distance = np.square(fresh).sum(axis=1)
    found = loss_of(before).after_rows(distance, 1.0).given_back(float(distance[1:].sum()))
    assert covers(found, np.vstack([before, fresh[:1]]))
    assert found.energy == pytest.approx(loss_of(np.vstack([before, fresh[:1]])).energy, rel=1e-6)
    assert loss_of(before).given_back(1e9) == Loss(0.0, 0.0)


def test_rows_of_both():
    A, B = normal(5, 3), normal(4, 3, seed=1)
    assert covers(loss_of(A).joined(loss_of(B)), np.vstack([A, B]))
