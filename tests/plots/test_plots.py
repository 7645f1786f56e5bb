"""Displays: their numbers are the estimator's, and they draw where they are told to."""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from benchmarks import gallery
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers import normal
from okpca import KernelNoveltyDetector, OnlineKernelPCA, Trace, plots
from okpca.plots._axes import DASHES, PALETTE
from okpca.subspace import subspace_distance

mpl.use("Agg")

import matplotlib.pyplot as plt

X = normal(200, 2)
WIDE = normal(200, 9, seed=1)
CLASS = np.where(X[:, 0] > 0, "right", "left")


def fitted(rows=X, **params):
    return OnlineKernelPCA(**({"n_components": 3, "gamma": 0.5} | params)).fit(rows)


def watcher(rows=WIDE, **params):
    settings = {"gamma": 0.05, "contamination": 0.1, "warm_up": 50, "n_components": 4}
    return KernelNoveltyDetector(**(settings | params)).fit(rows)


def far(n=5):
    """Rows like WIDE, the last n of them far out in column 2."""
    rows = normal(40, 9, seed=2)
    rows[-n:, 2] += 8.0
    return rows


def trace(**params):
    diary = Trace(20, **params)
    OnlineKernelPCA(3, gamma=0.5).fit(X, callback=diary)
    return diary


DISPLAYS = {
    "spectrum": lambda: plots.SpectrumDisplay.from_estimator(fitted()),
    "projection": lambda: plots.ProjectionDisplay.from_estimator(fitted(), X, CLASS),
    "contour": lambda: plots.ContourDisplay.from_estimator(fitted(), X, grid_resolution=12),
    "control": lambda: plots.ControlChartDisplay.from_estimator(watcher(), far()),
    "monitored": lambda: plots.ControlChartDisplay.from_monitored(watcher().monitor(far())),
    "contribution": lambda: plots.ContributionDisplay.from_estimator(watcher(), far()),
    "reconstruction": lambda: plots.ReconstructionDisplay.from_estimator(fitted(WIDE), WIDE[:4]),
    "growth": lambda: plots.GrowthDisplay.from_trace(trace(), max_atoms=500),
    "drift": lambda: plots.DriftDisplay.from_trace(trace(reference=fitted())),
}
NUMBER_OF_PANELS = {"contour": 3, "control": 2, "monitored": 2, "drift": 2}
each_display = pytest.mark.parametrize("name", DISPLAYS)


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def made():
    """Each display once, not drawn."""
    return {name: make() for name, make in DISPLAYS.items()}


# -- what all of them do --------------------------------------------------------------------------


@each_display
def test_numbers_without_a_picture(made, name):
    assert len(made[name].to_frame())
    assert not plt.get_fignums()


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


# -- spectrum -------------------------------------------------------------------------------------


def test_spectrum():
    model = fitted(nu=0.05)
    frame = plots.SpectrumDisplay.from_estimator(model).to_frame()
    certificate = model.certificate()
    assert_allclose(frame["explained_variance"], model.explained_variance_)
    assert_allclose(frame["explained_variance_ratio"], model.explained_variance_ratio_)
    assert_allclose(len(X) * frame["lower"], certificate.eigenvalue_lower)
    assert_allclose(len(X) * frame["upper"], certificate.eigenvalue_upper)
    assert_array_equal(frame["component"], [0, 1, 2])


def test_spectrum_of_a_model_that_forgets():
    model = fitted(nu=0.05, forgetting=0.9)
    frame = plots.SpectrumDisplay.from_estimator(model).to_frame()
    weight = model.eigenvalues_ / model.explained_variance_
    assert weight[0] < 11
    assert_allclose(weight * frame["upper"], model.certificate().eigenvalue_upper)


def test_spectrum_drawn():
    model = fitted(nu=1e-3)
    display = plots.SpectrumDisplay.from_estimator(make_pipeline(model)).plot()
    assert_allclose(display.line_.get_ydata(), model.explained_variance_)
    assert_array_equal(display.line_.get_xdata(), [1, 2, 3])
    values, edges, baseline = display.band_.get_data()
    assert_allclose(values, display.upper)
    assert_allclose(edges, [0.5, 1.5, 2.5, 3.5])
    assert_allclose(baseline, display.lower)
    assert display.ax_.get_yscale() == "log"
    assert display.plot(log=False).ax_.get_yscale() == "linear"
    degrees = f"≤ {np.degrees(model.certificate().angle_bound):.2g}°"
    assert degrees in display.ax_.get_title()


