"""One BLAS thread for small dense algebra.

numpy, scipy and scikit-learn each bring a pool of threads that spin while they wait. Eigenvalues of
a 500 × 500 matrix take 50 ms on one thread, hardly less on two, and seconds on two when another
process wants a core.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  # the controller only knows libraries already loaded
    import sklearn.cluster  # noqa: F401

    return ThreadpoolController()


def one_thread() -> Any:
    """A context in which BLAS and OpenMP use one thread."""
    return _controller().limit(limits=1)
