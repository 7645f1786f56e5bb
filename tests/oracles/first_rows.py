"""Widths and scales of rows, pair by pair and column by column; a weight is written out as rows."""

from __future__ import annotations

import itertools

import numpy as np


def written_out(X, weight):
    """Every row as often as its weight says."""
    return np.repeat(X, np.ones(len(X), dtype=int) if weight is None else weight, axis=0)


def gamma_scale(X, weight=None):
    """scikit-learn's SVC(gamma="scale")"""
    X = written_out(X, weight)
    return 1 / (X.shape[1] * X.var())


def gamma_median(X, weight=None, power=2):
    X = written_out(X, weight)
    pairs = [(np.abs(x - y) ** power).sum() for x, y in itertools.combinations(X, 2)]
    return 1 / np.median([length for length in pairs if length > 0])


def standard(X, weight=None):
    X = written_out(X, weight)
    return X.mean(axis=0), X.std(axis=0)


def robust(X, weight=None):
    X = written_out(X, weight)
    low, middle, high = (
        np.quantile(X, share, axis=0, method="averaged_inverted_cdf") for share in (0.25, 0.5, 0.75)
    )
    return middle, (high - low) / 1.349
