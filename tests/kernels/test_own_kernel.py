"""A kernel as the head of `kernels.base` asks for it: `block` and `diag`, and nothing else."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import OF_THE_MODEL, assert_same_model, normal
from okpca import KernelNoveltyDetector, OnlineKernelPCA, checks
from okpca.kernels import RBF, Function, Kernel, Laplacian
from okpca.kernels.base import Trait
from okpca.model.budget import ReducedSet
from oracles.formulas import gradient

X = normal(80, 3)


class Gauss(Kernel):
    """exp(−‖x − y‖² / 2)"""

    def block(self, X, Y):
        with np.errstate(over="ignore"):
            return np.exp(-0.5 * np.square(X[:, None] - Y[None]).sum(axis=2))

    def diag(self, X):
        return np.ones(len(X))

    def __repr__(self):
        return "Gauss()"


class Smooth(Gauss):
    """With its gradient."""

    def pullback(self, X, Y, W, K=None):
        W = W * self.block(X, Y)
        return W @ Y - W.sum(axis=1)[:, None] * X


def same_values(X, Y):
    return RBF(0.5)(X, Y)


def test_the_gradient_is_there_where_it_is_written():
    assert not Gauss().has_gradient
    assert Smooth().has_gradient
    assert not (Gauss() + RBF(1.0)).has_gradient
    assert not (2.0 * Gauss()).has_gradient
    assert (Smooth() * RBF(1.0)).has_gradient
    with pytest.raises(NotImplementedError, match=r"Gauss\(\) has no gradient"):
        Gauss().pullback(X, X, np.ones((80, 80)))
    assert_allclose(gradient(Smooth(), X, X[:5]), gradient(RBF(0.5), X, X[:5]), atol=1e-12)


class Telling(Gauss):
    """With its way back from values to distances."""

    def squared_distance(self, along, square, own):
        return RBF(0.5).squared_distance(along, square, own)


def test_the_distance_is_told_where_it_is_written():
    assert not Gauss().tells_distance
    assert (3.0 * Telling()).tells_distance
    assert not (Telling() + RBF(1.0)).tells_distance
    with pytest.raises(NotImplementedError, match=r"Gauss\(\) tells no distance"):
        Gauss().squared_distance(X, X, X)
    own, ours = (
        OnlineKernelPCA(4, kernel=kernel, preimage="distances").fit(X).denoise(X)
        for kernel in (Telling(), RBF(0.5))
    )
    assert_allclose(own, ours, rtol=1e-7)


def test_a_width_that_is_open_tells_no_distance():
    with pytest.raises(ValueError, match=r"kernel\.resolved\(n_features\)"):
        RBF().squared_distance(*np.ones((3, 1, 1)))


@pytest.mark.thorough
@pytest.mark.parametrize("on_full", ["compress", "drop", "project", "slide"])
def test_a_budget_needs_no_gradient(on_full):
    """It lives as the same values do when they come from a function."""
    own, function = (
        OnlineKernelPCA(3, kernel=kernel, max_atoms=12, on_full=on_full, random_state=0).fit(X)
        for kernel in (Gauss(), Function(same_values))
    )
    assert own.n_atoms_ <= 12
    assert_same_model(own, function, X[:9])
    assert_same_model(own.compress(6), function.compress(6), X[:9])
    assert own.n_atoms_ == 6
    assert_same_model(pickle.loads(pickle.dumps(own)), own, X[:9], tol=0)


def test_with_a_gradient_it_is_compressed_as_rbf():
    own, rbf = (
        OnlineKernelPCA(3, kernel=kernel, random_state=0).fit(X).compress(8)
        for kernel in (Smooth(), RBF(0.5))
    )
    assert_allclose(own.explained_variance_, rbf.explained_variance_, rtol=1e-6)


def test_a_reduced_set_without_gradient_is_of_atoms():
    on_full = ReducedSet(per_component=2)
    model = OnlineKernelPCA(3, kernel=Gauss(), max_atoms=12, on_full=on_full).fit(X)
    assert model.n_atoms_ <= 12
    assert all((atom == X).all(axis=1).any() for atom in model.atoms_)


def test_what_needs_a_gradient_says_so():
    with pytest.raises(ValueError, match=r"needs the gradient .* and Gauss\(\) has none"):
        OnlineKernelPCA(2, kernel=Gauss(), preimage="gradient").fit(X).denoise(X)
    detector = KernelNoveltyDetector(kernel=Gauss(), warm_up=20, contamination=0.1).fit(X)
    with pytest.raises(ValueError, match=r"contributions need a gradient; Gauss\(\) has none"):
        detector.contributions(X)


@pytest.mark.long
def test_shipped_checks():
    late = {"whole_weight_is_repetition": "when rows join a full dictionary is counted in rows"}
    late |= dict.fromkeys(checks.ALL.keys() - OF_THE_MODEL, "not about kernels")
    model = OnlineKernelPCA(2, kernel=Gauss(), max_atoms=15)
    assert checks.check_streaming(model, skip=late) == late


class Boastful(Laplacian):
    """Says of itself that it does not matter in which coordinates rows are."""

    own_traits = Trait.CONSTANT_NORM | Trait.ROTATED


def test_a_trait_that_does_not_hold_is_noticed():
    with pytest.raises(AssertionError, match="ROTATED: in other coordinates"):
        checks.check_kernel(Boastful(0.5))
    assert Trait.ROTATED in (2.0 * RBF(1.0)).traits
    assert Trait.ROTATED not in (RBF(1.0) + Laplacian(1.0)).traits
