"""Sums, products, multiples, and how they print."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from okpca import kernels
from okpca.kernels import (
    RBF,
    Constant,
    Laplacian,
    Linear,
    Polynomial,
    Product,
    Scaled,
    Sum,
    Wavelet,
)


def leaves():
    return st.sampled_from([RBF(), Linear(), Polynomial(2), Laplacian(0.5), Wavelet()])


trees = st.recursive(
    leaves(),
    lambda k: st.one_of(
        st.builds(Sum, k, k),
        st.builds(Product, k, k),
        st.builds(Scaled, st.floats(1e-3, 1e3), k),
    ),
    max_leaves=8,
)


@pytest.mark.thorough
@settings(max_examples=100, deadline=None)
@given(trees)
def test_repr_of_any_expression_rebuilds_it(kernel):
    assert eval(repr(kernel), vars(kernels)) == kernel


def test_readable_repr():
    assert repr(RBF(gamma=0.5) + 2 * Linear()) == "RBF(gamma=0.5) + 2.0 * Linear()"
    assert repr(Linear() * (RBF() + 1)) == "Linear() * (RBF(gamma=None) + Constant(value=1.0))"
    assert repr(2 * (3 * Linear())) == "2.0 * (3.0 * Linear())"
    assert repr(RBF(gamma=np.float64(0.5))) == "RBF(gamma=0.5)"


def test_operators(X):
    a, b = RBF(0.5), Linear()
    assert sum([a, b, a]) == a + b + a
    assert 2 * a == a * 2 == np.float64(2) * a == a * np.float32(2) == Scaled(2.0, a)
    assert 1 + a == Sum(Constant(1.0), a)
    assert a + 0.5 == Sum(a, Constant(0.5))
    np.testing.assert_allclose((a * b)(X), a(X) * b(X))
    for wrong in ("rbf", None, [1.0], 1j):
        for operation in (lambda w: a + w, lambda w: w + a, lambda w: a * w, lambda w: w * a):
            with pytest.raises(TypeError):
                operation(wrong)


@pytest.mark.parametrize("scale", [0, -1.0, math.inf, math.nan])
def test_scale_must_be_positive(scale):
    with pytest.raises(ValueError, match=f"scale must be a positive finite number, got {scale}"):
        scale * RBF()
