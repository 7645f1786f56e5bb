"""The arrays that everything is made of."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Floats: TypeAlias = NDArray[np.floating[Any]]
Index: TypeAlias = NDArray[np.intp]
Flags: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = Any
"""Rows of the input space, (n, d): an ndarray, or scipy's CSR, which ships no types."""
