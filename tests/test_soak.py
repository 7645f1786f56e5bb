"""The soak, in seconds instead of minutes: every part tries something, and nothing breaks."""

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.soak import cuts, interrupts, lives, neighbours, readers
from benchmarks.soak.__main__ import PARTS
from benchmarks.soak.tally import soak

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("part", "tries"),
    [(lives, 10), (cuts, 6), (interrupts, 3), (readers, 1)],
    ids=lambda part: getattr(part, "__name__", str(part)),
)
def test_a_little_of_every_part(part, tries):
    tally = soak(part.excess_of, range(1000, 1000 + tries))
    assert tally.tried == tries
    assert tally.broken == [], tally.errors


@pytest.mark.thorough
@pytest.mark.parametrize(
    "seed",
    [
        70335,  # robust weights by six of ten components that tie
        801310,  # CCIPCA: components that leave with their atoms, but for rounding
    ],
)
def test_cuts_that_broke_once(seed):
    assert cuts.excess_of(seed) <= 1.0


def test_what_breaks_is_told():
    def excess_of(seed):
        if seed == 3:
            raise ZeroDivisionError("no")
        return float("nan") if seed == 4 else seed

    tally = soak(excess_of, range(5))
    assert tally.tried == 5
    assert tally.broken == [2, 3, 4]
    assert tally.errors == {3: "ZeroDivisionError: no"}
    assert soak(excess_of, range(5), seconds=-1.0).tried == 0


@pytest.mark.signals
def test_an_interrupt_comes_at_its_line():
    """Otherwise nothing would ever be interrupted."""
    rng_lines = interrupts.lines_of(lambda: interrupts.OnlineKernelPCA().fit([[1.0], [2.0]]))
    assert rng_lines > 100
    with pytest.raises(KeyboardInterrupt):
        interrupts.interrupted_at(50, lambda: interrupts.OnlineKernelPCA().fit([[1.0], [2.0]]))


@pytest.mark.slow
def test_the_command():
    parts = [part for part in PARTS if part != "neighbours"]  # which takes both cores for long
    command = [sys.executable, "-m", "benchmarks.soak", "--minutes", "0.01"]
    command += [f"--part={part}" for part in parts]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=1800, cwd=ROOT
    )
    told = dict(re.findall(r"^(\w+): (\d+) ", run.stdout, flags=re.MULTILINE))
    assert list(told) == parts, run.stdout + run.stderr
    assert all(int(tried) > 0 for tried in told.values())
    assert len(re.findall(r"seeds 0 broken", run.stdout)) == len(parts), run.stdout
    assert run.returncode == 0


@pytest.mark.slow
def test_neighbours(monkeypatch):
    """On a busy machine the ratio of two speeds says little, but there is one."""
    monkeypatch.setattr(neighbours, "TURNS", 1)
    monkeypatch.setattr(neighbours, "SIZES", ((64, 50, 5),))
    assert 0.0 < neighbours.excess_of(0) < math.inf
