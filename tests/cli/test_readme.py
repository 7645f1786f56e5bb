"""The commands that the README shows, as written."""

import os
import re
import shlex
import subprocess
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

import okpca
from okpca.cli.app import app
from okpca.cli.demo import story
from okpca.cli.exits import run
from okpca.io import header
from process_tools import started

README = Path(__file__).resolve().parents[2] / "README.md"


def commands():
    section = README.read_text(encoding="utf-8").partition("## At the prompt")[2]
    return re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1].splitlines()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """With data."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, n in (("x.csv", 500), ("more.csv", 200)):
        rows = rng.normal(size=(n, 4))
        np.savetxt(name, rows, delimiter=",", header="a,b,c,d", comments="")
    return tmp_path


def piped(line):
    """What a shell does with `a | b > file`: the codes of all commands that are not 0."""
    line, _, target = line.partition(">")
    with ExitStack() as opened:
        running, before = [], None
        target = opened.enter_context(open(target.strip() or os.devnull, "wb"))
        *others, last = line.split("|")
        for part in [*others, last]:
            words = shlex.split(part)
            pipes = {"stdin": before, "stdout": target if part is last else subprocess.PIPE}
            if words[0] == "okpca":
                running.append(started(shlex.join(words[1:]), **pipes))
            else:
                running.append(subprocess.Popen(words, **pipes))
            if before is not None:
                before.close()  # or nobody would notice that the next one has left
            before = running[-1].stdout
        return [process.args for process in running if process.wait(300)]


@pytest.mark.long
def test_every_command_runs(folder, capfd, monkeypatch):
    stories = []
    monkeypatch.setattr(story, "told", lambda *given: stories.append(given))  # in tests/cli/demo
    for line in commands():
        words = shlex.split(line, comments=True)
        if {"|", ">"} & set(words):
            failed = piped(shlex.join(words).replace("'|'", "|").replace("'>'", ">"))
        else:  # in this process: to start another takes seconds
            assert words[0] == "okpca"
            failed = run(app, words[1:])
        said = capfd.readouterr().err
        assert not failed, (line, said)
        assert "Traceback" not in said
    assert okpca.load(folder / "m.okpca").n_samples_seen_ == 700
    assert okpca.load(folder / "both.okpca").n_samples_seen_ == 700
    assert okpca.load(folder / "small.okpca").n_atoms_ <= 20
    assert header(folder / "seen")["rows"] == 700
    [(place, running, say)] = stories
    assert place.is_dir()
    assert running(["verify", "m.okpca"]) == 0
    say("$ okpca verify")
    assert "$ okpca verify" in capfd.readouterr().out


def test_every_command_that_there_is_is_shown():
    names = {info.callback.__name__ for info in app.registered_commands}
    assert names == set(re.findall(r"(?:^|\| )okpca (\w+)", "\n".join(commands()), re.M))