def test_two_spectra_in_one_picture():
    large, small = (
        plots.SpectrumDisplay.from_estimator(fitted(X, n_components=r, gamma=gamma))
        for r, gamma in ((2, 0.5), (5, 0.01))
    )
    axes = small.plot(large.plot().ax_).ax_
    for display in (large, small):
        assert axes.get_ylim()[0] < display.explained_variance.min()
        assert axes.get_ylim()[1] > display.explained_variance.max()
    assert large.plot(small.plot().ax_).ax_.get_xlim()[1] > 5


def test_spectrum_without_a_certificate():
    display = plots.SpectrumDisplay.from_estimator(fitted(rule="okha")).plot()
    assert display.band_ is None
    assert "no bound" in display.ax_.get_title()
    display.figure_.canvas.draw()


def test_spectrum_without_variance():
    display = plots.SpectrumDisplay.from_estimator(fitted(np.ones((5, 2)))).plot()
    assert_array_equal(display.line_.get_ydata(), 0.0)
    display.figure_.canvas.draw()


# -- projection -----------------------------------------------------------------------------------


def test_projection():
    model = fitted()
    display = plots.ProjectionDisplay.from_estimator(model, X, CLASS, components=(2, 0))
    frame = display.to_frame()
    assert_allclose(frame[["component2", "component0"]], model.transform(X)[:, [2, 0]])
    assert_array_equal(frame["y"], CLASS)
    display.plot()
    assert display.ax_.get_xlabel().startswith("component 3")
    assert f"{100 * model.explained_variance_ratio_[2]:.1f} %" in display.ax_.get_xlabel()
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["left", "right"]
    for cloud, name in zip(display.scatter_, labels, strict=True):
        assert_allclose(cloud.get_offsets(), display.scores[name == CLASS])
    assert len({cloud.get_paths()[0].vertices.shape for cloud in display.scatter_}) == 2


def test_projection_through_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), OnlineKernelPCA(2)).fit(10 * X + 5)
    display = plots.ProjectionDisplay.from_estimator(pipeline, 10 * X + 5)
    assert_allclose(display.scores, pipeline.transform(10 * X + 5))
    assert "y" not in display.to_frame()
    (cloud,) = display.plot().scatter_
    assert_allclose(cloud.get_offsets(), display.scores)


def test_projection_coloured_by_a_number():
    display = plots.ProjectionDisplay.from_estimator(fitted(), X, np.arange(len(X))).plot()
    (cloud,) = display.scatter_
    assert_array_equal(cloud.get_array(), np.arange(len(X)))
    assert len(display.figure_.axes) == 2  # the colour scale


def test_projection_of_many_classes():
    display = plots.ProjectionDisplay.from_estimator(fitted(), X, np.arange(len(X)) % 12).plot()
    assert len(display.scatter_) == 12
    looks = {
        (*cloud.get_facecolor()[0], cloud.get_paths()[0].vertices.tobytes())
        for cloud in display.scatter_
    }
    assert len(looks) == 12


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"components": (0, 3)}, "no component 3: the model has 3"),
        ({"components": (0, 1, 2)}, "must be two"),
        ({"y": [1, 2]}, "inconsistent numbers of samples"),
    ],
)
def test_projection_refused(options, why):
    with pytest.raises(ValueError, match=why):
        plots.ProjectionDisplay.from_estimator(fitted(), X, **options)


# -- contours -------------------------------------------------------------------------------------


def test_contours():
    model = fitted()
    display = plots.ContourDisplay.from_estimator(
        model, X, components=[2, 0], grid_resolution=15, margin=0.5
    )
    frame = display.to_frame()
    points = frame[["column 0", "column 1"]].to_numpy()
    assert_allclose(frame[["component2", "component0"]], model.transform(points)[:, [2, 0]])
    span = X.max(axis=0) - X.min(axis=0)
    assert_allclose(points.min(axis=0), X.min(axis=0) - 0.5 * span)
    assert_allclose(points.max(axis=0), X.max(axis=0) + 0.5 * span)
    display.plot()
    titles = [axes.get_title() for axes in display.axes_]
    assert [title.split(":")[0] for title in titles] == ["component 3", "component 1"]
    assert len(display.surface_) == len(display.lines_) == 2
    assert_allclose(display.scatter_[0].get_offsets(), X)
    for lines, values in zip(display.lines_, display.response, strict=True):
        assert 0.0 in np.round(lines.levels, 12)
        assert lines.levels[0] <= values.min() <= values.max() <= lines.levels[-1]


