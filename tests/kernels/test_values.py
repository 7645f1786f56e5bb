"""Kernels that are objects compare by value: clones and unpickled models can be merged."""

import copy
import pickle
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.metrics.pairwise import laplacian_kernel

from okpca import OnlineKernelPCA, kernels, merge
from okpca.kernels.values import same


class Callable:
    """A kernel as people write it: an object with parameters."""

    def __init__(self, gamma=0.5, scale=(1.0, 2.0, 3.0)):
        self.gamma = gamma
        self.scale = np.array(scale)

    def __call__(self, X, Y):
        return self.between(X, Y)

    def between(self, X, Y):
        apart = (X[:, None] - Y[None]) / self.scale
        return np.exp(-self.gamma * np.square(apart).sum(axis=-1))


class OwnKernel(kernels.Kernel):
    def __init__(self, gamma):
        self.gamma = gamma

    def block(self, X, Y):
        return np.exp(-self.gamma * np.square(X[:, None] - Y[None]).sum(axis=-1))

    def diag(self, X):
        return np.ones(len(X))


@dataclass(frozen=True)
class OwnDataclass(OwnKernel):
    gamma: float = 0.5


ONE_AND_OTHER = {
    "object": (Callable(), Callable(0.6)),
    "array": (Callable(), Callable(scale=(1.0, 2.0, 4.0))),
    "method": (Callable().between, Callable(0.6).between),
    "partial": (partial(laplacian_kernel, gamma=1.0), partial(laplacian_kernel, gamma=2.0)),
    "partial of an object": (partial(Callable()), partial(Callable(0.6))),
    "own kernel": (OwnKernel(0.5), OwnKernel(0.6)),
    "own dataclass": (OwnDataclass(), OwnDataclass(0.6)),
    "sum": (OwnKernel(0.5) + 1, OwnKernel(0.6) + 1),
    "product": (kernels.RBF(1) * OwnKernel(0.5), kernels.RBF(2) * OwnKernel(0.5)),
    "with its own comparison": (SklearnRBF(1.0), SklearnRBF(2.0)),
}


@pytest.mark.parametrize(("one", "other"), ONE_AND_OTHER.values(), ids=ONE_AND_OTHER)
def test_clones_and_unpickled_models_merge(one, other):
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = OnlineKernelPCA(kernel=one).fit(X)
    twins = [clone(model).fit(X + 1), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    for twin in twins:
        assert twin.kernel_ == model.kernel_
        assert hash(twin.kernel_) == hash(model.kernel_)
        assert merge([model, twin]).n_samples_seen_ == 80
    different = OnlineKernelPCA(kernel=other).fit(X)
    assert different.kernel_ != model.kernel_
    with pytest.raises(ValueError, match="different kernel"):
        merge([model, different])


def test_functions_are_themselves():
    assert same(laplacian_kernel, laplacian_kernel)
    one, other = (eval("lambda X, Y: X @ Y.T") for _ in range(2))
    assert not same(one, other)
    assert not same(Callable(), laplacian_kernel)


def test_objects_without_attributes_are_themselves():
    assert not same(object(), object())
