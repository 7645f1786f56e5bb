"""Rows on two components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from okpca._core.typing import Array
from okpca.plots._axes import BLUE, MARKERS, PALETTE, Display, frame, panels, percent, plain, styled
from okpca.plots._inputs import chosen, kernel_pca

CLASSES = 20
"""More distinct numbers than this are no classes."""


@dataclass(eq=False, repr=False, kw_only=True)
class ProjectionDisplay(Display):
    """Rows on two components, coloured by class or by a number.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, 2)
    components : (int, int)
        Which components these are, counted from 0 (the axes call the first "component 1").
    explained_variance_ratio : ndarray of shape (2,)
    y : ndarray of shape (n_samples,) or None
        Classes, or numbers (more than 20 distinct ones) for a colour scale.

    Attributes
    ----------
    scatter_ : list of the point clouds, one a class.
    """

    scores: Array
    components: tuple[int, int]
    explained_variance_ratio: Array
    y: Any = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        components: tuple[int, int] = (0, 1),
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """From a fitted OnlineKernelPCA, or a pipeline that ends in one; `ax` and `kwargs` are
        those of `plot`."""
        model = kernel_pca(estimator)
        which = chosen(components, model.n_components_)
        if len(which) != 2:
            raise ValueError(f"components must be two, got {components}.")
        scores = np.asarray(estimator.transform(X), dtype=np.float64)[:, which]
        if y is not None:
            y = column_or_1d(y)
            check_consistent_length(scores, y)
        ratio = model.explained_variance_ratio_[which]
        return cls(
            scores=scores, components=(which[0], which[1]), explained_variance_ratio=ratio, y=y
        )._drawn(ax, kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the rows; `kwargs` are those of `Axes.scatter`.

        Classes named by one or two letters or digits are drawn as their names.
        """
        (axes,) = panels(ax, 1, size=(6.4, 5.4))
        if self.y is None:
            style: dict[str, Any] = {"s": 14, "color": BLUE, "alpha": 0.6, "lw": 0}
            self.scatter_ = [axes.scatter(*self.scores.T, **styled(style, kwargs))]
        elif _are_numbers(self.y):
            style = {"s": 14, "c": self.y, "cmap": "cividis"}
            self.scatter_ = [axes.scatter(*self.scores.T, **styled(style, kwargs))]
            axes.figure.colorbar(self.scatter_[0], ax=axes, label="y")
        else:
            self.scatter_ = self._classes(axes, kwargs)
        j, k = self.components
        first, second = (percent(share) for share in self.explained_variance_ratio)
        axes.set_xlabel(f"component {j + 1} ({first} of the kernel variance)")
        axes.set_ylabel(f"component {k + 1} ({second} of the kernel variance)")
        axes.set_aspect("equal", adjustable="datalim")  # both axes have one unit
        return self._shown([axes])

    def _classes(self, axes: Any, kwargs: dict[str, Any]) -> list[Any]:
        clouds = []
        for i, name in enumerate(np.unique(self.y)):
            style = {"color": PALETTE[i % len(PALETTE)], "label": plain(name)} | _mark(i, str(name))
            clouds.append(axes.scatter(*self.scores[self.y == name].T, **styled(style, kwargs)))
        beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        axes.legend(frameon=False, markerscale=1.3, **(beside if len(clouds) > 4 else {}))
        return clouds

    def to_frame(self) -> Any:
        """One line a row."""
        columns = {f"component{j}": self.scores[:, i] for i, j in enumerate(self.components)}
        return frame(columns if self.y is None else columns | {"y": self.y})


def _are_numbers(y: Any) -> bool:
    return y.dtype.kind in "iuf" and len(np.unique(y)) > CLASSES


def _mark(i: int, name: str) -> dict[str, Any]:
    """Told apart without colour: by the name itself if it is short, else by shape."""
    if len(name) <= 2 and name.isascii() and name.isalnum():
        return {"marker": rf"$\mathrm{{{name}}}$", "s": 26 * len(name), "lw": 0.3}
    return {"marker": MARKERS[i % len(MARKERS)], "s": 18, "alpha": 0.75, "lw": 0}
