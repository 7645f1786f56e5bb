"""The wavelet kernel: orthogonality, images, coarse coefficients, errors."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from okpca.kernels import (
    Wavelet,
)


@pytest.mark.parametrize("kernel", [Wavelet("sym4"), Wavelet("haar", 2), Wavelet("db2", 3)])
def test_wavelets_are_orthogonal(kernel, rng):
    X = rng.normal(size=(10, 560))
    np.testing.assert_allclose(kernel(X), X @ X.T, atol=1e-8)  # as good as pywt's filters
    image = Wavelet(kernel.wavelet, 2, shape=(28, 20))  # Huang & Yeh's faces
    np.testing.assert_allclose(image(X), X @ X.T, atol=1e-8)


def test_high_levels_do_not_warn(X):
    assert np.isfinite(Wavelet("sym4", 2)(X)).all()  # pywt.wavedec warns, and so do the oracles


def test_main_resolution_only(X):
    coarse = Wavelet("haar", shape=(2, 3), details=False)
    assert coarse.resolved(6) == coarse
    padded = X.reshape(-1, 2, 3)[:, :, [0, 1, 2, 2]]  # an odd side repeats its last pixel
    means = padded.reshape(-1, 2, 2, 2).sum(axis=(1, 3)) / 2
    np.testing.assert_allclose(coarse(X), means @ means.T)


def test_pywavelets_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pywt", None)
    with pytest.raises(ImportError, match=r"pip install 'okpca\[wavelet\]'"):
        Wavelet()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Wavelet("nope"), "discrete wavelet of PyWavelets .* got 'nope'"),
        (lambda: Wavelet("morl"), "discrete wavelet of PyWavelets .* got 'morl'"),
        (lambda: Wavelet(3), "discrete wavelet of PyWavelets .* got 3"),
        (lambda: Wavelet(level=0), "Wavelet: level must be an integer >= 1, got 0"),
        (lambda: Wavelet(kernel="rbf"), "kernel must be a Kernel, got 'rbf'"),
        (lambda: Wavelet(shape=(3,)), r"shape must be \(height, width\) .* got \(3,\)"),
        (lambda: Wavelet(shape=8), r"shape must be \(height, width\) .* got 8"),
        (lambda: Wavelet(shape=(2, 2)).resolved(6), "has 4 pixels, but rows have 6 features"),
        (lambda: Wavelet(level=3).resolved(6), r"level 3 needs sides of at least 8, got \(6,\)"),
    ],
)
def test_wavelet_errors(build, message):
    with pytest.raises(ValueError, match=message):
        build()
