"""Help, completion, --config and --json; what is said at the end."""

import json
import os
import subprocess
import sys

import pytest

import okpca as library
from okpca.cli.app import app
from okpca.cli.estimator_parameters import parameters

COMMANDS = sorted(info.callback.__name__ for info in app.registered_commands)


def test_okpca_alone_shows_help(okpca):
    done = okpca("")
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) > 12
    assert not done.err.startswith("okpca: ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_speaks_json(okpca, name):
    done = okpca(f"{name} --help")
    assert done.code == 0
    # Lines of `monitor` are JSON always; `plot` makes a picture, `demo` tells a story.
    assert "--json" in done.out or name in ("monitor", "plot", "demo")


def test_help_lists_what_can_be_chosen(okpca):
    text = " ".join(okpca("fit --help").out.split())
    declared = parameters("KernelNoveltyDetector") | parameters("OnlineKernelPCA")
    for choices in (of.choices for of in declared.values() if of.choices):
        assert ", ".join(choices) in text
    for choices in ("raise, skip, impute", "csv, parquet, arrow, ndjson, npy, npz"):
        assert choices in text
    assert "Every column is centred" in " ".join(okpca("monitor --help").out.split())


@pytest.mark.thorough
@pytest.mark.parametrize("line", ["--help", "fit --help", "monitor --help"])
def test_help_loads_nothing_heavy(line):
    code = (
        "import sys; from okpca.cli.app import app; from okpca.cli.exits import run; "
        f"run(app, {line.split()!r}); "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'pyarrow', 'rich', 'sklearn')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def completed(words):
    asked = {
        "_OKPCA_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = subprocess.run(
        [sys.executable, "-m", "okpca"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


@pytest.mark.thorough
def test_the_shell_completes(okpca, monkeypatch):
    # As where typer cannot tell which shell it is in: `make` runs another than people do.
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    assert completed("okpca mon") == ["monitor"]
    assert "--max-atoms" in completed("okpca fit --max")
    assert completed("okpca fit --missing im") == ["impute"]
    assert completed("okpca fit --on-bad-row s") == ["skip"]
    assert "_OKPCA_COMPLETE" in okpca("--show-completion bash").out


@pytest.mark.thorough
def test_monitor_takes_parameters_of_a_file(okpca, folder):
    (folder / "p.toml").write_text("window = 500\ngamma = 2.0\n")
    assert okpca("monitor x.csv --config p.toml --window 600 --save d.okpca -o alarms").code == 0
    found = library.load("d.okpca")
    assert (found.window, found.gamma) == (600, 2.0)


@pytest.mark.thorough
def test_monitor_counts_its_own_rows(okpca, detector):
    done = okpca(f"monitor x.csv --start {detector} --save e.okpca -o alarms")
    before, after = library.load(detector), library.load("e.okpca")
    alarms = after.n_alarms_ - before.n_alarms_
    assert done.err == (
        f"okpca: 1500 rows, {alarms} alarms; with those before, 3000 and {after.n_alarms_}.\n"
    )


def test_compress_says_that_there_is_nothing_to_do(okpca, model):
    n = library.load(model).n_atoms_
    done = okpca(f"compress {model} --atoms {n} -o n.okpca")
    assert done.code == 0
    assert f"has {n} atoms, so --atoms {n} leaves it as it is" in done.err


def test_verify_takes_several(okpca, model, folder):
    (folder / "bad.okpca").write_text("no model")
    done = okpca(f"verify {model} bad.okpca {model}")
    assert done.code == 4
    assert len(done.out.splitlines()) == 2
    assert "bad.okpca" in done.err
    told = [json.loads(line) for line in okpca(f"verify bad.okpca {model} --json").out.splitlines()]
    assert [one["sound"] for one in told] == [False, True]


def test_inspect_is_readable_and_json_keeps_digits(okpca):
    assert okpca("fit x.csv --scale standard --gamma 0.123456789 -o m.okpca -q").code == 0
    assert "gamma=0.123)" in okpca("inspect m.okpca").out
    assert "gamma=0.123456789" in okpca("inspect m.okpca --json").out


def test_errors_name_the_row_of_the_source(okpca, folder):
    (folder / "y.csv").write_text("a,b\n" + "1,2\n2,1\n" * 5 + "1e300,1\n")
    done = okpca("fit y.csv --kernel poly --degree 3 -o m.okpca")
    assert done.code == 3
    assert "y.csv, row 10: " in done.err
    assert "partial_fit" not in done.err
