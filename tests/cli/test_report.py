"""`report` and `plot` at the prompt, and the commands that model files keep."""

import json
import sys

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

import okpca as library
from okpca.io import header
from okpca.subspace import MutualSubspaceClassifier


@pytest.fixture
def timed(folder, rows):
    """The rows with a time and an id, some of them wrong in b."""
    rows = rows.copy()
    rows[900:930, 1] += 2.0
    when = np.datetime64("2026-03-01T08:00:00") + np.arange(len(rows)).astype("timedelta64[s]")
    lines = [
        f"{time},n{i},{a:.6f},{b:.6f},{c:.6f}"
        for i, (time, (a, b, c)) in enumerate(zip(when, rows, strict=True))
    ]
    (folder / "t.csv").write_text("when,who,a,b,c\n" + "\n".join(lines) + "\n")
    return "t.csv --time when --id who"


@pytest.mark.long
def test_report(okpca, folder, detector, timed):
    done = okpca(f"report {detector} {timed} -o r.html")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("okpca: r.html: 1500 rows, ")
    page = (folder / "r.html").read_text()
    assert "2026-03-01 08:00 to 08:24:59" in page
    assert ", id n9" in page
    told = json.loads(okpca(f"report {detector} {timed} -o r.html --json").out)
    assert (told["page"], told["rows"]) == ("r.html", 1500)
    assert told["incidents"][0]["columns"][0] == "b"
    assert 900 <= told["incidents"][0]["row"] < 930
    alarms = sum(line.endswith(",1") for line in okpca(f"score {detector} t.csv").out.splitlines())
    assert told["alarms"] == alarms


@pytest.mark.long
def test_report_on_stdout_and_of_a_model(okpca, model):
    done = okpca(f"report {model} x.csv -o - --title <Ring>")
    assert done.code == 0
    assert done.out.startswith("<!doctype html>")
    assert "<title>&lt;Ring&gt;</title>" in done.out
    assert "okpca fit x.csv --n-components 3 --gamma 0.5 --max-atoms 60 -o m.okpca\n" in done.out
    assert f"okpca report {model} x.csv --title &#x27;&lt;Ring&gt;&#x27; --output -" in done.out


def test_scores_are_those_of_score(okpca, model, rows):
    from okpca.cli.sources import opened
    from okpca.report.subject import Subject

    found = Subject.of(opened(model)[0]).scores(rows)
    assert okpca(f"score {model} x.csv -o s.npy").code == 0
    np.testing.assert_allclose(found, np.load("s.npy"), rtol=1e-9)


@pytest.mark.long
def test_report_on_a_pipeline(okpca, folder, rows, timed):
    steps = [("scale", StandardScaler()), ("watch", library.KernelNoveltyDetector(max_atoms=60))]
    library.StreamPipeline(steps).fit(rows).save("p.okpca")
    told = json.loads(okpca(f"report p.okpca {timed} -o r.html --json").out)
    assert told["incidents"][0]["columns"][0] == "b"
    assert okpca(f"plot control p.okpca {timed} -o c.png -q").code == 0
    assert okpca(f"plot projection p.okpca {timed} -o p.png -q").code == 0


def test_a_classifier_has_no_report(okpca, rows):
    MutualSubspaceClassifier().fit(rows, rows[:, 0] > 0).save("c.okpca")
    done = okpca("report c.okpca x.csv -o r.html")
    assert done.code == 2
    assert "models_" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["spectrum", "projection", "growth", "drift"])
def test_plots_of_a_model(okpca, folder, model, kind):
    rows = "" if kind == "spectrum" else "x.csv"
    done = okpca(f"plot {kind} {model} {rows} -o p.svg")
    assert (done.code, done.out, done.err) == (0, "", f"okpca: p.svg: {kind}.\n")
    assert "<svg" in (folder / "p.svg").read_text()


@pytest.mark.thorough
def test_rows_that_are_images(okpca, folder):
    np.save("images.npy", np.random.default_rng(0).normal(size=(50, 4)))
    assert okpca("fit images.npy --n-components 3 --gamma 0.5 -o m.okpca -q").code == 0
    assert okpca("plot reconstruction m.okpca images.npy -o p.pdf -q").code == 0
    assert (folder / "p.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.thorough
def test_contours_have_the_names_of_the_columns(okpca, folder):
    assert okpca("fit x.csv -c a -c b --gamma 0.5 -o m.okpca -q").code == 0
    assert okpca("plot contour m.okpca x.csv -o p.svg -q").code == 0
    assert "<!-- b -->" in (folder / "p.svg").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["control", "contributions", "spectrum", "projection"])