def test_contours_of_named_columns():
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame(X, columns=["left", "right"])
    display = plots.ContourDisplay.from_estimator(fitted(rows), rows, grid_resolution=5).plot()
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("left", "right")
    assert list(display.to_frame().columns[:2]) == ["left", "right"]


def test_contours_need_a_plane():
    with pytest.raises(ValueError, match="the model has 9 columns: fit two columns"):
        plots.ContourDisplay.from_estimator(fitted(WIDE), WIDE)
    with pytest.raises(ValueError, match="X has 9 columns"):
        plots.ContourDisplay.from_estimator(fitted(), WIDE)
    with pytest.raises(ValueError, match="no component 5"):
        plots.ContourDisplay.from_estimator(fitted(), X, components=5)


# -- control chart --------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", ["spe", "t2", "combined"])
def test_control_chart(statistic):
    detector, rows = watcher(statistic=statistic), far()
    display = plots.ControlChartDisplay.from_estimator(detector, rows)
    frame, limits = display.to_frame(), detector.limits_
    shown = ["spe", "t2", "combined"] if statistic == "combined" else ["spe", "t2"]
    assert list(display.scores) == shown
    for name in shown:
        assert_allclose(frame[f"{name}_limit"], limits[name])
    assert_allclose(frame[statistic], -detector.score_samples(rows))
    assert_allclose(frame["spe"], detector.estimator_.reconstruction_error(rows))
    assert_array_equal(frame["alarm"], detector.predict(rows) == -1)
    assert 1 <= frame["alarm"].sum() < 40
    assert detector.n_samples_seen_ == len(WIDE)  # nothing was learned


def test_control_chart_drawn():
    display = plots.ControlChartDisplay.from_estimator(watcher(), far()).plot(lw=2)
    for axes, name, line, limit, marks in zip(
        display.axes_,
        display.scores,
        display.lines_,
        display.limit_lines_,
        display.alarms_,
        strict=True,
    ):
        assert line.axes is axes
        assert line.get_linewidth() == 2
        assert_allclose(line.get_ydata(), display.scores[name])
        assert_allclose(limit.get_ydata(), display.limits[name])
        assert_array_equal(marks.get_offsets()[:, 0], np.flatnonzero(display.alarms))
        assert_allclose(marks.get_offsets()[:, 1], display.scores[name][display.alarms])
    legend = {text.get_text() for text in display.ax_.get_legend().get_texts()}
    assert legend == {"score", "limit", "alarm"}
    assert display.axes_[0].get_ylabel() == "SPE\n(decides)"
    assert display.plot(log=True).ax_.get_yscale() == "log"


def test_control_chart_through_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), watcher()).fit(100 * WIDE)
    frame = plots.ControlChartDisplay.from_estimator(pipeline, 100 * far()).to_frame()
    assert_allclose(frame["spe"], -pipeline.score_samples(100 * far()))


@pytest.mark.parametrize("statistic", ["spe", "t2", "combined"])
def test_control_chart_of_a_stream(statistic):
    whole = watcher(statistic=statistic).monitor(far())
    detector = watcher(statistic=statistic)
    parts = [detector.monitor(rows) for rows in np.split(far(), [7, 30])]
    display = plots.ControlChartDisplay.from_monitored(parts)
    frame = display.to_frame()
    assert display.decides == statistic
    assert_allclose(frame[statistic], whole.score)
    assert_allclose(frame["spe"], whole.spe)
    assert_allclose(frame["t2"], whole.t2)
    assert_allclose(frame[f"{statistic}_limit"], whole.limit)
    assert_array_equal(frame["alarm"], whole.alarms)
    drawn = [line is not None for line in display.plot().limit_lines_]
    assert drawn == [name == statistic for name in display.scores]


def test_control_chart_of_a_warm_up():
    detector = KernelNoveltyDetector(warm_up=20, contamination=0.1)
    display = plots.ControlChartDisplay.from_monitored(detector.monitor(WIDE)).plot()
    assert display.to_frame()["spe"].isna().sum() == 20
    infinite = np.isinf(display.limits["spe"])  # until there are scores enough
    assert 20 < infinite.sum() < len(WIDE)
    assert_array_equal(np.isnan(display.limit_lines_[0].get_ydata()), infinite)
    display.figure_.canvas.draw()


@pytest.mark.parametrize("statistic", ["spe", "t2", "combined"])
def test_control_chart_knows_what_decides_before_there_is_a_score(statistic):
    detector = KernelNoveltyDetector(statistic=statistic, warm_up=50)
    seen = detector.monitor(WIDE[:20])
    assert np.isnan(seen.score).all()
    display = plots.ControlChartDisplay.from_monitored(seen)
    assert seen.statistic == display.decides == statistic
    assert np.isinf(display.limits[statistic]).all()


