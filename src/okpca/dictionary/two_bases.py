"""The kernel values of a row against two dictionaries, for little more than those against one.

A call costs more than its arithmetic, for one row and some hundred atoms. So where one dictionary
is the other, or has grown from it, there is one call for both; else one for all atoms together.

Which of them is told by the atoms, not by whether they are the same in memory, so that a copy of
both gives every digit again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import ref

from okpca._core.typing import Array
from okpca.dictionary.basis import Basis
from okpca.kernels.rows import handy, stacked


class _Beside(NamedTuple):
    other: ref[Basis]  # or each would keep the one before it alive
    same_kernel: bool
    both: Callable[[Any], Array] | None = None  # the values for the one, then for the other


def values_beside(basis: Basis, other: Basis, x: Any) -> tuple[Array, Array]:
    """κ(x, d) for the atoms of the one, and of the other: (1, m) each."""
    known = _beside(basis, other)
    if known.both is not None:
        values = known.both(x)
        return values[:, : basis.m], values[:, basis.m :]
    values = basis.kernel_values(x)
    return values, values[:, : other.m] if known.same_kernel else other.kernel_values(x)


def same_kernel(basis: Basis, other: Basis) -> bool:
    """Not so while a kernel whose width or scale comes with the first rows goes on settling."""
    return _beside(basis, other).same_kernel


def _beside(basis: Basis, other: Basis) -> _Beside:
    known = basis.known.get("beside")
    if known is None or known.other() is not other:
        known = basis.known["beside"] = _compared(basis, other)
    return known


def _compared(basis: Basis, other: Basis) -> _Beside:
    # (In a warm-up a model without atoms does not know the width of its kernel yet.)
    if basis.kernel != other.kernel:
        return _Beside(ref(other), same_kernel=False)
    if basis.begins_with(other):
        return _Beside(ref(other), same_kernel=True)
    both = basis.kernel.bind(handy(stacked([basis.atoms, other.atoms])))
    return _Beside(ref(other), same_kernel=True, both=both)
