"""Step sizes η_t of the Hebbian rules; t = 1 is the first row of the stream."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca._core.cited import Cited
from okpca._core.number_checks import refuse_not_positive


class Schedule(Cited, ABC):
    """A function of the row number, evaluated on a whole block of them."""

    @abstractmethod
    def __call__(self, t: NDArray[Any]) -> NDArray[np.float64]:
        """η_t of every t."""

    def __post_init__(self) -> None:
        refuse_not_positive(self)


@dataclass(frozen=True)
class Constant(Schedule):
    """η_t = η₀ (`eta0`)"""

    eta0: float = 0.05

    def __call__(self, t: NDArray[Any]) -> NDArray[np.float64]:
        return np.full(t.shape, self.eta0)


@dataclass(frozen=True)
class Inverse(Schedule):
    """η_t = η₀ / t (`eta0`)"""

    eta0: float = 1.0

    def __call__(self, t: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(self.eta0 / t)


@dataclass(frozen=True)
class SearchThenConverge(Schedule):
    """η_t = η₀ / (1 + t/τ)   (Honeine 20)

    The defaults of η₀ (`eta0`) and τ (`tau`) are those of his banana experiment (6.1).
    """

    references = ("honeine2012",)

    eta0: float = 0.5
    tau: float = 1e5

    def __call__(self, t: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(self.eta0 / (1.0 + t / self.tau))


@dataclass(frozen=True)
class ExponentialDecay(Schedule):
    """η_t = η₀ γᵗ   (Souza Filho & Diniz, Table I line 17: η(k) = γ η(k−1))

    The defaults of η₀ (`eta0`) and γ (`gamma`) are those of their section V.
    """

    references = ("souzafilho2017",)

    eta0: float = 0.05
    gamma: float = 0.999995

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gamma > 1:
            raise ValueError(f"gamma of ExponentialDecay must be <= 1, got {self.gamma}.")

    def __call__(self, t: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(self.eta0 * self.gamma ** t.astype(np.float64))


def make(schedule: Schedule | float) -> Schedule:
    """A number is shorthand for a constant step size."""
    if isinstance(schedule, Schedule):
        return schedule
    if not isinstance(schedule, Real):
        raise ValueError(
            f"schedule must be a number or one of okpca.schedules, such as Inverse(), got "
            f"{schedule!r}."
        )
    return Constant(float(schedule))
