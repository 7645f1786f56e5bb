"""Ctrl-C in a long call leaves a usable model of the rows done so far, in whole blocks."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from helpers import normal
from okpca import OnlineKernelPCA
from okpca._core.numerics import ROWS
from okpca.kernels import RBF

pytestmark = pytest.mark.long

ROW = 2 * ROWS + 100  # where the interrupt comes: in the third block
X = normal(4 * ROWS)
X[ROW, 0] = 77.0


class Interrupts:
    """An RBF kernel; Ctrl-C is pressed when it meets the mark, while `armed`."""

    def __init__(self):
        self.armed = True

    def __call__(self, A, B):
        if self.armed and (A[:, 0] == 77.0).any():
            raise KeyboardInterrupt
        return RBF(gamma=0.5)(A, B)


def interrupted(model, method, rows, **more):
    with pytest.raises(KeyboardInterrupt):
        getattr(model, method)(rows, **more)
    model.kernel.armed = False
    return model


def settings(**more):
    return {"kernel": Interrupts(), "max_atoms": 40, "random_state": 0, **more}


def reference(rows, **more):
    model = OnlineKernelPCA(**settings(**more))
    model.kernel.armed = False
    return model.fit(rows)


@pytest.mark.parametrize("rule", ["exact", "on-kha"])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_first_call(method, rule):
    model = interrupted(OnlineKernelPCA(**settings(rule=rule)), method, X)
    assert model.n_samples_seen_ == 2 * ROWS
    assert model.n_features_in_ == 3
    same = reference(X[: 2 * ROWS], rule=rule)
    np.testing.assert_array_equal(model.transform(X), same.transform(X))


@pytest.mark.parametrize("size", [1, 50])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_goes_on(method, size):
    """With single rows, too: they take another path."""
    model = interrupted(OnlineKernelPCA(**settings()), method, X)
    same = reference(X[: 2 * ROWS])
    for start in range(2 * ROWS, 2 * ROWS + 100, size):
        model.partial_fit(X[start : start + size])
        same.partial_fit(X[start : start + size])
    assert model.n_samples_seen_ == 2 * ROWS + 100
    np.testing.assert_array_equal(model.transform(X), same.transform(X))
    assert model.fit(X[:30]).n_samples_seen_ == 30


def test_later_call():
    model = OnlineKernelPCA(**settings()).partial_fit(X[:50])
    interrupted(model, "partial_fit", X)
    assert model.n_samples_seen_ == 50 + 2 * ROWS
    same = reference(X[:50]).partial_fit(X[: 2 * ROWS])
    np.testing.assert_array_equal(model.transform(X), same.transform(X))


def test_rows_of_weight_zero_are_no_rows():
    weight = np.arange(len(X)) % 2.0
    weight[ROW] = 1.0
    model = interrupted(OnlineKernelPCA(**settings()), "fit", X, sample_weight=weight)
    assert model.n_samples_seen_ == ROWS
    same = reference(X[weight > 0][:ROWS])
    np.testing.assert_allclose(model.transform(X), same.transform(X), rtol=0, atol=1e-10)


def test_before_the_first_block_is_done_nothing_has_happened():
    model = OnlineKernelPCA(**settings())
    before = dict(vars(model))
    interrupted(model, "fit", X[ROW - 10 :])
    assert vars(model) == before
    model = reference(X[:50])
    scores = model.transform(X[:50])
    model.kernel.armed = True
    narrow = X[ROW - 10 :, :2]
    interrupted(model, "fit", narrow)
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.transform(X[:50]), scores)


def test_refit_replaces_the_old_model_by_the_rows_done():
    model = reference(normal(50, d=5))
    model.kernel.armed = True
    interrupted(model, "fit", X)
    assert model.n_features_in_ == 3
    assert model.n_samples_seen_ == 2 * ROWS


def test_single_row():
    model = reference(X[:50])
    scores = model.transform(X[:50])
    model.kernel.armed = True
    interrupted(model, "partial_fit", X[ROW : ROW + 1])
    assert model.n_samples_seen_ == 50
    np.testing.assert_array_equal(model.transform(X[:50]), scores)


def test_pickle_after_an_interrupt():
    model = interrupted(OnlineKernelPCA(**settings()), "fit", X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    again.partial_fit(X[:1])


CHILD = """
import os, signal, sys, threading, time
import numpy as np
from okpca import OnlineKernelPCA
from okpca._core.numerics import ROWS

signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
X = np.random.default_rng(0).normal(size=(300_000, 5))
OnlineKernelPCA(max_atoms=50).fit(X[:10]).partial_fit(X[:1])  # compile

def press():
    while getattr(model, "n_samples_seen_", 0) < 3 * ROWS:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

for method in sys.argv[1:]:
    model = OnlineKernelPCA(max_atoms=200)
    threading.Thread(target=press, daemon=True).start()
    try:
        getattr(model, method)(X)
    except KeyboardInterrupt:
        n = model.n_samples_seen_
        assert 0 < n < len(X) and n % ROWS == 0, n
        same = OnlineKernelPCA(max_atoms=200).fit(X[:n])
        assert (model.transform(X[:2000]) == same.transform(X[:2000])).all()
        model.partial_fit(X[n : n + 1]).partial_fit(X[n + 1 : n + 10])
        same.partial_fit(X[n : n + 1]).partial_fit(X[n + 1 : n + 10])
        assert (model.transform(X[:2000]) == same.transform(X[:2000])).all()
        print("as of row", n)
    else:
        sys.exit("it was not interrupted")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to oneself")
def test_a_real_signal():
    command = [sys.executable, "-W", "error", "-c", CHILD, "fit", "partial_fit"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("as of row ") == 2
