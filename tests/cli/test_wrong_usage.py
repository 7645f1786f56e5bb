"""One line that says what, where and what next; the right exit code; nothing on stdout."""

import contextlib
import gzip

import numpy as np
import pytest

from okpca.cli.app import app
from okpca.cli.exits import run

USAGE, DATA, MODEL = 2, 3, 4

CASES = [
    # command line, exit code, what the line must name
    ("fit", USAGE, "DATA"),
    ("fit x.csv", USAGE, "--output"),
    ("fly x.csv", USAGE, "fly"),
    ("fit x.csv -o n.okpca --n-comp 3", USAGE, "--n-comp"),
    ("fit x.csv -o n.okpca --n-components -1", USAGE, "--n-components"),
    ("fit x.csv -o n.okpca --n-components many", USAGE, "--n-components"),
    ("fit x.csv -o n.okpca --gamma -2", USAGE, "gamma"),
    ("fit x.csv -o n.okpca --kernel rbx", USAGE, "rbx"),
    ("fit x.csv -o n.okpca --kernel Nothing(gamma=1)", USAGE, "Nothing"),
    ("fit x.csv -o n.okpca --rule exactly", USAGE, "rule"),
    ("fit x.csv -o n.okpca --max-atoms 0", USAGE, "--max-atoms"),
    ("fit x.csv -o n.okpca --statistic t2", USAGE, "--detector"),
    ("fit x.csv -o n.okpca --detector --epochs 2", USAGE, "--epochs"),
    ("fit x.csv -o nowhere/n.okpca", USAGE, "nowhere"),
    ("fit x.csv -o folder", USAGE, "folder"),
    ("fit x.csv -o n.okpca --config none.toml", USAGE, "none.toml"),
    ("fit x.csv -o n.okpca --config broken.toml", USAGE, "broken.toml"),
    ("fit x.csv -o n.okpca --config strange.toml", USAGE, "wings"),
    ("fit x.csv -o n.okpca --every often --checkpoint c", USAGE, "60s"),
    ("fit x.csv -o n.okpca --every 0rows --checkpoint c", USAGE, "60s"),
    ("fit x.csv -o n.okpca --resume", USAGE, "--checkpoint"),
    ("fit x.csv -o n.okpca --every 60s", USAGE, "--checkpoint"),
    ("fit x.csv -o n.okpca --shuffle", USAGE, "--shuffle"),
    ("fit gap.csv -o n.okpca --on-bad-row impute --missing skip", USAGE, "--missing impute"),
    ("fit x.csv -o n.okpca -c a,b", DATA, "-c a -c b"),
    ("fit word.csv -o n.okpca --missing impute", DATA, "--on-bad-row skip"),
    ("fit x.csv -o n.okpca --on-bad-row mend", USAGE, "skip"),
    ("fit x.csv -o n.okpca --block-rows 0", USAGE, "--block-rows"),
    ("fit x.csv -o n.okpca --block-rows few", USAGE, "--block-rows"),
    ("fit x.csv -o n.okpca --format xls", USAGE, "xls"),
    ("fit x.csv -o n.okpca --delimiter ab", USAGE, "ab"),
    ("fit - - -o n.okpca", USAGE, "once"),
    ("fit - -o n.okpca --epochs 2", USAGE, "--epochs"),
    ("fit x.csv -o n.okpca --checkpoint text.okpca --resume", MODEL, "text.okpca"),
    ("fit none.csv -o n.okpca", DATA, "none.csv"),
    ("fit empty.csv -o n.okpca", DATA, "empty.csv"),
    ("fit names.csv -o n.okpca", DATA, "names.csv"),
    ("fit gap.csv -o n.okpca", DATA, "line 4"),
    ("fit word.csv -o n.okpca", DATA, "line 3"),
    ("fit ragged.csv -o n.okpca", DATA, "ragged.csv"),
    ("fit x.csv -o n.okpca -c a -c z", DATA, "'z'"),
    ("fit x.csv -o n.okpca --id who", DATA, "'who'"),
    ("fit x.what -o n.okpca", DATA, "x.what"),
    ("fit broken.npy -o n.okpca", DATA, "broken.npy"),
    ("fit flat.npy -o n.okpca", DATA, "dimensions"),
    ("fit broken.parquet -o n.okpca", DATA, "broken.parquet"),
    ("fit broken.csv.gz -o n.okpca", DATA, "broken.csv.gz"),
    ("fit broken.ndjson -o n.okpca", DATA, "line 2"),
    ("fit x.csv ab.csv -o n.okpca", DATA, "--columns"),
    ("update none.okpca x.csv", MODEL, "none.okpca"),
    ("update text.okpca x.csv", MODEL, "text.okpca"),
    ("transform cut.okpca x.csv", MODEL, "cut.okpca"),
    ("transform m.okpca", USAGE, "DATA"),
    ("transform m.okpca ab.csv", DATA, "'c'"),
    ("transform m.okpca x.npy -c 0", DATA, "x.npy"),
    ("transform m.okpca x.csv -o y.xls", USAGE, "y.xls"),
    ("transform m.okpca x.csv -o nowhere/y.csv", USAGE, "nowhere"),
    ("transform m.okpca none.csv -o y.csv", DATA, "none.csv"),
    ("score m.okpca gap.csv", DATA, "line 4"),
    ("score m.okpca gap.csv --on-bad-row impute", USAGE, "--missing impute"),
    ("monitor x.csv ab.csv --follow", USAGE, "--follow"),
    ("monitor x.npy --follow", DATA, "lines"),
    ("monitor none.csv --follow", DATA, "none.csv"),
    ("monitor x.csv --start m.okpca", USAGE, "m.okpca"),
    ("monitor x.csv --start m.okpca --gamma 2", USAGE, "--gamma"),
    ("monitor x.csv --window 1", USAGE, "window"),
    ("inspect", USAGE, "MODEL"),
    ("inspect x.csv", MODEL, "x.csv"),
    ("verify folder", MODEL, "folder"),
    ("verify flipped.okpca", MODEL, "checksum"),
    ("suggest x.csv --goal fame", USAGE, "fame"),
    ("suggest few.csv", DATA, "few.csv"),
    ("suggest x.csv --on-bad-row impute", USAGE, "skip"),
    ("merge -o n.okpca", USAGE, "MODEL"),
    ("merge m.okpca other.okpca -o n.okpca", USAGE, "gamma"),
    ("compress m.okpca --atoms 0 -o n.okpca", USAGE, "--atoms"),
    ("compress m.okpca -o n.okpca", USAGE, "--atoms"),
    ("plot", USAGE, "KIND"),
    ("plot spectrum m.okpca", USAGE, "--output"),
    ("plot portrait m.okpca -o p.png", USAGE, "portrait"),
    ("plot spectrum m.okpca -o p.xls", USAGE, "p.xls"),
    ("plot spectrum m.okpca -o nowhere/p.png", USAGE, "nowhere"),
    ("plot spectrum m.okpca x.csv -o p.png", USAGE, "alone"),
    ("plot suggestion m.okpca x.csv -o p.png", USAGE, "m.okpca: plot suggestion takes rows and"),
    ("plot spectrum cut.okpca -o p.png", MODEL, "cut.okpca"),
    ("plot projection m.okpca -o p.png", USAGE, "DATA"),
    ("plot projection m.okpca names.csv -o p.png", DATA, "names.csv"),
    ("plot projection m.okpca ab.csv -o p.png", DATA, "'c'"),
    ("plot control m.okpca x.csv -o p.png", USAGE, "KernelNoveltyDetector"),
    ("plot contour m.okpca x.csv -o p.png", USAGE, "3 columns"),
    ("plot suggestion few.csv -o p.png", DATA, "few.csv"),
    ("plot suggestion x.csv --goal fame -o p.png", USAGE, "fame"),
    ("report m.okpca", USAGE, "DATA"),
    ("report m.okpca x.csv", USAGE, "--output"),
    ("report m.okpca x.csv -o - --json", USAGE, "-o"),
    ("report m.okpca x.csv -o nowhere/r.html", USAGE, "nowhere"),
    ("report m.okpca x.csv -o folder", USAGE, "folder"),
    ("report none.okpca x.csv -o r.html", MODEL, "none.okpca"),
    ("report flipped.okpca x.csv -o r.html", MODEL, "checksum"),
    ("report m.okpca none.csv -o r.html", DATA, "none.csv"),
    ("report m.okpca names.csv -o r.html", DATA, "names.csv"),
    ("report m.okpca gap.csv -o r.html", DATA, "line 4"),
    ("report m.okpca x.npy -c 0 -o r.html", DATA, "x.npy"),
    ("report m.okpca x.csv --time z -o r.html", DATA, "'z'"),
    ("demo --folder x.csv", USAGE, "x.csv"),
    ("demo --folder nowhere/demo", USAGE, "nowhere"),
]


