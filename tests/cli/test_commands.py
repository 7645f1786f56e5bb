"""Commands do what the library does, data on stdout and nothing else there."""

import csv
import inspect
import io
import json
import re
import subprocess
import sys

import numpy as np
import pyarrow.parquet
import pytest

import okpca as library
from okpca.cli import sources
from okpca.cli.commands import transform_score_denoise
from okpca.cli.estimator_parameters import NO_OPTION, parameters
from okpca.cli.options import SOURCE
from okpca.cli.output import dumped
from okpca.cli.progress import Progress
from process_tools import started


def table(text):
    found = list(csv.reader(io.StringIO(text)))
    return found[0], np.array(found[1:], dtype=float)


@pytest.mark.parametrize("name", ["OnlineKernelPCA", "KernelNoveltyDetector"])
def test_every_parameter_is_an_option_with_its_default(name, okpca):
    declared = parameters(name)
    signature = inspect.signature(getattr(library, name)).parameters
    assert {one: of.default for one, of in declared.items()} == {
        one: of.default for one, of in signature.items() if one not in NO_OPTION
    }
    shown = okpca("fit --help").out
    assert all(f"--{one.replace('_', '-')}" in shown for one in declared)


def test_fit_learns_what_partial_fit_does(model, rows, frame):
    twin = library.OnlineKernelPCA(3, gamma=0.5, max_atoms=60).partial_fit(rows)
    np.testing.assert_array_equal(library.load(model).dual_coef_, twin.dual_coef_)
    np.testing.assert_allclose(library.load(model).transform(frame), twin.transform(rows))


def test_parameters_of_a_file_give_way_to_options(okpca, folder):
    (folder / "p.toml").write_text('n-components = 2\ngamma = 0.7\nrule = "exact"\ncenter = false')
    line = "fit x.csv -o m.okpca --config p.toml --gamma 0.9 --max-atoms none --robust none"
    assert okpca(line).code == 0
    model = library.load("m.okpca")
    assert (model.n_components, model.gamma, model.center, model.max_atoms) == (2, 0.9, False, None)


@pytest.mark.thorough
def test_objects_are_given_as_code(okpca):
    line = ["fit", "x.csv", "-o", "m.okpca", "--kernel", "Laplacian(gamma=0.25)", "--no-center"]
    assert okpca(line).code == 0
    assert library.load("m.okpca").kernel == library.kernels.Laplacian(0.25)


def test_epochs_are_passes_over_the_source(okpca, rows):
    assert okpca("fit x.npy --epochs 2 --rule okha --gamma 0.5 -o m.okpca").code == 0
    assert library.load("m.okpca").n_samples_seen_ == 2 * len(rows)


def test_update_goes_on_in_place(okpca, model, rows):
    assert okpca(f"update {model} x.csv").code == 0
    assert library.load(model).n_samples_seen_ == 2 * len(rows)
    assert library.load(f"{model}~").n_samples_seen_ == len(rows)


def test_transform_takes_the_columns_of_the_model(okpca, model, rows, frame, folder):
    names, found = table(okpca(f"transform {model} x.csv").out)
    assert names == ["row", "component1", "component2", "component3"]
    expected = library.load(model).transform(frame)
    np.testing.assert_allclose(found[:, 1:], expected, rtol=0, atol=1e-12)
    wide = np.column_stack([rows[:, 2], np.ones(len(rows)), rows[:, :2]])
    np.savetxt("wide.csv", wide, delimiter=",", header="c,k,a,b", comments="")
    np.testing.assert_array_equal(table(okpca(f"transform {model} wide.csv").out)[1], found)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet", "npy"])
def test_results_in_files(okpca, folder, model, frame, kind):
    done = okpca(f"transform {model} x.csv --id a --columns a:c -o y.{kind}")
    assert (done.code, done.out) == (0, "")
    expected = library.load(model).transform(frame)
    if kind == "npy":
        found = np.load("y.npy")
    elif kind == "parquet":
        found = pyarrow.parquet.read_table("y.parquet").to_pandas().to_numpy()[:, 2:].astype(float)
    elif kind == "ndjson":
        lines = [json.loads(line) for line in (folder / "y.ndjson").read_text().splitlines()]
        assert lines[7]["row"] == 7
        found = np.array([list(line.values())[2:] for line in lines])
    else:
        found = table((folder / "y.csv").read_text())[1][:, 2:]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_score_of_a_detector(okpca, detector, frame):
    names, found = table(okpca(f"score {detector} x.csv").out)
    assert names == ["row", "spe", "t2", "combined", "nested", "alarm"]
    judge = library.load(detector)
    # Rows that are atoms leave nothing but rounding, which is not that of other blocks.
    np.testing.assert_allclose(found[:, 4], -judge.score_samples(frame), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found[:, 5] == 1, judge.predict(frame) == -1)


def test_score_of_a_model(okpca, model, frame):
    names, found = table(okpca(f"score {model} x.csv").out)
    assert names == ["row", "spe", "t2"]
    learned = library.load(model)
    np.testing.assert_allclose(found[:, 1], learned.reconstruction_error(frame), atol=1e-12)


