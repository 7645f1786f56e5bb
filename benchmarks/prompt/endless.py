"""A monitor that is never switched off."""

from __future__ import annotations

import io
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from benchmarks.prompt.commands import ended, resident, started

TITLE = "A pipe that does not end"
LINE = (
    "monitor - --max-atoms 200 --contamination 0.001 --window 5000 "
    "-o alarms -q --checkpoint kept --every 10s"
)
CHUNK, QUICK = 10_000, 2_500
TEXT = """\
`okpca {line}`
reads {rows:,} rows of {columns} columns from a pipe, {distinct:,} different ones in chunks that
come again and again, as fast as it can: {rate:,.0f} rows a second of processor time. Its resident
memory and the files it keeps, after shares of the rows. The file of alarms has a line for each,
{alarms:,}, which is {share:.2g} % of the rows; nothing else grows. (`contamination` allows 0.1 %,
and wants a `window` of more than 4 / 0.001 rows for that.)

| rows | resident | checkpoint and the one before | alarms |
|---|---|---|---|
"""


def text_of(rows: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savetxt(file, rows, "%.5f", delimiter=",")
    return file.getvalue()


def chunks(n: int, size: int, columns: int) -> list[bytes]:
    """Text of some rows, which come again and again in a random order."""
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(columns, columns))
    return [text_of(rng.normal(size=(size, columns)) @ mixed) for _ in range(n)]


def size(folder: Path, *names: str) -> float:
    """In MB."""
    return sum((folder / name).stat().st_size for name in names if (folder / name).exists()) / 1e6


def run(quick: bool) -> str:
    chunk = QUICK if quick else CHUNK
    rows, columns, looks = (2 * chunk, 3, 2) if quick else (5_000_000, 5, 10)
    texts, rng = chunks(2 if quick else 50, chunk, columns), np.random.default_rng(1)
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process = started(LINE, folder, stdin=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write((",".join("abcdefgh"[:columns]) + "\n").encode())
        for i in range(rows // chunk):
            process.stdin.write(texts[rng.integers(len(texts))])
            process.stdin.flush()
            done = (i + 1) * chunk
            if done % (rows // looks) == 0:
                kept, alarms = size(folder, "kept", "kept~"), size(folder, "alarms")
                files = f"{kept:.2f} MB | {alarms:.2f} MB"
                lines.append(f"| {done:,} | {resident(process):.0f} MB | {files} |\n")
        process.stdin.close()
        spent = ended(process)
        assert spent.code == 0
        alarms = (folder / "alarms").read_bytes().count(b"\n")
    rate = rows / spent.seconds
    said = {"rows": rows, "columns": columns, "distinct": len(texts) * chunk, "rate": rate}
    told = TEXT.format(line=LINE, alarms=alarms, share=100 * alarms / rows, **said)
    return told + "".join(lines) + f"\nPeak: {spent.peak:.0f} MB.\n"
