"""Rows that are images beside what the components make of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from okpca._core.typing import Array
from okpca.plots._axes import Display, frame, panels, styled
from okpca.plots._inputs import dense, kernel_pca, reconstructed


@dataclass(eq=False, repr=False, kw_only=True)
class ReconstructionDisplay(Display):
    """A grid of images: as given, as reconstructed from the components, and perhaps clean.

    Parameters
    ----------
    images : dict of str to ndarray of shape (n_samples, n_features)
        A line of the grid each, from above.
    error : ndarray of shape (n_samples,)
        Squared distance in feature space between each given row and its projection.
    shape : (int, int)
        Height and width of an image.

    Attributes
    ----------
    image_ : the grid, one image.
    """

    images: dict[str, Array]
    error: Array
    shape: tuple[int, int]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        shape: tuple[int, int] | None = None,
        clean: Any = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """From a fitted OnlineKernelPCA, by `denoise` and `reconstruction_error`.

        A pipeline serves as well, if its steps have an `inverse_transform`.

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n_samples, n_features)
            Images, row-major; ten or so.
        shape : (int, int), default=None
            Height and width; square by default.
        clean : array-like of shape (n_samples, n_features), default=None
            What X was before noise came in, to be drawn as well.
        ax, **kwargs
            As in `plot`.
        """
        kernel_pca(estimator)  # refused before the rows are looked at
        rows = dense(X)
        shape = _checked_shape(shape, rows.shape[1])
        images = {"given": rows}
        if clean is not None:
            truth = dense(clean)
            if truth.shape != rows.shape:
                raise ValueError(f"clean has shape {truth.shape}, X has {rows.shape}.")
            images = {"clean": truth} | images
        images["reconstructed"], error = reconstructed(estimator, X)
        return cls(images=images, error=error, shape=shape)._drawn(ax, kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the grid; `kwargs` are those of `Axes.imshow`. All images have one grey scale."""
        n, (h, w) = len(self.error), self.shape
        lines = len(self.images)
        wide = min(10.0, 1.4 + 0.9 * n)
        size = (wide, 0.6 + (wide - 1.4) / n * h / w * lines)
        (axes,) = panels(ax, 1, size=size)
        given = self.images["clean" if "clean" in self.images else "given"]
        style = {"cmap": "gray_r", "vmin": given.min(), "vmax": given.max()}
        self.image_ = axes.imshow(self._mosaic(), interpolation="nearest", **styled(style, kwargs))
        axes.set_yticks((np.arange(lines) + 0.5) * (h + 1) - 1, list(self.images))
        axes.set_xticks((np.arange(n) + 0.5) * (w + 1) - 1, [f"{e:.2f}" for e in self.error])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("squared error in feature space")
        return self._shown([axes])

    def _mosaic(self) -> Array:
        """All images in one, a pixel of nothing between them."""
        n, (h, w) = len(self.error), self.shape
        out = np.full((len(self.images) * (h + 1) - 1, n * (w + 1) - 1), np.nan)
        for i, images in enumerate(self.images.values()):
            for j, image in enumerate(images):
                top, left = i * (h + 1), j * (w + 1)
                out[top : top + h, left : left + w] = image.reshape(h, w)
        return out

    def to_frame(self) -> Any:
        """One line a pixel of a row, in the order of X."""
        n, d = next(iter(self.images.values())).shape
        columns = {name: images.ravel() for name, images in self.images.items()}
        where = {"row": np.repeat(np.arange(n), d), "pixel": np.tile(np.arange(d), n)}
        return frame(where | columns | {"error": np.repeat(self.error, d)})


def _checked_shape(shape: Any, d: int) -> tuple[int, int]:
    side = math.isqrt(d)
    height, width = (side, side) if shape is None else (int(s) for s in shape)
    if height * width != d:
        given = "not a square" if shape is None else f"not {height} × {width}"
        raise ValueError(
            f"a row has {d} pixels, {given}: give shape=(height, width); a table is for "
            "ColumnsDisplay."
        )
    return height, width
