"""Help at once."""

from __future__ import annotations

import subprocess
from statistics import median

from benchmarks.prompt.commands import ended, started

TITLE = "How long does help take?"
LINES = ("--help", "fit --help", "monitor --help", "--version")
TEXT = """\
Processor time of the whole process, in milliseconds, the median of {repeats}: nothing that
learns is loaded.

| command | ms |
|---|---|
"""


def run(quick: bool) -> str:
    repeats = 1 if quick else 9
    parts = [TEXT.format(repeats=repeats)]
    for line in LINES:
        found = []
        for _ in range(repeats):
            spent = ended(started(line, stdout=subprocess.DEVNULL))
            assert spent.code == 0
            found.append(1000 * spent.seconds)
        parts.append(f"| `okpca {line}` | {median(found):.0f} |\n")
    return "".join(parts)
