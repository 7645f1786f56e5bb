"""Runs that are killed, and end in the same bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.kills import LINES, killed, write

TITLE = "Killed at any moment"
TEXT = """\
`kill -9` at random moments of a run with checkpoints, which is then begun again with `--resume`
until it ends, and then anew until there were so many kills. Whenever one ended, its model and
its alarms had the bytes of the run that nothing happened to. (`python -m benchmarks.kills` does
this alone.)

| command | rows | seconds when left alone | kills | of them after a checkpoint | runs that ended |
|---|---|---|---|---|---|
"""


def run(quick: bool) -> str:
    rows, kills = (4_000, 1) if quick else (200_000, 50)
    parts = [TEXT]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, rows)
        for command in LINES:
            late, done, runs, seconds = killed(command, kills, folder)
            parts.append(f"| `{command}` | {rows:,} | {seconds:.1f} | {done} | {late} | {runs} |\n")
    return "".join(parts)
