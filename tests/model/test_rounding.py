"""Rounding is part of the model: what it may have done is charged to the certificate."""

import numpy as np
import pytest

from helpers import normal
from okpca import OnlineKernelPCA
from okpca.model.certificate import Loss, certify


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(5))
def test_forgotten_atoms_lose_nothing_negative(seed):
    """What an atom carries whose rows are forgotten is zero up to rounding, of either sign."""
    model = OnlineKernelPCA(max_atoms=60, on_full="slide", forgetting=0.5)
    certificate = model.fit(normal(160, 10, seed=seed)).certificate()
    assert 0 <= certificate.discarded_energy < 1e-9
    assert (certificate.eigenvalue_lower <= model.eigenvalues_).all()
    assert (certificate.eigenvalue_upper >= model.eigenvalues_).all()


@pytest.mark.parametrize("corners", range(3, 25))
@pytest.mark.parametrize("gamma", [0.01, 0.1, 0.5, 1.0, 2.0, 5.0])
def test_no_angle_is_vouched_for_between_tied_eigenvalues(corners, gamma):
    """Every direction of the plane of a regular polygon is a first component."""
    turn = 2 * np.pi * np.arange(corners) / corners
    polygon = np.column_stack([np.cos(turn), np.sin(turn)])
    assert OnlineKernelPCA(1, gamma=gamma, nu=0).fit(polygon).certificate().angle_bound == np.inf


def test_eigenvalues_apart_have_an_angle():
    certificate = OnlineKernelPCA(1, gamma=0.5, nu=0).fit(normal(50, 2)).certificate()
    assert 0 < certificate.angle_bound < 1e-6  # rounding of the rows included


def test_a_tie_up_to_rounding():
    energy = 100.0
    for apart, vouched in ((0.0, False), (1e-15, False), (1e-13, False), (1e-10, True)):
        c = certify(np.array([1.0 + apart]), 1.0, Loss(), energy)
        assert np.isfinite(c.angle_bound) == vouched
        assert c.eigenvalue_lower[0] <= 1.0 + apart <= c.eigenvalue_upper[0]
