"""Kernels, step sizes and fading weights, a plain function each.

A kernel is ``kappa(X, Y) -> matrix``; a step size is a function ``eta(t)`` of the 1-based index t
of the row in the stream. [H] and [SF]: `honeine`, `souza_filho`.
"""

import numpy as np


def linear(X, Y):
    """kappa(x, y) = <x, y>."""
    return np.array([[float(np.dot(x, y)) for y in Y] for x in X]).reshape(len(X), len(Y))


def rbf(gamma):
    """kappa(x, y) = exp(-gamma ||x - y||^2), from explicit differences."""

    def kappa(X, Y):
        return np.exp(-gamma * ((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2))

    return kappa


def constant(eta0):
    """eta(t) = eta0."""
    return lambda t: eta0


def inverse_time(eta0):
    """eta(t) = eta0 / t ([H] 5.1)."""
    return lambda t: eta0 / t


def search_then_converge(eta0, tau):
    """eta(t) = eta0 / (1 + t / tau) ([H] (20))."""
    return lambda t: eta0 / (1 + t / tau)


def exponential_decay(eta0, gamma):
    """eta(t) = gamma eta(t - 1), eta(0) = eta0, so eta(t) = eta0 gamma^t ([SF] Table I line 17)."""
    return lambda t: eta0 * gamma**t


def decayed(weights, forgetting):
    """w_i forgetting^(n-i)."""
    n = len(weights)
    return np.array([w * forgetting ** (n - i) for i, w in enumerate(weights, 1)])
