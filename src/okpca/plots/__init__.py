"""Pictures of models, streams and alarms. They need matplotlib: ``pip install 'okpca[plot]'``.

A display holds numbers and draws them: `from_estimator` computes the numbers once and draws them,
`plot(ax=...)` draws them again as often as asked, `to_frame()` gives them as a pandas data frame.

    SpectrumDisplay.from_estimator(model)

A display that is drawn has `ax_` (its first panel), `axes_` (all of them) and `figure_`, and the
artists it drew as attributes with a trailing underscore.
"""

from okpca.plots.columns import ColumnsDisplay
from okpca.plots.contour import ContourDisplay
from okpca.plots.contribution import ContributionDisplay
from okpca.plots.control import ControlChartDisplay
from okpca.plots.drift import DriftDisplay
from okpca.plots.growth import GrowthDisplay
from okpca.plots.projection import ProjectionDisplay
from okpca.plots.reconstruction import ReconstructionDisplay
from okpca.plots.spectrum import SpectrumDisplay
from okpca.plots.suggestion import SuggestionDisplay

__all__ = [
    "ColumnsDisplay",
    "ContourDisplay",
    "ContributionDisplay",
    "ControlChartDisplay",
    "DriftDisplay",
    "GrowthDisplay",
    "ProjectionDisplay",
    "ReconstructionDisplay",
    "SpectrumDisplay",
    "SuggestionDisplay",
]