def test_plots_of_a_detector(okpca, folder, detector, timed, kind):
    rows = "" if kind == "spectrum" else timed
    done = okpca(f"plot {kind} {detector} {rows} -o p.svg -q")
    assert (done.code, done.err) == (0, "")
    picture = (folder / "p.svg").read_text()
    if kind == "control":
        assert "<!-- 08:10 -->" in picture
    if kind == "contributions":
        assert "<!-- b -->" in picture


@pytest.mark.parametrize("first", ["0.0", "2000"])
def test_times_that_are_numbers_are_the_axis(okpca, folder, rows, detector, first):
    """In text, too, which CSV is."""
    when = float(first) + np.arange(300) * (0.5 if "." in first else 1)
    with open("n.csv", "w") as file:
        file.write("when,a,b,c\n")
        for time, row in zip(when, rows, strict=False):
            time = time if "." in first else int(time)
            file.write(f"{time},{row[0]},{row[1]},{row[2]}\n")
    assert okpca(f"plot control {detector} n.csv --time when -o p.svg -q").code == 0
    picture = (folder / "p.svg").read_text()
    assert f"<!-- {'100' if '.' in first else '2100'} -->" in picture
    assert "<!-- time -->" in picture


@pytest.mark.long
def test_times_with_a_decimal_comma_are_the_axis(okpca, folder, rows, detector):
    lines = ("; ".join(map(str, (0.5 * i, *row))).replace(".", ",") for i, row in enumerate(rows))
    (folder / "n.csv").write_text("\n".join(["when;a;b;c", *lines]))
    more = "--time when --delimiter ; --decimal ,"
    assert okpca(f"plot control {detector} n.csv {more} -o p.svg -q").code == 0
    assert "<!-- time -->" in (folder / "p.svg").read_text()


@pytest.mark.long
def test_plot_of_a_suggestion(okpca, folder):
    assert okpca("plot suggestion x.csv -o p.png -q").code == 0
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.thorough
def test_a_long_file_is_drawn_in_part_which_is_said(okpca, model, monkeypatch):
    monkeypatch.setattr("okpca.cli.commands.plot.MOST", 400)
    assert "the first 400 rows" in okpca(f"plot projection {model} x.csv -o p.png").err


def commands(path):
    return header(path)["position"]["commands"]


@pytest.mark.thorough
def test_a_file_keeps_the_commands_that_made_it(okpca, model, rows):
    made = "okpca fit x.csv --n-components 3 --gamma 0.5 --max-atoms 60"
    assert commands(model) == [made]
    assert okpca(f"update {model} x.csv -c a:c --block-rows 500 --checkpoint k").code == 0
    assert okpca(f"update {model} x.csv -c a:c --block-rows 500 --checkpoint k --resume").code == 0
    more = f"okpca update {model} x.csv -c a:c --block-rows 500"
    assert commands(model) == [made, more]
    assert okpca(f"compress {model} --atoms 20 -o s.okpca").code == 0
    assert commands("s.okpca") == [made, more, f"okpca compress {model} --atoms 20"]
    assert okpca("merge s.okpca s.okpca -o both.okpca").code == 0
    assert commands("both.okpca") == ["okpca merge s.okpca s.okpca"]


@pytest.mark.thorough
def test_a_monitor_keeps_them_too(okpca, detector):
    line = f"monitor x.csv --start {detector} -o alarms --save e.okpca -q"
    assert okpca(line).code == 0
    assert commands("e.okpca") == [
        "okpca fit x.csv --detector --gamma 2 --window 500",
        f"okpca monitor x.csv --start {detector}",
    ]


def test_what_they_are_made_of_can_be_run_again(okpca, model, rows):
    """Options with spaces and flags, too."""
    np.savetxt("my rows.csv", rows, delimiter=";", header="a;b;c", comments="")
    line = ["fit", "my rows.csv", "-o", "n.okpca", "--no-center", "--kernel", "RBF(gamma=0.5)"]
    assert okpca([*line, "--delimiter", ";", "-c", "a", "-c", "c", "-q"]).code == 0
    (again,) = commands("n.okpca")
    assert again == (
        "okpca fit 'my rows.csv' --kernel 'RBF(gamma=0.5)' --no-center -c a -c c --delimiter ';'"
    )


def test_old_commands_make_room_and_the_first_stays():
    from okpca.cli.command_history import KEPT, after

    found = ["first"]
    for i in range(50):
        found = after(found, str(i))
    assert len(found) == KEPT
    assert (found[0], found[-1]) == ("first", "49")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "line", ["report m.okpca x.csv -o r.html", "plot spectrum m.okpca -o p.png", "demo"]
)
def test_without_matplotlib(okpca, model, monkeypatch, folder, line):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    before = set(folder.iterdir())
    done = okpca(line)
    assert (done.code, done.out) == (2, "")
    assert "pip install 'okpca[plot]'" in done.err
    assert done.err.count("\n") == 1
    assert set(folder.iterdir()) == before
