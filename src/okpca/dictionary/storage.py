"""Where the numbers of a basis are: arrays that those which have grown from it share."""

from __future__ import annotations

import numpy as np

from okpca._core.shared_storage import End
from okpca._core.typing import Array, Rows
from okpca.kernels.rows import is_sparse


class Storage:
    """Room for more atoms than there are; at `end` one basis may grow into it. CSR atoms are so
    few numbers that every basis has its own."""

    def __init__(self, atoms: Rows, L: Array, capacity: int) -> None:
        m, sparse = len(L), is_sparse(atoms)
        self.atoms = np.empty((0 if sparse else capacity, atoms.shape[1]))
        self.L = np.zeros((capacity, capacity))
        if not sparse:
            self.atoms[:m] = atoms
        self.L[:m, :m] = L
        self.end = End(m)
