"""Copies never disturb each other, whichever threads feed them; readers see a whole model."""

import copy
import pickle
import sys
import threading
import time
from collections import defaultdict
from functools import partial

import numpy as np
import pytest

from helpers import normal, pairs
from okpca import OnlineKernelPCA
from okpca.dictionary import Basis
from okpca.kernels import RBF

pytestmark = pytest.mark.long

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "snapshot": lambda model: pickle.loads(pickle.dumps(model)),
}


@pytest.fixture(autouse=True)
def _eager_threads():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*jobs):
    """Run them in threads that start together; what one raises is raised here."""
    start, failed = threading.Barrier(len(jobs)), []

    def run(job):
        start.wait()
        try:
            job()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def feed(model, rows, size):
    for start in range(0, len(rows), size):
        model.partial_fit(rows[start : start + size])


@pytest.mark.parametrize(("how", "max_atoms", "size"), pairs(COPIES, [20, None], [1, 3]))
def test_copies_fed_in_two_threads(how, max_atoms, size):
    """Single rows wait on one sheet; with no bound, atoms join one storage."""
    settings = {"gamma": 0.3, "nu": 1e-2, "max_atoms": max_atoms, "on_full": "project"}
    X = normal(40)
    first, second = normal(12, seed=1), normal(12, seed=2)
    alone = [OnlineKernelPCA(3, **settings).fit(X).partial_fit(X[:1]) for _ in range(2)]
    for expected, rows in zip(alone, (first, second), strict=True):
        feed(expected, rows, size)
    for _ in range(25):
        model = OnlineKernelPCA(3, **settings).fit(X)
        model.partial_fit(X[:1])  # there is a sheet now
        other = COPIES[how](model)
        at_once(partial(feed, model, first, size), partial(feed, other, second, size))
        for learned, expected in zip((model, other), alone, strict=True):
            np.testing.assert_allclose(learned.eigenvalues_, expected.eigenvalues_, rtol=1e-12)
            np.testing.assert_array_equal(learned.atoms_, expected.atoms_)


def test_a_line_is_given_to_one_learner_only():
    """Between asking for a line and having written on it, nobody else gets it."""
    model = OnlineKernelPCA(gamma=0.3, max_atoms=5, on_full="project").fit(normal(40))
    learner = model.partial_fit(normal(1))._model.learner
    (one, line), (two, other) = learner.slot(5), learner.slot(5)
    assert not np.shares_memory(line, other)
    line[:], other[:] = 1.0, 2.0
    S = learner.scatter()
    np.testing.assert_allclose(one.after_slot(1.0).scatter(), S + 1.0)
    np.testing.assert_allclose(two.after_slot(1.0).scatter(), S + 4.0)


def test_the_end_of_the_atoms_is_given_to_one_basis_only():
    """The second grows while the first has not yet written."""
    kernel, points = RBF(gamma=0.5), 3.0 * np.eye(3)
    L = np.linalg.cholesky(kernel(points))
    base = Basis(kernel, points[:1], L[:1, :1]).grown(points[1:2], L[1:2, :2])
    row = np.linalg.solve(L[:2, :2], kernel(points[:2], points[2:]))[:, 0]
    new = np.append(row, np.sqrt(1 - row @ row))[None]
    other = points[2:] + 1.0
    theirs = np.linalg.cholesky(kernel(np.vstack([points[:2], other])))[2:]
    grown = []

    class Late:
        """An atom that is written only after another basis has grown."""

        def __len__(self):
            return 1

        def __array__(self, *args, **more):
            grown.append(base.grown(other, theirs))
            return points[2:]

    mine = base.grown(Late(), new)
    np.testing.assert_array_equal(mine.atoms[2:], points[2:])
    np.testing.assert_array_equal(grown[0].atoms[2:], other)
    np.testing.assert_array_equal(mine.L[2:], new)
    np.testing.assert_array_equal(grown[0].L[2:], theirs)


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize("rule", ["exact", "on-kha"])
def test_readers_beside_a_writer(rule, size):
    """Components come and go with a fractional count, atoms join and leave: every answer is that of
    a model after some number of rows."""
    fraction = 0.9 if rule == "exact" else 4
    model = OnlineKernelPCA(fraction, gamma=0.3, nu=1e-2, max_atoms=25, rule=rule, random_state=0)
    X = normal(260) * np.linspace(0.2, 2.0, 260)[:, None]
    probe = normal(4, seed=9)
    model.fit(X[:20])
    known = defaultdict(list)  # by shape
    states = copy.deepcopy(model)
    for start in range(20, len(X) + size, size):
        answer = states.transform(probe)
        known[answer.shape].append(np.abs(answer))
        if start < len(X):
            states.partial_fit(X[start : start + size])
    seen, done = [], threading.Event()

    def write():
        """Not so far ahead that most of the stream is read by nobody."""
        try:
            for start in range(20, len(X), size):
                model.partial_fit(X[start : start + size])
                while len(seen) < start // size // 2 and not done.is_set():
                    time.sleep(1e-4)
        finally:
            done.set()

    def read(look):
        try:
            while not done.is_set():
                seen.append(model.transform(probe))
                look()
        finally:
            done.set()

    def look():
        assert np.isfinite(model.reconstruction_error(probe)).all()
        assert model.certificate().discarded_energy >= 0
        assert len(model.explained_variance_ratio_) >= 1

    at_once(write, partial(read, look), partial(read, lambda: None))
    assert len(seen) >= (len(X) - size) // size // 2
    for answer in seen:
        near = np.abs(np.array(known[answer.shape]) - np.abs(answer)).max(axis=(1, 2))
        assert near.min() < 1e-8
