"""What the library says, in the words of the prompt: options for parameters, names for columns, and
rows of files for rows of calls; and its warnings, one line each."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from okpca.cli.estimator_parameters import HOMES, parameters

OF_STREAM = ("on_bad_row", "columns", "id", "time", "format", "delimiter", "decimal")
CALL = re.compile(r" \[row (\d+) (?:of call \d+ to|in) \w+, counting rows from 0\]")
"""How the library says which row of a call it was."""


def spelled(text: str, columns: Sequence[str] = ()) -> str:
    """`max_atoms=5` is --max-atoms 5, and column 2 is column 'flow'."""
    text = re.sub(r"The '(\w+)' parameter of \w+ must", lambda m: f"{_option(m[1])} must", text)
    text = re.sub(r"\bcolumns=\[(.*?)\]", lambda m: _each(m[1]), text)
    text = re.sub(r"\bcolumns=(?!\w)", "--columns", text)
    text = text.replace("header=False", "--no-header")
    names = "|".join(sorted(_names(), key=len, reverse=True))
    value = r"(?:(['\"])(.+?)\2|([\w.+-]+))"
    text = re.sub(rf"(?<![-\w(])({names})={value}((?: or '\w+')?)", _given, text)
    compound = "|".join(name for name in _names() if "_" in name)
    text = re.sub(rf"(?<![-\w.])(`?)({compound})\1(?![\w=])", lambda m: _option(m[2]), text)
    return re.sub(r"\bcolumn (\d+)\b(?! \()", _named(columns), text)


def rounded(text: str) -> str:
    """Numbers that can be read at a glance."""

    def short(found: re.Match[str]) -> str:
        value = float(found[0])
        return f"{value:.0f}" if 100 <= abs(value) < 1e6 else f"{value:.4g}"

    return re.sub(r"(?<![\w.])-?\d+\.\d{4,}(?:e[-+]?\d+)?(?![\w.])|\b\d\.?\d*e\+\d+", short, text)


def row_of(text: str) -> tuple[int | None, str]:
    """The row of the call that a text is about, and the text without it."""
    found = CALL.search(text)
    return (None if found is None else int(found[1])), CALL.sub("", text)


def _names() -> list[str]:
    return [*OF_STREAM, *dict.fromkeys(name for home in HOMES for name in parameters(home))]


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _given(found: re.Match[str]) -> str:
    bare, end = (found[4] or "").rstrip("."), "." if (found[4] or "").endswith(".") else ""
    value = shlex.quote(found[3]) if found[2] else "none" if bare == "None" else bare
    value = f" {value}" if value else ""
    return f"{_option(found[1])}{value}{found[5].replace(chr(39), '')}{end}"


def _each(names: str) -> str:
    return " ".join(f"-c {name.strip()}" for name in re.sub("['\"]", "", names).split(","))


def _named(columns: Sequence[str]) -> Callable[[re.Match[str]], str]:
    def name(found: re.Match[str]) -> str:
        j = int(found[1])
        return f"column {columns[j]!r}" if j < len(columns) else found[0]

    return name


_columns: list[str] = []
"""Of the rows at hand, which warnings of the library number."""


def about(columns: Sequence[str]) -> None:
    _columns[:] = columns


def hear_warnings(quiet: bool) -> None:
    """Warnings from now on, or none at all if it shall be quiet."""
    from okpca.cli.exits import say

    def show(message: Any, *where: Any, **more: Any) -> None:
        if not quiet:
            say(f"warning: {rounded(spelled(str(message), _columns))}")

    warnings.filterwarnings("default", category=UserWarning)
    warnings.filterwarnings("ignore", "X does not have valid feature names")  # they were chosen
    warnings.showwarning = show
