"""BLAS threads: how many, and whose count is in force when. Some of it in processes of their own,
with two threads whatever the tests run with."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from okpca import OnlineKernelPCA
from okpca._core import blas_threads
from okpca._core.blas_threads import one_thread, only_one_thread, worth_threads
from okpca._core.numerics import PER_THREAD


def counts():
    both = blas_threads._libraries(False), blas_threads._libraries(True)
    return [library.get_count() for libraries in both for library in libraries]


def assert_untouched():
    assert set(counts()) == {2}
    assert not blas_threads._of_process.wishes
    assert not blas_threads._lock._is_owned()


@pytest.fixture(autouse=True)
def _two_threads():
    with threadpool_limits(2):
        assert set(counts()) == {2}, "needs a BLAS that can use two threads"
        yield
        assert_untouched()


def test_one_thread_and_what_is_worth_more(monkeypatch):
    monkeypatch.setattr(blas_threads, "_cores", lambda: (64, 64))
    inner = []
    one_thread(lambda: inner.append(counts()))()
    one_thread(lambda: worth_threads(1.9 * PER_THREAD, lambda: inner.append(counts())))()
    assert {*inner[0], *inner[1]} == {1}
    one_thread(lambda: worth_threads(9 * PER_THREAD, lambda: inner.append(counts())))()
    assert set(inner[2]) == {2}, "as many as the user allows"
    one_thread(one_thread(lambda: inner.append(counts())))()
    assert set(inner[3]) == {1}


def test_only_one_thread_whatever_it_is_worth():
    seen = []

    def product():
        worth_threads(9 * PER_THREAD, lambda: seen.append(counts()))

    only_one_thread(product)()
    only_one_thread(lambda: only_one_thread(int)() or product())()
    assert {*seen[0], *seen[1]} == {1}
    with pytest.raises(ZeroDivisionError):
        only_one_thread(lambda: 1 / 0)()
    product()
    assert set(seen[2]) == {2}


def test_a_quota_counts_where_nobody_asked(monkeypatch):
    """BLAS takes all cores that it sees; the container may have the time of fewer."""
    seen = []
    monkeypatch.setattr(blas_threads, "_cores", lambda: (2, 1))
    worth_threads(9 * PER_THREAD, lambda: seen.append(counts()))
    monkeypatch.setattr(blas_threads, "_cores", lambda: (64, 1))  # so the 2 were asked for
    worth_threads(9 * PER_THREAD, lambda: seen.append(counts()))
    assert [set(c) for c in seen] == [{1}, {2}]


def test_contexts_of_several_threads_overlap():
    """The first to enter leaves first, and the last restores."""
    inside, leave = threading.Barrier(3), [threading.Event(), threading.Event()]
    after = {}

    def stay(which):
        @one_thread
        def wait():
            inside.wait()
            leave[which].wait()

        n = len(blas_threads._libraries(False))
        own = counts()[n:]
        wait()
        after[which] = counts()[n:] == own

    both = [threading.Thread(target=stay, args=(i,)) for i in range(2)]
    for thread in both:
        thread.start()
    inside.wait()
    n = len(blas_threads._libraries(False))
    assert set(counts()[:n]) == {1}
    leave[0].set()
    both[0].join()
    assert set(counts()[:n]) == {1}
    assert after[0], "OpenMP's count is each thread's own"
    worth_threads(9 * PER_THREAD, lambda: after.setdefault(2, counts()))
    assert set(after[2][:n]) == {1}, "never on several threads while another is inside"
    leave[1].set()
    both[1].join()
    assert set(counts()) == {2}


def test_what_the_user_sets_meanwhile_stays():
    @one_thread
    def set_three():
        for library in blas_threads._libraries(False):
            library.set_count(3)

    set_three()
    n = len(blas_threads._libraries(False))
    assert set(counts()[:n]) == {3}
    for library in blas_threads._libraries(False):
        library.set_count(2)


def interrupted_at(step, function):
    """Press Ctrl-C after so many bytecodes of `blas_threads`; False if there were fewer.

    Not among those that release a lock: Python handles no signal there, but a tracer could.
    """
    left = step

    def trace(frame, event, argument):
        nonlocal left
        if frame.f_code.co_filename != blas_threads.__file__:
            return None
        frame.f_trace_opcodes = frame.f_code.co_name not in ("_enter", "_leave")
        if event == "opcode":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        function()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


@pytest.mark.thorough
@pytest.mark.signals
def test_an_interrupt_at_any_point():
    if sys.gettrace() is not None:
        pytest.skip("something else is tracing")
    done = []

    def work():
        worth_threads(9 * PER_THREAD, done.append, 1)

    step = 0
    while interrupted_at(step + 1, one_thread(work)):
        step += 1
        assert_untouched()
    assert step > 100


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
@pytest.mark.signals
def test_real_signals_at_random_moments():
    def work():
        worth_threads(9 * PER_THREAD, sum, (1, 2))

    def press(*_):
        pressed.append(1)
        raise KeyboardInterrupt

    alone, rng, pressed = one_thread(work), np.random.default_rng(0), []
    before = signal.signal(signal.SIGALRM, press)
    try:
        for turn, delay in enumerate(rng.uniform(1e-6, 3e-4, size=1000)):
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                while len(pressed) == turn:  # an interrupt of Python's own housekeeping is lost
                    alone()
            except KeyboardInterrupt:
                pass
            assert_untouched()
    finally:
        signal.signal(signal.SIGALRM, before)


def test_learning_is_done_on_one_thread():
    seen = []

    def kernel(A, B):
        seen.append(counts())
        return A @ B.T

    X = np.eye(80)
    model = OnlineKernelPCA(kernel=kernel).fit(X)
    model.partial_fit(X).transform(X)
    model.reconstruction_error(X)
    assert seen
    assert {count for each in seen for count in each} == {1}


FORKED = """
import os, sys, threading, time
import numpy as np
from okpca import OnlineKernelPCA
from okpca._core import blas_threads
from threadpoolctl import threadpool_limits

