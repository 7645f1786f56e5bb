"""What a report says is so."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from okpca import KernelNoveltyDetector, OnlineKernelPCA, StreamPipeline, presets
from okpca.io import Block
from okpca.report import bins, report
from okpca.report.data_summary import gathered
from okpca.report.subject import Subject
from okpca.subspace import MutualSubspaceClassifier

from .conftest import process


def cut(rows, size, times=None):
    """As a stream gives them."""
    names = [f"c{j}" for j in range(rows.shape[1])]
    for start in range(0, len(rows), size):
        part = slice(start, start + size)
        number = np.arange(len(rows))[part]
        when = None if times is None else times[part]
        yield Block(rows[part], names, number, None, when, {})


class Words(HTMLParser):
    """The text of a page, and its tags."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.ids, self._said, self._open = [], [], [], []
        self.feed(page)
        assert not self._open, self._open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in ("meta", "link"):
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        if not {"style", "svg"} & set(self._open):
            self._said.append(data)

    @property
    def text(self):
        return re.sub("[ \n]+", " ", " ".join(self._said))


@pytest.mark.thorough
def test_single_alarms_are_counted(detector, rows):
    """Some stand for all of them, and a longer incident comes before those that score more."""
    found = rows.copy()
    found[20:1000:50, 0] += 30.0
    found[500:540, 2] += 3.0
    made = report(detector, cut(found, 300))
    shown = made.summary["incidents"]
    assert shown[0]["alarms"] > 10
    assert sum(one["alarms"] == 1 for one in shown) == 3
    rest = made.summary["incidents_not_shown"]
    assert rest >= 10
    assert f"Not shown: {rest} single alarms." in Words(made.html).text


@pytest.mark.thorough
def test_a_fault_is_an_incident_and_its_column_is_named(detector, faulty):
    made = report(detector, cut(faulty, 300))
    (worst,) = [one for one in made.summary["incidents"] if one["alarms"] > 10]
    assert 600 <= worst["row"] < 650
    assert worst["columns"][0] == "c2"
    assert made.summary["alarms"] == (detector.predict(faulty) == -1).sum()
    words = Words(made.html).text
    assert "c2" in words
    assert f"{made.summary['alarms']} alarms in 1\u202f000 rows" in words


@pytest.mark.long
def test_every_section_is_there_and_linked(detector, faulty):
    page = Words(report(detector, faulty).html)
    assert len(page.ids) == len(set(page.ids))
    links = [of["href"] for tag, of in page.tags if tag == "a"]
    assert len(links) == 7
    assert all(link[1:] in page.ids for link in links)
    assert sum(tag == "svg" for tag, _ in page.tags) == 6  # two of them for wide and narrow screens


@pytest.mark.long
def test_nothing_is_loaded_from_elsewhere(detector, faulty):
    html = report(detector, faulty).html
    assert not re.findall(r'(?:src|href|url)\s*[=(]\s*["\']?(?!#|data:)\w', html)
    assert "http" not in re.sub(r"xmlns(:\w+)?=\"[^\"]*\"", "", html)
    assert "<script" not in html


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 7])
def test_the_cuts_of_the_data_do_not_matter(model, faulty, size):
    rows = faulty[580:680]
    whole, pieces = (report(model, cut(rows, n)) for n in (100, size))
    assert Words(whole.html).text == Words(pieces.html).text
    assert whole.summary["incidents"][0]["columns"] == pieces.summary["incidents"][0]["columns"]


@pytest.mark.thorough
@pytest.mark.parametrize("size", [60, 333])
def test_nor_where_scores_have_a_past(rows, faulty, size):
    lagged = KernelNoveltyDetector(gamma=0.3, lags=2, ewma=0.3, max_atoms=60, window=500).fit(rows)
    subject = Subject.of(lagged)
    whole, pieces = (gathered(subject, cut(faulty, n)) for n in (1000, size))
    np.testing.assert_allclose(whole.bins.high, pieces.bins.high, rtol=1e-6)
    np.testing.assert_array_equal(whole.bins.number, pieces.bins.number)
    np.testing.assert_allclose(whole.bins.worst, pieces.bins.worst)
    alarms = (lagged.predict(faulty) == -1).sum()
    assert whole.alarms == pieces.alarms == alarms
    assert "c2" in report(lagged, cut(faulty, size)).summary["incidents"][0]["columns"]


