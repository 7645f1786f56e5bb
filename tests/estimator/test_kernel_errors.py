"""Kernels that give no numbers, the wrong shape, or no kernel: refused, and nothing happened."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import sigmoid_kernel

from helpers import normal, refused, refused_at_last
from okpca import OnlineKernelPCA
from okpca._core.numerics import ROWS
from okpca.kernels import RBF

X = normal(50)
LONG = normal(3 * ROWS, seed=1)


def own_rbf(A, B):
    return RBF(gamma=0.5)(A, B)


class Marked:
    """A kernel function that can be pickled and is right until it meets the mark."""

    def __init__(self, value):
        self.value = value

    def __call__(self, A, B):
        K = own_rbf(A, B)
        K[A[:, 0] == 77.0] = self.value
        K[:, B[:, 0] == 77.0] = self.value
        return K


def long_with_mark(row):
    rows = LONG.copy()
    rows[row, 0] = 77.0
    return rows


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 5, ROWS + 100, 3 * ROWS - 1])
def test_function_that_gives_no_number_is_rolled_back(value, row):
    """In the middle of a long call: the blocks before it are undone as well."""
    model = OnlineKernelPCA(kernel=Marked(value), max_atoms=40).fit(X)
    text = refused(model, "NaN or infinity|not finite", long_with_mark(row))
    assert f"row {row} of call 2 to partial_fit" in text


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_function_that_gives_no_number_for_a_single_row(value):
    model = OnlineKernelPCA(kernel=Marked(value), max_atoms=40).fit(X)
    row = np.array([[77.0, 0.0, 0.0]])
    text = refused(model, "NaN or infinity|not finite", row)
    assert "row 0 of call 2 to partial_fit" in text


def test_function_that_gives_no_number_at_first_or_in_fit():
    rows = long_with_mark(ROWS + 100)
    fresh = OnlineKernelPCA(kernel=Marked(np.nan), max_atoms=40)
    refused(fresh, "NaN or infinity|not finite", rows)
    with pytest.raises(NotFittedError):
        fresh.transform(X)
    fitted = OnlineKernelPCA(kernel=Marked(np.nan), max_atoms=40).fit(X)
    refused(fitted, "NaN or infinity|not finite", rows, method="fit")
    assert fitted.n_samples_seen_ == len(X)


class Shaped:
    """Right while `wrong` is None."""

    wrong = None

    def __init__(self, label):
        self.label = label

    def __call__(self, A, B):
        K = own_rbf(A, B)
        return K if Shaped.wrong is None else Shaped.wrong(K)


@pytest.mark.parametrize(
    ("wrong", "what"),
    {
        "transposed": (lambda K: K.T, "returned shape .* expected"),
        "column missing": (lambda K: K[:, 1:], "returned shape .* expected"),
        "flat": (lambda K: K.ravel(), "returned shape .* expected"),
        "number": (lambda K: 1.0, r"returned shape \(\), expected"),
        "None": (lambda K: None, r"returned shape \(\), expected"),
        "words": (lambda K: np.full(K.shape, "a"), "returned dtype .* expected real numbers"),
        "complex": (lambda K: K + 1j, "returned dtype complex128, expected real numbers"),
    }.values(),
)
@pytest.mark.parametrize("n", [1, 5])
def test_function_of_the_wrong_shape(monkeypatch, wrong, what, n):
    model = OnlineKernelPCA(kernel=Shaped("mine")).fit(X)
    monkeypatch.setattr(Shaped, "wrong", staticmethod(wrong))
    if n == 1 and wrong(np.ones((1, 2))) is not None and np.shape(wrong(np.eye(1))) == (1, 1):
        pytest.skip("one row: nothing is wrong with it against itself")
    refused(model, what, normal(n, seed=5))


def test_error_of_the_function_itself_comes_through(monkeypatch):
    def fails(K):
        raise ZeroDivisionError("my own bug")

    model = OnlineKernelPCA(kernel=Shaped("mine")).fit(X)
    monkeypatch.setattr(Shaped, "wrong", staticmethod(fails))
    refused(model, "my own bug", X[:5], error=ZeroDivisionError)
    refused(model, "my own bug", X[:1], error=ZeroDivisionError)
    refused(model, "my own bug", X[:5], method="fit", error=ZeroDivisionError)


@pytest.mark.parametrize("pair", [lambda x, y: x @ y, lambda x, y: float(x[0] * y[0])])
def test_function_of_two_rows(pair):
    """As scikit-learn's KernelPCA takes it."""
    what = r"function .*lambda.* failed on X \(32, 3\) and Y \(32, 3\): .* one value for each row"
    with pytest.raises(ValueError, match=what):
        OnlineKernelPCA(kernel=pair).fit(X)


