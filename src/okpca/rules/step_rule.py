"""What the rules that take a step per row share: where they start, how far they go."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from okpca._core.errors import RowError
from okpca._core.typing import Array
from okpca.rules.base import Centred, Learner, Rule
from okpca.rules.schedules import Schedule
from okpca.rules.schedules import make as make_schedule

SMALL = 0.1  # how long components are that start at random (Souza Filho & Diniz)


class StepRule(Rule):
    """Each row, or each block of them, is a step: the components are there all the time."""

    averages = False
    repeats = True


class ScheduledRule(StepRule):
    """Steps of sizes η_t by `schedule`, from components that `init` says."""

    schedule: Schedule | float
    init: Any

    def __post_init__(self) -> None:
        check_init(type(self).__name__, self.init)
        make_schedule(self.schedule)

    @abstractmethod
    def begun(self, V: Array, power: Array, weight: float) -> Learner:
        """From components V, their running means of y_j² and W."""

    def born(self, n_components: int | None, L: Array, rng: np.random.RandomState) -> Learner:
        assert n_components is not None
        V = start(type(self).__name__, self.init, n_components, L, rng)
        return self.begun(V, np.zeros(n_components), 0.0)

    def continued(
        self, n_components: int | None, scatter: Array, V: Array, weight: float
    ) -> Learner:
        assert n_components is not None
        scatter, V = first_components(scatter, V, n_components)
        return self.begun(V, scatter / weight, weight)


def check_init(rule: str, init: Any) -> None:
    if isinstance(init, str) and init not in ("first-atom", "random", "unit", "atoms"):
        raise ValueError(
            f"init of {rule} must be 'unit', 'first-atom', 'random', 'atoms' or an array, got "
            f"{init!r}."
        )


def start(
    rule: str, init: Any, r: int, L: Array, rng: np.random.RandomState, scale: float = SMALL
) -> Array:
    """The components before the first step, in coordinates: rows v = Lᵀ α."""
    m = len(L)
    dual = np.zeros((r, m))
    if not isinstance(init, str):
        dual = np.array(init, dtype=np.float64)
        if dual.shape != (r, m):
            raise ValueError(
                f"init of {rule} has shape {dual.shape}; n_components and the atoms at the "
                f"start call for {(r, m)}."
            )
    elif init == "atoms":
        if m < r:
            raise ValueError(
                f"init='atoms' of {rule} needs an atom for each of {r} components at the start, "
                f"and there are {m}: give dictionary=Seeded(points) or Fixed(points)."
            )
        return np.asarray(L[:r] / np.linalg.norm(L[:r], axis=1, keepdims=True))
    elif init == "unit":
        dual[:, 0] = 1.0 / L[0, 0]
    else:
        given = 1 if init == "first-atom" else m
        dual[:, :given] = rng.normal(scale=scale, size=(r, given))
    return dual @ L


def first_components(scatter: Array, V: Array, r: int) -> tuple[Array, Array]:
    """The first r components of a batch fit; where it has fewer, small directions to start from.

    A component that is zero would never learn. These have norms of about `SMALL`, and are always
    the same.
    """
    missing = max(r - len(V), 0)
    m = V.shape[1]
    small = np.random.RandomState(0).normal(scale=SMALL / np.sqrt(max(m, 1)), size=(missing, m))
    return np.append(scatter[:r], np.zeros(missing)), np.vstack([V[:r], small])


def widened(V: Array, m: int) -> Array:
    """A copy of V, with zeros for coordinates that are new."""
    wide = np.zeros((len(V), m))
    wide[:, : V.shape[1]] = V
    return wide


def step_sizes(schedule: Schedule | float, block: Centred) -> Array:
    """η_t w_t of each row."""
    t = np.arange(block.first, block.first + len(block.rows))
    return np.asarray(make_schedule(schedule)(t) * block.weight)


def refuse_overflow(rule: str, n: int, *learned: Array) -> None:
    """For rules without a step size: only numbers that are too large make them fail."""
    remedy = "scale the columns or the kernel"
    _refuse_not_finite(f"the sums of the {rule} rule overflow: {remedy}", n, learned)


def refuse_divergence(rule: str, n: int, *learned: Array) -> None:
    remedy = "lower the step size of its schedule, or scale the kernel so that η κ(x, x) stays well"
    _refuse_not_finite(f"the {rule} rule diverges: {remedy} below 1", n, learned)


def _refuse_not_finite(what: str, n: int, learned: tuple[Array, ...]) -> None:
    if not all(np.isfinite(values).all() for values in learned):
        raise RowError(f"{what}; it happened at or before", n - 1)