def test_alarms_by_chance_alone_are_no_incidents(monkeypatch, detector):
    monkeypatch.setattr(bins, "MOST", 100)
    made = report(detector, cut(process(2000, seed=5), 500))
    words = Words(made.html).text
    assert made.summary["alarms"] > 0
    assert "Incidents" not in words
    assert words.count("The least usual rows") == 2  # in the list of sections, too
    assert "some way apart" in words


def test_the_settings_are_those_of_the_fit(rows, faulty):
    """Parameters that are set later have no part in it."""
    watch = KernelNoveltyDetector(gamma=0.5, ewma=0.3, max_atoms=40, window=500).fit(rows[:700])
    pages = [report(watch, cut(faulty, 100))]
    watch.set_params(ewma=1.0, contamination=0.4, statistic="t2", lags=2)
    pages.append(report(watch, cut(faulty, 100)))
    before, after = (
        Words(page.html).text.partition("Parameters KernelNoveltyDetector")[0] for page in pages
    )
    assert after == before


@pytest.mark.thorough
def test_a_long_file_is_drawn_as_few_points(monkeypatch, detector, faulty):
    monkeypatch.setattr(bins, "MOST", 100)
    made = report(detector, cut(np.tile(faulty, (4, 1)), 500))
    words = Words(made.html).text
    assert "4\u202f000 rows are drawn as 63 points, each the highest of 64 rows" in words
    assert "1\u202f500 rows at random" in words
    assert len(made.summary["incidents"]) == 4  # and every fault is seen
    assert all(one["columns"][0] == "c2" for one in made.summary["incidents"])


def test_drift_is_told(model, rows):
    still = process(6000, seed=3)
    assert report(model, cut(still, 1000)).summary["drift"]["since"] is None
    moving = still + np.linspace(0, 0.6, 6000)[:, None] * [0.0, 1.0, 0.0, 0.0]
    made = report(model, cut(moving, 1000))
    assert 2600 < made.summary["drift"]["since"] <= 6000
    assert "The rows drift" in Words(made.html).text
    assert "too few to tell whether they drift" in Words(report(model, rows).html).text


def test_rows_that_are_too_few_to_tell_of_drift_are_fewer_than_it_takes(model):
    """More are needed where rows depend on those before them."""
    slow = process(4000, seed=3) + np.sin(np.arange(4000) / 150)[:, None] * [0.0, 0.5, 0.0, 0.0]
    words = Words(report(model, cut(slow, 700)).html).text
    assert "4\u202f000 rows are too few to tell whether they drift: it takes" in words
    told = re.search(r"it takes ([\d\u202f]+)", words)[1].replace("\u202f", "")
    assert 4000 < int(told) < 100_000


def test_drift_that_the_detector_announced_is_told(detector, rows):
    """At the top, too, whether the data are too few to tell or do not drift."""
    moving = process(6000, seed=3) + np.linspace(0, 0.6, 6000)[:, None] * [0.0, 1.0, 0.0, 0.0]
    watch = KernelNoveltyDetector(gamma=0.5, max_atoms=80, window=500).fit(moving)
    since = f"{watch.drift_.since:,}".replace(",", "\u202f")
    for data in (moving[-1000:], moving[:100]):
        words = Words(report(watch, cut(data, 500)).html).text
        assert f"yes drift {watch.drift_.what}, by row {since} of those it learned" in words
    assert "– drift too few rows to tell" in Words(report(detector, cut(rows, 500)).html).text
    still = KernelNoveltyDetector(gamma=0.5, max_atoms=80).fit(process(6000, seed=3))
    words = Words(report(still, cut(rows, 500)).html).text
    assert "none drift in the rows it learned" in words


@pytest.mark.long
def test_times_are_on_the_axis(detector, faulty):
    times = np.datetime64("2026-03-01T08:00") + np.arange(1000) * np.timedelta64(1, "s")
    frame = pd.DataFrame(faulty, columns=list("abcd"), index=pd.DatetimeIndex(times))
    for made in (report(detector, cut(faulty, 400, times)), report(detector, frame)):
        page = made.html
        assert "2026-03-01 08:00 to 08:16:39" in page
        assert re.search(r">08:0\d</text>", page)
        assert made.summary["incidents"][0]["time"].startswith("2026-03-01 08:10")
    assert made.summary["incidents"][0]["columns"][0] == "c"  # a frame has names