threadpool_limits(2)
X = np.random.default_rng(0).random((6000, 30))

def new():
    return OnlineKernelPCA(4, gamma=1.0, nu=1e-6, max_atoms=300, on_full="project").fit(X[:1000])

def learn(model, rows):
    while not stop:
        for start in range(0, 5000, rows):
            model.partial_fit(X[start : start + rows]).eigenvalues_

stop = False
sizes = map(int, sys.argv[1:])
learning = [threading.Thread(target=learn, args=(new(), n), daemon=True) for n in sizes]
for thread in learning:
    thread.start()
for turn in range(3):
    time.sleep(0.2 + 0.03 * turn)
    child = os.fork()
    if child == 0:
        if any(library.get_count() != 2 for library in blas_threads._libraries(False)):
            os._exit(3)
        new().eigenvalues_
        X[:600].T @ X[:600]
        np.ones((600, 600)) @ np.ones((600, 600))
        os._exit(0)
    limit = time.monotonic() + 300
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > limit:
            os.kill(child, 9)
            sys.exit("the child hangs")
        time.sleep(0.01)
    assert ended[1] == 0, ended
stop = True
for thread in learning:
    thread.join(300)
    assert not thread.is_alive()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_while_threads_learn():
    """Blocks on one thread, and blocks worth two."""
    command = [sys.executable, "-c", FORKED, "64", "64", "1000"]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    run = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=1800
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.thorough
@pytest.mark.signals
def test_no_interrupt_leaves_the_lock_locked():
    """Whoever holds it does not notice, and all other threads wait for ever."""

    def interrupted_at(number):
        count = 0

        def trace(frame, event, arg):
            nonlocal count
            if frame.f_code.co_filename != blas_threads.__file__:
                return None
            count += event == "line"
            if event == "line" and count == number:
                raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            blas_threads._run(1, int)
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(before)
        return False

    def taken():
        found = blas_threads._lock.acquire(timeout=5)
        if found:
            blas_threads._lock.release()
        return found

    def is_free():
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(taken).result()

    number = 1
    while interrupted_at(number):
        assert is_free(), number
        number += 1
    assert number > 20
