"""Which noise may have given the order that Honeine publishes in 6.2: 90 atoms of 22 000 digits."""

import numpy as np
import pytest

from okpca import OnlineKernelPCA

pytestmark = [pytest.mark.data, pytest.mark.long]


@pytest.fixture(scope="module")
def images(data_set):
    stored = data_set("mnist_70000")
    threes = stored["X"][np.isin(stored["y"], (1, 2, 3))]
    return threes[np.random.default_rng(0).permutation(len(threes))[:500]] / 255


def order(X):
    return OnlineKernelPCA(1, sigma=8.5, nu=0.55, max_atoms=None).fit(X).n_atoms_


def test_variance_a_tenth_makes_every_row_an_atom_unless_it_is_clipped(images):
    X = images + np.random.default_rng(1).normal(scale=np.sqrt(0.1), size=images.shape)
    assert order(X) > 490
    assert order(np.clip(X, 0, 1)) < 90


def test_deviation_a_tenth_does_not(images):
    X = images + np.random.default_rng(1).normal(scale=0.1, size=images.shape)
    assert order(X) < 90
