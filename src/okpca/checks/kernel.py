"""What every kernel must keep: a value for each pair, definite, and true to what it says of itself.

A trait (`AFFINE`, `CONSTANT_NORM`, ...) that does not hold would not raise: it would make
pre-images and sparse rows quietly wrong. So each is tried.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from okpca._core.typing import Array, Rows
from okpca.checks._tools import assert_identical, assert_value
from okpca.kernels import Kernel
from okpca.kernels.base import Trait

N_ROWS, N_COLUMNS = 24, 6
ROUNDED = 1e-11  # relative to the largest value: sums in another order
INDEFINITE = 1e-10  # smallest eigenvalue, relative to the largest
STEP, SLOPE = 1e-5, 1e-6  # of finite differences, and what they are good for


def check_kernel(kernel: Kernel, X: Any = None) -> None:
    """Raise AssertionError unless a kernel is one, and is what it says it is.

    Symmetric and positive definite; `diag`, `bind`, `resolved` and CSR rows agree with plain
    calls; the gradient, if there is one, with finite differences; every trait it claims holds;
    it is equal to its copies and pickles, prints as code, and leaves rows as they are. One that
    takes its width from first rows takes it from X.

    X: at least four rows to try it on, for kernels that do not take any; otherwise 24 rows of six
    columns, some entries zero.
    """
    X = _rows() if X is None else np.asarray(X, dtype=np.float64)
    X, Y = X[: len(X) // 2], X[len(X) // 2 :]
    assert_value(kernel)
    kernel = kernel.settled(np.vstack([X, Y]))
    before = X.copy(), Y.copy()
    for check in (_pairs, _definite, _prepared, _sparse, _slopes, _traits):
        check(kernel, X, Y)
    for rows, as_given in zip((X, Y), before, strict=True):
        assert_identical(rows, as_given, "rows after kernel values")


def _rows() -> Array:
    X = np.random.RandomState(0).normal(size=(N_ROWS, N_COLUMNS))
    return np.where(np.abs(X) < 0.3, 0.0, X)


def _assert_near(one: Any, other: Any, what: str, tolerance: float = ROUNDED) -> None:
    one, other = np.asarray(one), np.asarray(other)
    assert one.shape == other.shape, f"{what}: shape {one.shape}, expected {other.shape}"
    assert np.isfinite(one).all(), f"{what}: not finite"
    error = np.abs(one - other).max(initial=0.0) / max(np.abs(other).max(initial=0.0), 1e-300)
    assert error <= tolerance, f"{what}: off by {error:.1e} of the largest value"


def _pairs(kernel: Kernel, X: Array, Y: Array) -> None:
    K = kernel.block(X, Y)
    assert K.shape == (len(X), len(Y)), f"block has shape {K.shape}, not {(len(X), len(Y))}"
    assert K.dtype == np.float64, f"block has dtype {K.dtype}, not float64"
    _assert_near(kernel.block(Y, X), K.T, "kappa(y, x) beside kappa(x, y)")
    _assert_near(kernel.block(X[2:3], Y), K[2:3], "a row alone beside the same row in a block")
    _assert_near(kernel.block(X, Y[1:2]), K[:, 1:2], "one atom beside the same among others")
    assert kernel.block(X[:0], Y).shape == (0, len(Y)), "block of no rows has another shape"
    assert kernel.block(X, Y[:0]).shape == (len(X), 0), "block of no atoms has another shape"


def _definite(kernel: Kernel, X: Array, Y: Array) -> None:
    K = kernel.block(X, X)
    _assert_near(kernel.diag(X), K.diagonal(), "diag beside kappa(x, x)")
    values = np.linalg.eigvalsh(kernel(np.vstack([X, Y])))
    lowest = values[0] / max(values[-1], 1e-300)
    assert lowest >= -INDEFINITE, f"not positive definite: eigenvalues from {lowest:.1e} to 1"


def _prepared(kernel: Kernel, X: Array, Y: Array) -> None:
    K = kernel.block(X, Y)
    _assert_near(kernel.bind(Y)(X), K, "bind beside block")
    fixed = kernel.resolved(X.shape[1])
    _assert_near(fixed.block(X, Y), K, "the kernel resolved beside itself")
    assert fixed.resolved(X.shape[1]) == fixed, "resolving a second time changes the kernel"


def _sparse(kernel: Kernel, X: Array, Y: Array) -> None:
    if not kernel.allows_sparse:
        return
    K, norms = kernel.block(X, Y), kernel.diag(X)
    S, T = sparse.csr_array(X), sparse.csr_array(Y)
    try:
        found: list[tuple[Rows, Array]] = [(kernel.block(S, Y), K), (kernel.block(S, T), K)]
        found += [(kernel.block(X, T), K), (kernel.diag(S), norms)]
    except Exception as error:
        raise AssertionError(
            f"CSR rows raise {type(error).__name__}: {error}; allows_sparse should be False"
        ) from error
    for of_csr, of_dense in found:
        _assert_near(of_csr, of_dense, "CSR rows beside dense ones")


def _slopes(kernel: Kernel, X: Array, Y: Array) -> None:
    if not kernel.has_gradient:
        return
    W = np.cos(np.arange(1.0, 1.0 + len(X) * len(Y))).reshape(len(X), len(Y))
    steps = STEP * np.eye(X.shape[1])
    slopes = [(kernel.block(X + h, Y) - kernel.block(X - h, Y)) / (2 * STEP) for h in steps]
    by_differences = np.einsum("ij,kij->ik", W, slopes)
    found = kernel.pullback(X, Y, W)
    # A slope of zero has no size of its own to be compared with.
    scale = max(np.abs(by_differences).max(), np.abs(kernel.block(X, Y)).max() / len(X))
    error = np.abs(found - by_differences).max() / scale
    assert found.shape == X.shape, f"pullback has shape {found.shape}, not {X.shape}"
    assert error <= SLOPE, f"pullback beside finite differences: off by {error:.1e}"
    given = kernel.pullback(X, Y, W, kernel.block(X, Y))
    assert np.abs(given - found).max() <= ROUNDED * scale, "pullback with K given is another"
    atoms = np.vstack([Y, np.zeros(Y.shape[1])])
    there = kernel.pullback(atoms, atoms, np.ones((len(atoms), len(atoms))))
    assert np.isfinite(there).all(), "pullback is not finite at the atoms, or at zero"


def _traits(kernel: Kernel, X: Array, Y: Array) -> None:
    kernel = kernel.resolved(X.shape[1])
    K = kernel.block(X, Y)
    if Trait.CONSTANT_NORM in kernel.traits:
        norms = kernel.diag(np.vstack([X, 2.0 * Y]))
        _assert_near(norms, np.full(len(norms), norms[0]), "CONSTANT_NORM: kappa(x, x)")
    if Trait.AFFINE in kernel.traits:
        halfway = kernel.block((X + X[::-1]) / 2, Y)
        _assert_near(halfway, (K + K[::-1]) / 2, "AFFINE: halfway between two rows")
    if Trait.ANY_COLUMNS in kernel.traits:
        X_wide, Y_wide = (np.pad(rows, ((0, 0), (1, 2))) for rows in (X, Y))
        _assert_near(kernel.block(X_wide, Y_wide), K, "ANY_COLUMNS: with three of zeros")
    if Trait.ROTATED in kernel.traits:
        d = X.shape[1]
        turn = np.linalg.qr(np.cos(np.arange(1.0, 1.0 + d * d).reshape(d, d) ** 2))[0]
        _assert_near(kernel.block(X @ turn, Y @ turn), K, "ROTATED: in other coordinates")
    if Trait.GAUSSIAN in kernel.traits:
        # log κ = a − Σ_k γ_k (x_k − y_k)²: a plane through all pairs
        squares = ((X[:, None, :] - Y[None, :, :]) ** 2).reshape(K.size, -1)
        squares = np.column_stack([np.ones(K.size), squares])
        plane = np.linalg.lstsq(squares, np.log(K).ravel(), rcond=None)[0]
        _assert_near(squares @ plane, np.log(K).ravel(), "GAUSSIAN: log kappa by squared distances")
