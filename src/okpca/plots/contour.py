"""Components as functions of the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from okpca._core.numerics import TIE
from okpca._core.typing import Array
from okpca.plots._axes import BLACK, Display, frame, panels, percent, plain, styled
from okpca.plots._inputs import chosen, dense, kernel_pca, names_of

LEVELS = 12


@dataclass(eq=False, repr=False, kw_only=True)
class ContourDisplay(Display):
    """Contours of the components of a model of two columns, one panel a component.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (grid_resolution, grid_resolution)
        The grid, as `numpy.meshgrid` gives it.
    response : ndarray of shape (n, grid_resolution, grid_resolution)
        The value of each component there.
    components : list of int
        Which components these are, counted from 0.
    explained_variance_ratio : ndarray of shape (n,)
    X : ndarray of shape (n_samples, 2)
        The rows to draw.
    feature_names : list of str

    Attributes
    ----------
    surface_, lines_ : lists of the filled contours and of their lines; scatter_ : of the rows.
    """

    xx0: Array
    xx1: Array
    response: Array
    components: list[int]
    explained_variance_ratio: Array
    X: Array
    feature_names: list[str]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        components: Any = None,
        grid_resolution: int = 100,
        margin: float = 0.1,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """From a fitted OnlineKernelPCA of two columns, or a pipeline that ends in one.

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n_samples, 2)
            Rows that say where to look; they are drawn as well.
        components : sequence of int, default=None
            Counted from 0; the first four by default.
        grid_resolution : int, default=100
            Points of the grid along each axis.
        margin : float, default=0.1
            How far the grid goes beyond the rows, as a share of their range.
        ax, **kwargs
            As in `plot`.
        """
        model, rows = kernel_pca(estimator), dense(X)
        for what, width in (("the model", estimator.n_features_in_), ("X", rows.shape[1])):
            if width != 2:
                raise ValueError(
                    f"contours are drawn over a plane, and {what} has {width} columns: fit two "
                    "columns, or use ProjectionDisplay."
                )
        first = range(min(4, model.n_components_))
        which = chosen(first if components is None else components, model.n_components_)
        xx0, xx1 = _grid(rows, grid_resolution, margin)
        values = np.asarray(estimator.transform(_named(estimator, xx0, xx1)), dtype=np.float64)
        return cls(
            xx0=xx0,
            xx1=xx1,
            response=values.T[which].reshape(-1, *xx0.shape),
            components=which,
            explained_variance_ratio=model.explained_variance_ratio_[which],
            X=rows,
            feature_names=names_of(2, estimator, X),
        )._drawn(ax, kwargs)

    def plot(self, ax: Any = None, *, scatter_kw: Any = None, **kwargs: Any) -> Self:
        """Draw one panel a component; `kwargs` are those of `Axes.contourf`.

        Values below zero have dashed lines, the zero line is thick.
        """
        n = len(self.components)
        columns = 3 if n > 4 else min(n, 2)
        all_axes = panels(ax, n, columns=columns, size=(3.7, 3.2), along=False)
        self.surface_: list[Any] = []
        self.lines_: list[Any] = []
        self.scatter_: list[Any] = []
        for axes, values, j, share in zip(
            all_axes, self.response, self.components, self.explained_variance_ratio, strict=True
        ):
            self._panel(axes, values, kwargs, scatter_kw)
            axes.set_title(
                f"component {j + 1}: {percent(share)} of the variance", fontsize="medium"
            )
            axes.set_xlabel(plain(self.feature_names[0]))
            axes.set_ylabel(plain(self.feature_names[1]))
        return self._shown(all_axes)

    def _panel(self, axes: Any, values: Array, kwargs: Any, scatter_kw: Any) -> None:
        size = float(np.abs(values).max()) or 1.0
        levels = _levels(size)
        style = {"levels": levels, "cmap": "PuOr", "alpha": 0.8}
        surface = axes.contourf(self.xx0, self.xx1, values, **styled(style, kwargs))
        widths = np.where(np.abs(levels) < TIE * size, 1.8, 0.6)
        dashes = np.where(levels < -TIE * size, "dashed", "solid")
        lines = axes.contour(
            *(self.xx0, self.xx1, values),
            levels=levels,
            colors=BLACK,
            linewidths=widths,
            linestyles=list(dashes),
        )
        dots = {"s": 4, "color": BLACK, "alpha": 0.35, "lw": 0}
        self.scatter_.append(axes.scatter(*self.X.T, **styled(dots, scatter_kw)))
        self.surface_.append(surface)
        self.lines_.append(lines)
        axes.figure.colorbar(surface, ax=axes, label="value")
        axes.set_xlim(self.xx0.min(), self.xx0.max())
        axes.set_ylim(self.xx1.min(), self.xx1.max())

    def to_frame(self) -> Any:
        """One line a point of the grid."""
        x, y = self.feature_names
        values = {
            f"component{j}": value.ravel()
            for j, value in zip(self.components, self.response, strict=True)
        }
        return frame({x: self.xx0.ravel(), y: self.xx1.ravel(), **values})


def _levels(size: float) -> Array:
    """Round numbers from −size to size and a little beyond, zero among them."""
    from matplotlib.ticker import MaxNLocator

    return np.asarray(MaxNLocator(LEVELS, symmetric=True).tick_values(-size, size))


def _grid(X: Array, resolution: int, margin: float) -> tuple[Array, Array]:
    low, high = X.min(axis=0), X.max(axis=0)
    edge = margin * np.where(high > low, high - low, 1.0)
    sides = np.linspace(low - edge, high + edge, resolution)
    xx0, xx1 = np.meshgrid(*sides.T)
    return xx0, xx1


def _named(estimator: Any, xx0: Array, xx1: Array) -> Any:
    """The points of the grid, with the names of the columns if the model knows them."""
    points = np.column_stack([xx0.ravel(), xx1.ravel()])
    names = getattr(estimator, "feature_names_in_", None)
    return points if names is None else frame(dict(zip(names, points.T, strict=True)))
