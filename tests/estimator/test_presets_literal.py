"""Every preset, as it is handed out, against the transcription of its paper, step by step."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import assert_columns_close, normal, up_to_sign
from okpca import presets
from okpca.dictionary.placement.reduced_set import reduced_set
from okpca.model import surgery
from oracles import functions, honeine, kashima, souza_filho
from oracles.chin_suter import NaiveIKPCA
from oracles.tracking import NaiveTracking

GAMMA = 0.5
KAPPA = functions.rbf(GAMMA)
X, PROBE = normal(150, 2, seed=2), normal(6, 2, seed=3)
DECAY = functions.exponential_decay(0.05, 0.999995)
SEARCH = functions.search_then_converge(0.5, 1e5)


def started(model):
    """The model after its first row, and the coefficients it has drawn for its start."""
    model.set_params(gamma=GAMMA, random_state=5)
    model.partial_fit(X[:1])
    return model, model.dual_coef_.T


def assert_every_step(model, oracle, rows, project=None, tol=1e-9):
    for x in rows:
        model.partial_fit(x[None])
        oracle.step(x)
        expected = (project or oracle.project)(PROBE)
        assert_allclose(model.transform(PROBE), expected, rtol=0, atol=tol)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("make", "oracle", "nu", "eta", "center"),
    [
        (lambda: presets.okha(3), honeine.NaiveOKHA, 0.5, SEARCH, True),
        (lambda: presets.okha(3, center=False), honeine.NaiveOKHA, 0.5, SEARCH, False),
        (lambda: presets.okha_single(), honeine.NaiveOKHA, 0.5, SEARCH, True),
        (lambda: presets.oo_kha(3), souza_filho.NaiveOOKHA, 1e-3, DECAY, False),
        (lambda: presets.on_kha(3), souza_filho.NaiveONKHA, 1e-3, DECAY, False),
    ],
    ids=["okha", "okha uncentred", "okha_single", "oo_kha", "on_kha"],
)
def test_honeine_and_souza_filho(make, oracle, nu, eta, center):
    model, A1 = started(make())
    literal = oracle(KAPPA, nu, eta, A1, center=center)
    literal.step(X[0])
    # The literal inverse of the Gram matrix loses digits as ν becomes small.
    assert_every_step(model, literal, X[1:], tol=1e-9 if nu == 0.5 else 1e-7)
    assert model.n_atoms_ == literal.m


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
def test_kha(center):
    points = X[:25]
    model = presets.kha(points, 3, epochs=3, gamma=GAMMA, center=center, random_state=5)
    literal = None
    for _ in range(3):
        for i, x in enumerate(points):
            model.partial_fit(x[None])
            if literal is None:
                # One step taken: compare from here, the start being drawn inside.
                atoms, A1 = model.atoms_, model.dual_coef_.T
                literal = honeine.NaiveKHA(KAPPA, atoms, SEARCH, A1, center=center)
                place = [int(np.flatnonzero((atoms == p).all(axis=1))[0]) for p in points]
                literal.t, literal.mean = 1, center * np.eye(25)[place[0]]
                continue
            literal.step(place[i])
            assert_allclose(model.transform(PROBE), literal.project(PROBE), rtol=0, atol=1e-8)
    whole = presets.kha(points, 3, epochs=3, gamma=GAMMA, center=center, random_state=5).fit(points)
    assert_allclose(whole.transform(PROBE), literal.project(PROBE), rtol=0, atol=1e-8)


@pytest.mark.thorough
@pytest.mark.parametrize("alpha", [1.0, 2.5])
def test_subkha(alpha):
    model, A1 = started(presets.subkha(3, max_atoms=7, alpha=alpha))
    literal = souza_filho.NaiveSubKHA(KAPPA, 7, DECAY, A1, alpha)
    literal.step(X[0])
    assert_every_step(model, literal, X[1:])
    assert literal.exchanges > 3
    assert_allclose(model.atoms_, literal.D, rtol=0)


class CoherentTracking(NaiveTracking):
    """Tanaka's dictionary: a row joins if it is unlike every atom."""

    def _dictionary(self, x):
        alike = np.abs(self.kappa(self.D, x[None])).max()  # of unit-norm functions
        self.nu = 0.0 if alike <= 0.742 else np.inf
        return super()._dictionary(x)


