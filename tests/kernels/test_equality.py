"""Kernels that are objects compare by value: clones and unpickled models can be merged."""

import copy
import pickle
from dataclasses import dataclass
from functools import partial

import cloudpickle
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.metrics.pairwise import laplacian_kernel

from okpca import OnlineKernelPCA, kernels, merge
from okpca.kernels.equality import same


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


WIDTH = """
import numpy as np
gamma = {gamma}
def kernel(X, Y, *, power=2):
    return np.exp(-gamma * sum((X[:, None, k] - Y[:, k]) ** power for k in range(X.shape[1])))
"""


def written(source):
    """A function of a script."""
    space = {}
    exec(source, space)
    return space["kernel"]


def within(gamma):
    return lambda X, Y: np.exp(-gamma * np.square(X[:, None] - Y).sum(axis=-1))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (within(0.5), within(0.6)),
        (written(WIDTH.format(gamma=0.5)), written(WIDTH.format(gamma=0.6))),
        (lambda X, Y: X @ Y.T, lambda X, Y: 2 * X @ Y.T),
        (lambda X, Y, scale=1.0: scale * X @ Y.T, lambda X, Y, scale=2.0: scale * X @ Y.T),
    ],
    ids=["closure", "global", "code", "default"],
)
def test_a_function_that_was_sent_by_value_is_the_same(one, other):
    """As to the workers of Dask or joblib, from a script."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = OnlineKernelPCA(kernel=one).fit(X)
    sent = cloudpickle.loads(cloudpickle.dumps(model))
    assert sent.kernel_.f is not one
    assert merge([model, sent]).n_samples_seen_ == 80
    different = OnlineKernelPCA(kernel=other).fit(X)
    with pytest.raises(ValueError, match="different kernel"):
        merge([sent, different])


def test_functions_are_what_they_do():
    assert same(laplacian_kernel, laplacian_kernel)
    one, other = (eval("lambda X, Y: X @ Y.T") for _ in range(2))
    assert same(one, other)
    assert not same(Callable(), laplacian_kernel)


def test_functions_that_name_themselves_cannot_be_told():
    source = "def kernel(X, Y, d=1):\n    return X @ Y.T if not d else kernel(X, Y, d - 1)"
    one = written(source)
    assert same(one, one)
    assert not same(one, written(source))


def test_objects_without_attributes_are_themselves():
    assert not same(object(), object())