def test_control_chart_of_one_stream():
    parts = [watcher(statistic=name).monitor(far()) for name in ("spe", "t2")]
    with pytest.raises(ValueError, match="judged by one statistic, got spe, t2"):
        plots.ControlChartDisplay.from_monitored(parts)
    with pytest.raises(ValueError, match="judged by one statistic, got none"):
        plots.ControlChartDisplay.from_monitored([])


def test_control_chart_against_time():
    days = np.datetime64("2000-01-01") + np.arange(40)
    display = plots.ControlChartDisplay.from_estimator(watcher(), far(), time=days).plot()
    assert display.axes_[-1].get_xlabel() == "time"
    assert_array_equal(display.to_frame()["time"], days)
    display.figure_.canvas.draw()
    with pytest.raises(ValueError, match=r"time has shape \(3,\), and there are 40 rows"):
        plots.ControlChartDisplay.from_estimator(watcher(), far(), time=[1, 2, 3])


# -- contributions --------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", [None, "t2"])
def test_contributions(statistic):
    detector = watcher()
    display = plots.ContributionDisplay.from_estimator(detector, far(), statistic=statistic)
    assert_allclose(display.to_frame(), detector.contributions(far(), statistic=statistic))
    assert display.statistic == (statistic or "spe")


def test_contribution_bars():
    names = [f"sensor {letter}" for letter in "abcdefghi"]
    row = far()[-1:]
    display = plots.ContributionDisplay.from_estimator(watcher(), row, feature_names=names)
    display.plot(top=3)
    assert display.image_ is None
    widths = np.array([bar.get_width() for bar in display.bars_]) / 100
    shares = display.contributions[0]
    assert_allclose(widths[:3], np.sort(shares)[::-1][:3])
    assert_allclose(widths.sum(), shares.sum())  # the others together are the last bar
    ticks = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert ticks[0] == "sensor c"
    assert ticks[-1] == "the other 6 together"


def test_contribution_map():
    display = plots.ContributionDisplay.from_estimator(watcher(), far()).plot(top=4)
    assert display.bars_ is None
    order = np.argsort(-display.contributions.mean(axis=0))[:4]
    assert_allclose(display.image_.get_array(), 100 * display.contributions[:, order].T)
    assert display.plot(kind="bar").image_ is None


def test_contributions_of_a_frame():
    pandas = pytest.importorskip("pandas")
    names = list("abcdefghi")
    rows = pandas.DataFrame(far(), columns=names, index=np.arange(100, 140))
    for estimator in (
        watcher(pandas.DataFrame(WIDE, columns=names)),
        make_pipeline(StandardScaler(), watcher()).fit(pandas.DataFrame(WIDE, columns=names)),
    ):
        frame = plots.ContributionDisplay.from_estimator(estimator, rows).to_frame()
        assert list(frame.columns) == names
        assert list(frame.index) == list(rows.index)


def test_contributions_refused():
    with pytest.raises(ValueError, match="2 feature_names for 9 columns"):
        plots.ContributionDisplay.from_estimator(watcher(), far(), feature_names=["a", "b"])
    with pytest.raises(ValueError, match="kind must be"):
        plots.ContributionDisplay.from_estimator(watcher(), far()).plot(kind="pie")


# -- reconstruction -------------------------------------------------------------------------------


def test_reconstruction():
    model, clean = fitted(WIDE), WIDE[:4] + 1.0
    display = plots.ReconstructionDisplay.from_estimator(model, WIDE[:4], clean=clean)
    frame = display.to_frame()
    for name, rows in {
        "clean": clean,
        "given": WIDE[:4],
        "reconstructed": model.denoise(WIDE[:4]),
        "error": np.repeat(model.reconstruction_error(WIDE[:4]), 9).reshape(4, 9),
    }.items():
        assert_allclose(frame[name], rows.ravel())
    assert_array_equal(frame["row"], np.repeat(np.arange(4), 9))
    assert list(display.images) == ["clean", "given", "reconstructed"]


def test_reconstruction_drawn():
    display = plots.ReconstructionDisplay.from_estimator(
        fitted(WIDE[:, :6]), WIDE[:5, :6], shape=(2, 3)
    )
    picture = display.plot().image_.get_array()
    assert picture.shape == (2 * 3 - 1, 5 * 4 - 1)
    assert_allclose(picture[0:2, 4:7], WIDE[1, :6].reshape(2, 3))
    assert_allclose(picture[3:5, 16:19], display.images["reconstructed"][4].reshape(2, 3))
    errors = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert errors == [f"{error:.2f}" for error in display.error]


