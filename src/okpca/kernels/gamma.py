"""Kernels with a gamma: a number, 1 / n_features, or a width that the first rows give."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from okpca._core.typing import Array, Rows
from okpca.kernels import parameters
from okpca.kernels.base import Kernel
from okpca.kernels.first_rows import gamma_by


class HasGamma(Kernel):
    """gamma: a positive number; None for 1 / n_features; "scale" or "median" for one over the
    usual squared length among the first rows, see :func:`okpca.kernels.first_rows.gamma_by`."""

    gamma: float | str | None
    power: ClassVar[int] = 2
    """Of the length that one over gamma is."""

    def __post_init__(self) -> None:
        gamma = parameters.width(type(self).__name__, "gamma", self.gamma)
        object.__setattr__(self, "gamma", gamma)

    @property
    def needs_rows(self) -> bool:
        return isinstance(self.gamma, str)

    def resolved(self, n_features: int) -> Kernel:
        if self.needs_rows:
            return self
        gamma = parameters.gamma_for(self.gamma, n_features)
        return replace(self, gamma=gamma)  # type: ignore[type-var]

    def settled(self, X: Rows, weight: Array | None = None) -> Kernel:
        if not isinstance(self.gamma, str):
            return self
        return replace(self, gamma=gamma_by(self.gamma, X, weight, self.power))  # type: ignore[type-var]


def gamma_of(kernel: Kernel) -> float | None:
    """The gamma of a kernel or of those that it is made of, if they have one and the same."""
    gamma = getattr(kernel, "gamma", None)
    if gamma is not None:
        return None if isinstance(gamma, str) else float(gamma)
    found = {gamma_of(part) for part in kernel.parts} - {None}
    return found.pop() if len(found) == 1 else None


def counts_columns(kernel: Kernel) -> bool:
    """Whether its width depends on columns where all rows are 0: "scale" takes the variance of all
    entries. Of a sum and the like, that of any part."""
    own = any(isinstance(value, str) and value == "scale" for value in vars(kernel).values())
    return own or any(map(counts_columns, kernel.parts))
