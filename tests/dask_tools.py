"""Blocks for the tests of okpca.dask, where processes of their own can import them from."""

import os
import time

import dask
import numpy as np
from numpy.testing import assert_array_equal
from sklearn.base import clone

from okpca import budget, merge

OWN = {"dashboard_address": ":0", "threads_per_worker": 1, "silence_logs": 50}
"""Of a cluster for a test, which prints nothing and takes nobody's port."""


def ring(n, seed=0):
    """Rows near a circle in three columns."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    rows = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(n)])
    return rows + 0.1 * rng.normal(size=rows.shape)


def part_of(model, n):
    """What learns one of two streams, or of four and more: three times as thrifty, and of more than
    two five times while it is young."""
    early = (3.0 if n == 2 else 5.0) / 3.0
    return clone(model).set_params(on_full=budget.Compress(thrift=3.0, early=early))


def tree(models):
    """Neighbours first: what `fit` promises, by hand."""
    while len(models) > 1:
        models = [merge(models[i : i + 2]) for i in range(0, len(models), 2)]
    return models[0]


def assert_same(a, b):
    """The same model, to the last bit."""
    assert a.n_samples_seen_ == b.n_samples_seen_
    for name in ("atoms_", "dual_coef_", "eigenvalues_", "mean_", "explained_variance_ratio_"):
        assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@dask.delayed
def block(seed, n=400):
    return ring(n, seed)


@dask.delayed
def late(rows, seconds):
    time.sleep(seconds)
    return rows


@dask.delayed
def unreadable():
    raise OSError("the disk is gone")


@dask.delayed
def deadly():
    os._exit(1)
