"""The command line as a user has it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class Spent(NamedTuple):
    """By a process that has ended."""

    code: int
    seconds: float  # of processor time
    peak: float  # resident, in MB


def started(line: str, folder: Path | None = None, **more: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "okpca", *line.split()]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, **ONE_THREAD}, **more)


def ended(process: subprocess.Popen[bytes]) -> Spent:
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    scale = 2**20 if sys.platform == "darwin" else 2**10
    return Spent(process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / scale)


def resident(process: subprocess.Popen[bytes]) -> float:
    """Now, in MB; 0 when it has ended."""
    try:
        text = Path(f"/proc/{process.pid}/statm").read_text()
    except OSError:
        return 0.0
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
