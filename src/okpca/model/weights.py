"""Robust weights: how much a row counts, given how far it lies from the current subspace.

The loss Ψ(e) of the halved squared residual e = ½ (‖φ(x) − μ‖² − ‖Vᵀ(z − z̄)‖²) grows more slowly
than e itself, and its derivative Ψ̇(e) is the weight of the row (Huang & Yeh 2, 7, 14).

A residual has the unit of the kernel, so β and ξ that serve one data set fail on the next. With a
unit s (`scale`) the loss is s Ψ(e/s) and the weight Ψ̇(e/s); `scale="median"` takes for s the
running median of the residuals (`model/residual_quantiles.py`), and then β and ξ are plain numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import expit

from okpca._core.cited import Cited
from okpca._core.naming import by_name, looked_up
from okpca._core.number_checks import refuse_not_positive
from okpca._core.typing import Array
from okpca.model.residual_quantiles import Residuals

MEDIAN: Literal["median"] = "median"
BY_SCALE: Any = None  # the default is the paper's, or one in units of the median: see __post_init__
NORMAL_QUARTILE = 0.6745  # of a normal distribution, in standard deviations
ONE_DIRECTION = 0.2232  # lower quartile over median of the square of a normal variable
STEEP, STEEPER = 8.0, 12.0  # β ξ: rows of no residual weigh 0.9997 or more, those of 2ξ the rest


@dataclass(frozen=True)
class Weight(Cited, ABC):
    """Ψ̇, evaluated on the halved squared residuals of many rows; between 0 and 1.

    One with a field `scale` may have that be "median": then e is in units of the median residual.
    With `plain_start` a warm-up is plain kernel PCA, its rows all alike (Huang & Yeh 3.2). Without
    `clipped` an e that comes out negative, of components that are not orthonormal yet, is taken as
    it is, as (2) has it, and its row counts for more than 1.
    """

    plain_start: bool = field(default=False, kw_only=True)
    clipped: bool = field(default=True, kw_only=True)

    names: ClassVar[tuple[str, ...]] = ()  # strings that stand for it
    warms_up: ClassVar[bool] = False  # are the first rows a batch where no `burn_in` is given?

    @abstractmethod
    def __call__(self, e: Array) -> Array:
        """Ψ̇(e) of every row."""

    @abstractmethod
    def loss(self, e: Array) -> Array:
        """Ψ itself."""

    @property
    def relative(self) -> bool:
        """Whether it needs to know how large residuals usually are."""
        return getattr(self, "scale", None) == MEDIAN

    def at(self, residuals: Residuals) -> Weight | None:
        """What it is beside rows of such residuals; None as long as there are none."""
        if not self.relative:
            return self
        changes: dict[str, Any] = {"scale": float(residuals.quantile(0.5))}
        return None if residuals.empty else replace(self, **changes)

    def __post_init__(self) -> None:
        scale = getattr(self, "scale", None)
        if isinstance(scale, str) and scale != MEDIAN:
            raise ValueError(
                f"scale of {type(self).__name__} must be a number > 0 or 'median', got {scale!r}."
            )
        words = ("scale",) if self.relative else ()
        refuse_not_positive(self, but=("plain_start", "clipped", *words))


@dataclass(frozen=True)
class Plain(Weight):
    """Ψ₀(e) = e, Ψ̇₀ = 1: every row counts alike, kernel PCA as usual."""

    references = ()
    names = ("plain",)

    def __call__(self, e: Array) -> Array:
        return np.ones(np.shape(e))

    def loss(self, e: Array) -> Array:
        return np.asarray(e)


@dataclass(frozen=True)
class Exponential(Weight):
    """Ψ₁(e) = (1 − exp(−β e)) / β, Ψ̇₁(e) = exp(−β e)

    Parameters
    ----------
    beta : float
        β. If not given, 0.07 as in the paper's first example; with ``scale="median"`` log 2 / 2, so
        that a row of twice the usual residual counts half.
    scale : float or "median", default=1.0
        The unit of e. The median of the first few rows says little: where strangers may be among
        them, give a `burn_in` as well (``robust="auto"`` has one).
    """

    references = ("huang2011",)
    names = ("exponential",)

    beta: float = BY_SCALE
    scale: float | Literal["median"] = 1.0

    def __post_init__(self) -> None:
        _fill_in_beta(self, np.log(2.0) / 2 if self.relative else 0.07)
        super().__post_init__()

    def __call__(self, e: Array) -> Array:
        return np.asarray(np.exp(-self.beta * (np.asarray(e) / _unit(self.scale))))

    def loss(self, e: Array) -> Array:
        unit = _unit(self.scale)
        return np.asarray(-np.expm1(-self.beta * (np.asarray(e) / unit)) / self.beta * unit)


@dataclass(frozen=True)
class Logistic(Weight):
    """Ψ₂(e) = −log((1 + exp(−β (e − ξ))) / 2) / β, Ψ̇₂(e) = 1 − 1 / (1 + exp(−β (e − ξ)))

    Rows nearer than ξ count about alike, those farther away ever less.

    Parameters
    ----------
    beta, xi : float
        β and ξ. If not given, 0.002 and 2 as in the paper's second example (where its text calls
        them β and η); with ``scale="median"`` 8/ξ and 2.
    scale : float or "median", default=1.0
        The unit of e. The median of the first few rows says little: where strangers may be among
        them, give a `burn_in` as well (``robust="auto"`` has one).
    """

    references = ("huang2011",)
    names = ("logistic",)

    beta: float = BY_SCALE
    xi: float = 2.0
    scale: float | Literal["median"] = 1.0

    def __post_init__(self) -> None:
        _fill_in_beta(self, STEEP / self.xi if self.relative and self.xi > 0 else 0.002)
        super().__post_init__()

    def __call__(self, e: Array) -> Array:
        return np.asarray(expit(-self.beta * (np.asarray(e) / _unit(self.scale) - self.xi)))

    def loss(self, e: Array) -> Array:
        unit = _unit(self.scale)
        beyond = -self.beta * (np.asarray(e) / unit - self.xi)
        return np.asarray((np.log(2.0) - np.logaddexp(0.0, beyond)) / self.beta * unit)


@dataclass(frozen=True)
class Auto(Weight):
    """Ψ₂ with ξ = (c½ + z (c½ − c¼) / 0.6745)³ and β = 12/ξ; c are cube roots of quartiles of e

    A residual is a sum of squares, and the cube root of one is nearly normal, of however many terms
    (Wilson & Hilferty): rows up to `reach` (z) standard deviations beyond the usual count. The
    median and the quartile below it say what is usual, so outliers, which are above, hardly do.

    Where no `burn_in` is given, the first 200 rows (a detector's `warm_up`) are one, unless the
    rule has a start of its own; up to a quarter of those may be outliers.
    """

    references = ("huang2011",)
    names = ("auto",)
    warms_up = True

    reach: float = 3.0

    @property
    def relative(self) -> bool:
        """Always."""
        return True

    def at(self, residuals: Residuals) -> Logistic | None:
        """Ψ₂ for rows of such residuals."""
        return None if residuals.empty else self._between(*residuals.quantile([0.25, 0.5]))

    def _between(self, quartile: float, median: float) -> Logistic:
        usual = np.cbrt(median)
        xi = float(usual + self.reach * (usual - np.cbrt(quartile)) / NORMAL_QUARTILE) ** 3
        return Logistic(STEEPER, 1.0, scale=xi, clipped=self.clipped)

    def __call__(self, e: Array) -> Array:
        """By itself, for a median of 1 and residuals of one direction."""
        return self._between(ONE_DIRECTION, 1.0)(e)

    def loss(self, e: Array) -> Array:
        return self._between(ONE_DIRECTION, 1.0).loss(e)


def _unit(scale: float | Literal["median"]) -> float:
    return 1.0 if scale == MEDIAN else scale


def _fill_in_beta(weight: Any, beta: float) -> None:
    """Where it was not given: it depends on other fields."""
    if weight.beta is BY_SCALE:
        object.__setattr__(weight, "beta", float(beta))


NAMES: dict[str, type[Weight]] = by_name(globals())


def make(robust: Any) -> Weight | None:
    """Strings are shorthand for the papers' settings; None is no weight at all."""
    if robust is None or isinstance(robust, Weight):
        return robust
    return looked_up(NAMES, robust, "robust", "a weight")()
