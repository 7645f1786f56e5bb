"""Kernels by name, and every message about a parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from sklearn.metrics import pairwise

from okpca.kernels import (
    RBF,
    Constant,
    Cosine,
    Exponential,
    Function,
    Laplacian,
    Linear,
    Polynomial,
    Wavelet,
    make,
)
from oracles.formulas import squared_dot


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("rbf", RBF(0.2)),
        ("exponential", Exponential()),
        ("laplacian", Laplacian(0.2)),
        ("poly", Polynomial(2, 0.2, 0.5)),
        ("polynomial", Polynomial(2, 0.2, 0.5)),
        ("linear", Linear()),
        ("cosine", Cosine()),
        ("wavelet", Wavelet()),
    ],
)
def test_make_by_name(name, kernel):
    assert make(name, gamma=0.2, degree=2, coef0=0.5) == kernel


def test_make_with_parameters(X, Y):
    assert make("exponential", kernel_params={"sigma": 2.0}) == Exponential(2.0)
    assert make("rbf", gamma=9.0, kernel_params={"gamma": 2.0}) == RBF(2.0)
    params = {"wavelet": "sym4", "kernel": "rbf", "shape": [2, 3]}
    want = Wavelet("sym4", kernel=RBF(0.2), shape=(2, 3))
    assert make("wavelet", gamma=0.2, kernel_params=params) == want
    assert params["kernel"] == "rbf"
    assert make("wavelet", kernel_params={"kernel": Cosine()}) == Wavelet(kernel=Cosine())
    kernel = Linear() + RBF()
    assert make(kernel, gamma=3.0) is kernel
    for gamma in (None, "median"):  # the defaults of models and of detectors
        assert make(squared_dot, gamma=gamma) == Function(squared_dot)
    theirs = make(pairwise.rbf_kernel, kernel_params={"gamma": 0.5})
    np.testing.assert_allclose(theirs(X, Y), RBF(0.5)(X, Y))
    assert repr(theirs) == "Function(partial(rbf_kernel, gamma=0.5))"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: make("precomputed"), "no finite Gram matrix.*pass a function"),
        (lambda: make("sigmoid"), "must be one of .*'rbf'.* got 'sigmoid'"),
        (lambda: make(3), "must be one of .* got 3"),
        (lambda: make(None), "must be one of .* got None"),
        (lambda: make(RBF), r"got the class RBF; write RBF\(...\)"),
        (lambda: make("rbf", kernel_params={"sigma": 1}), r"takes the parameters \['gamma'\]"),
        (lambda: make(RBF(), kernel_params={"gamma": 1}), "does not apply to RBF"),
        *(
            (lambda given=given: make(squared_dot, **given), "reach a kernel that is a function.*")
            for given in ({"gamma": 0.5}, {"degree": 2}, {"coef0": 0.0})
        ),
        (lambda: make(squared_dot, gamma=0.5), r"kernel_params={'gamma': 0.5}"),
        (lambda: make(squared_dot, sigma=0.5), "sigma=0.5 is for kernels by name"),
        (lambda: make("rbf", gamma=1.0, sigma=1.0), "both say how wide"),
        (lambda: make("poly", sigma=1.0), "'poly' has no sigma, got 1.0: give gamma"),
        (lambda: make(RBF(), sigma=1.0), "sigma=1.0 is for kernels by name"),
        (lambda: make("rbf", sigma=-1.0), "sigma must be a positive finite number"),
        (lambda: make("rbf", gamma=-1), "RBF: gamma must be a positive .* got -1"),
        (lambda: RBF(0), "RBF: gamma must be a positive .* got 0"),
        (lambda: RBF(math.inf), "gamma must be a positive .* got inf"),
        (lambda: RBF("auto"), "gamma must be a positive .* got 'auto'"),
        (lambda: RBF(True), "gamma must be a positive .* got True"),
        (lambda: RBF.from_sigma(0), "RBF: sigma must be a positive .* got 0"),
        (lambda: Laplacian(math.nan), "Laplacian: gamma must be a positive .* got nan"),
        (lambda: Exponential(-2.0), "Exponential: sigma must be a positive .* got -2.0"),
        (lambda: Exponential(None), "Exponential: sigma must be a positive .* got None"),
        (lambda: Polynomial(0), "Polynomial: degree must be an integer >= 1, got 0"),
        (lambda: Polynomial(2.5), "degree must be an integer >= 1, got 2.5"),
        (lambda: Polynomial(gamma=-1.0), "Polynomial: gamma must be a positive .* got -1.0"),
        (lambda: Polynomial(0.0), "degree must be an integer >= 1, got 0.0"),
        (
            lambda: Polynomial(coef0=-1),
            r"non-negative finite number \(or the kernel is not positive definite\), got -1\.",
        ),
        (lambda: Constant(0.0), "Constant: value must be a positive .* got 0.0"),
        (lambda: Function(3), r"f must be callable as f\(X, Y\), got 3"),
    ],
)
def test_parameter_errors(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_polynomial_overflow_is_silent(X):
    assert np.isinf(Polynomial(9)(1e100 * X)).any()
    assert Polynomial(2.0) == Polynomial(2)


def test_widths_by_sigma_and_by_word():
    assert make("rbf", sigma=2.0) == RBF(1 / 8) == RBF.from_sigma(2.0)
    assert make("exponential", sigma=2.0) == Exponential(2.0)
    assert make("exponential", gamma="median") == Exponential("median")
    assert make("exponential", gamma=7.0) == Exponential()
    assert make("rbf", gamma="scale") == RBF("scale")
    inside = make("wavelet", gamma="median", kernel_params={"kernel": "laplacian"})
    assert inside.kernel == Laplacian("median")
    assert make("linear", gamma="median") == Linear()


def test_an_own_kernel_may_take_numbers_only(monkeypatch):
    @dataclass(frozen=True)
    class Own(Linear):
        names: ClassVar[tuple[str, ...]] = ("own",)
        gamma: float | None = None

    monkeypatch.setattr("okpca.kernels.Own", Own, raising=False)
    assert make("own", gamma=2.0) == Own(2.0)
    with pytest.raises(ValueError, match="kernel 'own' takes a number for gamma, got 'median'"):
        make("own", gamma="median")