@pytest.mark.long
def test_scores_with_memory_do_not_depend_on_blocks(okpca):
    assert okpca("fit x.npy --detector --lags 1 --ewma 0.5 --gamma 2 -o d.okpca -q").code == 0
    whole, cut, few = (
        table(okpca(f"score d.okpca x.npy --block-rows {n}").out)[1] for n in (10_000, 100, 13)
    )
    assert len(whole) == 1500
    np.testing.assert_allclose(cut, whole, rtol=1e-9)
    np.testing.assert_allclose(few, whole, rtol=1e-9)
    detector = library.load("d.okpca")
    np.testing.assert_allclose(whole[:, 1], -detector.score_samples(np.load("x.npy")), rtol=1e-9)


@pytest.mark.thorough
def test_scores_with_memory_need_no_more_than_a_block(okpca, monkeypatch):
    """The first results are written before the last rows are read."""
    assert okpca("fit x.npy --detector --lags 1 --ewma 0.5 --gamma 2 -o d.okpca -q").code == 0
    read, before = [], sources.Blocks

    def blocks(*args):
        for block in before(*args):
            read.append(len(block.rows))
            yield block

    monkeypatch.setattr(sources, "Blocks", blocks)
    judge = transform_score_denoise.score(library.load("d.okpca"))
    source = {member.name: member.default for member in SOURCE} | {"rows": 100}
    next(transform_score_denoise._parts(judge, ["x.npy"], source))
    assert read == [100]


def test_denoise(okpca, model, frame):
    names, found = table(okpca(f"denoise {model} x.csv").out)
    assert names == ["row", "a", "b", "c"]
    np.testing.assert_allclose(found[:, 1:], library.load(model).denoise(frame), atol=1e-9)


@pytest.mark.thorough
def test_inspect(okpca, model, detector):
    text = okpca(f"inspect {model}").out
    assert "certificate" in text
    assert "a, b, c" in text
    told = json.loads(okpca(f"inspect {model} --json").out)
    assert told["header"]["class"] == "OnlineKernelPCA"
    assert told["model"] == library.load(model).describe().to_dict()
    assert "alarms" in okpca(f"inspect {detector}").out


def test_verify(okpca, model, folder):
    assert okpca(f"verify {model}").code == 0
    assert json.loads(okpca(f"verify {model} --json").out)["sound"]
    path = folder / model
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    done = okpca(f"verify {model}")
    assert (done.code, done.out) == (4, "")
    assert "checksum" in done.err


def test_json_and_quiet(okpca):
    told = json.loads(okpca("fit x.csv --gamma 0.5 -o m.okpca --json").out)
    assert told["rows"] == 1500
    done = okpca("fit x.csv --gamma 0.5 -o m.okpca")
    assert done.out == ""
    assert "1500 rows" in done.err
    assert "\x1b" not in done.err


@pytest.mark.long
def test_rows_from_a_pipe(folder, model):
    """As `cat x.csv | okpca transform m.okpca - | head -n 2` has it."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with started(f"transform {model} -", text=True, **pipes) as process:
        process.stdin.write((folder / "x.csv").read_text())
        process.stdin.close()
        assert process.stdout.readline() == "row,component1,component2,component3\n"
        assert process.stdout.readline().startswith("0,")
        process.stdout.close()
        assert process.stderr.read() == ""  # quiet on a broken pipe


def test_help_comes_at_once():
    """Whatever takes time to load is loaded by a command that needs it."""
    code = "import sys; from okpca.cli import main; sys.argv = ['okpca', '--help']\n"
    code += "try: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0
    assert "monitor" in run.stdout
    loaded = {name.partition(".")[0] for name in run.stderr.split()}
    assert "okpca" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "pyarrow", "numba", "pandas", "safetensors"}


@pytest.mark.filterwarnings("default")
def test_bad_rows_left_out_are_counted(okpca, folder):
    with open("x.csv", "a") as file:
        file.write("1,much,2\n1,,2\n")
    done = okpca("fit x.csv --gamma 0.5 -o m.okpca --on-bad-row skip")
    assert done.code == 0
    assert "2 bad rows" in done.err
    assert "x.csv, line 1502" in done.err
    assert okpca("fit x.csv --gamma 0.5 -o m.okpca --on-bad-row skip -q").err == ""


def test_results_beside_columns_of_the_same_name(okpca, rows):
    np.savetxt("t.csv", rows, delimiter=",", header="time,row,c", comments="")
    assert okpca("fit t.csv --gamma 0.5 -o t.okpca -q").code == 0
    names, found = table(okpca("denoise t.okpca t.csv").out)
    assert names == ["row", "denoised time", "denoised row", "c"]
    np.testing.assert_array_equal(found[:, 0], np.arange(len(rows)))


def test_progress_is_told(model, rows):
    class Shown(list):
        update = list.append

    shown = Shown()
    progress = Progress(shown)
    progress._last -= 10
    progress.passed(library.load(model), 700, 3.0)
    progress.passed(library.load(model), 700, 3.0)  # too soon after
    (line,) = shown
    assert re.fullmatch(
        r"700 rows, \d+ rows/s, \d+ atoms, [\d.]+ % explained, checkpoint 3 s ago", line
    )


def test_json_has_no_infinity():
    assert dumped({"a": [float("inf"), 1.5], "b": float("nan")}) == '{"a": [null, 1.5], "b": null}'


def test_version(okpca):
    assert okpca("--version").out.strip() == library.__version__
