"""Each display: its numbers are the estimator's, and it draws them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import okpca
from okpca import KernelNoveltyDetector, OnlineKernelPCA, Trace, plots
from okpca.detection.lags import joined
from okpca.subspace import subspace_distance
from plot_tools import CLASS, WIDE, X, fitted, trace, watcher

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


@pytest.mark.thorough
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


@pytest.mark.thorough
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


def test_a_pipeline_within_a_pipeline():
    inner = make_pipeline(StandardScaler(with_std=False), OnlineKernelPCA(3, gamma=0.05))
    pipeline = make_pipeline(StandardScaler(), inner).fit(WIDE)
    display = plots.ColumnsDisplay.from_estimator(pipeline, WIDE[:20])
    rows = inner[0].transform(pipeline[0].transform(WIDE[:20]))
    assert_allclose(display.error, inner[1].reconstruction_error(rows))
    assert plots.ProjectionDisplay.from_estimator(pipeline, WIDE).scores.shape == (200, 2)


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


def test_a_model_without_components():
    still = np.ones((5, 2))
    model = fitted(still, n_components=None)
    with pytest.raises(ValueError, match="no component to draw: the kernel sees no variance"):
        plots.ContourDisplay.from_estimator(model, X)
    with pytest.raises(ValueError, match=r"there is no component to draw\."):
        plots.ContourDisplay.from_estimator(fitted(), X, components=[])
    with pytest.raises(ValueError, match="no component 0: the model has 0"):
        plots.ProjectionDisplay.from_estimator(model, X)
    assert plots.DriftDisplay.from_estimator(model, still, reference=model).lines_ == []
    columns = plots.ColumnsDisplay.from_estimator(model, X)
    assert_allclose(columns.reconstructed, 1.0)
    with pytest.raises(ValueError, match="nothing to draw"):
        columns.plot(most=0)


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


def test_columns():
    model = fitted(WIDE)
    display = plots.ColumnsDisplay.from_estimator(model, WIDE[:40])
    frame = display.to_frame()
    assert_allclose(frame["given"], WIDE[:40].ravel())
    assert_allclose(frame["reconstructed"], model.denoise(WIDE[:40]).ravel())
    assert list(frame["column"][:9]) == [f"column {j}" for j in range(9)]
    left = np.square(WIDE[:40] - model.denoise(WIDE[:40])).mean(axis=0)
    assert_allclose(display.kept, 1 - left / WIDE[:40].var(axis=0))
    least = np.sort(np.argsort(display.kept)[:2])
    display.plot(most=2)
    assert len(display.points_) == len(display.axes_) == 2
    told = [axes.get_title().splitlines()[0] for axes in display.axes_]
    assert told == [f"column {j}" for j in least]
    assert display.figure_.get_suptitle() == "the 2 of 9 columns that are kept least"
    assert_allclose(display.points_[0].get_offsets()[:, 0], WIDE[:40, least[0]])


def test_columns_of_a_pipeline_with_one_that_is_constant():
    rows = pd.DataFrame({"a": X[:, 0], "still": 3.0, "b": X[:, 1]})
    pipeline = make_pipeline(StandardScaler(), OnlineKernelPCA(2, gamma=0.1)).fit(rows)
    display = plots.ColumnsDisplay.from_estimator(pipeline, rows)
    assert [axes.get_title().splitlines()[0] for axes in display.axes_] == list(rows)
    assert "constant" in display.axes_[1].get_title()
    with pytest.raises(ValueError, match="2 feature_names for 3 columns"):
        plots.ColumnsDisplay.from_estimator(pipeline, rows, feature_names=["a", "b"])


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
        (WIDE[:, :6], {}, "6 pixels, not a square: give shape.*ColumnsDisplay"),
        (WIDE, {"shape": (2, 4)}, "9 pixels, not 2 × 4"),
        (WIDE, {"clean": WIDE[:3]}, r"clean has shape \(3, 9\)"),
    ],
)
def test_reconstruction_refused(rows, options, why):
    with pytest.raises(ValueError, match=why):
        plots.ReconstructionDisplay.from_estimator(fitted(rows), rows, **options)


# -- growth and drift -----------------------------------------------------------------------------


@pytest.mark.thorough
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


@pytest.mark.parametrize("lags", [0, 2])
def test_drift_of_a_detector_is_that_of_its_model(lags):
    settings = {"contamination": 0.1, "warm_up": 50, "lags": lags}
    watch = KernelNoveltyDetector(3, gamma="median", **settings).fit(X[:100])
    rows = joined(X[100:], None, lags)[0]
    model = watch.estimator_
    same = clone(model).set_params(kernel=model.kernel_, gamma=None, scale=None)
    found = plots.DriftDisplay.from_estimator(watch, X[100:], every=20)
    expected = plots.DriftDisplay.from_estimator(same, rows, every=20, reference=model)
    assert_allclose(found.distance, expected.distance)
    assert_allclose(found.variance, expected.variance)
    assert found.distance[-1] > 0


def test_drift_of_a_detector_whose_kernel_has_parameters():
    settings = {"gamma": None, "kernel_params": {"gamma": 0.2}, "contamination": 0.1}
    watch = KernelNoveltyDetector(3, warm_up=50, **settings).fit(X[:100])
    assert plots.DriftDisplay.from_estimator(watch, X[100:], every=20).distance[-1] > 0


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


# -- suggestion -----------------------------------------------------------------------------------


def test_suggestion():
    suggestion = okpca.suggest(WIDE)
    display = plots.SuggestionDisplay.from_suggestion(suggestion)
    frame = display.to_frame()
    parts = dict(iter(frame.groupby("parameter", sort=False)))
    assert list(parts) == ["gamma", "n_components", "max_atoms"]
    for trial in suggestion.trials:
        part = parts[trial.parameter]
        assert_allclose(part["tried"], trial.tried)
        assert_allclose(part["came_to"], trial.came_to)
        assert (part["suggested"] == suggestion.params[trial.parameter]).all()
    display.plot()
    for axes, line, chosen, trial in zip(
        display.axes_, display.lines_, display.chosen_, suggestion.trials, strict=True
    ):
        assert axes.get_xlabel() == trial.parameter
        assert_allclose(line.get_ydata(), trial.came_to)
        assert_allclose(chosen.get_xdata(), trial.chosen)
    assert "features" in display.ax_.get_title(loc="left")


# -- names ----------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_names_are_no_formulas():
    """Whatever dollar signs are in them."""
    names = [r"$\frac{1}{", "a $ and $ b", *"cdefghi"]
    display = plots.ContributionDisplay.from_estimator(
        watcher(), WIDE[:1], feature_names=names, kind="bar"
    )
    display.figure_.canvas.draw()
    plane = pd.DataFrame(X, columns=["$x^$", "$$"])
    contours = plots.ContourDisplay.from_estimator(fitted(plane), plane)
    contours.figure_.canvas.draw()
    classes = np.where(X[:, 0] > 0, "$right^$", "left")
    projected = plots.ProjectionDisplay.from_estimator(fitted(), X, classes)
    projected.figure_.canvas.draw()
    assert display.feature_names == names


def test_contributions_against_time():
    detector, rows = watcher(WIDE), WIDE[:12]
    times = np.datetime64("2026-01-01T00:00", "s") + np.arange(12) * np.timedelta64(60, "s")
    display = plots.ContributionDisplay.from_estimator(detector, rows, time=times)
    labels = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert labels[:2] == ["2026-01-01 00:00", "2026-01-01 00:02"]
    assert display.ax_.get_xlabel() == "time"
    assert_array_equal(display.to_frame().index, times)
    with pytest.raises(ValueError, match="time has 3 entries, and there are 12 rows"):
        plots.ContributionDisplay.from_estimator(detector, rows, time=times[:3])
