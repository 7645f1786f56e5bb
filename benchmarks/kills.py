"""`python -m benchmarks.kills`: `fit` and `monitor` at the prompt, killed at random moments.

Every run is resumed with the same command until it ends, and then begun anew, until there were so
many kills. What it leaves, model and alarms, must be the bytes of a run that nothing happened to.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS = 200_000
LINES = {
    "fit": "fit x.csv --gamma 0.5 --n-components 5 --max-atoms 100 -o m.okpca",
    "monitor": "monitor x.csv --gamma 0.5 --max-atoms 100 -o alarms --save m.okpca",
}
KEEPING = " -q --checkpoint c --every 10000rows --resume"
LEFT = ("m.okpca", "alarms")


def write(folder: Path, n: int) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n, 5)) @ rng.normal(size=(5, 5))
    header = ",".join("abcde")
    np.savetxt(folder / "x.csv", rows, "%.6f", delimiter=",", header=header, comments="")


def started(line: str, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "okpca", *line.split()], cwd=folder)


def left(folder: Path) -> list[bytes]:
    """What a run leaves; another can begin."""
    found = [(folder / name).read_bytes() for name in LEFT if (folder / name).exists()]
    for name in (*LEFT, "m.okpca~", "c", "c~"):
        (folder / name).unlink(missing_ok=True)
    return found


def killed(command: str, kills: int, folder: Path, seed: int = 0) -> tuple[int, int, int, float]:
    """Kills after the first checkpoint, and all; runs that ended; seconds of one left alone."""
    line, chance = LINES[command] + KEEPING, random.Random(seed)
    start = time.monotonic()
    assert started(line, folder).wait() == 0
    seconds, whole = time.monotonic() - start, left(folder)
    done = late = runs = 0
    while True:
        process = started(line, folder)
        try:
            wait = chance.uniform(0.0, seconds) if done < kills else None
            assert process.wait(wait) == 0, "a run failed"
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            late += (folder / "c").exists()
            done += 1
            continue
        runs += 1
        assert left(folder) == whole, f"{command}: another result after {done} kills"
        if done >= kills:
            return late, done, runs, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", default=list(LINES), metavar="fit|monitor")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--rows", type=int, default=ROWS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, given.rows)
        for command in given.commands:
            late, done, runs, seconds = killed(command, given.kills, folder)
            print(
                f"{command}: {given.rows} rows in {seconds:.1f} s when left alone; {done} kills, "
                f"{late} of them after a checkpoint, {runs} runs ended, all with the same bytes",
                flush=True,
            )


if __name__ == "__main__":
    main()
