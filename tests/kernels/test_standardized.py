"""Kernels of scaled columns. What every kernel must keep is tried in test_every_kernel."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from helpers import normal
from okpca.kernels import RBF, Function, Linear, Polynomial, Standardized, Standardizing
from okpca.kernels.base import Trait
from okpca.kernels.first_rows import gamma_by
from oracles import first_rows as oracle

X = normal(40, 3) * [1, 10, 300] + [5, -100, 2000]


@pytest.mark.parametrize("how", ["standard", "robust"])
def test_settled_by_rows(how):
    kernel = Standardizing(RBF("median") + Polynomial(2), how).resolved(3).settled(X)
    offset, scale = getattr(oracle, how)(X)
    unit = (X - offset) / scale
    want = RBF(oracle.gamma_median(unit)) + Polynomial(2, 1 / 3)
    assert_allclose(kernel(X), want(unit), rtol=1e-10)
    assert_allclose(kernel.scale, scale, rtol=1e-12)


def test_csr_is_scaled_and_not_shifted():
    thin = np.where(np.abs(normal(40, 3)) < 0.5, 0, X)
    kernel = Standardizing(RBF("median"), "standard").settled(sparse.csr_array(thin))
    assert kernel.allows_sparse
    assert kernel.offset is None
    dense = Standardizing(RBF("median"), "standard").settled(thin)
    assert not dense.allows_sparse
    assert_allclose(kernel(sparse.csr_array(thin)), dense(thin), rtol=1e-10)  # of x - y alone


def test_traits():
    shifted, scaled = Standardized(Linear(), [1, 2], [3, 4]), Standardized(Linear(), [1, 2])
    assert Trait.AFFINE in scaled.traits
    assert Trait.AFFINE not in shifted.traits
    assert Trait.GAUSSIAN in Standardized(RBF(), [1, 2], [3, 4]).traits
    assert Trait.ANY_COLUMNS not in Standardized(RBF(), [1, 2]).traits


def test_parts_are_asked():
    own = Standardized(Function(lambda A, B: A @ B.T), [1, 2])
    assert not own.allows_sparse
    assert not own.has_gradient
    assert Standardized(RBF("scale"), [1, 10, 300]).needs_rows
    inner = Standardized(RBF("scale"), [1, 10, 300]).settled(X).kernel
    assert_allclose(inner.gamma, gamma_by("scale", X / [1, 10, 300]), rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Standardized(RBF(), [1.0, 0.0]), "every scale must be positive"),
        (lambda: Standardized(RBF(), [1.0, np.nan]), "scale must be a finite number for each"),
        (lambda: Standardized(RBF(), 2.0), "scale must be a finite number for each"),
        (lambda: Standardized(RBF(), [1, 1], [0]), "offset has 1 columns, scale 2"),
        (lambda: Standardized("rbf", [1.0]), "kernel must be a Kernel, got 'rbf'"),
        (lambda: Standardizing("rbf"), "Standardizing: kernel must be a Kernel"),
        (lambda: Standardizing(RBF(), "minmax"), "how must be one of"),
        (lambda: Standardized(RBF(), [1, 2])(X), "the scale is of 2 columns, the rows have 3"),
        (lambda: Standardizing(RBF())(X), "taken from rows, and there are none yet"),
        (lambda: Standardizing(RBF()).diag(X), "taken from rows, and there are none yet"),
        (lambda: Standardizing(RBF()).pullback(X, X, X), "taken from rows, and there are none yet"),
    ],
)
def test_refused(make, what):
    with pytest.raises(ValueError, match=what):
        make()


def test_the_scale_cannot_be_changed():
    given = np.array([1.0, 2.0])
    kernel = Standardized(RBF(), given)
    given[0] = 7.0
    assert kernel.scale[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        kernel.scale[0] = 7.0