def fitted(*options):
    assert run(app, ["fit", "x.csv", "-q", *options]) == 0


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder of things that are wrong, and a model to be wrong about."""
    folder = tmp_path_factory.mktemp("wrong")
    with contextlib.chdir(folder):
        _fill(folder)
    return folder


def _fill(folder):
    rows = np.random.default_rng(0).normal(size=(300, 3))
    np.savetxt("x.csv", rows, delimiter=",", header="a,b,c", comments="")
    np.save("x.npy", rows)
    fitted("--gamma", "0.5", "-o", "m.okpca")
    fitted("--gamma", "0.7", "-o", "other.okpca")
    content = (folder / "m.okpca").read_bytes()
    texts = {
        "empty.csv": "",
        "names.csv": "a,b,c\n",
        "gap.csv": "a,b,c\n1,2,3\n1,2,4\n1,,3\n",
        "word.csv": "a,b,c\n1,2,3\n1,much,3\n",
        "ragged.csv": "a,b,c\n1,2,3\n1,2\n",
        "ab.csv": "a,b\n1,2\n2,1\n",
        "few.csv": "a,b\n1,2\n2,1\n",
        "x.what": "a,b\n1,2\n",
        "broken.npy": "no array",
        "broken.parquet": "no table",
        "broken.ndjson": '{"a": 1}\n{"a": \n',
        "broken.toml": "gamma = = 2\n",
        "strange.toml": "wings = 2\n",
        "text.okpca": "this is no model, however long it may be, and never was one.\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "folder").mkdir()
    (folder / "cut.okpca").write_bytes(content[:-9])
    (folder / "flipped.okpca").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    (folder / "broken.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n" * 99)[:-20])
    np.save("flat.npy", rows[:, 0])


@pytest.mark.parametrize(("line", "code", "named"), CASES, ids=[case[0] for case in CASES])
def test_wrong_usage(files, monkeypatch, capsys, line, code, named):
    monkeypatch.chdir(files)
    before = set(files.iterdir())
    found = run(app, line.split())
    out, said = capsys.readouterr()
    assert (found, out) == (code, ""), said
    assert said.startswith("okpca: ")
    assert said.count("\n") == 1
    assert named in said
    assert "Traceback" not in said
    assert set(files.iterdir()) == before  # nothing half done is left


def test_what_is_a_bug_is_called_one(okpca, monkeypatch, model):
    monkeypatch.delenv("OKPCA_DEBUG", raising=False)
    monkeypatch.setattr("okpca.cli.commands.inspect_verify.opened", lambda path: 1 / 0)
    done = okpca(f"verify {model}")
    assert done.code == 1
    assert done.err.startswith("okpca: a bug: ZeroDivisionError")
    assert done.err.count("\n") == 1
