"""The commands that the README shows, as written."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import okpca
from okpca.cli.app import app
from okpca.cli.demo import story
from okpca.cli.exits import run
from okpca.io import header

README = Path(__file__).resolve().parents[2] / "README.md"


def commands():
    section = README.read_text(encoding="utf-8").partition("## At the prompt")[2]
    return re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1].splitlines()


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A folder with data, and a prompt there that knows the command."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, n in (("x.csv", 1200), ("more.csv", 400)):
        rows = rng.normal(size=(n, 4))
        np.savetxt(name, rows, delimiter=",", header="a,b,c,d", comments="")
    command = tmp_path / "bin" / "okpca"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m okpca "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    return ["bash", "-o", "pipefail", "-c"]


@pytest.mark.long
def test_every_command_runs(shell, tmp_path, capfd, monkeypatch):
    stories = []
    monkeypatch.setattr(story, "told", lambda *given: stories.append(given))  # in tests/cli/demo
    for line in commands():
        words = shlex.split(line, comments=True)
        if {"|", ">"} & set(words):
            code = subprocess.run([*shell, line], check=False).returncode
        else:  # in this process: to start another takes seconds
            assert words[0] == "okpca"
            code = run(app, words[1:])
        said = capfd.readouterr().err
        assert code == 0, (line, said)
        assert "Traceback" not in said
    assert okpca.load(tmp_path / "m.okpca").n_samples_seen_ == 1600
    assert okpca.load(tmp_path / "both.okpca").n_samples_seen_ == 1600
    assert okpca.load(tmp_path / "small.okpca").n_atoms_ <= 20
    assert header(tmp_path / "seen")["rows"] == 1600
    [(folder, running, say)] = stories
    assert folder.is_dir()
    assert running(["verify", "m.okpca"]) == 0
    say("$ okpca verify")
    assert "$ okpca verify" in capfd.readouterr().out


def test_every_command_that_there_is_is_shown():
    names = {info.callback.__name__ for info in app.registered_commands}
    assert names == set(re.findall(r"(?:^|\| )okpca (\w+)", "\n".join(commands()), re.M))