def test_reconstruction_through_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), OnlineKernelPCA(3, gamma=0.05)).fit(20 * WIDE)
    display = plots.ReconstructionDisplay.from_estimator(pipeline, 20 * WIDE[:3])
    scaler, model = pipeline
    rows = scaler.transform(20 * WIDE[:3])
    back = scaler.inverse_transform(model.denoise(rows))
    assert_allclose(display.images["reconstructed"], back)
    assert_allclose(display.error, model.reconstruction_error(rows))


@pytest.mark.parametrize(
    ("rows", "options", "why"),
    [
        (WIDE[:, :6], {}, "6 pixels, not a square: give shape"),
        (WIDE, {"shape": (2, 4)}, "9 pixels, not 2 × 4"),
        (WIDE, {"clean": WIDE[:3]}, r"clean has shape \(3, 9\)"),
    ],
)
def test_reconstruction_refused(rows, options, why):
    with pytest.raises(ValueError, match=why):
        plots.ReconstructionDisplay.from_estimator(fitted(rows), rows, **options)


# -- growth and drift -----------------------------------------------------------------------------


def test_growth():
    model = OnlineKernelPCA(3, gamma=0.5, nu=0.1, max_atoms=12)
    display = plots.GrowthDisplay.from_estimator(model, X, every=40)
    frame = display.to_frame()
    expected = [fitted(X[:n], nu=0.1, max_atoms=12).n_atoms_ for n in range(40, 201, 40)]
    assert_array_equal(frame["row"], range(40, 201, 40))
    assert_array_equal(frame["atoms"], expected)
    assert not hasattr(model, "n_atoms_")  # a copy was fitted
    display.plot()
    assert_array_equal(display.line_.get_ydata(), expected)
    assert_array_equal(display.budget_.get_ydata(), 12)
    assert len(plots.GrowthDisplay.from_estimator(model, X).rows) == 100


def test_two_growths_in_one_picture():
    first = plots.GrowthDisplay.from_trace(trace(), max_atoms=30).plot(label="first")
    second = plots.GrowthDisplay.from_trace(trace(), max_atoms=30).plot(first.ax_, label="second")
    legend = [text.get_text() for text in second.ax_.get_legend().get_texts()]
    assert legend == ["first", "max_atoms = 30", "second"]
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    second.atoms = second.atoms + 1000
    assert second.plot(first.ax_).ax_.get_ylim()[1] > 1000


def test_drift():
    reference = fitted(X[100:])
    model = OnlineKernelPCA(3, gamma=0.5)
    display = plots.DriftDisplay.from_estimator(model, X, every=50, reference=reference)
    frame = display.to_frame()
    for line, n in zip(frame.itertuples(), (50, 100, 150, 200), strict=True):
        seen = fitted(X[:n])
        assert line.row == n
        assert_allclose(line.distance, subspace_distance(seen, reference), rtol=1e-6)
        variance = [line.variance0, line.variance1, line.variance2]
        assert_allclose(variance, seen.explained_variance_)
    display.plot()
    assert_allclose(display.distance_line_.get_ydata(), display.distance)
    for line, column in zip(display.lines_, display.variance.T, strict=True):
        assert_allclose(line.get_ydata(), column)


def test_drift_without_a_reference():
    display = plots.DriftDisplay.from_trace(trace()).plot()
    assert display.distance_line_ is None
    assert len(display.axes_) == 1
    assert "distance" not in display.to_frame()


def test_drift_of_a_varying_number_of_components():
    diary = Trace(1)
    OnlineKernelPCA(0.9, gamma=0.5).fit(X[:30], callback=diary)
    counts = [len(record["variance"]) for record in diary.records]
    assert len(set(counts)) > 2
    display = plots.DriftDisplay.from_trace(diary)
    assert_array_equal(np.isfinite(display.variance).sum(axis=1), counts)
    display.plot().figure_.canvas.draw()


def test_an_empty_trace():
    with pytest.raises(ValueError, match="holds no record"):
        plots.GrowthDisplay.from_trace(Trace())


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
def test_the_gallery_is_drawn(tmp_path):
    gallery.draw(tmp_path)
    pictures = list(tmp_path.glob("gallery_*.png"))
    assert len(pictures) == sum(map(len, gallery.SECTIONS.values()))
    assert min(picture.stat().st_size for picture in pictures) > 10_000
