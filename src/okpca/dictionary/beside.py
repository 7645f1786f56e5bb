"""The kernel values of a row against two dictionaries, for little more than those against one.

A call costs more than its arithmetic, for one row and some hundred atoms. So where one dictionary
is the other, or has grown from it, there is one call for both; else one for all atoms together.

Which of them is told by the atoms, not by whether they are the same in memory, so that a copy of
both gives every digit again.
"""

from __future__ import annotations

from typing import Any

from okpca._core.typing import Array
from okpca.dictionary.basis import Basis
from okpca.kernels.rows import handy, is_sparse, stacked


def values_beside(basis: Basis, other: Basis, x: Any) -> tuple[Array, Array]:
    """κ(x, d) for the atoms of the one, and of the other: (1, m) each."""
    known = basis.known.get("beside")
    if known is None or known[0] is not other:
        known = basis.known["beside"] = other, *_both(basis, other)
    _, evaluate, start = known
    if evaluate is None:
        return basis.kernel_values(x), other.kernel_values(x)
    values = evaluate(x)
    return values[:, : basis.m], values[:, start : start + other.m]


def _both(basis: Basis, other: Basis) -> tuple[Any, int]:
    """A function that gives the values for both, if there is one, and where those for the other
    begin. (In a warm-up a model without atoms does not know the width of its kernel yet.)"""
    if basis.kernel != other.kernel:
        return None, 0
    if begins_with(basis, other):
        return basis.kernel_values, 0
    return basis.kernel.bind(handy(stacked([basis.atoms, other.atoms]))), basis.m


def begins_with(basis: Basis, other: Basis) -> bool:
    """Are the first atoms of the one those of the other?"""
    if other.m > basis.m or is_sparse(basis.atoms) != is_sparse(other.atoms):
        return False
    apart = basis.atoms[: other.m] != other.atoms
    return not (apart.nnz if is_sparse(basis.atoms) else apart.any())
