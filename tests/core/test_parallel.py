"""Work in pieces: the same whoever does them, and nobody is left behind."""

import os
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from okpca import OnlineKernelPCA, kernels
from okpca._core import blas_threads, parallel
from okpca._core.blas_threads import one_thread, only_one_thread
from okpca._core.numerics import PER_THREAD
from okpca._core.parallel import cut, in_pieces

WORTH = 9 * PER_THREAD


@pytest.fixture(autouse=True)
def _several_cores(monkeypatch):
    monkeypatch.setattr(blas_threads, "_cores", lambda: (64, 64))
    with threadpool_limits(3):
        yield
    assert not blas_threads._of_process.wishes


def test_what_is_cut_is_whole():
    for n, most, worth in ((1000, 192, 99), (1000, 192, 2.5), (5, 192, 99), (0, 192, 9), (7, 1, 7)):
        parts = cut(n, most, worth)
        assert np.concatenate([np.arange(n)[part] for part in parts]).tolist() == list(range(n))
        assert len(parts) <= max(1, worth)
        assert len(parts) == int(worth) or max(part.stop - part.start for part in parts) <= most


def meeting(parties):
    """A function that returns when so many threads are in it at once, and who they were."""
    barrier, seen = threading.Barrier(parties, timeout=60), set()

    def meet(piece):
        seen.add(threading.current_thread())
        barrier.wait()
        return piece

    return meet, seen


def test_threads_share_the_pieces():
    meet, seen = meeting(3)
    assert in_pieces(WORTH, meet, range(9)) == list(range(9))
    assert len(seen) == 3
    assert threading.current_thread() in seen


@pytest.mark.parametrize(
    "alone",
    [
        lambda: in_pieces(1.9 * PER_THREAD, lambda _: threading.get_ident(), range(9)),
        lambda: in_pieces(WORTH, lambda _: threading.get_ident(), range(9), any_thread=False),
        only_one_thread(lambda: in_pieces(WORTH, lambda _: threading.get_ident(), range(9))),
    ],
)
def test_where_one_thread_does_all(alone):
    assert set(alone()) == {threading.get_ident()}


@pytest.mark.parametrize("limit", [1, 2])
def test_what_the_user_allows_holds(limit):
    meet, seen = meeting(limit)
    with threadpool_limits(limit):
        one_thread(lambda: in_pieces(WORTH, meet, range(4 * limit)))()
    assert len(seen) == limit


def test_each_piece_has_one_blas_thread_and_the_context_of_who_asks():
    meet, _ = meeting(2)

    def look(piece):
        meet(piece)
        counts = [library.get_count() for library in blas_threads._libraries(False)]
        return counts, np.geterr()["over"]

    with threadpool_limits(2), np.errstate(over="raise"):
        found = one_thread(lambda: in_pieces(WORTH, look, range(8)))()
    assert {(*counts, over) for counts, over in found} == {(1,) * len(found[0][0]) + ("raise",)}


def test_the_first_error_is_raised_where_it_belongs():
    """The last pieces fail first, in another thread; the first that fails is told, here."""
    late = threading.Event()

    def fail(piece):
        if piece == 0:
            late.wait(60)
        if piece > 3:
            late.set()
            raise ValueError(piece)

    with pytest.raises(ValueError, match=r"^4$"):
        in_pieces(WORTH, fail, range(9))


def test_what_fails_elsewhere_only_is_done_here():
    here = threading.current_thread()

    def particular(piece):
        if threading.current_thread() is not here:
            raise RuntimeError("not in this thread")
        return piece

    assert in_pieces(WORTH, particular, range(9)) == list(range(9))


@pytest.mark.thorough
def test_nobody_works_on_after_an_interrupt():
    meet, _ = meeting(3)
    here, inside = threading.current_thread(), []

    def interrupted(piece):
        meet(piece)
        if threading.current_thread() is here:
            raise KeyboardInterrupt
        time.sleep(0.2)
        inside.append(piece)

    with pytest.raises(KeyboardInterrupt):
        in_pieces(WORTH, interrupted, range(30))
    assert len(inside) == 2, "the pieces that had been begun"


def test_at_the_end_of_the_interpreter_nobody_helps():
    parallel._helpers().shutdown()
    assert in_pieces(WORTH, str, range(3)) == ["0", "1", "2"]


def test_where_no_thread_can_be_started_nothing_is_left_behind(monkeypatch):
    def refused(thread):
        raise RuntimeError("can't start new thread")

    parallel._helpers.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)
        for _ in range(3):
            pool = parallel._helpers()
            assert in_pieces(WORTH, str, range(3)) == ["0", "1", "2"]
            assert pool._work_queue.qsize() <= 1  # what tells its threads to end
    test_threads_share_the_pieces()


def test_a_helper_that_comes_late_does_nothing():
    done = []
    late = parallel._Helper(lambda: done.append(1))
    late.dismiss()
    late._come()
    assert not done


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_helpers_of_its_own():
    in_pieces(WORTH, str, range(9))
    child = os.fork()
    if child == 0:
        meet, seen = meeting(3)
        os._exit(0 if in_pieces(WORTH, meet, range(9)) and len(seen) == 3 else 1)
    assert os.waitpid(child, 0)[1] == 0


def learned(kernel, X, limit):
    with threadpool_limits(limit):
        model = OnlineKernelPCA(6, kernel=kernel, nu=1e-4, max_atoms=300, on_full="project")
        for block in np.split(X, 5):
            model.partial_fit(block)
        return model, [model.transform(X), model.reconstruction_error(X), model.eigenvalues_]


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", [kernels.RBF(1.0), kernels.Laplacian(0.5) + kernels.Linear()])
def test_no_digit_depends_on_the_threads(kernel, monkeypatch):
    X = np.random.default_rng(0).normal(size=(2500, 8))
    asked, ask = [], parallel._Helper.ask
    monkeypatch.setattr(parallel._Helper, "ask", lambda helper: asked.append(1) or ask(helper))
    _, alone = learned(kernel, X, 1)
    assert not asked
    _, shared = learned(kernel, X, 3)
    assert asked, "nothing was worth a thread"
    for one, other in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_function_is_called_where_the_user_is():
    seen = set()

    def linear(A, B):
        seen.add(threading.current_thread())
        return A @ B.T + 1e-3 * (A[:, None, :] == B).all(axis=2)

    X = np.random.default_rng(0).normal(size=(1500, 2))
    learned(kernels.Function(linear), X, 3)
    assert seen == {threading.current_thread()}


@pytest.mark.thorough
@pytest.mark.parametrize("bad", [700, 1400])
def test_a_bad_row_is_named_in_whichever_piece(bad):
    X = np.random.default_rng(0).normal(size=(1500, 3))
    model, _ = learned(kernels.RBF(9.0) * kernels.Polynomial(degree=3, gamma=1.0), X, 3)
    X[bad:] = 1e120
    for method in (model.transform, model.partial_fit, model.reconstruction_error):
        with pytest.raises(ValueError, match=f"row {bad}\\b"):
            method(X)
