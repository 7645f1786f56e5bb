"""What all displays do: their numbers are the estimator's, and they draw where they are told to."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from benchmarks import gallery
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

import okpca
from okpca import KernelNoveltyDetector, OnlineKernelPCA, plots
from okpca.plots._axes import DASHES, PALETTE
from plot_tools import CLASS, WIDE, X, far, fitted, trace, watcher

DISPLAYS = {
    "spectrum": lambda: plots.SpectrumDisplay.from_estimator(fitted()),
    "projection": lambda: plots.ProjectionDisplay.from_estimator(fitted(), X, CLASS),
    "contour": lambda: plots.ContourDisplay.from_estimator(fitted(), X, grid_resolution=12),
    "control": lambda: plots.ControlChartDisplay.from_estimator(watcher(), far()),
    "monitored": lambda: plots.ControlChartDisplay.from_monitored(watcher().monitor(far())),
    "contribution": lambda: plots.ContributionDisplay.from_estimator(watcher(), far()),
    "reconstruction": lambda: plots.ReconstructionDisplay.from_estimator(fitted(WIDE), WIDE[:4]),
    "growth": lambda: plots.GrowthDisplay.from_trace(trace(), max_atoms=500),
    "suggestion": lambda: plots.SuggestionDisplay.from_suggestion(okpca.suggest(WIDE)),
    "drift": lambda: plots.DriftDisplay.from_trace(trace(reference=fitted())),
}
NUMBER_OF_PANELS = {"contour": 3, "control": 2, "monitored": 2, "drift": 2, "suggestion": 3}
each_display = pytest.mark.parametrize("name", DISPLAYS)


@pytest.fixture(scope="module")
def made():
    """Each display once; what it drew at once is gone."""
    displays = {}
    for name, make in DISPLAYS.items():
        displays[name] = make()
        plt.close("all")
    return displays


# -- what all of them do --------------------------------------------------------------------------


@each_display
def test_drawn_at_once(name):
    display = DISPLAYS[name]()
    assert plt.get_fignums() == [display.figure_.number]
    assert len(display.to_frame())


def test_drawn_at_once_as_said():
    _, axes = plt.subplots()
    display = plots.SpectrumDisplay.from_estimator(fitted(), ax=axes, log=False, label="model")
    assert display.ax_ is axes
    assert axes.get_yscale() == "linear"
    assert display.line_.get_label() == "model"
    display = plots.GrowthDisplay.from_estimator(OnlineKernelPCA(2), X, ax=axes, lw=3)
    assert display.ax_ is axes
    assert display.line_.get_linewidth() == 3


def test_numbers_without_matplotlib(monkeypatch):
    monkeypatch.setattr("okpca.plots._axes.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    display = plots.SpectrumDisplay.from_estimator(fitted())
    assert len(display.to_frame()) == 3
    with pytest.raises(ImportError, match=r"pip install 'okpca\[plot\]'"):
        plots.SpectrumDisplay.from_estimator(fitted(), log=False)


@pytest.mark.long
@each_display
def test_a_figure_of_its_own(made, name):
    display = made[name]
    assert display.plot() is display
    assert plt.get_fignums() == [display.figure_.number]
    assert len(display.axes_) == NUMBER_OF_PANELS.get(name, 1)
    assert display.ax_ is display.axes_[0]
    assert all(axes.figure is display.figure_ for axes in display.axes_)
    assert all(axes.has_data() for axes in display.axes_)
    display.figure_.canvas.draw()


@each_display
def test_every_axis_is_named(made, name):
    axes = made[name].plot().axes_
    assert axes[-1].get_xlabel()
    if name != "reconstruction":  # its lines are named by their ticks
        assert all(one.get_ylabel() for one in axes)
        return
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["given", "reconstructed"]


@each_display
def test_draws_on_the_axes_given(made, name):
    n = NUMBER_OF_PANELS.get(name, 1)
    figure, given = plt.subplots(n, squeeze=False)
    display = made[name].plot(given.ravel() if n > 1 else given[0, 0])
    assert display.figure_ is figure
    assert list(display.axes_) == list(given.ravel())
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("name", NUMBER_OF_PANELS)
def test_one_axes_is_divided_among_the_panels(made, name):
    figure, (left, right) = plt.subplots(1, 2)
    display = made[name].plot(right)
    assert display.figure_ is figure
    assert not right.axison
    assert left.axison
    assert not left.has_data()
    middle = left.get_position().x1
    assert all(axes.get_position().x0 > middle for axes in display.axes_)


def test_axes_that_cannot_hold_the_panels(made):
    _, three = plt.subplots(3)
    with pytest.raises(ValueError, match="3 axes, and there are 2 panels"):
        made["drift"].plot(three)
    alone = plt.figure().add_axes((0, 0, 1, 1))
    with pytest.raises(ValueError, match="one axes made by subplots"):
        made["drift"].plot(alone)


@each_display
def test_drawing_changes_no_number(made, name):
    before = made[name].to_frame()
    made[name].plot()
    made[name].plot()
    assert before.equals(made[name].to_frame())


@each_display
def test_matplotlib_is_missing(made, name, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'okpca\[plot\]'"):
        made[name].plot()


def test_pandas_is_missing(made, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'okpca\[dataframe\]'"):
        made["spectrum"].to_frame()


@pytest.mark.parametrize(
    ("display", "rest"),
    [
        (plots.SpectrumDisplay, ()),
        (plots.ProjectionDisplay, (X,)),
        (plots.ContourDisplay, (X,)),
        (plots.ReconstructionDisplay, (WIDE,)),
        (plots.ControlChartDisplay, (WIDE,)),
        (plots.ContributionDisplay, (WIDE,)),
    ],
)
def test_not_fitted(display, rest):
    watches = display in (plots.ControlChartDisplay, plots.ContributionDisplay)
    model = KernelNoveltyDetector() if watches else OnlineKernelPCA()
    for estimator in (model, make_pipeline(StandardScaler(), model)):
        with pytest.raises(NotFittedError):
            display.from_estimator(estimator, *rest)


def test_something_else():
    with pytest.raises(TypeError, match="expected an OnlineKernelPCA, got StandardScaler"):
        plots.SpectrumDisplay.from_estimator(StandardScaler().fit(X))
    with pytest.raises(TypeError, match="take its estimator_"):
        plots.SpectrumDisplay.from_estimator(watcher())
    with pytest.raises(TypeError, match="expected a KernelNoveltyDetector, got OnlineKernelPCA"):
        plots.ControlChartDisplay.from_estimator(fitted(), X)
    with pytest.raises(TypeError, match="expected an OnlineKernelPCA, got Pipeline"):
        plots.GrowthDisplay.from_estimator(make_pipeline(OnlineKernelPCA()), X)
    with pytest.raises(TypeError, match=r"expected an okpca\.Trace, got list"):
        plots.DriftDisplay.from_trace([])


def test_a_style_of_ones_own(made):
    line = made["spectrum"].plot(linewidth=3, c="grey").line_
    assert line.get_linewidth() == 3
    assert line.get_color() == "grey"
    assert line.get_label() == "the model"


def test_lines_can_be_told_apart_without_colour():
    assert len(set(PALETTE)) == len(PALETTE) == len(set(DASHES)) == len(DASHES)


# -- the gallery ----------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]


def test_the_gallery_shows_every_display():
    shown = gallery.page()
    assert all(f"plots.{name}." in shown for name in plots.__all__)


def test_the_page_is_that_of_the_code():
    assert (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8") == gallery.page()
    for functions in gallery.SECTIONS.values():
        for function in functions:
            assert (ROOT / "docs" / "figures" / f"gallery_{function.__name__}.png").is_file()


@pytest.mark.slow
def test_the_gallery_is_drawn(tmp_path, monkeypatch):
    """As many digits as its code counts on; each comes four times, so fewer of them are atoms."""
    X, digit = (values[np.arange(1797) // 4 * 4] for values in load_digits(return_X_y=True))
    fewer = {False: Bunch(data=X), True: (X, digit)}
    monkeypatch.setattr(gallery, "load_digits", lambda return_X_y=False: fewer[return_X_y])
    gallery.draw(tmp_path)
    pictures = list(tmp_path.glob("gallery_*.png"))
    assert len(pictures) == sum(map(len, gallery.SECTIONS.values()))
    assert min(picture.stat().st_size for picture in pictures) > 10_000