def test_columns_are_those_that_were_learned(rows, faulty):
    learned, frame = (pd.DataFrame(X, columns=list("abcd")) for X in (rows[:400], faulty[550:700]))
    watch = KernelNoveltyDetector(gamma=0.5, max_atoms=40).fit(learned)
    swapped = frame[list("badc")]
    for refuses in (watch.score_samples, lambda X: report(watch, X)):
        with pytest.raises(ValueError, match="names should match those that were passed"):
            refuses(swapped)
    alarms = (watch.predict(frame) == -1).sum()
    assert alarms > 40
    assert report(watch, frame).summary["alarms"] == alarms

    def blocks(X):
        return [Block(X.to_numpy(), list(X), np.arange(len(X)), None, None, {})]

    assert report(watch, blocks(frame)).summary["alarms"] == alarms
    with pytest.raises(ValueError, match=r"another order, 'b', 'a'.* columns=\['a', 'b'"):
        report(watch, blocks(swapped))


def test_a_pipeline_takes_columns_by_name(rows, faulty):
    learned, frame = (pd.DataFrame(X, columns=list("abcd")) for X in (rows[:400], faulty[550:700]))
    scaled = ColumnTransformer(
        [("scale", StandardScaler(), ["c", "a"]), ("b", "passthrough", ["b"])]
    )
    pipeline = Pipeline([("some", scaled), ("watch", KernelNoveltyDetector(max_atoms=40))])
    pipeline.fit(learned)
    made = report(pipeline, frame[list("dcba")])
    assert made.summary["alarms"] == (pipeline.predict(frame) == -1).sum() > 40
    assert made.summary["incidents"][0]["columns"][0] == "scale__c"


@pytest.mark.parametrize("n", [10, 2000])
def test_times_of_other_rows_are_refused(model, faulty, n):
    with pytest.raises(ValueError, match=rf"times has shape \({n},\), and there are 1000 rows"):
        report(model, faulty, times=np.arange(n))


def test_a_stream_has_times_of_its_own(model, faulty):
    with pytest.raises(ValueError, match=r"a stream has its own: okpca.io.stream\(\.\.\., time=\)"):
        report(model, cut(faulty, 300), times=np.arange(1000))


@pytest.mark.parametrize(
    "times", [[f"{0.5 * i}" for i in range(1000)], list(map(str, range(2000, 3000)))]
)
def test_times_may_be_numbers_in_text(model, faulty, times):
    words = Words(report(model, cut(faulty, 300, np.array(times, dtype=object))).html).text
    first, last = (time.removesuffix(".0") for time in (times[0], times[-1]))
    assert f"{first} to {last}" in words
    assert "Rows are drawn by their number" not in words


def test_times_of_two_kinds(model, faulty):
    times = ["2024"] * 500 + ["2024-05-01"] * 500
    made = report(model, cut(faulty, 100, np.array(times, dtype=object)))
    assert "Rows are drawn by their number" in Words(made.html).text


def test_times_that_go_back_are_not(detector, faulty):
    made = report(detector, faulty, times=np.arange(1000)[::-1])
    assert "Rows are drawn by their number" in Words(made.html).text


HOSTILE = ["<script>alert(1)</script>", "$a$ & $b", 'c"d', "\\frac{1}{"]


@pytest.mark.long
def test_names_are_text_whatever_they_are(faulty):
    frame = pd.DataFrame(faulty, columns=HOSTILE)
    learned = KernelNoveltyDetector(gamma=0.5, max_atoms=40).fit(frame[:500])
    made = report(learned, frame, title="<b>&", commands=["rm <x> && $y"])
    assert "<script>" not in made.html
    words = Words(made.html)
    assert HOSTILE[2] in words.text
    assert "rm <x> && $y" in words.text
    assert "<b>&" in words.text


@pytest.mark.thorough
def test_a_pipeline(rows, faulty):
    steps = [("scale", StandardScaler()), ("watch", KernelNoveltyDetector(max_atoms=60))]
    pipeline = StreamPipeline(steps).fit(rows)
    made = report(pipeline, cut(faulty, 500))
    words = Words(made.html).text
    assert "after StandardScaler" in words
    assert "scale: StandardScaler" in words
    assert made.summary["incidents"][0]["columns"][0] == "c2"
    assert made.summary["alarms"] == (pipeline.predict(faulty) == -1).sum()


