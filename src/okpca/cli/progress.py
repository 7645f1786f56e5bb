"""Where a run has got to, on stderr if that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from okpca._core.plural import several
from okpca.cli.models import inner

PAUSE = 1.0  # seconds from one look at the model to the next: variances take time


class Progress:
    def __init__(self, shown: Any = None) -> None:
        self._shown = shown
        self._start = self._last = time.monotonic()
        self.rows = 0

    def passed(self, model: Any, rows: int, checkpoint_age: float | None) -> None:
        self.rows += rows
        now = time.monotonic()
        if self._shown is not None and now - self._last >= PAUSE:
            self._last = now
            self._shown.update(line(model, self.rows, now - self._start, checkpoint_age))


def line(model: Any, rows: int, seconds: float, checkpoint_age: float | None) -> str:
    parts = [several(rows, "rows"), f"{rows / max(seconds, 1e-9):.0f} rows/s"]
    learned = inner(model)
    if hasattr(learned, "n_atoms_"):
        explained = 100 * float(learned.explained_variance_ratio_.sum())
        parts += [several(learned.n_atoms_, "atoms"), f"{explained:.1f} % explained"]
    if checkpoint_age is not None:
        parts.append(f"checkpoint {checkpoint_age:.0f} s ago")
    return ", ".join(parts)


@contextmanager
def status_line(quiet: bool) -> Iterator[Progress]:
    """Nothing moves off a terminal."""
    if quiet or not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console

    with Console(stderr=True).status("reading ...") as status:
        yield Progress(status)