def negative(A, B):
    return -own_rbf(A, B)


def sigmoid(A, B):
    return sigmoid_kernel(A, B, gamma=2.0, coef0=-1.0)


def distance(A, B):
    return np.sqrt(((A[:, None] - B[None]) ** 2).sum(axis=2)) + 0.1


@pytest.mark.parametrize("kernel", [negative, sigmoid, distance])
@pytest.mark.parametrize("size", [1, 50])
@pytest.mark.parametrize("dictionary", ["novelty", "coherence"])
def test_kernel_that_is_not_positive_definite(kernel, size, dictionary):
    model = OnlineKernelPCA(kernel=kernel, nu=0.01, dictionary=dictionary)
    what = r"not positive definite.*row \d+ of call \d+ to partial_fit"
    refused_at_last(model, what, [X[i : i + size] for i in range(0, len(X), size)])


class SignFlipped:
    """A kernel until it meets the mark."""

    def __call__(self, A, B):
        K = own_rbf(A, B)
        K[A[:, 0] == 77.0] *= -3.0
        return K


def test_not_positive_definite_in_the_middle_of_a_long_call():
    model = OnlineKernelPCA(kernel=SignFlipped(), max_atoms=40).fit(X)
    row = ROWS + 100
    refused(model, f"not positive definite.*row {row} of call 2", long_with_mark(row))


@pytest.mark.parametrize("kernel", ["poly", "linear"])
@pytest.mark.parametrize("n", [1, 5])
def test_overflow(kernel, n):
    """κ(x, x) is infinite: an error that says so, no warning, no silent zeros."""
    huge = 1e200 * X[:n]
    what = r"not finite: scale the columns.*row 0 of call {} to partial_fit"
    refused(OnlineKernelPCA(kernel=kernel), what.format(1), huge)
    refused(OnlineKernelPCA(kernel=kernel).fit(X), what.format(2), huge)


@pytest.mark.parametrize("n", [1, 5])
def test_overflow_out_of_sight_of_the_atoms(n):
    """κ(x, x) is infinite, κ(x, d) is not, and no atom may join any more."""
    model = OnlineKernelPCA(1, kernel="poly", max_atoms=1).fit([[1.0, 0.0, 0.0]])
    rows = np.zeros((n, 3))
    rows[-1, 1] = 1e60
    refused(model, f"not finite.*row {n - 1} of call 2 to partial_fit", rows)


def test_overflow_in_the_middle_of_a_long_call():
    rows = LONG.copy()
    rows[ROWS + 100] = 1e200
    model = OnlineKernelPCA(kernel="poly").fit(X)
    refused(model, f"not finite.*row {ROWS + 100} of call 2 to partial_fit", rows)


@pytest.mark.parametrize("n", [1, 5])
def test_overflow_in_transform(n):
    """Rows learned are finite; rows shown must not turn into silent NaNs."""
    model = OnlineKernelPCA(kernel="poly").fit(X)
    refused(model, "not finite.*in transform", 1e200 * X[:n], method="transform")


@pytest.mark.parametrize("n", [1, 5])
def test_huge_rows_that_the_kernel_can_take(n):
    """No warning either: |x|² overflows, κ(x, x) = 1 does not."""
    model = OnlineKernelPCA().fit(X).partial_fit(1e200 * X[:n])
    assert np.isfinite(model.transform(1e200 * X[:n])).all()


def test_sparse_rows_for_a_kernel_that_takes_none():
    rows = sparse.csr_array(X)
    model = OnlineKernelPCA(kernel=own_rbf)
    refused(model, "dense data is required", rows, error=TypeError)
    model.fit(X)
    refused(model, "dense data is required", rows, error=TypeError)
    refused(model, "dense data is required", rows, method="fit", error=TypeError)
    refused(model, "dense data is required", rows, method="transform", error=TypeError)


def test_precomputed_is_refused_with_a_reason():
    what = "(?s)'precomputed' is not possible on a stream.*atoms; pass a function"
    refused(OnlineKernelPCA(kernel="precomputed"), what, X)
