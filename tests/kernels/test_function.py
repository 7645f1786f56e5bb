"""A user's function as a kernel: what it must return."""

from __future__ import annotations

import numpy as np
import pytest

from okpca.kernels import (
    Function,
)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (1.0, r"returned shape \(\), expected \(9, 5\)"),
        (np.ones(9), r"returned shape \(9,\), expected \(9, 5\)"),
        (np.ones((5, 9)), r"returned shape \(5, 9\), expected \(9, 5\)"),
        (np.ones((9, 5)) * 1j, "returned dtype complex128, expected real numbers"),
        (np.full((9, 5), "a"), "returned dtype <U1, expected real numbers"),
        (np.full((9, 5), None), "returned dtype object, expected real numbers"),
        (np.full((9, 5), np.nan), "returned NaN or infinity, expected finite numbers"),
        (np.full((9, 5), np.inf), "returned NaN or infinity, expected finite numbers"),
    ],
)
def test_function_errors(returned, message, X, Y):
    def my_kernel(X, Y):
        return returned

    with pytest.raises(ValueError, match=f"my_kernel {message}"):
        Function(my_kernel)(X, Y)


def test_function_diagonal_uses_little_memory(rng):
    sizes = []

    def f(X, Y):
        sizes.append((len(X), len(Y)))
        return X @ Y.T

    X = rng.normal(size=(1000, 3))
    np.testing.assert_allclose(Function(f).diag(X), (X**2).sum(axis=1))
    assert max(max(s) for s in sizes) <= 64


def test_function_result_is_a_copy(X):
    mine = np.eye(9, dtype=np.float32)
    K = Function(lambda X, Y: mine)(X, X)
    K += 1
    assert (mine == np.eye(9)).all()
    assert K.dtype == np.float64
