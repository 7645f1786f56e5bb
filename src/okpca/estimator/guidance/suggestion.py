"""What is suggested, and why."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self

import numpy as np

from okpca._core.typing import Array
from okpca.detection import KernelNoveltyDetector
from okpca.estimator import OnlineKernelPCA

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from okpca.plots import SuggestionDisplay

    Kind = OnlineKernelPCA | KernelNoveltyDetector
    E = TypeVar("E", bound=Kind, default=Kind, covariant=True)
else:  # the default, for whoever writes `Suggestion` alone, is for type checkers
    from typing import TypeVar

    E = TypeVar("E", covariant=True)

ORDER = ("scale", "gamma", "n_components", "max_atoms", "nu")
WIDTH = 100


class Trial(NamedTuple):
    """Values of one parameter that were tried, and what each came to."""

    parameter: str
    tried: Array
    came_to: Array
    chosen: float
    meaning: str  # of what it came to


class Choice(NamedTuple):
    """A value, its reason, what was tried, if anything, and what speaks against the whole."""

    value: Any
    why: str
    trial: Trial | None = None
    caution: str = ""


@dataclass(frozen=True, repr=False, eq=False)
class Suggestion(Generic[E]):
    """What :func:`okpca.suggest` proposes.

    Attributes
    ----------
    goal : {"features", "denoise", "novelty"}
    params : dict
        What `model` is made with: `scale`, `gamma`, `n_components`, `max_atoms`, `nu`.
    reasons : dict of str
        Why, for each of them.
    trials : tuple of Trial
        What was tried for `gamma`, `n_components` and `max_atoms`, and what each value came to.
    n_rows, n_columns, n_sampled : int
        Of what was given, and how many rows of it were looked at.
    caution : str
        What speaks against using the model at all; empty if nothing does. Of "denoise" alone.
    """

    goal: str
    params: Mapping[str, Any]
    reasons: Mapping[str, str]
    trials: tuple[Trial, ...]
    n_rows: int
    n_columns: int
    n_sampled: int
    caution: str = ""

    @classmethod
    def of(cls, goal: str, choices: Mapping[str, Choice], shape: tuple[int, int, int]) -> Self:
        """From the choices for a goal, and the rows, columns and rows sampled."""
        return cls(
            goal,
            {name: choices[name].value for name in ORDER},
            {name: choices[name].why for name in ORDER},
            tuple(choice.trial for choice in choices.values() if choice.trial is not None),
            *shape,
            " ".join(choice.caution for choice in choices.values() if choice.caution),
        )

    def model(self, **changes: Any) -> E:
        """A configured estimator that has learned nothing: `OnlineKernelPCA`, or
        `KernelNoveltyDetector` for the goal "novelty". `changes` are further parameters, or others
        in place of those suggested."""
        kind: Any = KernelNoveltyDetector if self.goal == "novelty" else OnlineKernelPCA
        return kind(**{**self.params, **changes})  # type: ignore[no-any-return]

    def plot(self, ax: Any = None) -> SuggestionDisplay:
        """Draw what was tried: :class:`okpca.plots.SuggestionDisplay`."""
        from okpca.plots import SuggestionDisplay

        return SuggestionDisplay.from_suggestion(self, ax=ax)

    def __repr__(self) -> str:
        looked = "" if self.n_sampled == self.n_rows else f" ({self.n_sampled} looked at)"
        lines = [f"for {self.goal}: {self.n_rows} rows of {self.n_columns} columns{looked}, rbf"]
        values = {name: f"{name}={told(value)}" for name, value in self.params.items()}
        edge = 4 + max(map(len, values.values()))
        for name, value in values.items():
            lines += textwrap.wrap(
                self.reasons[name],
                WIDTH,
                initial_indent=f"  {value}".ljust(edge),
                subsequent_indent=" " * edge,
            )
        return "\n".join(lines + textwrap.wrap(self.caution, WIDTH))


def told(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else repr(value)


def rounded(value: float, digits: int = 3) -> float:
    """Few digits: what is suggested is no better known."""
    return float(np.format_float_scientific(value, digits - 1))
