"""The commands that the README shows, as written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import okpca
from okpca.io import header

README = Path(__file__).resolve().parents[2] / "README.md"


def commands():
    section = README.read_text(encoding="utf-8").partition("## At the prompt")[2]
    return re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1].splitlines()


@pytest.mark.long
def test_every_command_runs(tmp_path):
    rng = np.random.default_rng(0)
    for name, n in (("x.csv", 1200), ("more.csv", 400)):
        rows = rng.normal(size=(n, 4))
        np.savetxt(tmp_path / name, rows, delimiter=",", header="a,b,c,d", comments="")
    command = tmp_path / "bin" / "okpca"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m okpca "$@"\n')
    command.chmod(0o755)
    path = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}"}
    for line in commands():
        shell = ["bash", "-o", "pipefail", "-c", line]
        done = subprocess.run(
            shell, cwd=tmp_path, env=path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (line, done.stderr)
        assert "Traceback" not in done.stderr
    assert okpca.load(tmp_path / "m.okpca").n_samples_seen_ == 1600
    assert okpca.load(tmp_path / "both.okpca").n_samples_seen_ == 1600
    assert okpca.load(tmp_path / "small.okpca").n_atoms_ <= 20
    assert header(tmp_path / "seen")["rows"] == 1600


def test_every_command_that_there_is_is_shown():
    from okpca.cli.app import app

    names = {info.callback.__name__ for info in app.registered_commands}
    assert names == set(re.findall(r"(?:^|\| )okpca (\w+)", "\n".join(commands()), re.M))
