"""Robust weights: how much a row counts, given how far it lies from the current subspace.

The loss Ψ(e) of the halved squared residual e = ½ (‖φ(x) − μ‖² − ‖Vᵀ(z − z̄)‖²) grows more slowly
than e itself, and its derivative Ψ̇(e) is the weight of the row (Huang & Yeh 2, 7, 14).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from okpca._core.naming import by_name
from okpca._core.typing import Array
from okpca._core.validation import refuse_not_positive


class Weight(ABC):
    """Ψ̇, evaluated on the halved squared residuals of many rows; between 0 and 1."""

    names: ClassVar[tuple[str, ...]] = ()  # strings that stand for it

    @abstractmethod
    def __call__(self, e: Array) -> Array: ...

    @abstractmethod
    def loss(self, e: Array) -> Array:
        """Ψ itself."""

    def __post_init__(self) -> None:
        refuse_not_positive(self)


@dataclass(frozen=True)
class Plain(Weight):
    """Ψ₀(e) = e, Ψ̇₀ = 1: every row counts alike, kernel PCA as usual."""

    names: ClassVar[tuple[str, ...]] = ("plain",)

    def __call__(self, e: Array) -> Array:
        return np.ones(np.shape(e))

    def loss(self, e: Array) -> Array:
        return np.asarray(e)


@dataclass(frozen=True)
class Exponential(Weight):
    """Ψ₁(e) = (1 − exp(−β e)) / β, Ψ̇₁(e) = exp(−β e)

    The default is that of the paper's first example.
    """

    names: ClassVar[tuple[str, ...]] = ("exponential",)

    beta: float = 0.07

    def __call__(self, e: Array) -> Array:
        return np.asarray(np.exp(-self.beta * np.asarray(e)))

    def loss(self, e: Array) -> Array:
        return np.asarray(-np.expm1(-self.beta * np.asarray(e)) / self.beta)


@dataclass(frozen=True)
class Logistic(Weight):
    """Ψ₂(e) = −log((1 + exp(−β (e − ξ))) / 2) / β, Ψ̇₂(e) = 1 − 1 / (1 + exp(−β (e − ξ)))

    Rows nearer than ξ count about alike, those farther away ever less. The defaults are those of
    the paper's second example (where its text calls them β and η).
    """

    names: ClassVar[tuple[str, ...]] = ("logistic",)

    beta: float = 0.002
    xi: float = 2.0

    def __call__(self, e: Array) -> Array:
        return np.asarray(expit(-self.beta * (np.asarray(e) - self.xi)))

    def loss(self, e: Array) -> Array:
        beyond = -self.beta * (np.asarray(e) - self.xi)
        return np.asarray((np.log(2.0) - np.logaddexp(0.0, beyond)) / self.beta)


NAMES: dict[str, type[Weight]] = by_name(globals())


def make(robust: Any) -> Weight | None:
    """Strings are shorthand for the papers' settings; None is no weight at all."""
    if robust is None or isinstance(robust, Weight):
        return robust
    if robust not in NAMES:
        raise ValueError(f"robust must be one of {sorted(NAMES)} or a weight, got {robust!r}.")
    return NAMES[robust]()
