"""Kernel values against two dictionaries at once are those against each."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy import sparse

from okpca.dictionary import Basis, values_beside
from okpca.kernels import RBF, Kernel, Polynomial

RNG = np.random.default_rng(0)
X, Y, ROW = RNG.normal(size=(9, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=(1, 3))


def over(points: np.ndarray, kernel: Kernel) -> Basis:
    return Basis.of_points(kernel, points)


def grown(basis: Basis, point: np.ndarray) -> Basis:
    z = basis.coordinates(basis.kernel_values(point))
    rest = basis.kernel.diag(point) - np.square(z).sum(axis=1)
    return basis.grown(point, np.hstack([z, np.sqrt(rest)[:, None]]))


@pytest.mark.parametrize("kernel", [RBF(gamma=0.3), Polynomial(gamma=0.3, degree=2, coef0=1.0)])
def test_of_any_two_dictionaries(kernel):
    one = over(X[:6], kernel)
    larger = grown(one, X[6:7])
    elsewhere = over(Y, kernel)
    alike = over(Y, type(kernel)(**kernel.__dict__))  # another object
    none = Basis.empty(kernel, 3)
    dictionaries = (one, larger, elsewhere, alike, none)
    for first in dictionaries:
        for second in dictionaries:
            for _ in range(2):  # what is kept of the first time holds for the second
                ours, theirs = values_beside(first, second, ROW)
                np.testing.assert_allclose(ours, first.kernel_values(ROW), rtol=0, atol=1e-14)
                np.testing.assert_allclose(theirs, second.kernel_values(ROW), rtol=0, atol=1e-14)


def test_one_that_grew_into_its_own_storage_is_not_taken_for_the_other():
    kernel = RBF(gamma=0.3)
    first = grown(over(X[:6], kernel), X[6:7])  # has room to grow
    one, other = grown(first, X[7:8]), grown(first, X[8:9])
    assert one.begins_with(first)
    assert not first.begins_with(one)
    assert not other.begins_with(one)
    ours, theirs = values_beside(one, other, ROW)
    np.testing.assert_allclose(ours, kernel(ROW, one.atoms), atol=1e-14)
    np.testing.assert_allclose(theirs, kernel(ROW, other.atoms), atol=1e-14)


def test_a_copy_gives_every_digit_again():
    kernel = RBF(gamma=0.3)
    first = over(X[:6], kernel)
    for one, other in ((grown(first, X[6:7]), first), (first, over(Y, kernel))):
        expected = values_beside(one, other, ROW)
        for pair in (copy.deepcopy((one, other)), (copy.deepcopy(one), copy.deepcopy(other))):
            for ours, theirs in zip(values_beside(*pair, ROW), expected, strict=True):
                np.testing.assert_array_equal(ours, theirs)


def test_atoms_dense_and_sparse():
    kernel = RBF(gamma=0.3)
    dense, csr = over(X, kernel), over(sparse.csr_array(Y), kernel)
    ours, theirs = values_beside(dense, csr, ROW)
    np.testing.assert_allclose(ours, kernel(ROW, dense.atoms), atol=1e-14)
    np.testing.assert_allclose(theirs, kernel(ROW, csr.atoms.toarray()), atol=1e-14)
