"""The spectrum of a model, and where batch kernel PCA's must lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from okpca._core.typing import Array
from okpca.estimator import model_of
from okpca.estimator.user_warnings import unannounced
from okpca.plots._axes import BLACK, SKY, Display, frame, panels, percent, styled, whole_numbers
from okpca.plots._inputs import kernel_pca


@dataclass(eq=False, repr=False, kw_only=True)
class SpectrumDisplay(Display):
    """Variance per component, with the bounds of the model's certificate.

    Parameters
    ----------
    explained_variance, explained_variance_ratio : ndarray of shape (n_components,)
    lower, upper : ndarray of shape (n_components,)
        The certificate's bounds for batch kernel PCA of the same rows, on the scale of
        `explained_variance`; `upper` is infinite where nothing is known.
    angle_bound : float
        The certificate's, in radians.

    Attributes
    ----------
    line_ : the variances; band_ : the bounds, or None where there are none.
    """

    explained_variance: Array
    explained_variance_ratio: Array
    lower: Array
    upper: Array
    angle_bound: float

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """From a fitted OnlineKernelPCA or a pipeline that ends in one; `ax` and `kwargs` are those
        of `plot`."""
        model = kernel_pca(estimator)
        with unannounced():  # the title says it
            certificate = model.certificate()
        weight = model_of(model).centre.weight or 1.0
        return cls(
            explained_variance=model.explained_variance_,
            explained_variance_ratio=model.explained_variance_ratio_,
            lower=certificate.eigenvalue_lower / weight,
            upper=certificate.eigenvalue_upper / weight,
            angle_bound=certificate.angle_bound,
        )._drawn(ax, kwargs)

    def plot(self, ax: Any = None, *, log: bool = True, band_kw: Any = None, **kwargs: Any) -> Self:
        """Draw the spectrum; `kwargs` are those of `Axes.plot`, `band_kw` of `Axes.stairs`."""
        (axes,) = panels(ax, 1)
        r, log = len(self.lower), log and bool((self.explained_variance > 0).any())
        low, high = self._range(log)
        empty = not axes.has_data()
        self.band_ = None
        if np.isfinite(self.upper).any():
            self.band_ = self._band(axes, low / 10 if log else 0.0, band_kw)
        values = self.explained_variance
        if log:
            values = np.where(values > 0, values, np.nan)
            axes.set_yscale("log")
        style = {"color": BLACK, "marker": "o", "ms": 4, "lw": 1.0, "label": "the model"}
        (self.line_,) = axes.plot(np.arange(1, r + 1), values, **styled(style, kwargs))
        right = r + 0.6
        if not empty:  # a second spectrum on the same axes: both are to be seen
            (_, wide), (deep, tall) = axes.get_xlim(), axes.get_ylim()
            right, low, high = max(right, wide), min(low, deep), max(high, tall)
        axes.set(xlim=(0.4, right), ylim=(low, high), title=self._title())
        axes.set(xlabel="component", ylabel="variance along the component")
        whole_numbers(axes)
        axes.legend(frameon=False)
        return self._shown([axes])

    def _band(self, axes: Any, floor: float, band_kw: Any) -> Any:
        """A block a component, from the lower to the upper bound."""
        known = np.where(np.isfinite(self.upper), self.upper, np.nan)
        edges = np.arange(len(known) + 1) + 0.5
        style = {"color": SKY, "alpha": 0.45, "label": "certificate: batch KPCA lies here"}
        low = np.maximum(self.lower, floor)
        return axes.stairs(known, edges, baseline=low, fill=True, **styled(style, band_kw))

    def _range(self, log: bool) -> tuple[float, float]:
        """Of the y axis: bounds far below the smallest variance are not followed."""
        variance = self.explained_variance
        top = np.max(self.upper[np.isfinite(self.upper)], initial=variance.max(initial=0.0))
        if not log:
            return 0.0, float(1.05 * top) or 1.0
        smallest = variance[variance > 0].min()
        bounds = self.lower[self.lower > 0.1 * smallest]
        return float(0.7 * bounds.min(initial=smallest)), float(1.4 * top)

    def _title(self) -> str:
        share = percent(float(self.explained_variance_ratio.sum()))
        components = f"{len(self.explained_variance)} components: {share} of the kernel variance"
        if np.isfinite(self.angle_bound):
            angle = np.degrees(self.angle_bound)
            return f"{components}\nangle to batch KPCA's subspace ≤ {angle:.2g}°"
        return f"{components}\nangle to batch KPCA's subspace: no bound"

    def to_frame(self) -> Any:
        """One line a component."""
        return frame(
            {
                "component": np.arange(len(self.explained_variance)),
                "explained_variance": self.explained_variance,
                "explained_variance_ratio": self.explained_variance_ratio,
                "lower": self.lower,
                "upper": self.upper,
            }
        )
