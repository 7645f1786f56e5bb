"""What first rows say: gamma, and the scale of columns, beside the same pair by pair."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from helpers import normal
from okpca.checks import check_kernel
from okpca.kernels import (
    RBF,
    Exponential,
    Laplacian,
    Linear,
    Polynomial,
    Standardizing,
    Wavelet,
)
from okpca.kernels.first_rows import column_scales, gamma_by, of_one_scale, quantile
from oracles import first_rows as oracle

X = normal(31, 4) * [1, 3, 10, 300] + [0, 1, -5, 1000]
WEIGHT = np.random.default_rng(1).integers(1, 4, 31)
THIN = np.where(np.abs(normal(31, 4)) < 0.8, 0, normal(31, 4))
FORMS = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
WEIGHTS = pytest.mark.parametrize("weight", [None, WEIGHT], ids=["alike", "weighted"])


@FORMS
@WEIGHTS
@pytest.mark.parametrize("rows", [X, THIN], ids=["full", "thin"])
def test_gamma(form, weight, rows):
    given = None if weight is None else weight.astype(float)
    for rule, power, want in [
        ("scale", 2, oracle.gamma_scale(rows, weight)),
        ("median", 2, oracle.gamma_median(rows, weight)),
        ("median", 1, oracle.gamma_median(rows, weight, 1)),
        ("scale", 1, np.sqrt(oracle.gamma_scale(rows, weight) / 4)),  # 1 / (d · deviation)
    ]:
        assert_allclose(gamma_by(rule, form(rows), given, power), want, rtol=1e-12)


def test_scale_is_that_of_scikit_learn():
    svc = SVC(gamma="scale").fit(X, np.arange(31) % 2)
    assert_allclose(gamma_by("scale", X), svc._gamma, rtol=1e-12)


@FORMS
@WEIGHTS
@pytest.mark.parametrize("how", ["standard", "robust"])
def test_columns(form, weight, how):
    given = None if weight is None else weight.astype(float)
    for found, want in zip(
        column_scales(how, form(X), given), getattr(oracle, how)(X, weight), strict=True
    ):
        assert_allclose(found, want, rtol=1e-12, atol=1e-12)
    if how == "standard" and weight is None:
        assert_allclose(column_scales(how, X)[1], StandardScaler().fit(X).scale_, rtol=1e-12)


@pytest.mark.parametrize("how", ["standard", "robust"])
@FORMS
def test_columns_without_a_scale(how, form):
    rows = np.column_stack([np.full(31, 0.1), np.zeros(31), np.full(31, -1e9), X[:, 3]])
    scale = column_scales(how, form(rows))[1]
    assert_allclose(scale[:3], 1.0, rtol=0)
    assert scale[3] > 100


def test_where_the_quartiles_are_one_the_deviation_serves():
    column = np.zeros((40, 1))
    column[:6] = 1000.0
    offset, scale = column_scales("robust", column)
    assert offset == 0.0
    assert_allclose(scale, column.std(), rtol=1e-12)


@pytest.mark.parametrize("rule", ["scale", "median"])
@FORMS
def test_rows_all_alike(rule, form):
    for rows in (np.full((5, 3), 0.1), np.zeros((5, 3)), np.full((1, 3), 7.0)):
        assert gamma_by(rule, form(rows)) == 1.0


def test_rows_that_come_again_do_not_narrow_the_kernel():
    rows = np.repeat(X[:3], [1, 1, 50], axis=0)
    assert gamma_by("median", rows) < 1 / 1.0
    assert np.isfinite(gamma_by("median", rows))


@pytest.mark.parametrize("size", [1e-150, 1e-100, 1e100, 1e150])
@FORMS
def test_sizes(size, form):
    for rule in ("scale", "median"):
        assert_allclose(gamma_by(rule, form(size * X)) * size**2, gamma_by(rule, X), rtol=1e-12)
    for how in ("standard", "robust"):
        ours, plain = column_scales(how, form(size * X)), column_scales(how, X)
        assert_allclose(np.array(ours) / size, plain, rtol=1e-12)


@pytest.mark.parametrize("factor", [0.1, 10.0, 1e70])
def test_weights_all_ten_times_as_large(factor):
    w = WEIGHT.astype(float)
    for rule in ("scale", "median"):
        assert_allclose(gamma_by(rule, X, factor * w), gamma_by(rule, X, w), rtol=1e-12)
    for how in ("standard", "robust"):
        assert_allclose(column_scales(how, X, factor * w), column_scales(how, X, w), rtol=1e-12)


@pytest.mark.thorough
def test_of_many_rows_some_are_enough():
    rows = normal(3000, 3)
    assert_allclose(gamma_by("median", rows), oracle.gamma_median(rows[::6]), rtol=0.1)


def test_quantile_of_one_row():
    assert quantile(np.array([[3.0]]), np.ones(1), 0.5) == 3.0


@pytest.mark.parametrize("rule", ["scale", "median"])
def test_kernels_are_settled_by_rows(rule):
    usual = gamma_by(rule, X)
    assert RBF(rule).settled(X) == RBF(usual)
    assert Polynomial(2, rule).settled(X) == Polynomial(2, usual)
    assert Laplacian(rule).settled(X) == Laplacian(gamma_by(rule, X, power=1))
    assert Exponential(rule).settled(X) == Exponential(usual**-0.5)
    both = RBF(rule) + 2.0 * (Linear() * RBF(rule))
    assert both.settled(X) == RBF(usual) + 2.0 * (Linear() * RBF(usual))
    wavelet = Wavelet("haar", kernel=RBF(rule), details=False)
    coarse = (X[:, 0::2] + X[:, 1::2]) / np.sqrt(2)
    assert_allclose(wavelet.settled(X).kernel.gamma, gamma_by(rule, coarse), rtol=1e-12)
    for kernel in (RBF(rule), both, wavelet):
        assert kernel.needs_rows
        assert not kernel.settled(X).needs_rows
        assert kernel.resolved(4).needs_rows


@pytest.mark.parametrize(
    "kernel", [RBF("median"), Laplacian("scale"), Polynomial(gamma="scale"), Exponential("median")]
)
def test_a_kernel_that_waits_for_rows_says_so(kernel):
    with pytest.raises(ValueError, match="is taken from rows, and there are none yet"):
        kernel(X)


@pytest.mark.parametrize(
    "kernel",
    [RBF("median"), Laplacian("scale") + Exponential("median"), Standardizing(RBF("scale"))],
)
def test_the_shipped_check_settles_it(kernel):
    check_kernel(kernel)


@pytest.mark.parametrize("gamma", [0.5, None])
def test_a_kernel_that_needs_no_rows_stays(gamma):
    assert RBF(gamma).settled(X) == RBF(gamma)
    assert Exponential(2.0).settled(X) == Exponential(2.0)


@pytest.mark.parametrize("word", ["auto", "", "Median"])
def test_other_words_are_refused(word):
    for kind in (RBF, Laplacian, Exponential):
        with pytest.raises(ValueError, match="must be a positive finite number"):
            kind(word)


@FORMS
@pytest.mark.parametrize(
    ("widths", "alike"),
    [
        ([1, 2, 3, 9], True),
        ([1, 1, 1, 11], False),
        ([1, 12, 12, 12], False),
        ([1e-3, 1, 1, 1, 1, 1, 1, 1, 1], True),  # the least quarter does not count
        ([0, 0, 0, 5], True),
        ([1, 300], False),
        ([1e308, 1e-300], False),
        ([7], True),
    ],
)
def test_columns_of_one_scale(form, widths, alike):
    rows = np.linspace(-0.5, 0.5, 21)[:, None] * np.array(widths)
    assert of_one_scale(form(rows)) == alike
    weight = np.random.default_rng(0).integers(1, 4, 21).astype(float)
    assert of_one_scale(form(rows), weight) == of_one_scale(np.repeat(rows, weight.astype(int), 0))


def test_auto_leaves_columns_of_one_scale_alone_and_scales_others():
    rows = normal(50, 3)
    assert Standardizing(RBF("median"), "auto").settled(rows) == RBF("median").settled(rows)
    unlike = rows * [1, 30, 300]
    found = Standardizing(RBF("median"), "auto").settled(unlike)
    assert found == Standardizing(RBF("median"), "robust").settled(unlike)
