"""What a compiled leaf is: a pure function on arrays, no classes, no Python objects.

They are plain Python too: with NUMBA_DISABLE_JIT=1 the tests step through every line. `fastmath`
names its flags because the bare switch also assumes that there are no NaNs.
"""

from __future__ import annotations

import warnings
from functools import partial

from numba import njit

_FAST = {"nsz", "arcp", "contract", "afn", "reassoc"}
_warned: list[str] = []


def leaf(function, fastmath=_FAST):
    compiled = partial(njit, nogil=True, error_model="numpy", fastmath=fastmath)
    try:
        return compiled(cache=True)(function)
    except RuntimeError as error:
        if "no locator" not in str(error):
            raise
    if not _warned:
        _warned.append(function.__name__)
        warnings.warn(
            "okpca compiles its inner loops anew in every process, which takes seconds: numba can "
            "write neither beside the package nor in the home directory. Set NUMBA_CACHE_DIR to a "
            "directory that it can write to.",
            RuntimeWarning,
            stacklevel=2,
        )
    return compiled()(function)
