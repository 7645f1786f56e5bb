"""A certificate in shares and words: the numbers are those of its bounds."""

import re

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA

from okpca import OnlineKernelPCA


def rows(n=80, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


def certificate(**params):
    return OnlineKernelPCA(3, gamma=0.3, **params).fit(rows()).certificate()


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("nu", [0.0, 0.001, 0.05])
def test_shares_bound_those_of_the_batch(nu, center):
    model = OnlineKernelPCA(3, gamma=0.3, nu=nu, center=center).fit(rows())
    c, G = model.certificate(), np.exp(-0.3 * np.square(rows()[:, None] - rows()).sum(axis=2))
    if center:
        H = np.eye(80) - 1 / 80
        G = H @ G @ H
    true = np.linalg.eigvalsh(G)[:-4:-1]
    assert c.variance == pytest.approx(np.trace(G), rel=nu + 1e-12)  # the mean is in the span
    assert c.discarded_share == pytest.approx(c.discarded_energy / np.trace(G), rel=nu + 1e-12)
    np.testing.assert_allclose(c.eigenvalues, model.eigenvalues_)
    assert (np.abs(true - c.eigenvalues) <= c.eigenvalue_error * c.eigenvalues).all()
    upper = c.eigenvalues * (1 + c.eigenvalue_error)
    assert (upper >= c.eigenvalue_upper * (1 - 1e-12)).all()


def test_exact_models_leave_nothing_out():
    c = certificate(nu=0.0, max_atoms=None)
    assert c.discarded_share < 1e-10
    assert (c.eigenvalue_error < 1e-4).all()
    assert not c.says_nothing
    batch = KernelPCA(3, kernel="rbf", gamma=0.3).fit(rows())
    np.testing.assert_allclose(c.eigenvalues, batch.eigenvalues_)


@pytest.mark.parametrize(
    ("params", "words", "nothing"),
    [
        ({"nu": 0.0, "max_atoms": None}, "at most .* degrees", False),
        ({"nu": 0.003}, "% of the variance is left out, eigenvalues are off by at most", False),
        ({"max_atoms": 3, "on_full": "project"}, "nothing is vouched for .* more atoms", True),
        ({"rule": "okha"}, "nothing is vouched for .* the exact rule", True),
    ],
)
def test_sentences(params, words, nothing):
    c = certificate(**params)
    assert c.says_nothing is nothing
    assert str(c) == c.sentence
    assert repr(c).startswith(f"Certificate: {c.sentence}\n")
    assert len(repr(c).splitlines()) == 3 + 3
    assert re.search(words, c.sentence), c.sentence


def test_numbers_of_the_sentence_are_the_bounds():
    c = certificate(nu=0.001)
    assert f"at most {100 * c.discarded_share:.2g} %" in c.sentence
    assert f"off by at most {100 * c.eigenvalue_error.max():.2g} %" in c.sentence
    if c.angle_bound < np.inf:
        assert f"{np.degrees(c.angle_bound):.2g} degrees" in c.sentence


@pytest.mark.parametrize("X", [np.zeros((4, 2)), np.ones((1, 2))], ids=["zeros", "one row"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_rows_without_variance(X, kernel):
    c = OnlineKernelPCA(2, kernel=kernel).fit(X).certificate()
    assert "no variance" in c.sentence
    assert c.discarded_share == 0
    assert not c.says_nothing
    assert "Certificate" in repr(c)
