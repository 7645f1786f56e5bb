"""Digits far from the origin, beside outliers, between near duplicates; scales 1e+-300."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from okpca.kernels import (
    RBF,
    Cosine,
    Exponential,
    Function,
    Laplacian,
    Polynomial,
    Product,
    Scaled,
    Standardized,
    Wavelet,
)
from oracles.formulas import FORMULAS, SMOOTH, D

FORMS = list(product((np.asarray, sparse.csr_array), repeat=2))  # of rows and of atoms


def exact_distances(X, Y):
    X, Y = (np.asarray(A, dtype=np.longdouble) for A in (X, Y))
    return np.sqrt(((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2))


def check_digits(X, Y, gamma, atol=1e-12):
    d = exact_distances(X, Y)
    rate = math.sqrt(gamma)
    with np.errstate(over="ignore"):
        gauss = np.exp(-np.longdouble(gamma) * d**2).astype(float)
        laplace = np.exp(-np.longdouble(rate) * d).astype(float)
    for form, of_atoms in FORMS:
        for rows in (X, X[:1]):
            K = RBF(gamma).bind(of_atoms(Y))(form(rows))
            np.testing.assert_allclose(K, gauss[: len(rows)], rtol=0, atol=atol)
            K = Exponential(1 / rate).bind(of_atoms(Y))(form(rows))
            np.testing.assert_allclose(K, laplace[: len(rows)], rtol=0, atol=atol)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e7, -1e12])
@pytest.mark.parametrize("gamma", [1e-3, 0.5, 20.0])
def test_digits_far_from_the_origin(rng, offset, gamma):
    check_digits(rng.normal(size=(50, D)) + offset, rng.normal(size=(20, D)) + offset, gamma)


@pytest.mark.parametrize("outlier", [1e5, 1e9, 1e160, 1e300])
def test_digits_beside_an_outlier(rng, outlier):
    X, Y = rng.normal(size=(40, D)), rng.normal(size=(20, D))
    X[3], Y[5] = outlier, -outlier
    check_digits(X, Y, 0.5)
    X[:20] += 1e6
    Y[:10] += 1e6
    check_digits(X, Y, 0.5)


def test_digits_of_near_duplicates(rng):
    Y = rng.normal(size=(30, D))
    X = Y + 1e-8 * rng.normal(size=Y.shape)
    K = RBF(1e12).bind(Y)(X)
    want = np.exp(-1e12 * ((X - Y) ** 2).sum(axis=1))
    np.testing.assert_allclose(K.diagonal(), want, rtol=1e-12)
    assert (K - np.diag(K.diagonal()) == 0).all()
    check_digits(X, Y, 1e12)
    check_digits(np.repeat(X, 20, axis=0), Y[:2], 1e12)  # few pairs flagged, few atoms


def test_the_careful_pass_is_bounded(rng, monkeypatch):
    from okpca.kernels import distances

    monkeypatch.setattr(distances, "CHUNK", 2 * D)
    monkeypatch.setattr(distances, "MANY", 1.0)
    Y = rng.normal(size=(30, D))
    check_digits(Y + 1e-8 * rng.normal(size=Y.shape), Y, 1e12)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("kernel", list(FORMULAS), ids=repr)
def test_extreme_scales_never_give_nan(kernel, scale, X, Y):
    if isinstance(kernel, Function) or "Function" in repr(kernel):
        return  # the user's own arithmetic
    for A, B in [(scale * X, scale * Y), (X, scale * Y), (scale * X, Y)]:
        K = kernel.bind(B)(A)
        assert K.shape == (9, 5)
        if scale < 1e200 and not isinstance(kernel, Product | Scaled):  # 0 * inf
            assert not np.isnan(K).any()
        if isinstance(kernel, RBF | Exponential | Laplacian | Cosine):
            assert np.isfinite(K).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
@SMOOTH
def test_pullback_at_extreme_scales(kernel, scale, X, Y):
    W = np.ones((9, 5))
    for A, B in [(scale * X, scale * Y), (X, scale * Y), (scale * X, Y)]:
        G = kernel.pullback(A, B, W)  # never a warning
        inner = kernel.kernel if isinstance(kernel, Standardized) else kernel
        overflows = scale > 1 and isinstance(inner, Polynomial | Product | Scaled | Wavelet)
        assert np.isfinite(G).all() or overflows


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-150, 1e150, 1e153])
def test_scale_free_kernels_are_scale_free(scale, X, Y):
    def close(kernel, reference):
        got = kernel(scale * X, scale * Y)
        np.testing.assert_allclose(got, reference(X, Y), rtol=1e-11, atol=1e-15)

    close(Cosine(), Cosine())
    close(Exponential(sigma=scale), Exponential(sigma=1.0))
    close(Laplacian(gamma=1 / scale), Laplacian(gamma=1.0))
    if 1e-152 < scale < 1e152:
        close(RBF(gamma=1 / scale / scale), RBF(gamma=1.0))


def test_largest_numbers():
    top = np.finfo(float).max
    X = np.array([[top, top], [-top, top], [0.0, 0.0], [1.0, 1.0]])
    for kernel in (RBF(), Exponential(), Laplacian(), RBF(1e300), Exponential(5e-324)):
        np.testing.assert_array_equal(np.diag(kernel(X, X)), 1.0)
        assert (kernel(X) <= 1).all()
    for form, of_atoms in FORMS:
        assert RBF().bind(of_atoms(X))(form(X))[0, 1] == 0.0


numbers = st.floats(-1e3, 1e3).map(lambda v: float(np.float32(v)))
points = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6).map(np.array)


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(points, points, st.floats(-6, 12), st.floats(-1e6, 1e6))
def test_distances_keep_their_digits(X, Y, exponent, offset):
    X, Y, gamma = X + offset, Y + offset, 10.0**exponent
    d = exact_distances(X, Y)
    want = np.exp(-np.longdouble(gamma) * d**2).astype(float)
    np.testing.assert_allclose(RBF(gamma)(X, Y), want, rtol=0, atol=2e-13)
    want = np.exp(-np.longdouble(math.sqrt(gamma)) * d).astype(float)
    np.testing.assert_allclose(Exponential(1 / math.sqrt(gamma))(X, Y), want, rtol=0, atol=2e-13)


every_float = st.floats(allow_nan=False, allow_infinity=False)
wild = st.lists(st.tuples(every_float, every_float), min_size=1, max_size=4).map(np.array)


@pytest.mark.thorough
@settings(max_examples=100, deadline=None)
@given(wild, wild, st.floats(1e-300, 1e300))
def test_stationary_kernels_are_finite_for_every_float(X, Y, gamma):
    for kernel in (RBF(gamma), Exponential(gamma), Laplacian(gamma), Cosine()):
        for form, of_atoms in FORMS:
            K = kernel.bind(of_atoms(Y))(form(X))
            assert np.isfinite(K).all()
            assert (np.abs(K) <= 1 + 1e-12).all()
