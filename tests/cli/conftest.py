"""The command line, called in this process, in a folder of its own."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from okpca.cli.app import app
from okpca.cli.exits import run


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 1500)
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0.1 * rng.normal(size=1500)])
    return ring + 0.05 * rng.normal(size=ring.shape)


@pytest.fixture
def frame(rows):
    """With the names of x.csv, which a model learned from it knows."""
    return pd.DataFrame(rows, columns=["a", "b", "c"])


@pytest.fixture
def folder(tmp_path, monkeypatch, rows):
    monkeypatch.chdir(tmp_path)
    np.savetxt("x.csv", rows, delimiter=",", header="a,b,c", comments="")
    np.save("x.npy", rows)
    return tmp_path


@pytest.fixture
def okpca(folder, capsys):
    """Of a command line: exit code, stdout and stderr."""

    def called(line):
        capsys.readouterr()
        code = run(app, line.split() if isinstance(line, str) else line)
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return called


@pytest.fixture(scope="session")
def made():
    """The files that commands have left, which are learned once."""
    return {}


def left_by(line, name, okpca, folder, made):
    """The file of that name in the folder, as the command leaves it there."""
    if name not in made:
        done = okpca(f"{line} -o {name} -q")
        assert (done.code, done.out, done.err) == (0, "", "")
        made[name] = (folder / name).read_bytes()
    (folder / name).write_bytes(made[name])
    return name


@pytest.fixture
def model(okpca, folder, made):
    line = "fit x.csv --n-components 3 --gamma 0.5 --max-atoms 60"
    return left_by(line, "m.okpca", okpca, folder, made)


@pytest.fixture
def detector(okpca, folder, made):
    return left_by("fit x.csv --detector --gamma 2 --window 500", "d.okpca", okpca, folder, made)
