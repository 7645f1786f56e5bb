"""Rows, models and diaries that the tests of the displays share."""

import numpy as np

from helpers import normal
from okpca import KernelNoveltyDetector, OnlineKernelPCA, Trace

X = normal(200, 2)
WIDE = normal(200, 9, seed=1)
CLASS = np.where(X[:, 0] > 0, "right", "left")


def fitted(rows=X, **params):
    return OnlineKernelPCA(**({"n_components": 3, "gamma": 0.5} | params)).fit(rows)


def watcher(rows=WIDE, **params):
    settings = {"gamma": 0.05, "contamination": 0.1, "warm_up": 50, "n_components": 4}
    return KernelNoveltyDetector(**(settings | params)).fit(rows)


def far(n=5):
    """Rows like WIDE, the last n of them far out in column 2."""
    rows = normal(40, 9, seed=2)
    rows[-n:, 2] += 8.0
    return rows


def trace(**params):
    diary = Trace(20, **params)
    OnlineKernelPCA(3, gamma=0.5).fit(X, callback=diary)
    return diary
