"""Rows and atoms for the kernels."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.formulas import D


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def X(rng):
    return rng.normal(size=(9, D))


@pytest.fixture
def Y(rng):
    return rng.normal(size=(5, D)) + 0.5
