"""Displays of a detector: control charts and contributions."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from okpca import KernelNoveltyDetector, plots
from plot_tools import WIDE, far, watcher

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
    assert display.axes_[0].get_ylabel() == "nested\n(decides)"
    assert display.plot(log=True).ax_.get_yscale() == "log"


def test_control_chart_through_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), watcher()).fit(100 * WIDE)
    frame = plots.ControlChartDisplay.from_estimator(pipeline, 100 * far()).to_frame()
    assert_allclose(frame["nested"], -pipeline.score_samples(100 * far()))


def test_control_chart_through_a_pipeline_within_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), watcher())).fit(WIDE)
    frame = plots.ControlChartDisplay.from_estimator(pipeline, far()).to_frame()
    assert_allclose(frame["nested"], -pipeline.score_samples(far()))


def test_control_chart_through_a_pipeline_that_does_nothing():
    pipeline = make_pipeline("passthrough", None, watcher())
    frame = plots.ControlChartDisplay.from_estimator(pipeline, far()).to_frame()
    assert_allclose(frame["nested"], -watcher().score_samples(far()))


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_control_chart_of_a_warm_up():
    detector = KernelNoveltyDetector(warm_up=20, contamination=0.1)
    display = plots.ControlChartDisplay.from_monitored(detector.monitor(WIDE)).plot()
    assert display.to_frame()["nested"].isna().sum() == 20
    infinite = np.isinf(display.limits["nested"])  # until there are scores enough
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


@pytest.mark.thorough
def test_control_chart_against_time():
    days = np.datetime64("2000-01-01") + np.arange(40)
    display = plots.ControlChartDisplay.from_estimator(watcher(), far(), time=days).plot()
    assert display.axes_[-1].get_xlabel() == "time"
    assert_array_equal(display.to_frame()["time"], days)
    display.figure_.canvas.draw()
    seconds = plots.ControlChartDisplay.from_estimator(watcher(), far(), time=np.arange(40) / 2)
    assert seconds.axes_[-1].get_xlabel() == "time"
    whole = plots.ControlChartDisplay.from_estimator(watcher(), far(), time=np.arange(40.0))
    assert whole.axes_[-1].get_xlabel() == "row"
    with pytest.raises(ValueError, match=r"time has shape \(3,\), and there are 40 rows"):
        plots.ControlChartDisplay.from_estimator(watcher(), far(), time=[1, 2, 3])


def test_control_chart_against_the_index_of_a_frame():
    pandas = pytest.importorskip("pandas")
    hours = pandas.date_range("2024-03-01", periods=40, freq="h")
    names = list("abcdefghi")
    detector = watcher(pandas.DataFrame(WIDE, columns=names))
    rows = pandas.DataFrame(far(), columns=names, index=hours)
    display = plots.ControlChartDisplay.from_estimator(detector, rows)
    assert_array_equal(display.time, hours)
    assert display.axes_[-1].get_xlabel() == "time"
    parts = [detector.monitor(rows[:15]), detector.monitor(rows[15:])]
    assert_array_equal(plots.ControlChartDisplay.from_monitored(parts).time, hours)
    named = rows.set_axis([f"row {i}" for i in range(40)])  # no place on an axis
    assert_array_equal(plots.ControlChartDisplay.from_estimator(detector, named).time, range(40))


@pytest.mark.thorough
def test_control_chart_against_times_of_a_zone():
    pandas = pytest.importorskip("pandas")
    hours = pandas.date_range("2024-03-01", periods=40, freq="h", tz="Europe/Berlin")
    detector, rows = watcher(pandas.DataFrame(WIDE)), pandas.DataFrame(far(), index=hours)
    display = plots.ControlChartDisplay.from_estimator(detector, rows)
    assert_array_equal(display.time, hours.tz_localize(None))
    display.figure_.canvas.draw()
    given = plots.ControlChartDisplay.from_estimator(detector, far(), time=hours)
    assert_array_equal(given.time, display.time)
    autumn = pandas.date_range("2024-10-26 23:00", periods=40, freq="15min", tz="UTC")
    put_back = rows.set_index(autumn.tz_convert("Europe/Berlin"))
    display = plots.ControlChartDisplay.from_estimator(detector, put_back)
    assert_array_equal(display.time, autumn.tz_localize(None))


def keys(display):
    return {text.get_text() for text in display.ax_.get_legend().get_texts()}


def test_control_chart_says_that_there_is_no_limit_yet():
    seen = KernelNoveltyDetector(warm_up=20).monitor(WIDE[:60])
    assert "no limit yet" in keys(plots.ControlChartDisplay.from_monitored(seen))
    later = KernelNoveltyDetector(warm_up=20, contamination=0.1).monitor(WIDE)
    assert keys(plots.ControlChartDisplay.from_monitored(later)) >= {"no limit yet", "limit"}
    assert "no limit yet" not in keys(plots.ControlChartDisplay.from_estimator(watcher(), far()))


def test_control_chart_shows_drift():
    seen = watcher().monitor(far())
    quiet = plots.ControlChartDisplay.from_monitored(seen)
    assert not quiet.to_frame()["drift"].any()
    drift = np.arange(40) > 20
    display = plots.ControlChartDisplay.from_monitored(replace(seen, drift=drift))
    assert "drift" in keys(display) - keys(quiet)
    assert_array_equal(display.to_frame()["drift"], drift)


# -- contributions --------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("statistic", [None, "t2"])
def test_contributions(statistic):
    detector = watcher()
    display = plots.ContributionDisplay.from_estimator(detector, far(), statistic=statistic)
    assert_allclose(display.to_frame(), detector.contributions(far(), statistic=statistic))
    assert display.statistic == (statistic or "nested")


def test_contributions_are_called_by_the_statistic_of_the_fit():
    detector = watcher(statistic="spe").set_params(statistic="t2")
    assert plots.ContributionDisplay.from_estimator(detector, far()).statistic == "spe"


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
