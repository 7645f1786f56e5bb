"""One BLAS thread for small dense algebra.

numpy, scipy and scikit-learn each bring a pool of threads that spin while they wait. Eigenvalues of
a 500 × 500 matrix take 50 ms on one thread, hardly less on two, and seconds on two that have to
share their cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = Lock()
_inside: list[Any] = []  # who is inside; the first holds the limit that the last lifts


@cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  # the controller only knows libraries already loaded
    import sklearn.cluster  # noqa: F401

    return ThreadpoolController()


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which BLAS and OpenMP use one thread; several may overlap."""
    with _lock:
        if not _inside:
            _inside.append(_controller().limit(limits=1))
        _inside.append(None)
    try:
        yield
    finally:
        with _lock:
            _inside.pop()
            if len(_inside) == 1:
                _inside.pop().restore_original_limits()
