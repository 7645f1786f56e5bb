"""What a suggestion was made by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from okpca.estimator.guidance import Suggestion
from okpca.estimator.guidance.suggestion import Trial, told
from okpca.plots._axes import BLACK, VERMILION, Display, frame, from_zero, panels, styled


@dataclass(eq=False, repr=False, kw_only=True)
class SuggestionDisplay(Display):
    """Values that were tried for each parameter, what they came to, and the one suggested.

    Parameters
    ----------
    goal : str
    trials : tuple of Trial
        As a :class:`okpca.guidance.Suggestion` has them.

    Attributes
    ----------
    lines_ : list of what was tried, a panel each; chosen_ : list of the lines at what is suggested.
    """

    goal: str
    trials: tuple[Trial, ...]

    @classmethod
    def from_suggestion(cls, suggestion: Suggestion, *, ax: Any = None, **kwargs: Any) -> Self:
        """From what :func:`okpca.suggest` gives; drawn with `ax` and `kwargs` of `plot`."""
        return cls(goal=suggestion.goal, trials=suggestion.trials)._drawn(ax, kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw a panel for each parameter; `kwargs` are those of `Axes.plot`."""
        n = len(self.trials)
        axes = panels(ax, n, columns=n, size=(4.2, 3.6), along=False)
        drawn = [_drawn(one, trial, kwargs) for one, trial in zip(axes, self.trials, strict=True)]
        self.lines_, self.chosen_ = (list(lines) for lines in zip(*drawn, strict=True))
        axes[0].set_title(f"suggested for {self.goal}", loc="left")
        return self._shown(axes)

    def to_frame(self) -> Any:
        """One line a value that was tried."""
        sizes = [len(trial.tried) for trial in self.trials]
        return frame(
            {
                "parameter": np.repeat([trial.parameter for trial in self.trials], sizes),
                "tried": np.concatenate([trial.tried for trial in self.trials]),
                "came_to": np.concatenate([trial.came_to for trial in self.trials]),
                "suggested": np.repeat([trial.chosen for trial in self.trials], sizes),
            }
        )


def _drawn(axes: Any, trial: Trial, kwargs: Any) -> tuple[Any, Any]:
    few = {"marker": "o", "ms": 4} if len(trial.tried) < 25 else {}
    style = {"color": BLACK, "lw": 1.2, **few}
    (line,) = axes.plot(trial.tried, trial.came_to, **styled(style, kwargs))
    label = f"{trial.parameter} = {told(trial.chosen)}"
    chosen = axes.axvline(trial.chosen, color=VERMILION, ls="--", lw=1.4, label=label)
    _log_x(axes)
    axes.set(xlabel=trial.parameter, ylabel=trial.meaning)
    from_zero(axes)
    axes.legend(frameon=False)
    return line, chosen


def _log_x(axes: Any) -> None:
    """Two ticks a decade, as numbers: half a decade of powers of ten would overlap."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
