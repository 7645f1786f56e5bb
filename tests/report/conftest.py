"""Rows of a process, a detector of them, and pages."""

import warnings

import numpy as np
import pytest

import chromium
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.report import svg
from okpca.report.markup import Html


def process(n, seed=0):
    """Four columns on a curve."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), 0.5 * np.sin(angle)])
    return ring + 0.05 * rng.normal(size=ring.shape)


@pytest.fixture(scope="session")
def rows():
    return process(1500)


@pytest.fixture(scope="session")
def detector(rows):
    return KernelNoveltyDetector(gamma=0.5, max_atoms=80, window=500).fit(rows)


@pytest.fixture(scope="session")
def model(rows):
    return OnlineKernelPCA(4, gamma=0.5, max_atoms=80).fit(rows)


@pytest.fixture(scope="session")
def faulty():
    """From row 600 on, 50 rows are wrong in the third column."""
    rows = process(1000, seed=1)
    rows[600:650, 2] += 3.0
    return rows


@pytest.fixture(scope="session")
def browser():
    if chromium.found() is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    with chromium.Browser() as browser:
        yield browser


@pytest.fixture(autouse=True)
def _words_alone(request, monkeypatch):
    """Most of the time of a report is drawing: only where pictures are looked at."""
    if request.node.get_closest_marker("long") is None:
        monkeypatch.setattr(svg, "drawn", lambda figure, label: Html("<svg></svg>"))


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
