"""Warnings at the prompt: one line each, in its words."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

_columns: list[str] = []
"""Of the rows at hand, which warnings of the library number."""


def about(columns: Sequence[str]) -> None:
    _columns[:] = columns


def heard(quiet: bool) -> None:
    """From now on, or not at all if it shall be quiet."""
    from okpca.cli.exits import say
    from okpca.cli.spelling import rounded, spelled

    def show(message: Any, *where: Any, **more: Any) -> None:
        if not quiet:
            say(f"warning: {rounded(spelled(str(message), _columns))}")

    warnings.filterwarnings("default", category=UserWarning)
    warnings.filterwarnings("ignore", "X does not have valid feature names")  # they were chosen
    warnings.showwarning = show