def test_a_pipeline_within_a_pipeline(rows, faulty):
    inner = StreamPipeline([("same", StandardScaler()), ("kpca", OnlineKernelPCA(3, max_atoms=40))])
    pipeline = StreamPipeline([("scale", StandardScaler()), ("inner", inner)]).fit(rows[:400])
    made = report(pipeline, faulty[500:700])
    worst = made.summary["incidents"][0]
    assert 100 <= worst["row"] < 150
    assert worst["columns"][0] == "x2"  # as scikit-learn calls the columns of an array
    assert "after StandardScaler, StandardScaler" in Words(made.html).text


@pytest.mark.long
@pytest.mark.parametrize(
    "made",
    [
        lambda X: OnlineKernelPCA(1, kernel="linear").fit(X),
        lambda X: OnlineKernelPCA(3, kernel=lambda A, B: A @ B.T + 1.0).fit(X),
        lambda X: OnlineKernelPCA(3, gamma=0.5, rule="okha").fit(X),
        lambda X: OnlineKernelPCA(3, gamma=0.5, burn_in=200).partial_fit(X[:100]),
        lambda X: OnlineKernelPCA(3, gamma=0.5).fit(np.ones((50, 4))),
        lambda X: presets.rkpca(3, gamma=0.5).fit(X[:300]),
        lambda X: KernelNoveltyDetector(gamma=0.5).partial_fit(X[:150]),  # no limit yet
        lambda X: KernelNoveltyDetector(gamma=0.5, statistic="combined", max_atoms=60).fit(X),
    ],
    ids=["one", "function", "rule", "warm-up", "constant", "empirical", "early", "both"],
)
def test_any_model_has_a_report(rows, faulty, made):
    page = report(made(rows[:400]), cut(faulty[500:700], 130))
    words = Words(page.html).text
    assert "Certificate" in words or "no component" in words
    assert "nan" not in words.lower().split()
    assert page.summary["rows"] == 200


def test_one_row(model):
    words = Words(report(model, np.zeros((1, 4))).html).text
    assert "Every row is drawn" in words


def test_no_row(model):
    with pytest.raises(ValueError, match="no row"):
        report(model, cut(np.empty((0, 4)), 10))
    skips = OnlineKernelPCA(2, missing="skip").fit(np.eye(4))
    with pytest.raises(ValueError, match="every row lacks values"):
        report(skips, np.full((5, 4), np.nan))


@pytest.mark.thorough
def test_rows_that_lack_values(rows, faulty):
    model = OnlineKernelPCA(3, gamma=0.5, missing="skip", max_atoms=60).fit(rows)
    gappy = faulty.copy()
    gappy[::10, 1] = np.nan
    words = Words(report(model, cut(gappy, 333)).html).text
    assert "100 rows lack values and have no score" in words


@pytest.mark.thorough
def test_blocks_without_a_whole_row(rows, faulty):
    watch = KernelNoveltyDetector(gamma=0.5, missing="skip", lags=1, max_atoms=60).fit(rows)
    gappy = faulty.copy()
    gappy[:100] = gappy[300:400] = np.nan
    whole, pieces = (gathered(Subject.of(watch), cut(gappy, n)) for n in (1000, 100))
    assert whole.scored == pieces.scored == 800
    np.testing.assert_allclose(whole.bins.high, pieces.bins.high, rtol=1e-9)
    np.testing.assert_array_equal(whole.low, np.nanmin(gappy, axis=0))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [OnlineKernelPCA, KernelNoveltyDetector])
def test_rows_that_are_filled_in(rows, kind):
    model = kind(3, gamma=0.5, missing="impute", max_atoms=60).fit(rows)
    gappy = process(4000, seed=5)
    gappy[::10, 1] = np.nan
    made = report(model, cut(gappy, 700))
    words = Words(made.html).text
    assert "lack values" not in words
    assert "do not drift" in words
    assert "nan" not in words.lower().split()
    assert made.summary["drift"] == {"since": None, "what": made.summary["drift"]["what"]}


def test_what_has_no_report_is_refused(rows):
    model = MutualSubspaceClassifier().fit(rows, rows[:, 0] > 0)
    with pytest.raises(TypeError, match="models_"):
        report(model, rows)


def test_looking_changes_nothing(detector, faulty):
    import pickle

    before = pickle.dumps(detector)
    report(detector, faulty)
    assert pickle.dumps(detector) == before
