"""Rows of a table: what the components keep of each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from okpca._core.typing import Array
from okpca.estimator.pipeline import split
from okpca.plots._axes import BLACK, BLUE, Display, frame, panels, plain, styled
from okpca.plots._inputs import dense, kernel_pca, named, names_of, reconstructed

ACROSS = 3  # panels beside each other


@dataclass(eq=False, repr=False, kw_only=True)
class ColumnsDisplay(Display):
    """Given against reconstructed values, a panel a column: on the diagonal all of it is kept.

    :class:`ReconstructionDisplay` is for rows that are images.

    Parameters
    ----------
    given, reconstructed : ndarray of shape (n_samples, n_features)
    feature_names : list of str
    error : ndarray of shape (n_samples,)
        Squared distance in feature space between each given row and its projection.

    Attributes
    ----------
    points_ : list of the artists, one a panel.
    """

    given: Array
    reconstructed: Array
    feature_names: list[str]
    error: Array

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, feature_names: Any = None, ax: Any = None, **kwargs: Any
    ) -> Self:
        """From a fitted OnlineKernelPCA, by `denoise` and `reconstruction_error`.

        A pipeline serves as well, if its steps have an `inverse_transform`. `ax` and `kwargs` are
        those of `plot`.
        """
        rows = dense(X)
        (first, _), model = split(estimator), kernel_pca(estimator)
        known = names_of(rows.shape[1], first if first is not None else model, X)
        names = named(feature_names, known, rows.shape[1])
        out, error = reconstructed(estimator, X)
        return cls(given=rows, reconstructed=out, feature_names=names, error=error)._drawn(
            ax, kwargs
        )

    @property
    def kept(self) -> Array:
        """The share of each column's variance that is kept; NaN of one that is constant."""
        spread = np.square(self.given - self.given.mean(axis=0)).sum(axis=0)
        left = np.square(self.given - self.reconstructed).sum(axis=0)
        return np.asarray(1.0 - left / np.where(spread > 0, spread, np.nan))

    def plot(self, ax: Any = None, *, most: int = 9, **kwargs: Any) -> Self:
        """Draw `most` columns, those that are kept least; `kwargs` are those of `Axes.scatter`."""
        kept = self.kept
        order = np.sort(np.argsort(np.nan_to_num(kept, nan=np.inf), kind="stable")[:most])
        axes = panels(ax, len(order), columns=ACROSS, size=(2.6, 2.5), along=False)
        style = {"s": 8, "color": BLUE, "alpha": 0.5, "lw": 0}
        self.points_ = []
        for j, one in zip(order, axes, strict=True):
            x, y = self.given[:, j], self.reconstructed[:, j]
            self.points_.append(one.scatter(x, y, **styled(style, kwargs)))
            one.axline((x.mean(), x.mean()), slope=1.0, color=BLACK, lw=0.8, ls="--")
            share = "constant" if np.isnan(kept[j]) else f"{100 * kept[j]:.0f} % kept"
            one.set_title(f"{plain(self.feature_names[j])}\n{share}", fontsize="small")
        for i, one in enumerate(axes):
            if i % ACROSS == 0:
                one.set_ylabel("reconstructed")
            if i + ACROSS >= len(axes):
                one.set_xlabel("given")
        if len(order) < len(kept):
            left = f"the {len(order)} of {len(kept)} columns that are kept least"
            axes[0].figure.suptitle(left, fontsize="medium")
        return self._shown(axes)

    def to_frame(self) -> Any:
        """One line a value, in the order of X."""
        n, d = self.given.shape
        names = np.array(self.feature_names, dtype=object)
        where = {"row": np.repeat(np.arange(n), d), "column": np.tile(names, n)}
        values = {"given": self.given.ravel(), "reconstructed": self.reconstructed.ravel()}
        return frame(where | values | {"error": np.repeat(self.error, d)})