@pytest.mark.thorough
def test_tanaka():
    model = presets.tanaka(3, gamma=GAMMA, random_state=5).partial_fit(X[:1])
    weights = np.array([0.9, 0.85, 0.8])
    A1 = model._model.learner.V.T  # over one atom of norm one; those beyond it are not shown
    literal = CoherentTracking(KAPPA, 0.0, weights, 0.9999, A1)
    literal.step(X[0])

    def project(probe):
        return KAPPA(probe, literal.D) @ literal.normalised()

    assert_every_step(model, literal, X[1:], project, tol=1e-8)
    assert 5 < model.n_atoms_ == literal.m


@pytest.mark.thorough
@pytest.mark.parametrize("center", [True, False])
def test_ikpca_and_iksvd(center):
    make = presets.ikpca if center else presets.iksvd
    model = make(4, block=10, gamma=GAMMA)
    literal = NaiveIKPCA(KAPPA, 4, center=center)
    for start in range(0, 100, 10):
        part = X[start : start + 10]
        model.partial_fit(part)
        literal.update(part)
        assert_allclose(model.eigenvalues_, literal.eigenvalues[:4], rtol=1e-8)
        expected = literal.project(PROBE)[:, :4]
        assert_columns_close(up_to_sign(model.transform(PROBE), expected), expected, 1e-6)


class GivenPreImages(NaiveIKPCA):
    """Table I with pre-images that someone else has searched for.

    Its lines 9-12 as they are meant: the pairs σ_j u_j are projected on the pre-images (29, 31) and
    made orthogonal by a kernel SVD (32). As printed, (33)-(34) give back the basis they are given.
    """

    def compress_to(self, Y):
        onto = np.linalg.solve(self.kappa(Y, Y), self.kappa(Y, self.a))
        pairs = onto @ self.alpha * self.sigma
        values, Q = np.linalg.eigh(pairs.T @ self.kappa(Y, Y) @ pairs)
        values, Q = values[::-1], Q[:, ::-1]
        self.alpha, self.sigma = pairs @ Q / np.sqrt(values), np.sqrt(values)
        self.nu, self.a = onto @ self.nu, Y


@pytest.mark.long
@pytest.mark.parametrize("every_block", [True, False])
def test_ikpca_rs(monkeypatch, every_block):
    """Searches for pre-images may end elsewhere (`test_reduced_set.py` compares what they keep), so
    the transcription is given the library's; all the rest is compared block by block."""
    found = []

    def watched(basis, *args):
        new = reduced_set(basis, *args)
        found.append(new.atoms)
        return new

    monkeypatch.setattr(surgery, "reduced_set", watched)
    rows = normal(62, 5, seed=4)  # far apart: every row is independent and joins
    model = presets.ikpca_rs(2, block=10, per_component=4, gamma=GAMMA, every_block=every_block)
    literal = GivenPreImages(KAPPA, 2)
    for start, stop in pairwise([0, 12, 22, 32, 42, 52, 62]):
        model.partial_fit(rows[start:stop])
        if not every_block and found:
            literal.compress_to(found.pop())
        literal.update(rows[start:stop])
        if every_block and start:  # Table I, lines 6-12
            literal.compress_to(found.pop())
        assert_allclose(model.eigenvalues_, literal.eigenvalues[:2], rtol=1e-6)
        probe = rows[:6]
        expected = literal.project(probe)[:, :2]
        assert_columns_close(up_to_sign(model.transform(probe), expected), expected, 1e-5)
        assert not found
    assert model.n_atoms_ < len(rows)


@pytest.mark.parametrize("name", ["oja", "apex", "apex in turn", "simultaneous"])
def test_kashima(name):
    rows = X[:40]
    x0 = rows[0]
    model, literal = {
        "oja": lambda: (
            presets.kashima_oja(eta=0.2),
            kashima.FirstComponent(KAPPA, 0.2, x0),
        ),
        "apex": lambda: (
            presets.kashima_apex(3, eta=0.2),
            kashima.OneByOne(KAPPA, 0.2, x0, 3),
        ),
        "apex in turn": lambda: (
            presets.kashima_apex(3, eta=0.2, rows_per_component=9),
            kashima.OneByOne(KAPPA, 0.2, x0, 3, 9),
        ),
        "simultaneous": lambda: (
            presets.kashima_simultaneous(3, eta=0.2, beta=1.5),
            kashima.Simultaneous(KAPPA, 0.2, x0, 3, 1.5),
        ),
    }[name]()
    model.set_params(gamma=GAMMA).partial_fit(rows[:1])
    for x in rows[1:]:
        output = model.transform(x[None])[0]
        model.partial_fit(x[None])
        assert_allclose(output, np.atleast_1d(literal.step(x)), rtol=0, atol=1e-9)
