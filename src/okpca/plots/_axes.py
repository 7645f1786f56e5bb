"""Where displays draw: matplotlib and pandas when they are wanted, colours, panels."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from okpca._core.data_frames import frame as frame

# Okabe & Ito 2008, distinct to colour-blind eyes; grey in place of their yellow, which is faint on
# white, and two of Paul Tol's "muted" colours for those who need ten.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, BLACK, GREY = "#56B4E9", "#CC79A7", "#000000", "#999999"
WINE, OLIVE = "#882255", "#999933"
PALETTE = (BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, BLACK, GREY, WINE, OLIVE)
# One style to a colour, so that lines can be told apart in grey.
DASHES: tuple[Any, ...] = (
    *("-", "--", "-.", ":", (0, (7, 1.5)), (0, (3, 1, 1, 1))),
    *((0, (1, 1)), (0, (5, 5)), (0, (5, 1, 1, 1, 1, 1)), (0, (3, 4))),
)
MARKERS = "osD^vPX*<>d"
ALIASES = {
    "c": "color",
    "lw": "linewidth",
    "linewidths": "linewidth",
    "ls": "linestyle",
    "linestyles": "linestyle",
    "ms": "markersize",
}


class Display:
    """What every display has once it is drawn."""

    ax_: Any
    axes_: NDArray[np.object_]
    figure_: Any

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        raise NotImplementedError

    def _drawn(self, ax: Any, kwargs: Any) -> Self:
        """At once, as scikit-learn's. Without matplotlib the numbers are there all the same, unless
        the caller has said how to draw."""
        if ax is None and not kwargs and find_spec("matplotlib") is None:
            return self
        return self.plot(ax, **kwargs)

    def _shown(self, axes: list[Any]) -> Self:
        """Keep the axes; y labels above each other are put in line."""
        self.ax_, self.figure_ = axes[0], axes[0].figure
        self.axes_ = np.array(axes, dtype=object)
        if len(axes) > 1:
            self.figure_.align_ylabels(axes)
        return self


def pyplot() -> Any:
    """`matplotlib.pyplot`, or an error that names the extra."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "drawing needs matplotlib, which is not installed: pip install 'okpca[plot]'"
        ) from error
    return plt


def panels(
    ax: Any, n: int, *, columns: int = 1, size: tuple[float, float] = (6.4, 4.4), along: bool = True
) -> list[Any]:
    """n axes: new ones (each of `size` inches), those given, or n in the place of the one given.

    New ones above each other share their x axis, if `along`.
    """
    plt = pyplot()
    if n < 1:
        raise ValueError("there is nothing to draw: no panel is left.")
    columns = min(columns, n)
    rows = -(-n // columns)
    if ax is None:
        inches = (columns * size[0], rows * size[1])
        grid = plt.figure(figsize=inches, layout="constrained").add_gridspec(rows, columns)
        return _opened(grid, n, columns, along)
    given = list(np.atleast_1d(np.asarray(ax, dtype=object)).ravel())
    if len(given) == n:
        return given
    place = given[0].get_subplotspec() if len(given) == 1 else None
    if place is None:
        raise ValueError(
            f"ax holds {len(given)} axes, and there are {n} panels: give {n} axes, one axes made "
            "by subplots (it is divided), or None."
        )
    given[0].set_axis_off()
    return _opened(place.subgridspec(rows, columns), n, columns, along)


def _opened(grid: Any, n: int, columns: int, along: bool) -> list[Any]:
    axes: list[Any] = []
    for i in range(n):
        above = axes[i - columns] if along and i >= columns else None
        one = grid.figure.add_subplot(grid[i // columns, i % columns], sharex=above)
        one.set_prop_cycle(color=PALETTE, linestyle=DASHES)
        one.spines[["top", "right"]].set_visible(False)
        if above is not None:
            above.tick_params(labelbottom=False)
        axes.append(one)
    return axes


def styled(defaults: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is given, and the defaults of the rest; matplotlib refuses both `lw` and `linewidth`."""
    given = given or {}
    taken = {ALIASES.get(name, name) for name in given}
    kept = {k: v for k, v in defaults.items() if ALIASES.get(k, k) not in taken}
    return kept | dict(given)


def whole_numbers(axes: Any) -> None:
    """Ticks of the x axis at integers only."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def short_dates(axes: Any) -> None:
    """Ticks of an x axis of times, each as short as can be."""
    from matplotlib import dates

    untyped: Any = dates
    locator = untyped.AutoDateLocator()
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(untyped.ConciseDateFormatter(locator))


def from_zero(axes: Any) -> None:
    """The y axis from 0; its top still follows what is drawn later."""
    axes.set_ylim(bottom=0, auto=True)


def plain(text: Any) -> str:
    """Text that is no formula, whatever dollar signs are in it."""
    return str(text).replace("$", r"\$")


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"
